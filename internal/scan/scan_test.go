package scan

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/checkrein/checkrein/internal/secret"
)

// token is made while the test runs: no scanner finds it in a file.
func token() string { return "gh" + "p_" + "6Ev7aHj4uXnlOePqT3zxKbKXupAly8" + "xBwgLJ" }

func found(t *testing.T, r io.Reader) []Finding {
	t.Helper()
	var list []Finding
	if _, err := Reader(r, secret.Secrets, func(f Finding) { list = append(list, f) }); err != nil {
		t.Fatal(err)
	}
	return list
}

// Wherever a block ends, what lies across the seam is found once, at its place.
func TestSeams(t *testing.T) {
	t.Parallel()
	for _, filler := range []string{"x", "some words of a line\n"} {
		text := []byte(strings.Repeat(filler, 3*block/len(filler)+1)[:3*block])
		for _, around := range []int{0, block, block + seam, 2*block - seam/2, 2 * block, 3*block - 64} {
			for _, off := range []int{-60, -40, -13, -1, 0, 1, 40, seam / 2} {
				at := around + off
				if at < 1 || at+len(token())+1 > len(text) {
					continue
				}
				src := bytes.Clone(text)
				copy(src[at-1:], " "+token()+" ")
				list := found(t, bytes.NewReader(src))
				if len(list) != 1 || list[0].Start != int64(at) || list[0].End != int64(at+len(token())) {
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
	line := []byte("2026-01-02 an ordinary line of a log with nothing in it\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := Reader(io.LimitReader(&endless{line: line}, 100<<20), secret.All, func(f Finding) { t.Errorf("found %+v", f) })
	runtime.ReadMemStats(&after)
	if err != nil || n != 100<<20 {
		t.Fatalf("%d bytes, %v", n, err)
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

func TestBinary(t *testing.T) {
	t.Parallel()
	if _, err := Reader(strings.NewReader("ELF\x00\x01"+token()), secret.Secrets, func(Finding) {}); !errors.Is(err, ErrBinary) {
		t.Errorf("error %v", err)
	}
}

// utf16Of writes a text as Windows does.
func utf16Of(text string, o order, mark bool) []byte {
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
	t.Parallel()
	long := strings.Repeat("some words of a line\n", (block+seam)/21)
	for _, before := range []string{"a: ", "key é 手机 \U0001f600\nb = ", long + "\U0001f600 x ", strings.Repeat("é", block/2) + " "} {
		text := before + token() + "\r\nand more\n"
		for _, o := range []order{little, big} {
			for _, mark := range []bool{true, false} {
				if !mark && strings.HasPrefix(before, "éé") {
					continue // nothing tells it
				}
				file := utf16Of(text, o, mark)
				at := bytes.Index(file, utf16Of(token(), o, false))
				var list []Finding
				n, err := Reader(bytes.NewReader(file), secret.Secrets, func(f Finding) { list = append(list, f) })
				if err != nil || n != int64(len(file)) || len(list) != 1 {
					t.Fatalf("%.20q %c %v: %d of %d bytes, %+v, %v", before, o, mark, n, len(file), list, err)
				}
				line := 1 + strings.Count(before, "\n")
				col := 1 + len(utf16Of(before[strings.LastIndexByte(before, '\n')+1:], o, mark && line == 1))
				if f := list[0]; f.Start != int64(at) || f.End != int64(at+2*len(token())) || f.Line != line || f.Column != col {
					t.Errorf("%.20q %c %v: %+v, want %d at %d:%d", before, o, mark, f, at, line, col)
				}
			}
		}
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
		"few":        []byte("plain text \x00 and more plain text"),
	} {
		if _, err := Reader(bytes.NewReader(file), secret.All, func(Finding) {}); !errors.Is(err, ErrBinary) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	half := append(utf16Of("x "+token()+" \U0001f600", little, true), 'x')
	if list := found(t, bytes.NewReader(half[:len(half)-3])); len(list) != 1 {
		t.Errorf("half a character: %+v", list)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("src/a.txt", "one\ntwo "+token()+"\n")
	put(".git/config", token())
	put("src/b.bin", "\x00"+token())
	if err := os.Symlink(filepath.Join(dir, "src/a.txt"), filepath.Join(dir, "src/link")); err != nil {
		t.Skip(err)
	}
	var list []Finding
	totals, err := Paths(context.Background(), dir, []string{"src", "."}, secret.Secrets, func(f Finding) { list = append(list, f) })
	if err != nil || len(list) != 2 || list[0].Path != "src/a.txt" || list[0].Line != 2 || list[0].Column != 5 || list[1].Path != "src/a.txt" {
		t.Errorf("%+v, %v", list, err)
	}
	if totals.Files != 2 || totals.Binary != 2 || totals.Skipped != 2 {
		t.Errorf("%+v", totals)
	}
	if _, err := Paths(context.Background(), dir, []string{"nowhere"}, secret.Secrets, func(Finding) {}); err == nil {
		t.Error("a path that is not there looks clean")
	}
}
