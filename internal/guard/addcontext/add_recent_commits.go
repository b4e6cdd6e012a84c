package addcontext

import (
	"context"
	"fmt"
	"strconv"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

const defaultCommits = 10

// recentCommits is the number of commits to list.
type recentCommits int

// NewAddRecentCommits returns the builtin that gives the model the latest commits.
func NewAddRecentCommits(args []string) (builtin.Func, error) {
	if len(args) > 1 {
		return nil, fmt.Errorf("arguments %q are not valid: write the number of commits, or no arguments for %d", args, defaultCommits)
	}
	n := defaultCommits
	if len(args) == 1 {
		// An invalid count means the default, as in docker-agent.
		if got, err := strconv.Atoi(args[0]); err == nil && got > 0 {
			n = min(got, builtin.GitLimit) // there cannot be more lines than bytes
		}
	}
	return recentCommits(n).addCommits, nil
}

// addCommits returns a verdict that adds the list of commits to the context.
func (n recentCommits) addCommits(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
	return call.GitLog(ctx, "Recent commits:", "log", "--oneline", "-n", strconv.Itoa(int(n)),
		"--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color")
}
