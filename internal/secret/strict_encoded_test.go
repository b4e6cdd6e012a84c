package secret

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/text/rawjson"
	"pgregory.net/rapid"
)

// plainSecrets returns secrets that are found in any text.
func plainSecrets() []string {
	all := SampleTokens()
	return []string{"gh" + "p_" + sampleBase62(36), "AK" + "IA" + "Z7QK2MVB4XSD6TRW", "gl" + "pat-" + sampleBase62(20), all[firstSingleLine(all)]}
}

// firstSingleLine returns the first key of all whose value has no spaces and newlines.
func firstSingleLine(all map[string]string) string {
	best := ""
	for k, v := range all {
		if !strings.ContainsAny(v, "\n ") && (best == "" || k < best) {
			best = k
		}
	}
	return best
}

// survives reports whether got still contains a third of spelling.
func survives(got, spelling string) bool {
	for from := 0; from+len(spelling)/3 <= len(spelling); from++ {
		if strings.Contains(got, spelling[from:from+len(spelling)/3]) {
			return true
		}
	}
	return false
}

func TestStrictEncodedTokens(t *testing.T) {
	for name, spell := range SampleSpellings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, secret := range plainSecrets() {
				spelling := spell(secret)
				for _, place := range []string{"%s", "it is \"%s\", I think.\nAnd so on.", "echo '%s' | sh", "a/b %s\n", "https://example.com/?q=%s&r=1", "x = \"%s\"\ny = 2\n"} {
					text := strings.ReplaceAll(place, "%s", spelling)
					got := Redactor{}.MaskText(text)
					if survives(got, spelling) {
						t.Errorf("Text(%q)\n = %q", text, got)
					}
					if again := (Redactor{}).MaskText(got); again != got {
						t.Errorf("not idempotent: %q, %q", got, again)
					}
					doc := Redactor{}.MaskJSON([]byte(`{"command":` + string(rawjson.Quote(text)) + `}`))
					if plain := decodeAllStrings(string(doc)); survives(plain, spelling) {
						t.Errorf("JSON of %q\n = %s", text, doc)
					}
				}
				if got := (Redactor{}).MaskName("/srv/" + spelling + "/x"); survives(got, spelling) {
					t.Errorf("Name = %q", got)
				}
			}
		})
	}
}

// TestStrictEncodedNames checks names and values that are both encoded, for example with percent
// signs, and names that are split.
func TestStrictEncodedNames(t *testing.T) {
	const value = "Tr0ub4dor" + "Xq"
	for _, text := range []string{
		formatEachByte("%%%02X")("PASSWORD=" + value), "PASSWORD%3D" + value + "%26x", formatEachByte("&#%d;")("password: " + value), hex.EncodeToString([]byte("DB_PASSWORD=" + value)),
		"PASS\u200bWORD=" + value, "PASS\x00WORD=" + value, "export PASS''WORD=" + value, "export PA\\SSWORD=" + value, utf16Encoder(false)("password=" + value),
		encode64("password=" + value + "\nuser=me\n"), "pass%77ord=" + value,
	} {
		got := Redactor{}.MaskText(text)
		if strings.Contains(got, value) || strings.Contains(got, text) {
			t.Errorf("Text(%q) = %q", text, got)
		}
	}
	for _, key := range []string{"pass\u200bword", "pass\x00word", "p%61ssword", "pass&#119;ord"} {
		doc := append(append([]byte("{"), rawjson.Quote(key)...), `:"`+value+`"}`...)
		if got := (Redactor{}).MaskJSON(doc); strings.Contains(string(got), value) {
			t.Errorf("JSON(%s) = %s", doc, got)
		}
	}
}

// TestStrictOrdinaryStays checks that text that only resembles an encoding stays unchanged.
func TestStrictOrdinaryStays(t *testing.T) {
	for _, text := range []string{
		"git show 0123456789abcdef0123456789abcdef01234567", "sha256:" + strings.Repeat("6768706f", 8), "C:\\Users\\name\\project\\notes.txt",
		`printf 'one\ntwo\tthree\n'`, `"first" + "second" + "third"`, "don't, it's what they'd've said", `x := "" + y + ""`, `echo "a""b"'c'`,
		"https://example.com/a%20b/c%2Fd?q=%E2%9C%93", "&lt;b&gt;bold&lt;/b&gt; &amp; more", "20 21 22 23 24 25 26 27 28 29 30 31 32", "00:1b:44:11:3a:b7",
		"550e8400-e29b-41d4-a716-446655440000", "\ufeffname,value\n", "caf\u00ad\u00e9", `\d+\.\d+\s*[A-Za-z_]\w*`,
		hex.EncodeToString([]byte("hello, this is only a greeting in hex")), formatEachByte("%%%02x")("only a greeting"),
	} {
		if got := (Redactor{}).MaskText(text); got != text {
			t.Errorf("Text(%q)\n     = %q, want it unchanged", text, got)
		}
	}
}

// TestStrictEncodedHostile masks texts with many encoded parts. It would not finish in the time of a
// test if the time were not linear.
func TestStrictEncodedHostile(t *testing.T) {
	const size = 1 << 17
	for _, part := range []string{"%67", "%", "&#103;", "&", "\\x67", "\\", "\"\"", "a\"\"", "a\"b", "a' + '", "\u200b", "a\u200b", "\x00", "67 ", "6768", "0x67,", "67:ff", "aGVs/", "aGVsbG8h", "aGVsbG8gd29ybGQh\xff", "a\\n", "20ff", "PRIVATE KEY%20", "gh\u200bp_"} {
		text := strings.Repeat(part, size/len(part))
		got := Redactor{}.MaskText(text)
		if again := (Redactor{}).MaskText(got); again != got {
			t.Errorf("%q, many times: not idempotent", part)
		}
	}
}

func TestStrictEncodedNeverSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"hex", "percents", "entities", "u escapes", "zero width", "NUL", "plus", "empty quotes", "base64"}
		secret := rapid.SampledFrom(plainSecrets()).Draw(t, "secret")
		spelling := SampleSpellings[rapid.SampledFrom(names).Draw(t, "how")](secret)
		text := drawText(t, "before") + " " + spelling + " " + drawText(t, "after")
		got := Redactor{}.MaskText(text)
		if survives(got, spelling) {
			t.Fatalf("Text(%q)\n = %q", text, got)
		}
		checkIdempotent(t, got)
	})
}
