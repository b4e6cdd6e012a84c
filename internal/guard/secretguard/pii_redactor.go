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

// personalKinds lists the kinds of personal data with their names for users and their rules.
var personalKinds = [...]struct{ word, rule string }{
	{"email", "email-address"}, {"phone", "phone-number"}, {"card", "payment-card"}, {"iban", "iban"},
}

// personalKind returns the name for users of the kind that rule finds, or rule itself if it has none.
func personalKind(rule string) string {
	for _, p := range personalKinds {
		if p.rule == rule {
			return p.word
		}
	}
	return rule
}

// NewPIIRedactor returns the builtin that replaces e-mail addresses, phone numbers, card numbers and
// IBANs with the name of their kind. Arguments restrict it to the kinds that they name.
func NewPIIRedactor(args []string) (builtin.Func, error) {
	for _, a := range args {
		if !slices.ContainsFunc(personalKinds[:], func(p struct{ word, rule string }) bool { return p.word == a }) {
			return nil, fmt.Errorf("%q is unknown: must be one of email, phone, card, iban", a)
		}
	}
	known := new(cleanCache)
	c := secret.Cleaner{
		Want:   secret.Personal,
		Marker: func(rule string) string { return "[" + strings.ToUpper(personalKind(rule)) + "]" },
	}
	if len(args) > 0 {
		c.Keep = func(rule, _ string) bool { return !slices.Contains(args, personalKind(rule)) }
	}
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		v, n := redactSubject(&call.Event, &c, known)
		if n > 0 {
			v.Notice = []string{redactionNotice(n, "personal detail", &call.Event, "", "")}
		}
		return v, nil
	}, nil
}
