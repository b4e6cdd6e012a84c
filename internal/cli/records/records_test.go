package records

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/checkrein/checkrein/internal/text/moment"
	"pgregory.net/rapid"
)

func TestSelectionOfFlags(t *testing.T) {
	t.Parallel()
	got, err := (&FilterFlags{Since: "2d", Until: "1d", Events: []string{"PreToolUse", "stop", "other", "transform_tool_result"},
		Decisions: []string{"deny", "none"}, Effects: []string{"rewrite_input"}, Limit: 5}).Selection(clitest.Noon)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"pre_tool_use", "stop", "other", "tool_response_transform"}; !slices.Equal(got.Events, want) {
		t.Errorf("events %q, want %q", got.Events, want)
	}
	if !got.Since.Equal(clitest.Noon.Add(-2*moment.Day)) || !got.Until.Equal(clitest.Noon.Add(-moment.Day)) || got.Limit != 5 {
		t.Errorf("got %+v", got)
	}
	tests := []struct {
		name  string
		flags FilterFlags
		want  string
	}{
		{"since", FilterFlags{Since: "soon"}, `--since: "soon" is not a valid time`},
		{"until", FilterFlags{Until: "soon"}, `--until: "soon" is not a valid time`},
		{"order", FilterFlags{Since: "1h", Until: "2h"}, "--since 1h must be earlier than --until 2h"},
		{"event", FilterFlags{Events: []string{"pre_tool_us"}}, `unknown event "pre_tool_us", did you mean "pre_tool_use"?`},
		{"decision", FilterFlags{Decisions: []string{"block"}}, `unknown decision "block", did you mean "deny"? (must be one of none, allow, ask, deny)`},
		{"effect", FilterFlags{Effects: []string{"rewrite_inputs"}}, `did you mean "rewrite_input"?`},
		{"limit", FilterFlags{Limit: -1}, "must not be negative"},
	}
	for _, tt := range tests {
		if _, err := tt.flags.Selection(clitest.Noon); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestClipKeepsCharacters(t *testing.T) {
	t.Parallel()
	got := Clip(strings.Repeat("a", MaxShown-1) + "é" + "more")
	if want := strings.Repeat("a", MaxShown-1) + " [… 6 bytes more: --json shows them]"; got != want {
		t.Errorf("got %q", got[MaxShown-2:])
	}
}

func TestSelectionFits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		choose Selection
		record *record.Record
		want   bool
	}{
		{"everything", Selection{}, clitest.DeniedRecord(), true},
		{"of the ledger itself, unasked", Selection{}, &record.Record{Kind: "torn", Time: clitest.Noon}, false},
		{"of the ledger itself", Selection{Kinds: true}, &record.Record{Kind: "torn", Time: clitest.Noon}, true},
		{"of the ledger itself, filtered", Selection{Kinds: true, Hosts: []string{"native"}}, &record.Record{Kind: "torn", Time: clitest.Noon}, false},
		{"since then", Selection{Since: clitest.Noon}, clitest.DeniedRecord(), true},
		{"since later", Selection{Since: clitest.Noon.Add(1)}, clitest.DeniedRecord(), false},
		{"until then", Selection{Until: clitest.Noon}, clitest.DeniedRecord(), false},
		{"until later", Selection{Until: clitest.Noon.Add(1)}, clitest.DeniedRecord(), true},
		{"host", Selection{Hosts: []string{"claude", "native"}}, clitest.DeniedRecord(), true},
		{"other host", Selection{Hosts: []string{"claude"}}, clitest.DeniedRecord(), false},
		{"session", Selection{Sessions: []string{"0123456789abcdef"}}, clitest.DeniedRecord(), true},
		{"begin of a session", Selection{Sessions: []string{"01234567"}}, clitest.DeniedRecord(), true},
		{"middle of a session", Selection{Sessions: []string{"1234"}}, clitest.DeniedRecord(), false},
		{"event", Selection{Events: []string{"pre_tool_use"}}, clitest.DeniedRecord(), true},
		{"other event", Selection{Events: []string{"stop"}}, clitest.DeniedRecord(), false},
		{"tool of the host", Selection{Tools: []string{"Bash"}}, clitest.DeniedRecord(), true},
		{"tool of ours", Selection{Tools: []string{"shell"}}, clitest.DeniedRecord(), true},
		{"other tool", Selection{Tools: []string{"write"}}, clitest.DeniedRecord(), false},
		{"tool of an event without", Selection{Tools: []string{"Bash"}}, clitest.UndecidedRecord(), false},
		{"decision", Selection{Decisions: []string{"allow", "deny"}}, clitest.DeniedRecord(), true},
		{"other decision", Selection{Decisions: []string{"none"}}, clitest.DeniedRecord(), false},
		{"none", Selection{Decisions: []string{"none"}}, clitest.UndecidedRecord(), true},
		{"hook", Selection{Hooks: []string{"quiet"}}, clitest.DeniedRecord(), true},
		{"hook that had nothing to say", Selection{Hooks: []string{"picky"}}, clitest.DeniedRecord(), false},
		{"other hook", Selection{Hooks: []string{"quie"}}, clitest.DeniedRecord(), false},
		{"effect", Selection{Effects: []string{"deny"}}, clitest.DeniedRecord(), true},
		{"effect of a hook only", Selection{Effects: []string{"rewrite_input"}}, clitest.DeniedRecord(), false},
		{"denied", Selection{Outcomes: (&FilterFlags{Denied: true}).Outcomes().Words()}, clitest.DeniedRecord(), true},
		{"asked or changed", Selection{Outcomes: (&FilterFlags{Asked: true, Changed: true}).Outcomes().Words()}, clitest.DeniedRecord(), false},
		{"asked or denied", Selection{Outcomes: (&FilterFlags{Asked: true, Denied: true}).Outcomes().Words()}, clitest.DeniedRecord(), true},
		{"denied, of another host", Selection{Hosts: []string{"claude"}, Outcomes: []string{"deny"}}, clitest.DeniedRecord(), false},
		{"an outcome and another effect", Selection{Effects: []string{"rewrite_input"}, Outcomes: []string{"deny"}}, clitest.DeniedRecord(), false},
		{"of the ledger itself, with an outcome", Selection{Kinds: true, Outcomes: []string{"deny"}}, &record.Record{Kind: "torn", Time: clitest.Noon}, false},
		{"all must hold", Selection{Hosts: []string{"native"}, Decisions: []string{"ask"}}, clitest.DeniedRecord(), false},
	}
	for _, tt := range tests {
		if got := tt.choose.Fits(tt.record); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// decodeRecords returns the records of lines.
func decodeRecords(t *testing.T, lines [][]byte) []*record.Record {
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
	for _, r := range decodeRecords(t, lines) {
		out = append(out, r.Reason)
	}
	return out
}

func TestNewest(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 10_000) // four records per segment
	b.Fill(t, 30)
	if segments, _ := ledger.Segments(b.Dir()); len(segments) < 5 {
		t.Fatalf("only %d segments", len(segments))
	}
	for _, n := range []int{1, 3, 11, 30, 31, 0} {
		list, end, damaged, err := Newest(t.Context(), b.Dir(), &Selection{}, n)
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
		// A reader that starts at the returned position finds exactly the records that were added later.
		r := ledger.NewReader(b.Dir(), end)
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("after the newest %d there is more: %v", n, err)
		}
	}
	choose := &Selection{Until: clitest.Noon.Add(5 * time.Minute)}
	list, _, _, err := Newest(t.Context(), b.Dir(), choose, 2)
	if got := reasons(t, list); err != nil || !slices.Equal(got, []string{"reason 3", "reason 4"}) {
		t.Errorf("newest before: %q, %v", got, err)
	}
}

func TestFindRecord(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 10_000)
	b.Fill(t, 30)
	all, _, _, err := Newest(t.Context(), b.Dir(), &Selection{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	env, _, _ := b.Env()
	for i, r := range decodeRecords(t, all) {
		if i%4 > 0 {
			continue
		}
		ids := []string{fmt.Sprint(r.Seq), fmt.Sprintf("#%d", r.Seq), r.Hash, strings.ToUpper(r.Hash[:10])}
		for _, id := range ids {
			raw, err := Find(t.Context(), &env, b.Dir(), id)
			if err != nil || !bytes.Equal(raw, all[i]) {
				t.Fatalf("find %s: %v", id, err)
			}
		}
	}
	if raw, err := Find(t.Context(), &env, b.Dir(), "last"); err != nil || !bytes.Equal(raw, all[29]) {
		t.Errorf("find last: %v", err)
	}
	for id, want := range map[string]string{
		"0": "no record 0", "9999": "no record 9999", "#1234567": "no record #1234567", "abc": "does not name a record", "": "does not name a record",
		"first": "does not name a record", "zzzzzzz": "does not name a record",
	} {
		if _, err := Find(t.Context(), &env, b.Dir(), id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("find %q: %v, want %q", id, err, want)
		}
	}
}

// The index and the reader of the ledger select the same records.
func TestIndexAndReaderAgree(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 20_000) // the records fill two segments
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
	lines, _, _, err := Newest(t.Context(), b.Dir(), &Selection{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := decodeRecords(t, lines)
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string, of ...string) []string {
			return rapid.SliceOfN(rapid.SampledFrom(of), 0, 2).Draw(t, name)
		}
		s := &Selection{
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
		if _, err := EachHit(context.Background(), ix, b.Dir(), s.Filter(false), func(raw []byte) {
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

// A record is found by its hash, or by the beginning of it.
func TestFindByHash(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 10_000)
	b.Fill(t, 14)
	want, _, _, err := Newest(t.Context(), b.Dir(), &Selection{}, 14)
	if err != nil {
		t.Fatal(err)
	}
	r := decodeRecords(t, want[:1])[0]
	env, _, _ := b.Env()
	for _, id := range []string{r.Hash, r.Hash[:12]} {
		if raw, err := Find(t.Context(), &env, b.Dir(), id); err != nil || !bytes.Equal(raw, want[0]) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if raw, err := Find(t.Context(), &env, b.Dir(), r.Hash[:20]+strings.Repeat("0", 44)); err == nil {
		t.Errorf("found %s", raw)
	}
}
