package guard

import (
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
)

func TestPIIRedactor(t *testing.T) {
	t.Parallel()
	text := "Mail ann.smith@" + "contoso.org, call +44 20 7946 0958, card 4012 " + "8888 8888 1881, IBAN DE89 3704 0044 0532 0130 00."
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "Mail [EMAIL], call [PHONE], card [CARD], IBAN [IBAN]."},
		{[]string{"email"}, "Mail [EMAIL], call +44 20 7946 0958, card 4012 " + "8888 8888 1881, IBAN DE89 3704 0044 0532 0130 00."},
	} {
		for _, kind := range []checkrein.Kind{checkrein.OnResponseEnd, checkrein.OnOutboundMessage} {
			ev := guardtest.EventWithText(kind, text)
			v := verdictOf(t, "pii_redactor", c.args, ev)
			after, _, err := checkrein.Apply(ev, &v)
			if err != nil || after.Text != c.want {
				t.Errorf("%v %v: %q, %v", kind, c.args, after.Text, err)
			}
		}
	}
	for _, text := range []string{"version 1.2.3, order 4012888888881882, commit 0123456789abcdef", "noreply@example.com", "ISO 9001:2015"} {
		if v := verdictOf(t, "pii_redactor", nil, guardtest.EventWithText(checkrein.OnResponseEnd, text)); !v.IsZero() {
			t.Errorf("%q: %s", text, v.Output)
		}
	}
	if _, err := secretguard.NewPIIRedactor([]string{"shoe-size"}); err == nil {
		t.Error("an unknown kind is taken")
	}
}
