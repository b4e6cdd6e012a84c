package secretguard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/secret"
)

// personal are the kinds of personal data, as people and as the engine's rules
// call them.
var personal = [...]struct{ word, rule string }{
	{"email", "email-address"}, {"phone", "phone-number"}, {"card", "payment-card"}, {"iban", "iban"},
}

func personalWord(rule string) string {
	for _, p := range personal {
		if p.rule == rule {
			return p.word
		}
	}
	return rule
}

// NewPIIRedactor writes the kind over e-mail addresses, phone numbers, cards and
// accounts, or over those that the arguments name.
func NewPIIRedactor(args []string) (builtin.Func, error) {
	for _, a := range args {
		if !slices.ContainsFunc(personal[:], func(p struct{ word, rule string }) bool { return p.word == a }) {
			return nil, fmt.Errorf("%q is unknown: must be one of email, phone, card, iban", a)
		}
	}
	known := new(cleanCache)
	c := secret.Cleaner{
		Want:   secret.Personal,
		Marker: func(rule string) string { return "[" + strings.ToUpper(personalWord(rule)) + "]" },
	}
	if len(args) > 0 {
		c.Keep = func(rule, _ string) bool { return !slices.Contains(args, personalWord(rule)) }
	}
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		v, n := redactSubject(&call.Event, &c, known)
		if n > 0 {
			v.Notice = []string{redactionNotice(n, "personal detail", &call.Event, "", "")}
		}
		return v, nil
	}, nil
}
