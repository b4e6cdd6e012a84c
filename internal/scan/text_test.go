package scan

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/checkrein/checkrein/internal/lab/norace"
	"github.com/checkrein/checkrein/internal/scan/policy"
)

// token is made while the test runs: no scanner finds it in a file.
func token() string { return "gh" + "p_" + "6Ev7aHj4uXnlOePqT3zxKbKXupAly8" + "xBwgLJ" }

func standard(t testing.TB) *policy.Policy {
	t.Helper()
	p, err := policy.LoadBundled(policy.Default)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// streamed looks at a text as at one that does not fit into memory.
func streamed(t *testing.T, r io.Reader) outcome {
	t.Helper()
	out, err := newScanner(&Scan{Policy: standard(t)}).scanStream(Item{}, r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func found(t *testing.T, r io.Reader) []Finding { return streamed(t, r).found }

// Wherever a block ends, what lies across the seam is found once, at its place.
func TestSeams(t *testing.T) {
	norace.Only(t)
	t.Parallel()
	for _, filler := range []string{"x", "some words of a line\n"} {
		text := []byte(strings.Repeat(filler, 3*block/len(filler)+1)[:3*block])
		for _, around := range []int{0, block, 2*block - seam/2, block + seam, 2 * block, 3*block - 64} {
			for _, off := range []int{-60, -40, -13, -1, 0, 1, 40, seam / 2} {
				at := around + off
				if at < 1 || at+len(token())+1 > len(text) {
					continue
				}
				src := bytes.Clone(text)
				copy(src[at-1:], " "+token()+" ")
				list := found(t, bytes.NewReader(src))
				if len(list) != 1 || list[0].Start != at || list[0].End != at+len(token()) {
					t.Fatalf("%q at %d: %+v", filler, at, list)
				}
				line := 1 + bytes.Count(src[:at], []byte("\n"))
				col := at - bytes.LastIndexByte(src[:at], '\n')
				if list[0].Line != line || list[0].Column != col {
					t.Fatalf("%q at %d: line %d:%d, want %d:%d", filler, at, list[0].Line, list[0].Column, line, col)
				}
			}
		}
	}
}

// A large text needs no more memory than a small one.
func TestBoundedMemory(t *testing.T) {
	norace.Only(t)
	line := []byte("2026-01-02 an ordinary line of a log with nothing in it\n")
	const size = 50 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := streamed(t, io.LimitReader(&endless{line: line}, size))
	runtime.ReadMemStats(&after)
	if out.bytes != size || len(out.found) > 0 || out.form != isText {
		t.Fatalf("%+v", out)
	}
	if used := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && used > 64<<20 {
		t.Errorf("the heap grew by %d MiB", used>>20)
	}
}

type endless struct {
	line []byte
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.line[e.at]
		e.at = (e.at + 1) % len(e.line)
	}
	return len(b), nil
}

// utf16Of writes a text as Windows does.
func utf16Of(text string, o byteOrder, mark bool) []byte {
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	var out []byte
	for _, u := range units {
		if o == big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

// In UTF-16 the same is found, at its place in the file, with a mark or without,
// across blocks, behind characters of any size.
func TestUTF16(t *testing.T) {
	norace.Only(t)
	t.Parallel()
	long := strings.Repeat("some words of a line\n", (block+seam)/21)
	for _, before := range []string{"a: ", "key é 手机 \U0001f600\nb = ", long + "\U0001f600 x ", strings.Repeat("é", block/2) + " "} {
		text := before + token() + "\r\nand more\n"
		for _, o := range []byteOrder{little, big} {
			for _, mark := range []bool{true, false} {
				if !mark && strings.HasPrefix(before, "éé") {
					continue // nothing tells it
				}
				file := utf16Of(text, o, mark)
				at := bytes.Index(file, utf16Of(token(), o, false))
				out := streamed(t, bytes.NewReader(file))
				if out.bytes != int64(len(file)) || len(out.found) != 1 {
					t.Fatalf("%.20q %c %v: %d bytes, %+v", before, o, mark, len(file), out)
				}
				all, err := newScanner(&Scan{Policy: standard(t)}).scanText(Item{}, file)
				if err != nil || len(all.found) != 1 || all.found[0] != out.found[0] && len(file) < block {
					t.Errorf("%.20q %c %v: %+v in one piece, %+v in blocks", before, o, mark, all, out)
				}
				list := out.found
				line := 1 + strings.Count(before, "\n")
				col := 1 + len(utf16Of(before[strings.LastIndexByte(before, '\n')+1:], o, mark && line == 1))
				if f := list[0]; f.Start != at || f.End != at+2*len(token()) || f.Line != line || f.Column != col {
					t.Errorf("%.20q %c %v: %+v, want %d at %d:%d", before, o, mark, f, at, line, col)
				}
			}
		}
	}
}

// A mark of UTF-16 does not hide a text that is none.
func TestWrongMark(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		for _, text := range []string{"key = " + token() + "\n", "x" + strings.Repeat("a longer text\n", 2000) + token()} {
			file := []byte(mark + text)
			if list := found(t, bytes.NewReader(file)); len(list) != 1 || list[0].Start != 2+strings.Index(text, token()) {
				t.Errorf("%q and %.10q: %+v", mark, text, list)
			}
			if plain, encode, ok := DecodeText(file); !ok || !bytes.Equal(encode(plain), file) {
				t.Errorf("%q: not the same again", mark)
			}
		}
	}
	chinese := utf16Of(strings.Repeat("手机号码是多少", 200)+" "+token()+" ", little, true)
	if list := found(t, bytes.NewReader(chinese)); len(list) != 1 {
		t.Errorf("characters of two bytes: %+v", list)
	}
}

// What only looks a little like UTF-16 is no text.
func TestNoUTF16(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"numbers":    {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0},
		"zeros":      make([]byte, 64),
		"UTF-32":     {0xff, 0xfe, 0, 0, 'a', 0, 0, 0, 'b', 0, 0, 0, 'c', 0, 0, 0, 'd', 0, 0, 0},
		"both sides": []byte("a\x00b\x00c\x00d\x00e\x00f\x00\x00g\x00h\x00i\x00j"),
	} {
		if out := streamed(t, bytes.NewReader(file)); out.form != isPieces {
			t.Errorf("%s: %+v", name, out)
		}
	}
	half := append(utf16Of("x "+token()+" \U0001f600", little, true), 'x')
	if list := found(t, bytes.NewReader(half[:len(half)-3])); len(list) != 1 {
		t.Errorf("half a character: %+v", list)
	}
}
