package hot

import (
	"context"
	"io"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/handover"
)

// runAsync runs one asynchronous hook that another process handed over on stdin. The hook's output
// goes to the log in the state directory.
func runAsync(ctx context.Context, env console.Env) int {
	ticket, err := env.TakeTicket(append([]string{"_async"}, env.Args...)...)
	if err != nil {
		return printError(env, console.Refused, "%v", err)
	}
	line, err := io.ReadAll(io.LimitReader(env.Stdin, handover.MaxLine))
	if err != nil {
		return console.Bug
	}
	if err := ticket.CheckInput(line); err != nil {
		return printError(env, console.Refused, "_async: %v", err)
	}
	k, err := app.Open(app.Options{Dir: env.Dir, Environ: env.Environ, Now: env.Now, Program: env.Program, Companion: companionPath(env), State: handover.StateDir(line), Config: handover.ConfigDir(line), NoConfig: true})
	if err != nil {
		return printError(env, console.Bug, "%v", err)
	}
	if err := k.RunAsync(ctx, line); err != nil {
		return printError(env, console.Bug, "%v", err)
	}
	return console.Done
}
