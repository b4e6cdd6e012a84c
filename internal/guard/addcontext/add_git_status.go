package addcontext

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// NewAddGitStatus returns the builtin that gives the model the Git status.
func NewAddGitStatus(args []string) (builtin.Func, error) { return addGitStatus, builtin.NoArgs(args) }

func addGitStatus(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
	return call.GitFiles(ctx, "Current git status:",
		"status", "--short", "--branch", "--ignore-submodules=dirty")
}
