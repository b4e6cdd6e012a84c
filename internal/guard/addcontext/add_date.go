package addcontext

import (
	"context"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// NewAddDate returns the builtin that gives the model today's date.
func NewAddDate(args []string) (builtin.Func, error) { return addDate, builtin.NoArgs(args) }

func addDate(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	return builtin.AddContext("Today's date: " + call.Machine.Now().Format(time.DateOnly)), nil
}
