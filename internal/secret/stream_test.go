package secret

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
)

// streamText returns the output of a stream for text, written in pieces of the lengths that next
// returns.
func streamText(text string, next func() int) string {
	s := NewStream(rules.All, nil)
	var out strings.Builder
	for at := 0; at < len(text); {
		n := min(max(next(), 1), len(text)-at)
		out.Write(s.Write([]byte(text[at : at+n])))
		at += n
	}
	out.Write(s.Close())
	return out.String()
}

func TestStreamAtEveryByte(t *testing.T) {
	for _, test := range sampleFindings() {
		text := "head\n" + test.before + test.secret + test.after + "tail"
		want, _ := Redact(text, rules.All, nil)
		for at := 1; at < len(text); at++ {
			first := at
			got := streamText(text, func() int { n := first; first = len(text); return n })
			if got != want {
				t.Fatalf("%s, cut at %d: got %q, want %q", test.name, at, got, want)
			}
		}
	}
}

// mixedText returns a text of about size bytes with secrets and other things.
func mixedText(r *rand.Rand, size int) string {
	list := sampleFindings()
	plain := harmlessTexts()
	var b strings.Builder
	for b.Len() < size {
		switch r.IntN(6) {
		case 0:
			test := list[r.IntN(len(list))]
			b.WriteString(test.before + test.secret + test.after)
		case 1:
			b.WriteString(plain[r.IntN(len(plain))])
		case 2:
			b.WriteString(randomLetters(r, base64AZ, r.IntN(3000)))
		default:
			b.WriteString(strings.Repeat("some words of prose, and more\n", r.IntN(40)))
		}
		if r.IntN(3) > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestStreamEqualsRedact(t *testing.T) {
	r := newRandom(8)
	for range 4 {
		text := mixedText(r, 150<<10)
		want, _ := Redact(text, rules.All, nil)
		for _, most := range []int{7, 300, 5000, 40000} {
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
}

func excerptAround(s string, i int) string { return s[max(0, i-200):min(len(s), i+200)] }

func TestStreamOfLongBlocks(t *testing.T) {
	r := newRandom(9)
	for _, lines := range []int{100, 900, 1100, 3000} {
		for _, end := range []string{"\n-----END RSA PRIVATE KEY-----", "\n\nthe end of it: all"} {
			key, _, _ := strings.Cut(keyBlock(r, "RSA PRIVATE KEY", "\n", lines), "\n-----END")
			text := strings.Repeat("prose before\n", 500) + key + end + strings.Repeat("\nprose behind", 3000)
			want, _ := Redact(text, rules.All, nil)
			for line := range strings.Lines(key) {
				if strings.Contains(want, line[len(line)-13:]) {
					t.Fatalf("%d lines: %q of the key is left", lines, line)
				}
			}
			if got := streamText(text, func() int { return 1 + r.IntN(4000) }); got != want {
				t.Errorf("%d lines, end %q: got %d bytes, want %d: %q", lines, end, len(got), len(want), got[:min(len(got), 7000)][6400:])
			}
		}
	}
}

func TestStreamIsBounded(t *testing.T) {
	for _, part := range []string{"A", "a b ", "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("A", 64) + "\n", "://a:", "kind: Secret\n", ".eyJ", "x@y.zz"} {
		s := NewStream(rules.All, nil)
		chunk := []byte(strings.Repeat(part, 4096/len(part)))
		for range 40 {
			s.Write(chunk)
			for i := range s.passes {
				if n := len(s.passes[i].buf); n > maxHeld+4*lex.Hold {
					t.Fatalf("%q: %d bytes are held", part, n)
				}
			}
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, test := range sampleFindings() {
		f.Add(test.before+test.secret+test.after, uint16(10))
	}
	for _, text := range harmlessTexts() {
		f.Add(text, uint16(3))
	}
	r := newRandom(54)
	for _, place := range slices.Concat(inCode, inFiles, inCommands, inProse) {
		f.Add(strings.ReplaceAll(place, "§", chosenPasswords(r)[r.IntN(5)]), uint16(7))
	}
	f.Fuzz(func(t *testing.T, text string, cut uint16) {
		at := 0
		for _, n := range Find(nil, text, rules.All) {
			if n.Start < at || n.End <= n.Start || n.End > len(text) {
				t.Fatalf("%v in %q of %d bytes", n, text, len(text))
			}
			at = n.End
		}
		out, n := Redact(text, rules.All, nil)
		if n == 0 && out != text {
			t.Fatalf("%q became %q", text, out)
		}
		if again, n := Redact(out, rules.All, nil); n > 0 {
			t.Fatalf("%q became %q and then %q", text, out, again)
		}
		if got := streamText(text, func() int { return int(cut) }); got != out {
			t.Fatalf("in pieces %q became %q, want %q", text, got, out)
		}
	})
}
