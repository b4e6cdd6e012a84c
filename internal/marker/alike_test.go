package marker

import (
	"strings"
	"testing"
)

func TestLikenesses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"T=[REDACTED:0000000]", "T=[REDACTED: 00000000]", "T=[REDACTED:…]", "T=[REDACTED 0000]", "T=[REDACTED-00000000]", "T=REDACTED", "T=[ REDACTED ]", "T: [redacted]",
		"(REDACTED)", "<Redacted>", "{REDACTED}", "***REDACTED***", "T=[MASKED]", "T=****", "token: \"••••••\"", "T=ghp_****", "https://me:****@host.example", "Authorization: Bearer REDACTED", "T=[REDACTED]"} {
		if !Alike([]byte(text)) || len(Likenesses(text)) == 0 {
			t.Errorf("%s looks like none", text)
		}
	}
	for _, text := range []string{"the value is redacted in logs", "the unmasked value", "is_masked = True", "/*****************/", "# ***************\n", " ****\n", "a ** b", "/**** x ****/", "* * * *", "T=new"} {
		if got := Likenesses(text); len(got) > 0 {
			t.Errorf("%s has %q", text, strings.Join(got, " "))
		}
	}
}
