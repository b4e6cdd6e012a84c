package hot

import (
	"context"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// sandboxed enters a sandbox and becomes a hook's program in it. It comes back
// only when that is refused: the program did not run.
func sandboxed(_ context.Context, env console.Env) int {
	if _, err := env.Admitted(append([]string{sandbox.Name}, env.Args...)...); err != nil {
		return fail(env, sandbox.RefusedCode, "%v", sandbox.Refused(err))
	}
	return fail(env, sandbox.RefusedCode, "%v", sandbox.Trampoline(env.Args[1:], env.Environ))
}
