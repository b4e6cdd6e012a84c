package guard

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
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
	found := redactions{ev: ev}
	c.Mark = func(text string, f secret.Finding) string {
		found.add("", text, f)
		return placeholder.Bare
	}
	v, n := redactSubject(ev, &c, known)
	if n > 0 {
		v.Notice = []string{redactionNotice(n, "secret", ev, found.summary(), "")}
	}
	return v
}
