package guard

import (
	"context"
	"time"

	"github.com/checkrein/checkrein"
)

func newAddDate(args []string) (Func, error) { return addDate, noArgs(args) }

func addDate(_ context.Context, call Call) (checkrein.Verdict, error) {
	return say("Today's date: " + call.Machine.Now().Format(time.DateOnly)), nil
}
