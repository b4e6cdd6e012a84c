package hot

import (
	"context"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// runSandboxed enters a sandbox and replaces this process by a hook's program. It returns only if that
// is refused: the program did not run.
func runSandboxed(_ context.Context, env console.Env) int {
	if _, err := env.TakeTicket(append([]string{sandbox.Name}, env.Args...)...); err != nil {
		return fail(env, sandbox.RefusedCode, "%v", sandbox.RefusedError(err))
	}
	return fail(env, sandbox.RefusedCode, "%v", sandbox.Trampoline(env.Args[1:], env.Environ))
}
