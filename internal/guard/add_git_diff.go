package guard

import (
	"context"
	"fmt"

	"github.com/checkrein/checkrein"
)

func newAddGitDiff(args []string) (Func, error) {
	switch {
	case len(args) == 0:
		return addGitDiffStat, nil
	case len(args) == 1 && args[0] == "full":
		return addGitDiffFull, nil
	}
	return nil, fmt.Errorf(`unknown arguments %q: write "full" for the whole diff, or no arguments for the summary`, args)
}

func addGitDiffStat(ctx context.Context, call Call) (checkrein.Verdict, error) {
	return call.gitFiles(ctx, "Current working-tree diff (stat):", "diff", "--stat",
		"--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty")
}

func addGitDiffFull(ctx context.Context, call Call) (checkrein.Verdict, error) {
	return call.gitFiles(ctx, "Current working-tree diff:", "diff",
		"--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty")
}
