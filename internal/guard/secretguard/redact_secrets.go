package secretguard

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
)

// NewRedactSecrets writes [REDACTED] over secrets in what a tool is given, in
// what it returned, in what the model is sent, and in what leaves as text.
func NewRedactSecrets(args []string) (builtin.Func, error) {
	if err := builtin.NoArgs(args); err != nil {
		return nil, err
	}
	known := new(cleanCache)
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return redactSecrets(&call.Event, known), nil
	}, nil
}

func redactSecrets(ev *checkrein.Event, known *cleanCache) checkrein.Verdict {
	c := SecretsOf(ev)
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
