package placeholder

import (
	"strings"
	"testing"
)

func TestLookalikes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"T=[REDACTED:0000000]", "T=[REDACTED: 00000000]", "T=[REDACTED:…]", "T=[REDACTED 0000]", "T=[REDACTED-00000000]", "T=REDACTED", "T=[ REDACTED ]", "T: [redacted]",
		"(REDACTED)", "<Redacted>", "{REDACTED}", "***REDACTED***", "T=[MASKED]", "T=****", "token: \"••••••\"", "T=ghp_****", "https://me:****@host.example", "Authorization: Bearer REDACTED", "T=[REDACTED]"} {
		if !MayHaveLookalike([]byte(text)) || len(FindLookalikes(text)) == 0 {
			t.Errorf("%s looks like none", text)
		}
	}
	for _, text := range []string{"the value is redacted in logs", "the unmasked value", "is_masked = True", "/*****************/", "# ***************\n", " ****\n", "a ** b", "/**** x ****/", "* * * *", "T=new"} {
		if got := FindLookalikes(text); len(got) > 0 {
			t.Errorf("%s has %q", text, strings.Join(got, " "))
		}
	}
}

// TestLookalikeParts checks that the parts are found at every position, and cover markers and stars.
func TestLookalikeParts(t *testing.T) {
	t.Parallel()
	words := []string{open}
	for _, s := range stars {
		words = append(words, strings.Repeat(s, minStars))
	}
	for _, s := range lookalikeParts {
		words = append(words, s.word)
	}
	for _, w := range words {
		for _, text := range []string{w, "x" + w, w + "x", "ek*\\" + w + "DK", w[:1] + w, strings.Repeat(w[:len(w)-1]+" ", 3) + w} {
			if !MayHaveLookalike([]byte(text)) {
				t.Errorf("%q looks like none", text)
			}
		}
		for _, part := range []string{w[1:], w[:len(w)-1]} {
			if strings.Contains(part, "EDACTED") {
				continue
			}
			if MayHaveLookalike([]byte(part)) {
				t.Errorf("%q looks like one", part)
			}
		}
	}
}
