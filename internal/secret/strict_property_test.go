package secret

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/rawjson"
	"pgregory.net/rapid"
)

func drawSecret(t *rapid.T) string {
	all := SampleTokens()
	return all[rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(t, "kind")]
}

// drawText draws text around a secret: prose, code, punctuation, anything.
func drawText(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.Just(""),
		rapid.SampledFrom([]string{"some words ", "func main() {\n", "x := 1\n", "a, b = c\n", "# note\n", "http://x/ ", "token count: 3\n", "[REDACTED] "}),
		rapid.StringMatching(`[a-z =:"',\[\]{}<>()/&;\n\\@-]{0,20} `),
		rapid.Map(rapid.String(), func(s string) string { return s + " " }),
	).Draw(t, label)
}

// strictLeaks reports whether result still contains secret, or one of its longer lines.
func strictLeaks(result, secret string) bool {
	return strings.Contains(result, secret) || slices.ContainsFunc(strings.Split(secret, "\n"), func(line string) bool {
		return len(line) > 30 && !strings.Contains(line, "-----") && strings.Contains(result, line)
	})
}

func checkIdempotent(t *rapid.T, got string) {
	if again := (Redactor{}).MaskText(got); again != got {
		t.Fatalf("not idempotent:\n%q\n%q", got, again)
	}
}

func TestStrictTokenNeverSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := drawSecret(t)
		place := rapid.SampledFrom(SamplePlaces).Draw(t, "place")
		text := drawText(t, "before") + strings.ReplaceAll(place, "%s", secret) + drawText(t, "after")
		got := Redactor{}.MaskText(text)
		if strictLeaks(got, secret) {
			t.Fatalf("Text(%q)\n = %q", text, got)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("Text(%q) is not valid", text)
		}
		checkIdempotent(t, got)
	})
}

func TestStrictNamedNeverSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.OneOf(rapid.SampledFrom(SamplePasswords()), rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9!%^*_+~.-]{6,24}Q7`)).Draw(t, "secret")
		place := rapid.SampledFrom(SampleNamedPlaces).Draw(t, "place")
		text := rapid.SampledFrom([]string{"", "run this: ", "\n", "x\n  ", `a\n`, "; "}).Draw(t, "before") + strings.ReplaceAll(place, "%s", secret)
		got := Redactor{}.MaskText(text)
		if strings.Contains(got, secret) {
			t.Fatalf("Text(%q)\n = %q", text, got)
		}
		checkIdempotent(t, got)
	})
}

func TestStrictTextIdempotent(t *testing.T) {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{
			Marker, "[REDACTED", "REDACTED]", "password", "token", "=", ":", " ", "\n", "\"", "'", "\\", "\\\"", "\\n", "--", "-u ", "Authorization: ", "Bearer ",
			"://", "@", "/", "key", "value", "name", "&", ";", ",", "(", ")", "]", "}", "<", ">", "|\n  ", "```", "PRIVATE KEY", "-----BEGIN ", "login ", "$", "${", "{{", "x",
		}),
		rapid.Map(rapid.SampledFrom(slices.Sorted(maps.Keys(SampleTokens()))), func(k string) string { return SampleTokens()[k] }),
		rapid.StringMatching(`[a-zA-Z0-9+/_.=-]{1,40}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 1, 12).Draw(t, "parts"), "")
		checkIdempotent(t, Redactor{}.MaskText(text))
		doc := rawjson.Quote(text)
		got := Redactor{}.MaskJSON(doc)
		if again := (Redactor{}).MaskJSON(got); string(again) != string(got) {
			t.Fatalf("JSON not idempotent:\n%s\n%s", got, again)
		}
	})
}

// drawEscaped returns s as part of a RedactJSON string with some characters escaped as \u….
func drawEscaped(t *rapid.T, s string) string {
	every := rapid.IntRange(0, 5).Draw(t, "escaped")
	var out strings.Builder
	for i, r := range s {
		if r < 0x80 && every > 0 && i%every == 0 {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		q := string(rawjson.Quote(string(r)))
		out.WriteString(q[1 : len(q)-1])
	}
	return out.String()
}

func TestStrictJSONNeverLeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := drawSecret(t)
		text := strings.ReplaceAll(rapid.SampledFrom(SamplePlaces).Draw(t, "place"), "%s", secret)
		doc := `"` + drawEscaped(t, text) + `"`
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			switch rapid.IntRange(0, 3).Draw(t, "wrap") {
			case 0:
				doc = `[1, ` + doc + `]`
			case 1:
				doc = `{"a": ` + doc + `, "b": null}`
			case 2:
				if doc[0] == '"' {
					doc = `{` + doc + ` : 1}`
				}
			case 3:
				doc = string(rawjson.Quote(`{"a":` + doc + `}`))
			}
		}
		if err := rawjson.Check([]byte(doc)); err != nil {
			t.Fatalf("the test made %q: %v", doc, err)
		}
		got := Redactor{}.MaskJSON([]byte(doc))
		if err := rawjson.Check(got); err != nil {
			t.Fatalf("JSON(%s) = %s: %v", doc, got, err)
		}
		if plain := decodeAllStrings(string(got)); strictLeaks(string(got), secret) || strictLeaks(plain, secret) {
			t.Fatalf("JSON(%s)\n = %s", doc, got)
		}
		if again := (Redactor{}).MaskJSON(got); string(again) != string(got) {
			t.Fatalf("not idempotent:\n%s\n%s", got, again)
		}
	})
}

// decodeAllStrings returns all strings of the RedactJSON val, and those of RedactJSON within them, as one text.
func decodeAllStrings(val string) string {
	var out strings.Builder
	rawjson.EachStringValue([]byte(val), func(s string) bool {
		out.WriteString(s + "\n")
		if rawjson.Check([]byte(s)) == nil && s != val {
			out.WriteString(decodeAllStrings(s))
		}
		return true
	})
	return out.String()
}

// hostile lists parts that make careless scanners quadratic when they are repeated.
var hostile = []string{
	"a", "=", ":", "\"", "\\", "-", "\n", "password=", "password:=", "password=\"", "password=\\\"", "password: ", "key=", "key=\"", "key=a", "tokens=",
	"cookie: {{", "cookie=${", "token=<", "://a:b/", "://", "://a:b@", "eyJ", "eyJ-", "sk-", "sk-a-", "Bearer ", "bearer a", "-----BEGIN RSA PRIVATE KEY-----",
	"BEGIN PRIVATE KEY ", "token=-----BEGIN PRIVATE KEY-----", "cookie: -----BEGIN PRIVATE KEY", "PuTTY-User-Key-File-", "--token ", "-key \"", "-key \\\"", "password '", "login password ", "value: ", "secret: |\n", "password:\n",
	"<token>", "(\"token\",\"", "(\"token\",", "%3D", "\\n", "a1B2-", "0123456789abcdef-", "password=a,", "password=a;b&", "token=\"\"\"", "token=f\"", "secret=\\\\\\\"",
	"auth: a = ", "identified by ", "\"cookie: a\" ", "'auth: $A' ", "[REDACTED]", "password=[REDACTED]", "password=a[REDACTED]", "漢字=", "\xff",
}

// TestStrictHostile masks hostile texts. It would not finish in the time of a test if the time were
// not linear.
func TestStrictHostile(t *testing.T) {
	const size = 1 << 15
	for _, part := range hostile {
		text := strings.Repeat(part, size/len(part))
		got := Redactor{}.MaskText(text)
		if again := (Redactor{}).MaskText(got); again != got {
			t.Errorf("%q, many times: not idempotent", part)
		}
		if doc := (Redactor{}).MaskJSON(rawjson.Quote(text[:size/8])); rawjson.Check(doc) != nil {
			t.Errorf("%q, many times: no JSON", part)
		}
	}
}
