package scan

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/scan/policy"
	"pgregory.net/rapid"
)

// historyOf yields versions of one file.
func historyOf(versions [][]byte) Source {
	return func(yield func(Item, Content) error) error {
		for i, text := range versions {
			it := Item{Path: "a", Commit: fmt.Sprint(i), Object: fmt.Sprint(i)}
			if err := yield(it, Content{Reader: bytes.NewReader(text), Size: int64(len(text))}); err != nil {
				return err
			}
		}
		return nil
	}
}

// What is found in a history is what is found in its versions one by one, each
// thing in the first that has it; and nothing else is remembered as clean.
func TestHistoryLaw(t *testing.T) {
	p := standard(t)
	other := "10.1.2.3"
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(strings.Repeat("an ordinary line of the file, long enough to count\n", 600), "\n")
		var versions [][]byte
		var expect []string
		seen := map[string]bool{}
		dirty := map[string]bool{}
		for i := range rapid.IntRange(1, 6).Draw(t, "versions") {
			for range rapid.IntRange(0, 3).Draw(t, "edits") {
				at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
				lines[at] = rapid.SampledFrom([]string{"", "another line", "key = " + token(), "at " + other, "a\nb\nc"}).Draw(t, "edit")
			}
			text := strings.Join(lines, "\n")
			versions = append(versions, []byte(text))
			for _, f := range p.Find(nil, "a", []byte(text)) {
				dirty[fmt.Sprint(i)] = true
				key := f.Rule + text[f.Start:f.End]
				if !seen[key+fmt.Sprint(i)] && seen[key] {
					continue
				}
				seen[key], seen[key+fmt.Sprint(i)] = true, true
				expect = append(expect, fmt.Sprint(i, f.Line, f.Rule))
			}
		}
		var got []string
		clean := &Clean{}
		s := Scan{Policy: p, Clean: clean, Report: func(f *Finding) { got = append(got, f.Commit+" "+fmt.Sprint(f.Line)+f.Rule) }}
		totals, err := s.Run(context.Background(), historyOf(versions))
		for i := range expect {
			var n, line int
			var rule string
			fmt.Sscan(expect[i], &n, &line, &rule)
			expect[i] = fmt.Sprintf("%d %d%s", n, line, rule)
		}
		if err != nil || totals.Files != len(versions) || fmt.Sprint(got) != fmt.Sprint(expect) {
			t.Fatalf("%v\ngot  %v\nwant %v", err, got, expect)
		}
		for i := range versions {
			it := Item{Path: "a", Object: fmt.Sprint(i)}
			if known := slices.Contains(clean.fresh, clean.key(p, &it)); known && dirty[it.Object] || !known && len(dirty) == 0 {
				t.Fatalf("version %d: remembered %v, dirty %v", i, known, dirty)
			}
		}
	})
}

func TestFresh(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("a line of the text\n", 2000)
	before := []byte(lines)
	for _, text := range []string{lines, "first\n" + lines, lines + "last\n", lines[:19000] + "between\n" + lines[19000:], lines[:19000] + lines[20900:], ""} {
		from, to := fresh(before, []byte(text))
		if to-from > contextBefore+contextBehind+64 || from < 0 || to > len(text) || from > to {
			t.Errorf("%d bytes: from %d to %d", len(text), from, to)
		}
		if word := strings.Index(text, "between"); word >= 0 && (word < from || word >= to) {
			t.Errorf("%d is not between %d and %d", word, from, to)
		}
		if from > 0 && text[from-1] != '\n' || to < len(text) && text[to-1] != '\n' {
			t.Errorf("not whole lines: %d to %d", from, to)
		}
	}
}

// A later version may complete what an earlier one began, some way off.
func TestHistoryOfFarParts(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("an ordinary line of the file\n", 4000)
	manifest := "\n---\nkind: Secret\nmetadata:\n  annotations:\n" + strings.Repeat("    note: some words of a plain text\n", 35) + "data:\n"
	value := "  v: " + "aHVudGVyMg" + "aHVudA==\n"
	public := "{\n \"kty\": \"RSA\",\n \"n\": \"" + strings.Repeat("sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1Wl", 24) + "\",\n \"e\": \"AQAB\",\n"
	private := " \"d\": \"" + strings.Repeat("VFCWOqXr8nvZNyaaJLXdnNPXZKRaWCjk_U5Q2egQQpTB", 3) + "\",\n"
	for _, tt := range []struct{ head, added, tail string }{{manifest, value, "---\n"}, {public, private, " \"use\": \"sig\"\n}\n"}} {
		versions := [][]byte{[]byte(pad + tt.head + tt.tail + pad), []byte(pad + tt.head + tt.added + tt.tail + pad)}
		var got []string
		s := Scan{Policy: standard(t), Report: func(f *Finding) { got = append(got, f.Commit) }}
		if _, err := s.Run(t.Context(), historyOf(versions)); err != nil || len(got) != 1 || got[0] != "1" {
			t.Errorf("found in the versions %v, %v: want one in 1\n%s", got, err, tt.head[:20])
		}
	}
}

// What one version excuses does not excuse it in the next, which does not say so.
func TestHistoryOfExcuses(t *testing.T) {
	t.Parallel()
	plain := "key = " + token() + "\n"
	excused := "key = " + token() + " # checkrein:ignore it is an example\n"
	for _, tt := range []struct{ first, second, want string }{{excused, plain, "0 allowed, 1"}, {plain, excused, "0, 1 allowed"}, {plain, plain + "more\n", "0"}, {excused, "more\n" + excused, "0 allowed"}} {
		var got []string
		s := Scan{Policy: standard(t), Report: func(f *Finding) {
			text := f.Commit
			if !f.Counts() {
				text += " allowed"
			}
			got = append(got, text)
		}}
		_, err := s.Run(t.Context(), historyOf([][]byte{[]byte(tt.first), []byte(tt.second)}))
		if err != nil || strings.Join(got, ", ") != tt.want {
			t.Errorf("got %q, %v, want %q", got, err, tt.want)
		}
	}
}

// A pattern of somebody's own may go over any number of lines, so texts are
// looked at as a whole then.
func TestHistoryOfFarPatterns(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse("p.yaml", []byte(`{extends: none, patterns: [{name: far, regex: '(?s)BEGIN.*END'}]}`), today)
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("an ordinary line\n", 4000)
	list, _, err := scanned(t, &Scan{Policy: p}, historyOf([][]byte{[]byte("BEGIN\n" + body), []byte("BEGIN\n" + body + "END\n")}))
	want(t, list, "a:1 far")
	if err != nil {
		t.Error(err)
	}
}
