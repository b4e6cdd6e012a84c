package builtin

import (
	"context"
	"fmt"

	"github.com/checkrein/checkrein"
)

// newRedactSecrets writes [REDACTED] over secrets in what a tool is given, in
// what it returned, in what the model is sent, and in what leaves as text.
func newRedactSecrets(args []string) (Func, error) {
	if err := noArgs(args); err != nil {
		return nil, err
	}
	known := new(cleared)
	return func(_ context.Context, call Call) (checkrein.Verdict, error) {
		return redactSecrets(&call.Event, known), nil
	}, nil
}

func redactSecrets(ev *checkrein.Event, known *cleared) checkrein.Verdict {
	c := secretsOf(ev)
	v, n := redactSubject(ev, &c, known)
	if n > 0 {
		v.Notice = []string{removed(n, "secret", ev)}
	}
	return v
}

// removed tells the person what was taken out of where.
func removed(n int, what string, ev *checkrein.Event) string {
	if n > 1 {
		what += "s"
	}
	where := ev.Kind.String()
	if ev.Tool != nil {
		where = "the arguments of " + ev.Tool.Name
		if ev.Kind == checkrein.ToolResponseTransform {
			where = "the output of " + ev.Tool.Name
		}
	}
	return fmt.Sprintf("checkrein redacted %d %s in %s (details: checkrein explain)", n, what, where)
}
