package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"pgregory.net/rapid"
)

// runWith runs a command and returns its code and what it printed.
func runWith(b *clitest.Book, args ...string) (code int, out, errs string) {
	env, stdout, stderr := b.Env(args...)
	code = Run(context.Background(), env)
	return code, stdout.String(), stderr.String()
}

// decoded are the records of lines.
func decoded(t *testing.T, lines [][]byte) []*record.Record {
	t.Helper()
	var out []*record.Record
	for _, raw := range lines {
		r, err := record.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func reasons(t *testing.T, lines [][]byte) []string {
	t.Helper()
	var out []string
	for _, r := range decoded(t, lines) {
		out = append(out, r.Reason)
	}
	return out
}

func TestNewest(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 10_000) // four records a segment
	b.Fill(t, 30)
	if segments, _ := ledger.Segments(b.Dir()); len(segments) < 5 {
		t.Fatalf("only %d segments", len(segments))
	}
	for _, n := range []int{1, 3, 11, 30, 31, 0} {
		list, end, damaged, err := records.Newest(t.Context(), b.Dir(), &records.Selection{}, n)
		if err != nil || damaged != 0 {
			t.Fatal(err, damaged)
		}
		want := n
		if n == 0 || n > 30 {
			want = 30
		}
		got := reasons(t, list)
		if len(got) != want || got[want-1] != "reason 29" || got[0] != fmt.Sprintf("reason %d", 30-want) {
			t.Errorf("newest %d: %q", n, got)
		}
		// What is recorded later is found from there on, and nothing else is.
		r := ledger.NewReader(b.Dir(), end)
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("after the newest %d there is more: %v", n, err)
		}
	}
	choose := &records.Selection{Until: clitest.Noon.Add(5 * time.Minute)}
	list, _, _, err := records.Newest(t.Context(), b.Dir(), choose, 2)
	if got := reasons(t, list); err != nil || !slices.Equal(got, []string{"reason 3", "reason 4"}) {
		t.Errorf("newest before: %q, %v", got, err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 10_000)
	b.Fill(t, 30)
	all, _, _, err := records.Newest(t.Context(), b.Dir(), &records.Selection{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	env, _, _ := b.Env()
	for i, r := range decoded(t, all) {
		if i%4 > 0 {
			continue
		}
		ids := []string{fmt.Sprint(r.Seq), fmt.Sprintf("#%d", r.Seq), r.Hash, strings.ToUpper(r.Hash[:10])}
		for _, id := range ids {
			raw, err := records.Find(t.Context(), &env, b.Dir(), id)
			if err != nil || !bytes.Equal(raw, all[i]) {
				t.Fatalf("find %s: %v", id, err)
			}
		}
	}
	if raw, err := records.Find(t.Context(), &env, b.Dir(), "last"); err != nil || !bytes.Equal(raw, all[29]) {
		t.Errorf("find last: %v", err)
	}
	for id, want := range map[string]string{
		"0": "no record 0", "9999": "no record 9999", "#1234567": "no record #1234567", "abc": "does not name a record", "": "does not name a record",
		"first": "does not name a record", "zzzzzzz": "does not name a record",
	} {
		if _, err := records.Find(t.Context(), &env, b.Dir(), id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("find %q: %v, want %q", id, err, want)
		}
	}
}

// A line that somebody edited is found by what it says it is, and what is wrong
// with it is said.
func TestShowDamaged(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 3)
	path := filepath.Join(b.Dir(), ledger.CurrentFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte("reason 1"), []byte("reason 7"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, _ := runWith(b, "audit", "show", "3")
	if code != console.Done || !strings.Contains(out, "DAMAGED") || !strings.Contains(out, "reason 7") {
		t.Errorf("show: %d\n%s", code, out)
	}
	code, _, errs := runWith(b, "explain", "3")
	if code != console.Done || !strings.Contains(errs, "was changed or damaged") {
		t.Errorf("explain: %d %s", code, errs)
	}
	for _, args := range [][]string{{"tail", "--json"}, {"query", "--json"}, {"query", "--count"}, {"export"}} {
		for range 2 {
			code, out, errs = runWith(b, append([]string{"audit"}, args...)...)
			if code != console.Done || strings.Contains(out, "reason 7") || strings.Count(errs, "1 line changed, damaged or forged") != 1 {
				t.Errorf("%q: %d %s\n%s", args, code, errs, out)
			}
		}
	}
}

// Records that somebody invented, with hashes that fit, are in no answer, before and after
// the next genuine one.
func TestInventedRecords(t *testing.T) {
	t.Parallel()
	for name, seals := range map[string]*ledger.Seals{"without a seal": nil, "with another's": ledger.Key{1}.Seals()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := clitest.NewBook(t, 0)
			b.Fill(t, 3)
			runWith(b, "audit", "query") // there is an index
			path := filepath.Join(b.Dir(), ledger.CurrentFile)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
			last, err := ledger.ParseLine(lines[len(lines)-1])
			if err != nil {
				t.Fatal(err)
			}
			stamp := last.Stamp
			stamp.Seq, stamp.Prev = stamp.Seq+1, last.Hash
			data, _ = ledger.AppendLine(data, &stamp, bytes.Replace(last.Members(), []byte("reason"), []byte("invented"), 1), seals)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, after := range []bool{false, true} {
				if after {
					b.Fill(t, 1)
				}
				for _, args := range [][]string{{"tail", "--json"}, {"query", "--json"}, {"export"}} {
					code, out, errs := runWith(b, append([]string{"audit"}, args...)...)
					if code != console.Done || strings.Contains(out, "invented") || !strings.Contains(errs, "changed, damaged or forged") {
						t.Errorf("%q, after %v: %d %s\n%s", args, after, code, errs, out)
					}
				}
				if code, out, _ := runWith(b, "audit", "verify"); code != console.Finding || !strings.Contains(out, "forged: ") && !strings.Contains(out, "unsealed: ") {
					t.Errorf("verify, after %v: %d\n%s", after, code, out)
				}
				if _, out, errs := runWith(b, "audit", "show", "5"); after != (strings.Contains(out, "torn")) || after == strings.Contains(errs, "was not written by a genuine writer of this ledger") {
					t.Errorf("show, after %v: %s\n%s", after, errs, out)
				}
			}
		})
	}
}

// Where the newest segment is not what it should be, every way to look at the ledger says
// so, with and without older segments.
func TestLostSegment(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(path string) error{
		"gone":               os.Remove,
		"emptied":            func(path string) error { return os.Truncate(path, 0) },
		"a directory":        func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a link nowhere":     func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/nowhere/at/all", path)) },
		"a link to a device": func(path string) error { return errors.Join(os.Remove(path), os.Symlink(os.DevNull, path)) },
	} {
		for _, size := range []int64{0, 3000} {
			t.Run(fmt.Sprint(name, " ", size), func(t *testing.T) {
				t.Parallel()
				b := clitest.NewBook(t, size)
				b.Fill(t, 12)
				if err := do(filepath.Join(b.Dir(), ledger.CurrentFile)); err != nil {
					t.Fatal(err)
				}
				if _, _, errs := runWith(b, "audit", "query"); !strings.Contains(errs, "part of the ledger cannot be read") {
					t.Errorf("query: %s", errs)
				}
				if _, out, errs := runWith(b, "status"); !strings.Contains(out+errs, ledger.CurrentFile) {
					t.Errorf("status: %s%s", out, errs)
				}
				if code, out, errs := runWith(b, "audit", "verify"); code != console.Finding || !strings.Contains(out, "the newest ones were removed") {
					t.Errorf("verify: %d %s%s", code, out, errs)
				}
			})
		}
	}
}

// The index and the one who reads the ledger itself mean the same by a filter.
func TestIndexAgrees(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 20_000) // two segments
	words := []string{"a", "ab", "b*", "abc"}
	for i := range 40 {
		pick := func(n int) string { return words[(i/n)%len(words)] }
		r := &record.Record{Event: []string{"stop", "pre_tool_use"}[i%2], Host: pick(1), Session: pick(2), Key: "key" + pick(3), Decision: []string{"none", "deny"}[i/3%2],
			Plan: []record.Step{{Hook: pick(1)}, {Hook: pick(5)}}, Effects: []string{[]string{"deny", "halt"}[i/2%2]}}
		if i%3 > 0 {
			r.Tool = &record.Tool{Name: pick(2), Canonical: pick(7)}
		}
		b.Add(t, r)
	}
	ix, err := index.Open(t.Context(), b.Dir(), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	lines, _, _, err := records.Newest(t.Context(), b.Dir(), &records.Selection{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := decoded(t, lines)
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string, of ...string) []string {
			return rapid.SliceOfN(rapid.SampledFrom(of), 0, 2).Draw(t, name)
		}
		s := &records.Selection{
			Hosts: some("hosts", words...), Events: some("events", "stop", "pre_tool_use"), Tools: some("tools", "a", "a*", "*b", "*", "b*", "a*c"),
			Decisions: some("decisions", "none", "deny"), Hooks: some("hooks", "a", "*b*", "b*"), Effects: some("effects", "deny", "halt"),
			Sessions: some("sessions", "abc", "keyab", "b", "nobody"), Limit: rapid.IntRange(0, 3).Draw(t, "limit"),
		}
		if rapid.Bool().Draw(t, "since") {
			s.Since = clitest.Noon.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "from")) * time.Minute)
		}
		var want []uint64
		fitting := 0
		for _, r := range slices.Backward(all) {
			if !s.Fits(r) {
				continue
			}
			if fitting++; s.Limit == 0 || fitting <= s.Limit {
				want = append(want, r.Seq)
			}
		}
		var got []uint64
		if _, err := records.Hits(context.Background(), ix, b.Dir(), s.Filter(false), func(raw []byte) {
			r, err := record.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r.Seq)
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%+v: the index finds %d, the reader %d", s, got, want)
		}
		if s.Limit == 0 {
			return
		}
		if n, err := ix.Count(context.Background(), s.Filter(false)); err != nil || n != fitting {
			t.Fatalf("%+v: count %d, %v, want %d", s, n, err, fitting)
		}
	})
}

// Segments are removed and renamed while somebody asks: what is gone is gone, and
// no mistake of anybody.
func TestQueryWhilePruned(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 10_000)
	b.Fill(t, 14)
	ix, err := index.Open(t.Context(), b.Dir(), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	var got [][]byte
	damaged, err := records.Hits(t.Context(), ix, b.Dir(), (&records.Selection{}).Filter(false), func(raw []byte) {
		if got = append(got, raw); len(got) > 1 {
			return
		}
		if err := os.Remove(filepath.Join(b.Dir(), ledger.SegmentFile(1))); err != nil {
			t.Error(err)
		}
		b.Fill(t, 5) // which begins a segment
	})
	if err != nil || damaged != 0 || len(got) != 10 {
		t.Errorf("%d lines, %d damaged, %v", len(got), damaged, err)
	}
}

// A record is found by its hash with the index, and without one too.
func TestFindByHash(t *testing.T) {
	b := clitest.NewBook(t, 10_000)
	b.Fill(t, 14)
	want, _, _, err := records.Newest(t.Context(), b.Dir(), &records.Selection{}, 14)
	if err != nil {
		t.Fatal(err)
	}
	r := decoded(t, want[:1])[0]
	env, _, _ := b.Env()
	for _, place := range []string{"beside the segments", "nowhere"} {
		if place == "nowhere" {
			t.Setenv("TMPDIR", filepath.Join(b.Home, "nowhere"))
			if err := errors.Join(os.RemoveAll(filepath.Join(b.Dir(), index.Folder)), os.WriteFile(filepath.Join(b.Dir(), index.Folder), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{r.Hash, r.Hash[:12]} {
			if raw, err := records.Find(t.Context(), &env, b.Dir(), id); err != nil || !bytes.Equal(raw, want[0]) {
				t.Errorf("index %s, %s: %v", place, id, err)
			}
		}
		other := r.Hash[:20] + strings.Repeat("0", 44) // of which an index knows only the beginning
		if raw, err := records.Find(t.Context(), &env, b.Dir(), other); err == nil {
			t.Errorf("index %s: found %s", place, raw)
		}
		if !base.FileExists(filepath.Join(b.Dir(), index.Folder)) {
			t.Errorf("index %s: it is not there", place)
		}
	}
}

func TestNoLedger(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		code int
	}{
		{[]string{"audit", "tail"}, console.Done},
		{[]string{"audit", "tail", "--json"}, console.Done},
		{[]string{"audit", "query"}, console.Done},
		{[]string{"audit", "query", "--json"}, console.Done},
		{[]string{"audit", "export"}, console.Done},
		{[]string{"audit", "show", "1"}, console.Finding},
		{[]string{"explain", "1"}, console.Finding},
		{[]string{"explain", "--last"}, console.Finding},
	} {
		b := clitest.NewBook(t, 0)
		code, out, errs := runWith(b, tt.args...)
		if code != tt.code || out != "" || !strings.Contains(errs, "no ledger at "+b.Dir()+" yet: it begins with") {
			t.Errorf("%q: exit %d, %q, %q", tt.args, code, out, errs)
		}
		if base.FileExists(b.Home) {
			t.Errorf("%q made something", tt.args)
		}
	}
}
