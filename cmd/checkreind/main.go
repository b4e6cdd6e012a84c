// Command checkreind is checkrein's companion: every command that is not called
// thousands of times a day.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/desk"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	build.UseModuleVersion()
	environ.ClearUnsafeZone()
	dir, _ := os.Getwd()
	program, _ := os.Executable()
	os.Exit(desk.Run(ctx, console.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: environ.WithHome(os.Environ()), Dir: dir, Now: time.Now, Program: program,
		Admit: func(args []string) (console.Ticket, error) { return process.AcceptTicket(args) },
	}))
}
