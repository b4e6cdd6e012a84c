// Package addcontext gives the model facts that it would otherwise have to find out, such as the date,
// the directory, the repository and the user, and texts that the user provides.
package addcontext

import (
	"context"
	"errors"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// NewInjectReminder returns the builtin that gives the model a fixed text each time.
func NewInjectReminder(args []string) (builtin.Func, error) {
	text := strings.TrimSpace(strings.Join(args, "\n"))
	if text == "" {
		return nil, errors.New(`needs the reminder as its argument, such as args: ["Publish before you say that it is published."]`)
	}
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		row := checkrein.ContractOf(call.Event.Kind)
		if row.Context != "transient" && row.Context != "persisted" {
			return checkrein.Verdict{}, nil // the host does not pass context to the model on this event
		}
		return builtin.AddContext(text), nil
	}, nil
}
