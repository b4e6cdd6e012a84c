package secret

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// redactorThatSearched returns a redactor that has searched val, as after a guard.
func redactorThatSearched(val []byte) Redactor {
	c := Redactor{Memory: new(Memory)}
	known := Cleaner{Want: rules.Secrets, Memory: c.Memory}
	known.RedactJSON(val)
	return c
}

const longPlain = "The quick brown fox\n\tjumps \"over\" the lazy dog, and \u00e4 \u20ac \U0001F600 follow it; "

// TestStrictHeadAndTailOfDocuments checks that the head and tail of a document without secrets are its
// own bytes.
func TestStrictHeadAndTailOfDocuments(t *testing.T) {
	t.Parallel()
	val := []byte(`{"path": "/tmp/x", "list":[1,2,{"content": ` + string(rawjson.Quote(strings.Repeat(longPlain, 40))) + `} ], "after":true}`)
	c := redactorThatSearched(val)
	for n := 1; n <= len(val); n += 7 {
		head, tail := c.MaskHead(val, n), c.MaskTail(val, n)
		if !strings.HasPrefix(string(val), head) || len(head) > n+8 || len(head) < n-12 && n < len(val)-40 {
			t.Fatalf("the first %d bytes: %d, %q", n, len(head), head[max(0, len(head)-40):])
		}
		if !strings.HasSuffix(string(val), tail) || len(tail) < n || len(tail) > n+12 && n < len(val)-60 {
			t.Fatalf("the last %d bytes: %d, %q", n, len(tail), tail[:min(40, len(tail))])
		}
	}
}

// TestStrictHeadAndTailMaskSecrets checks that neither end shows a secret, wherever it is. Text near
// the cut may be a piece of one, which records leave out.
func TestStrictHeadAndTailMaskSecrets(t *testing.T) {
	t.Parallel()
	token := "ghp" + "_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
	odd := "q8ZrT2vXw9" + "LmN4bKd7Yc1Hf3Jg6Ps5Ue0Ra"
	for _, text := range []string{"token = " + token, "the key is\n" + odd + "\n", "password=" + "hunter" + "2-Xq9", token} {
		quoted := string(rawjson.Quote(text))
		quoted = quoted[1 : len(quoted)-1]
		plain := string(rawjson.Quote(strings.Repeat(longPlain, 30)))
		plain = plain[1 : len(plain)-1]
		for _, val := range []string{
			`{"content":"` + plain + quoted + ` ` + plain + `"}`,
			`{"a":"` + plain + `","b":["x","` + quoted + `",` + `"` + plain + `"]}`,
			`["--token","` + odd + `",{"password":"` + odd + `"},"` + plain + plain + `"]`,
		} {
			doc := []byte(val)
			c := redactorThatSearched(doc)
			for n := 40; n < len(val); n += 37 {
				head, tail := c.MaskHead(doc, n), c.MaskTail(doc, n)
				for _, got := range []string{head[:max(0, len(head)-64)], tail[min(64, len(tail)):]} {
					for _, part := range []string{token[4:24], odd[4:24], "hunter" + "2-Xq9"} {
						if strings.Contains(got, part) {
							t.Fatalf("of %.60s… %d bytes show %s: %s", val, n, part, got)
						}
					}
				}
			}
		}
	}
}

// TestStrictKnownValuesAreHidden checks that a value that was found in one text of an event is hidden
// in all others, whatever is around it there.
func TestStrictKnownValuesAreHidden(t *testing.T) {
	t.Parallel()
	token := "309151a1-4b2c" + "-4d5e-8f60-e902b400777c"
	val := []byte(`{"command":"curl -u joe:` + token + ` https://example.com"}`)
	c := redactorThatSearched(val)
	for _, text := range []string{"see " + token, "x" + token + "y", "/tmp/" + token} {
		if got := c.MaskText(text); strings.Contains(got, token) {
			t.Errorf("%q", got)
		}
		if got := c.MaskName(text); got != text {
			t.Errorf("a name, by which records are joined: %q", got)
		}
		if got := (Redactor{}).MaskText(text); got != text {
			t.Errorf("unknown, and %q", got)
		}
	}
}

// TestDecodeOnce checks that a string that was decoded for the guards is not decoded again.
func TestDecodeOnce(t *testing.T) {
	want := strings.Repeat("a line\n", 1000)
	doc := []byte(`{"a": ` + string(rawjson.Quote(want)) + `}`)
	val, _ := rawjson.Get(doc, "a")
	m := redactorThatSearched(doc).Memory
	if got := m.Decode(val); got != want {
		t.Fatalf("got %d bytes, want %d", len(got), len(want))
	}
	if n := testing.AllocsPerRun(10, func() { m.Decode(val) }); n > 0 {
		t.Errorf("%v allocations for what is known", n)
	}
	for _, none := range []*Memory{nil, new(Memory)} {
		if got := none.Decode(val); got != want {
			t.Errorf("unknown: %d bytes", len(got))
		}
	}
}
