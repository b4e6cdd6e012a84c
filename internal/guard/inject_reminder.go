package guard

import (
	"context"
	"errors"
	"strings"

	"github.com/checkrein/checkrein"
)

// newInjectReminder tells the model the same thing again and again, before it can
// forget it.
func newInjectReminder(args []string) (Func, error) {
	text := strings.TrimSpace(strings.Join(args, "\n"))
	if text == "" {
		return nil, errors.New(`needs the reminder as its argument, such as args: ["Publish before you say that it is published."]`)
	}
	return func(_ context.Context, call Call) (checkrein.Verdict, error) {
		row := checkrein.ContractOf(call.Event.Kind)
		if row.Context != checkrein.Transient && row.Context != checkrein.Persisted {
			return checkrein.Verdict{}, nil // the model would not hear it
		}
		return say(text), nil
	}, nil
}
