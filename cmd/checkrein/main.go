// Command checkrein answers the events of AI agents, and is the name under
// which people call everything else.
package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/hot"
)

func main() {
	dir, _ := os.Getwd()
	program, _ := os.Executable()
	os.Exit(hot.Run(context.Background(), console.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(), Dir: dir, Now: time.Now, Program: program,
		Interrupts: func(ctx context.Context) context.Context {
			ctx, _ = signal.NotifyContext(ctx, os.Interrupt) // until the process ends
			return ctx
		},
	}))
}
