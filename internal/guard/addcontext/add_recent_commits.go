package addcontext

import (
	"context"
	"fmt"
	"strconv"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

const defaultCommits = 10

// recentCommits is how many commits to tell of.
type recentCommits int

func NewAddRecentCommits(args []string) (builtin.Func, error) {
	if len(args) > 1 {
		return nil, fmt.Errorf("arguments %q are not valid: write the number of commits, or no arguments for %d", args, defaultCommits)
	}
	n := defaultCommits
	if len(args) == 1 {
		// A count that makes no sense is the default, as docker-agent has it.
		if got, err := strconv.Atoi(args[0]); err == nil && got > 0 {
			n = min(got, builtin.GitLimit) // there is no room for more lines than bytes
		}
	}
	return recentCommits(n).tell, nil
}

func (n recentCommits) tell(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
	return call.GitLog(ctx, "Recent commits:", "log", "--oneline", "-n", strconv.Itoa(int(n)),
		"--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color")
}
