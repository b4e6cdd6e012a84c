package fingerprint

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var testKey = Key{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

func TestLine(t *testing.T) {
	tests := []struct {
		name, line string
		ok         bool
	}{
		{"statement", "return fmt.Errorf(\"reading: %w\", err)", true},
		{"empty", "", false},
		{"white space", " \t\r\n      ", false},
		{"brace", "}", false},
		{"short", "return x", true},
		{"shorter", "return", false},
		{"short but for the white space", "   return\t  ", false},
		{"punctuation", "// -------- ab", false},
		{"letters and digits", "a = 1, b = 2", true},
		{"few signs", "{ a }, { b }, c", false},
		{"other script", "漢字かな", true},
		{"other script, few", "(漢) (字) ()", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fp, ok := HashLine(testKey, tt.line)
			if ok != tt.ok {
				t.Fatalf("ok = %v, want %v", ok, tt.ok)
			}
			if fp>>48 != 0 {
				t.Errorf("%x has more than 48 bits", fp)
			}
			if spaced, _ := HashLine(testKey, "\t "+tt.line+" \r"); spaced != fp {
				t.Errorf("%x with white space around it, %x without", spaced, fp)
			}
			if other, _ := HashLine(Key{9}, tt.line); ok && other == fp {
				t.Error("the same under another key")
			}
		})
	}
}

func TestLines(t *testing.T) {
	a, b, c := "first := one(line)", "second := one(line)", "third := one(line)"
	pack := func(lines ...string) []byte {
		var out []byte
		for _, l := range lines {
			fp, ok := HashLine(testKey, l)
			if !ok {
				t.Fatalf("no fingerprint of %q", l)
			}
			for shift := 40; shift >= 0; shift -= 8 {
				out = append(out, byte(fp>>shift))
			}
		}
		return out
	}
	tests := []struct {
		name  string
		texts []string
		want  []byte
		all   int
	}{
		{"nothing", nil, nil, 0},
		{"empty", []string{"", "\n\n"}, nil, 0},
		{"one", []string{a}, pack(a), 1},
		{"order", []string{b + "\n" + a + "\n"}, pack(b, a), 2},
		{"texts", []string{a, b + "\r\n" + c}, pack(a, b, c), 3},
		{"twice", []string{a + "\n" + b + "\n" + a, b}, pack(a, b), 2},
		{"indented alike", []string{a + "\n\t" + a}, pack(a), 1},
		{"skipped", []string{"}\n" + a + "\n\n// --\n" + b}, pack(a, b), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, all := HashLines(testKey, tt.texts...)
			if !bytes.Equal(got, tt.want) || all != tt.all {
				t.Errorf("got %x, %d; want %x, %d", got, all, tt.want, tt.all)
			}
		})
	}
}

// numberedLines returns n different lines of about 33 bytes each.
func numberedLines(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "\tif err := step%06d(ctx); err\n", i)
	}
	return s.String()
}

func TestLinesLimit(t *testing.T) {
	for _, n := range []int{127, 128, 129, 1000, MaxLines - 1, MaxLines, MaxLines + 1, 3 * MaxLines} {
		packed, all := HashLines(testKey, numberedLines(n), numberedLines(n/2))
		if kept := min(n, MaxLines); len(packed) != kept*Size {
			t.Errorf("%d lines: %d packed, want %d", n, len(packed)/Size, kept)
		}
		if want := n + max(n/2-MaxLines, 0); all != want {
			t.Errorf("%d lines: all = %d, want %d", n, all, want)
		}
		head, _ := HashLines(testKey, numberedLines(100))
		if !bytes.HasPrefix(packed, head) {
			t.Errorf("%d lines: the first ones are not kept", n)
		}
	}
}

func TestContains(t *testing.T) {
	packed, _ := HashLines(testKey, numberedLines(100))
	for i := 0; i < 200; i++ {
		fp, ok := HashLine(testKey, fmt.Sprintf("if err := step%06d(ctx); err", i))
		if !ok || Contains(packed, fp) != (i < 100) {
			t.Errorf("line %d: contained %v", i, i >= 100)
		}
	}
	if Contains(nil, 0) || Contains([]byte{0, 0, 0, 0, 0}, 0) || !Contains(make([]byte, Size), 0) {
		t.Error("empty, cut or zero fingerprints are misread")
	}
}

// TestLinesModel compares Lines with a straightforward implementation.
func TestLinesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`[ \t]{0,2}[ab1.]{0,12}\r?`)
		texts := rapid.SliceOf(rapid.Map(rapid.SliceOf(line), func(ls []string) string { return strings.Join(ls, "\n") })).Draw(t, "texts")
		var want []uint64
		seen := map[uint64]bool{}
		for _, l := range strings.Split(strings.Join(texts, "\n"), "\n") {
			if fp, ok := HashLine(testKey, l); ok && !seen[fp] {
				seen[fp] = true
				want = append(want, fp)
			}
		}
		packed, all := HashLines(testKey, texts...)
		if all != len(want) || len(packed) != Size*len(want) {
			t.Fatalf("%d lines, %d packed, want %d", all, len(packed)/Size, len(want))
		}
		for i, fp := range want {
			if !Contains(packed[i*Size:(i+1)*Size], fp) {
				t.Fatalf("line %d is %x, want %x", i, packed[i*Size:(i+1)*Size], fp)
			}
		}
	})
}

func BenchmarkLines(b *testing.B) {
	for _, n := range []int{20, 1500, 10000} {
		text := numberedLines(n)
		b.Run(fmt.Sprintf("lines=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				HashLines(testKey, text)
			}
		})
	}
}

func BenchmarkContains(b *testing.B) {
	packed, _ := HashLines(testKey, numberedLines(MaxLines))
	for b.Loop() {
		Contains(packed, 1)
	}
}
