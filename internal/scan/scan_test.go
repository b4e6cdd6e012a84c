package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/scan/policy"
	"pgregory.net/rapid"
)

// sourceOf returns a source of list, which uses one buffer for all texts. If open is set, the contents
// are opened by a function.
func sourceOf(list [][]byte, open bool) Source {
	return func(yield func(Item, Content) error) error {
		for i, text := range list {
			c := Content{Reader: bytes.NewReader(text)}
			if open {
				c = Content{Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
			}
			if err := yield(Item{Path: fmt.Sprint(i)}, c); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestRunLaw checks that findings come in the order of the texts, and are the same, for any number of
// workers.
func TestRunLaw(t *testing.T) {
	p := defaultPolicy(t)
	rapid.Check(t, func(t *rapid.T) {
		var list [][]byte
		var expect []string
		for i := range rapid.IntRange(0, 60).Draw(t, "texts") {
			text := strings.Repeat("some line\n", rapid.IntRange(0, 50).Draw(t, "lines"))
			for range rapid.IntRange(0, 2).Draw(t, "secrets") {
				text += " " + testToken() + "\n"
			}
			list = append(list, []byte(text))
			for _, f := range p.Find(nil, fmt.Sprint(i), []byte(text)) {
				expect = append(expect, fmt.Sprint(i, f.Line, f.Column))
			}
		}
		var got []string
		s := Scan{Policy: p, Workers: rapid.IntRange(1, 8).Draw(t, "workers")}
		s.Report = func(f *Finding) { got = append(got, f.Path+" "+fmt.Sprint(f.Line, f.Column)) }
		totals, err := s.Run(context.Background(), sourceOf(list, rapid.Bool().Draw(t, "open")))
		if err != nil || totals.Files != len(list) || fmt.Sprint(got) != fmt.Sprint(expect) {
			t.Fatalf("%+v, %v\ngot  %v\nwant %v", totals, err, got, expect)
		}
	})
}

// TestRunLarge checks that a text that does not fit into memory is scanned all the same, in its order.
func TestRunLarge(t *testing.T) {
	t.Parallel()
	large := append(bytes.Repeat([]byte("some words of a line\n"), whole/20), testToken()...)
	for _, open := range []bool{true, false} {
		list, totals, err := runScan(t, &Scan{}, sourceOf([][]byte{[]byte(testToken()), large, []byte(testToken())}, open))
		wantFindings(t, list, "0:1 github-pat", fmt.Sprintf("1:%d github-pat", whole/20+1), "2:1 github-pat")
		if err != nil || totals.Bytes != int64(len(large)+2*len(testToken())) {
			t.Errorf("%+v, %v", totals, err)
		}
	}
}

// TestRunErrors checks that a text that cannot be read is an error, and does not hide the findings in
// others.
func TestRunErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	source := func(yield func(Item, Content) error) error {
		for i := range 50 {
			it := Item{Path: fmt.Sprintf("bad\x1b%d", i)}
			c := Content{Open: func() (io.ReadCloser, error) { return nil, broken }}
			if i%2 == 1 {
				c = Content{Reader: io.MultiReader(strings.NewReader("x"), failing{broken})}
			}
			if err := yield(it, c); err != nil {
				return err
			}
		}
		return yield(Item{Path: "good"}, Content{Reader: strings.NewReader(testToken())})
	}
	list, totals, err := runScan(t, &Scan{}, source)
	wantFindings(t, list, "good:1 github-pat")
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "30 more could not be read") || strings.Contains(err.Error(), "\x1b") || totals.Files > 26 {
		t.Errorf("%+v, %v", totals, err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestRunStopped checks that a cancelled scan returns an error.
func TestRunStopped(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(context.Background())
	s := Scan{Policy: defaultPolicy(t), Workers: 1}
	n := 0
	source := func(yield func(Item, Content) error) error {
		for ; ; n++ {
			if n == 3 {
				stop()
			}
			if err := yield(Item{Path: "x", Object: fmt.Sprint(n)}, Content{Reader: strings.NewReader("text")}); err != nil {
				return err
			}
		}
	}
	if _, err := s.Run(ctx, source); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if n > 3 {
		t.Errorf("%d texts", n)
	}
}

// TestFindingID checks that the id of a finding does not change when lines are added or removed, and
// does not depend on the found text.
func TestFindingID(t *testing.T) {
	t.Parallel()
	id := func(text string) string {
		var ids []string
		s := Scan{Policy: defaultPolicy(t), Report: func(f *Finding) { ids = append(ids, f.ID) }}
		if _, err := s.Run(context.Background(), sourceOf([][]byte{[]byte(text)}, false)); err != nil || len(ids) == 0 {
			t.Fatalf("%q: %v, %v", text, ids, err)
		}
		return strings.Join(ids, " ")
	}
	other := "gh" + "p_" + "9Zv7bHj4uXnlOePqT3zxKbKXupAly8" + "xBwgLQ"
	base := id("key = " + testToken() + " # ours")
	for _, same := range []string{"a\nb\nkey = " + testToken() + " # ours\nc", "  key = " + testToken() + " # ours", "key = " + other + " # ours"} {
		if id(same) != base {
			t.Errorf("%q has another id", same)
		}
	}
	if id("kex = "+testToken()+" # ours") == base {
		t.Error("another line has the same id")
	}
	if id("10.1.2.3 and 10.2.3.4") != id("10.9.9.9 and 10.7.7.7") {
		t.Error("an id depends on what else was found")
	}
	if two := strings.Fields(id("10.1.2.3 and 10.2.3.4")); two[0] == two[1] {
		t.Error("two findings of a line have one id")
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	var lines []string
	s := Scan{Policy: defaultPolicy(t), Workers: 1, Mark: func(line string) uint64 { lines = append(lines, line); return 7 }}
	marks := 0
	s.Report = func(f *Finding) { marks += int(f.Mark) }
	text := "a\nx 10.1.2.3 y\n10.1.2.4 # checkrein:ignore an example\n"
	if _, err := s.Run(context.Background(), sourceOf([][]byte{[]byte(text)}, false)); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || lines[0] != "x 10.1.2.3 y" || marks != 7 {
		t.Errorf("%q, %d", lines, marks)
	}
}

func TestFindingPositions(t *testing.T) {
	t.Parallel()
	var got []Finding
	s := Scan{Policy: defaultPolicy(t), Report: func(f *Finding) { got = append(got, *f) }}
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA1xQk7bVn3cPz9wYd2sRt\n", 3) + "-----END RSA " + "PRIVATE KEY-----"
	if _, err := s.Run(context.Background(), sourceOf([][]byte{[]byte("é\nöü 10.1.2.3 ñ 10.1.2.4\n" + key + "\n")}, false)); err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, want := range []string{"2 6 4 2 12", "2 18 15 2 23", "3 1 1 7 30"} {
		f := got[i]
		if s := fmt.Sprint(f.Line, f.Column, f.Char, f.EndLine, f.EndChar); s != want {
			t.Errorf("%d: got %s, want %s", i, s, want)
		}
	}
}

func TestScanFillsBaseline(t *testing.T) {
	t.Parallel()
	b := policy.NewBaseline(today, "x")
	texts := make([][]byte, 100)
	for i := range texts {
		texts[i] = []byte("10.1.2.3 and 10.1.2.4")
	}
	if _, _, err := runScan(t, &Scan{Baseline: b, Workers: 8}, sourceOf(texts, false)); err != nil || b.Len() != 200 {
		t.Errorf("%d findings, %v", b.Len(), err)
	}
}
