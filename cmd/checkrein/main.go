// Without this setting, the runtime names its memory mappings for debuggers: two dozen
// system calls in a program that lives for a millisecond.
//
//go:debug decoratemappings=0

// Command checkrein answers the events of AI agents, and hands every other command to
// checkreind.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/hot"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

func main() {
	growStack(false)
	env := console.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now,
		Admit: func(args []string) (console.Ticket, error) { return process.AcceptTicket(args) },
		Interrupts: func(ctx context.Context) context.Context {
			ctx, _ = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // until the process ends
			return ctx
		},
	}
	ctx := hot.Arm(context.Background(), env, os.Exit) // first: whatever is read may hang
	environ.ClearUnsafeZone()
	build.UseModuleVersion()
	env.Dir, _ = os.Getwd()
	env.Program, _ = build.ProgramPath()
	env.Environ = environ.WithHome(os.Environ())
	yamldoc.Register(hot.ReadYAML(ctx, env))
	os.Exit(hot.Run(ctx, env))
}

// growStack grows the stack for a whole call at once, while few frames have to be copied: doubling it
// whenever it is full takes a twentieth of a call. The frame is allocated whether touch is set or not,
// and touching it would cost time.
//
//go:noinline
func growStack(touch bool) byte {
	if !touch {
		return 0
	}
	var room [56 << 10]byte
	return room[len(os.Args)]
}
