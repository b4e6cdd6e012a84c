package hot

import (
	"context"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// runSandboxed enters a sandbox and replaces this process with a hook's program. It returns only if
// that fails; the program was not run then.
func runSandboxed(_ context.Context, env console.Env) int {
	if _, err := env.TakeTicket(append([]string{sandbox.CommandName}, env.Args...)...); err != nil {
		return printError(env, sandbox.RefusedExitCode, "%v", sandbox.RefusedError(err))
	}
	return printError(env, sandbox.RefusedExitCode, "%v", sandbox.RunTrampoline(env.Args[1:], env.Environ))
}
