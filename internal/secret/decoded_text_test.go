package secret

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// encodedForms returns ways to write token that hide it from a plain search, by name.
func encodedForms(token string) map[string]string {
	each := func(format string) string {
		var out strings.Builder
		for _, c := range []byte(token) {
			fmt.Fprintf(&out, format, c)
		}
		return out.String()
	}
	join := func(sep string) string { return token[:6] + sep + token[6:17] + sep + token[17:] }
	return map[string]string{
		"hex": hex.EncodeToString([]byte(token)), "hex behind 0x": "0x" + hex.EncodeToString([]byte(token)),
		"percents": each("%%%02x"), "one percent": strings.Replace(token, "_", "%5F", 1), "entities": each("&#%d;"), "entity": strings.Replace(token, "_", "&lowbar;", 1),
		"escapes": each(`\x%02x`), "u escapes": each(`\u%04x`), "zero width": join("\u200b"), "byte order mark": join("\ufeff"), "soft hyphen": join("\u00ad"),
		"NUL": join("\x00"), "UTF-16LE": each("%c\x00"), "UTF-16BE": each("\x00%c"),
	}
}

func TestFindsEncodedTokens(t *testing.T) {
	token := "gh" + "p_" + randomLetters(newRandom(31), base62, 36)
	for name, spelling := range encodedForms(token) {
		for _, place := range []string{"%s", "key = %s\n", "\"%s\",", "a line\nx=\"%s\"\nanother\n", strings.Repeat("some words\n", 300) + "%s end"} {
			text := strings.ReplaceAll(place, "%s", spelling)
			found := Find(nil, text, rules.Secrets)
			if len(found) != 1 || found[0].Rule != "github-pat" {
				t.Errorf("%s in %q: %v", name, place[max(0, len(place)-40):], found)
				continue
			}
			if got := text[found[0].Start:found[0].End]; !strings.Contains(spelling, got) || len(got) < len(spelling)-2 {
				t.Errorf("%s: found %q of %q", name, got, spelling)
			}
		}
	}
	for _, text := range []string{token[:4] + `" + "` + token[4:], token[:9] + `""` + token[9:], token[:9] + `\` + token[9:]} {
		if found := Find(nil, text, rules.Secrets); len(found) > 0 {
			t.Errorf("parts are no token in a file: %q, %v", text, found)
		}
	}
	for _, text := range []string{
		"password&#58; hunter22", hex.EncodeToString([]byte("password=hunter2222")), "a%20b%20c", "%d%%%s",
	} {
		if found := Find(nil, text, rules.Secrets); len(found) > 0 {
			t.Errorf("%q: %v", text, found)
		}
	}
}

// TestStreamOfEncodedTokens checks that a stream finds encoded tokens as Redact does.
func TestStreamOfEncodedTokens(t *testing.T) {
	r := newRandom(32)
	var b strings.Builder
	for b.Len() < 120<<10 {
		for _, spelling := range encodedForms("gh" + "p_" + randomLetters(r, base62, 36)) {
			b.WriteString(mixedText(r, 200) + " " + spelling + []string{"\n", " ", "\"", "\n\n"}[r.IntN(4)])
		}
	}
	text := b.String()
	want, _ := Redact(text, rules.All, nil)
	for _, most := range []int{300, 5000, 40000} {
		got := streamText(text, func() int { return 1 + r.IntN(most) })
		if got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Fatalf("pieces up to %d differ at %d: got %q, want %q", most, at, excerptAround(got, at), excerptAround(want, at))
		}
	}
}
