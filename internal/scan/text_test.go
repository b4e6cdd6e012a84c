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

// testToken returns a token. It is assembled at run time, so that no scanner finds it in this file.
func testToken() string { return "gh" + "p_" + "6Ev7aHj4uXnlOePqT3zxKbKXupAly8" + "xBwgLJ" }

func defaultPolicy(t testing.TB) *policy.Policy {
	t.Helper()
	p, err := policy.LoadBundled(policy.Default)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// scanStreamed scans r like a text that does not fit into memory.
func scanStreamed(t *testing.T, r io.Reader) outcome {
	t.Helper()
	out, err := newScanner(&Scan{Policy: defaultPolicy(t)}).scanStream(Item{}, r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func findStreamed(t *testing.T, r io.Reader) []Finding { return scanStreamed(t, r).found }

// TestFindingsAcrossSeams checks that a finding across a seam is reported once, at its position,
// wherever a block ends.
func TestFindingsAcrossSeams(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	for _, filler := range []string{"x", "some words of a line\n"} {
		text := []byte(strings.Repeat(filler, 3*block/len(filler)+1)[:3*block])
		for _, around := range []int{0, block, 2*block - seam/2, block + seam, 2 * block, 3*block - 64} {
			for _, off := range []int{-60, -40, -13, -1, 0, 1, 40, seam / 2} {
				at := around + off
				if at < 1 || at+len(testToken())+1 > len(text) {
					continue
				}
				src := bytes.Clone(text)
				copy(src[at-1:], " "+testToken()+" ")
				list := findStreamed(t, bytes.NewReader(src))
				if len(list) != 1 || list[0].Start != at || list[0].End != at+len(testToken()) {
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

// TestBoundedMemory checks that a large text takes no more memory than a small one.
func TestBoundedMemory(t *testing.T) {
	norace.SkipUnderRace(t)
	line := []byte("2026-01-02 an ordinary line of a log with nothing in it\n")
	const size = 50 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := scanStreamed(t, io.LimitReader(&repeatingReader{line: line}, size))
	runtime.ReadMemStats(&after)
	if out.bytes != size || len(out.found) > 0 || out.form != isText {
		t.Fatalf("%+v", out)
	}
	if used := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && used > 64<<20 {
		t.Errorf("the heap grew by %d MiB", used>>20)
	}
}

// A repeatingReader returns the same line again and again.
type repeatingReader struct {
	line []byte
	at   int
}

func (e *repeatingReader) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.line[e.at]
		e.at = (e.at + 1) % len(e.line)
	}
	return len(b), nil
}

// encodeUTF16 returns text in UTF-16 as Windows writes it.
func encodeUTF16(text string, o byteOrder, mark bool) []byte {
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

// TestUTF16 checks that findings in UTF-16 are the same, with their positions in the file, with or
// without a byte order mark, across blocks and after characters of any size.
func TestUTF16(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	long := strings.Repeat("some words of a line\n", (block+seam)/21)
	for _, before := range []string{"a: ", "key é 手机 \U0001f600\nb = ", long + "\U0001f600 x ", strings.Repeat("é", block/2) + " "} {
		text := before + testToken() + "\r\nand more\n"
		for _, o := range []byteOrder{little, big} {
			for _, mark := range []bool{true, false} {
				if !mark && strings.HasPrefix(before, "éé") {
					continue // the encoding cannot be detected
				}
				file := encodeUTF16(text, o, mark)
				at := bytes.Index(file, encodeUTF16(testToken(), o, false))
				out := scanStreamed(t, bytes.NewReader(file))
				if out.bytes != int64(len(file)) || len(out.found) != 1 {
					t.Fatalf("%.20q %c %v: %d bytes, %+v", before, o, mark, len(file), out)
				}
				all, err := newScanner(&Scan{Policy: defaultPolicy(t)}).scanText(Item{}, file)
				if err != nil || len(all.found) != 1 || all.found[0] != out.found[0] && len(file) < block {
					t.Errorf("%.20q %c %v: %+v in one piece, %+v in blocks", before, o, mark, all, out)
				}
				list := out.found
				line := 1 + strings.Count(before, "\n")
				col := 1 + len(encodeUTF16(before[strings.LastIndexByte(before, '\n')+1:], o, mark && line == 1))
				if f := list[0]; f.Start != at || f.End != at+2*len(testToken()) || f.Line != line || f.Column != col {
					t.Errorf("%.20q %c %v: %+v, want %d at %d:%d", before, o, mark, f, at, line, col)
				}
			}
		}
	}
}

// TestWrongByteOrderMark checks that a byte order mark of UTF-16 does not hide text that is not
// UTF-16.
func TestWrongByteOrderMark(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		for _, text := range []string{"key = " + testToken() + "\n", "x" + strings.Repeat("a longer text\n", 2000) + testToken()} {
			file := []byte(mark + text)
			if list := findStreamed(t, bytes.NewReader(file)); len(list) != 1 || list[0].Start != 2+strings.Index(text, testToken()) {
				t.Errorf("%q and %.10q: %+v", mark, text, list)
			}
			if plain, encode, ok := DecodeText(file); !ok || !bytes.Equal(encode(plain), file) {
				t.Errorf("%q: not the same again", mark)
			}
		}
	}
	chinese := encodeUTF16(strings.Repeat("手机号码是多少", 200)+" "+testToken()+" ", little, true)
	if list := findStreamed(t, bytes.NewReader(chinese)); len(list) != 1 {
		t.Errorf("characters of two bytes: %+v", list)
	}
}

// TestBinaryLikeUTF16 checks that files that only resemble UTF-16 are not text.
func TestBinaryLikeUTF16(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"numbers":    {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0},
		"zeros":      make([]byte, 64),
		"UTF-32":     {0xff, 0xfe, 0, 0, 'a', 0, 0, 0, 'b', 0, 0, 0, 'c', 0, 0, 0, 'd', 0, 0, 0},
		"both sides": []byte("a\x00b\x00c\x00d\x00e\x00f\x00\x00g\x00h\x00i\x00j"),
	} {
		if out := scanStreamed(t, bytes.NewReader(file)); out.form != isPieces {
			t.Errorf("%s: %+v", name, out)
		}
	}
	half := append(encodeUTF16("x "+testToken()+" \U0001f600", little, true), 'x')
	if list := findStreamed(t, bytes.NewReader(half[:len(half)-3])); len(list) != 1 {
		t.Errorf("half a character: %+v", list)
	}
}
