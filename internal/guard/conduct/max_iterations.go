package conduct

import (
	"context"
	"fmt"
	"strconv"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// maxIterations is how many model calls a run may make.
type maxIterations float64

// NewMaxIterations returns the builtin that ends a run after a number of model calls. The runtime
// counts them; the builtin keeps no state.
func NewMaxIterations(args []string) (builtin.Func, error) {
	if len(args) == 1 {
		if n, err := strconv.Atoi(args[0]); err == nil && n > 0 {
			return maxIterations(n).checkModelCall, nil
		}
	}
	// docker-agent silently ignores an invalid limit. Here the run is not limited either,
	// but the hook is reported as broken.
	return nil, fmt.Errorf("arguments %q: must be the number of model calls a run may make, such as args: [\"50\"]", args)
}

// checkModelCall denies a model call beyond the limit.
func (limit maxIterations) checkModelCall(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	ev := &call.Event
	n, err := strconv.ParseFloat(string(ev.Detail("iteration")), 64)
	if ev.Kind != checkrein.BeforeLLMCall || err != nil || n <= float64(limit) {
		return checkrein.Verdict{}, nil
	}
	return builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny, Halt: true,
		Reason: fmt.Sprintf("The run has made %d model calls, which is its limit (max_iterations). It ends here.", int(limit))},
		"max_iterations/limit", fmt.Sprintf("the run has made %d model calls, which is its limit", int(limit))), nil
}
