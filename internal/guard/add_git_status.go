package guard

import (
	"context"

	"github.com/checkrein/checkrein"
)

func newAddGitStatus(args []string) (Func, error) { return addGitStatus, noArgs(args) }

func addGitStatus(ctx context.Context, call Call) (checkrein.Verdict, error) {
	return call.gitFiles(ctx, "Current git status:",
		"status", "--short", "--branch", "--ignore-submodules=dirty")
}
