package secretguard

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
)

// NewRedactSecrets returns the builtin that replaces secrets with [REDACTED] in a tool's arguments and
// output, in messages to the model, and in outgoing text.
func NewRedactSecrets(args []string) (builtin.Func, error) {
	if err := builtin.NoArgs(args); err != nil {
		return nil, err
	}
	known := new(cleanCache)
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return redactSecrets(&call.Event, known), nil
	}, nil
}

// redactSecrets returns the hook's verdict for an event.
func redactSecrets(ev *checkrein.Event, known *cleanCache) checkrein.Verdict {
	c := NewCleaner(ev)
	found := redactions{ev: ev}
	c.Mark = func(text string, f secret.Finding) string {
		found.add("", "", text, f)
		return placeholder.Bare
	}
	v, n := redactSubject(ev, &c, known)
	if n > 0 {
		v.Notice = []string{redactionNotice(n, "secret", ev, found.summary(), "")}
	}
	return v
}
