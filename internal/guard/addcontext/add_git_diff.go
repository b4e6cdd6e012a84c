package addcontext

import (
	"context"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// NewAddGitDiff returns the builtin that gives the model a summary of the unstaged changes, or the
// whole diff if the argument is "full".
func NewAddGitDiff(args []string) (builtin.Func, error) {
	switch {
	case len(args) == 0:
		return addGitDiffStat, nil
	case len(args) == 1 && args[0] == "full":
		return addGitDiffFull, nil
	}
	return nil, fmt.Errorf(`unknown arguments %q: write "full" for the whole diff, or no arguments for the summary`, args)
}

func addGitDiffStat(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
	return call.GitFiles(ctx, "Current working-tree diff (stat):", "diff", "--stat",
		"--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty")
}

func addGitDiffFull(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
	return call.GitFiles(ctx, "Current working-tree diff:", "diff",
		"--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty")
}
