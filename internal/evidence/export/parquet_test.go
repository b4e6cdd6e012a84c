package export

import (
	"bytes"
	"io"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

func openParquet(t testing.TB, out []byte) *parquet.File {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func readParquet(t testing.TB, out []byte) []row {
	t.Helper()
	rows := make([]row, openParquet(t, out).NumRows())
	r := parquet.NewGenericReader[row](bytes.NewReader(out))
	defer r.Close()
	if n, err := r.Read(rows); n != len(rows) || err != nil && err != io.EOF {
		t.Fatalf("read %d of %d: %v", n, len(rows), err)
	}
	return rows
}

func TestParquetRoundTrip(t *testing.T) {
	t.Parallel()
	lines := [][]byte{line(1, ledger.KindEvent, denied), event(2, nil), line(3, ledger.KindPruned, pruned)}
	when := func(seq uint64) time.Time { return at(seq).Truncate(time.Microsecond) }
	two, no, ms, zero := int32(2), false, 1.5, 0.0
	want := []row{
		{
			Seq: 1, Time: when(1), Kind: "event", Host: "claude", Session: "s1", SessionKey: "k1", Agent: "coder",
			Event: "pre_tool_use", Native: "PreToolUse", Tool: "Bash", CanonicalTool: "shell", CallID: "c1",
			Decision: "deny", Reason: "no force push", Effects: []string{"deny", "context"}, Hooks: []string{"guard", "lint"},
			Faults: []string{"lint: exit 3"}, Dropped: []string{"lint: rewrite_input: the host cannot", "allow: unsure"},
			RedoAttempt: &two, Canceled: &no, Policy: "sha256:aa", Program: "checkrein 1.2", Dir: "/w", MS: &ms,
			Input: `{"command":"git push -f"}`, Output: "abc…xyz", Text: "hello", ReplyExit: &two, ReplyStdout: "{}",
			Hash: hashOf(t, lines[0]),
			Plan: []rowStep{
				{Hook: "guard", Type: "rule", Scope: "user", Origin: "a.yaml:3", Digest: "d1", Outcome: "answered",
					Decision: "deny", Reason: "no", Effects: []string{"deny"}, MS: 0.25, Stale: true},
				{Hook: "lint", Scope: "project", Origin: "b.yaml:9", Digest: "d2", Outcome: "fault"},
			},
		},
		{Seq: 2, Time: when(2), Kind: "event", Host: "codex", Event: "stop", Decision: "none", Canceled: &no,
			Policy: "q", Program: "p", MS: &zero, Hash: hashOf(t, lines[1])},
		{Seq: 3, Time: when(3), Kind: "pruned", Hash: hashOf(t, lines[2])},
	}
	var out bytes.Buffer
	writeAll(t, Parquet(&out), lines...)
	if diff := cmp.Diff(want, readParquet(t, out.Bytes()), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// Rows with runs, dictionaries and lists of all lengths come back as they were.
func TestParquetManyRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	words := func(kinds int) string {
		if r.IntN(4) == 0 {
			return ""
		}
		return strings.Repeat("w", r.IntN(3)) + strconv.Itoa(r.IntN(kinds))
	}
	some := func(n int) []string {
		var out []string
		for range r.IntN(n) {
			out = append(out, words(30))
		}
		return out
	}
	var out bytes.Buffer
	f := newColumnFile[row](&out)
	var want []row
	for i := range 5000 {
		n, ms, yes := int32(r.IntN(5)-2), r.Float64(), r.IntN(2) == 0
		x := row{Seq: int64(i), Time: at(uint64(i)).Truncate(time.Microsecond), Kind: "event", Hash: words(1 << 20), Host: words(2), Session: words(3000), Reason: words(100)}
		if i > 2000 { // a long run of nothing before
			x.Effects, x.Hooks, x.RedoAttempt, x.Canceled, x.MS = some(3), some(20), &n, &yes, &ms
			for range r.IntN(4) {
				x.Plan = append(x.Plan, rowStep{Hook: words(400), Type: words(2), Scope: "user", Effects: some(3), MS: ms, Stale: yes})
			}
		}
		want = append(want, x)
		f.add(&x)
		if i%1700 == 0 {
			if err := f.flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, readParquet(t, out.Bytes()), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%.3000s", diff)
	}
}

// Other readers see types by the schema, not by our struct.
func TestParquetSchema(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	writeAll(t, Parquet(&out))
	schema := openParquet(t, out.Bytes()).Schema()
	text := schema.String()
	for _, want := range []string{
		"required int64 seq",
		"required int64 time (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS))",
		"optional binary reason (STRING)",
		"required group effects (LIST)",
		"required group plan (LIST)",
		"optional int32 reply_exit",
		"optional boolean canceled",
		"optional double ms",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var names []string
	for _, f := range schema.Fields() {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, ","); got != csvHeader+",plan" {
		t.Errorf("columns %s", got)
	}
	for _, f := range schema.Fields() {
		if f.Name() == "plan" {
			step := f.Fields()[0].Fields()[0].String()
			for _, name := range strings.Split("hook type scope origin digest outcome decision reason effects ms stale", " ") {
				if !strings.Contains(step, " "+name) {
					t.Errorf("no %s in the plan: %s", name, step)
				}
			}
		}
	}
}

// A row group ends when it has enough rows, or rows that are large enough, so
// that memory stays bounded.
func TestParquetRowGroups(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name              string
		maxRows, maxBytes int
		records, size     int
		want              []int64
	}{
		{"rows", 512, 1 << 30, 1281, 1, []int64{512, 512, 257}},
		{"bytes", 1 << 30, 1 << 16, 10, 1 << 14, []int64{4, 4, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			s := newParquet(&out, tt.maxRows, tt.maxBytes)
			text := strings.Repeat("x", tt.size)
			for i := range uint64(tt.records) {
				if err := s.Write(event(i, map[string]any{"reason": text})); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, g := range openParquet(t, out.Bytes()).RowGroups() {
				got = append(got, g.NumRows())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if most := 2*len(tt.want)*tt.size + 1<<17; out.Len() > most { // the footer has two whole values a group
				t.Errorf("%d bytes, want at most %d", out.Len(), most)
			}
		})
	}
}

// A file that could not be finished is not one.
func TestParquetBroken(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newParquet(io.MultiWriter(&out, &fullDisk{1 << 10}), 1, groupBytes)
	for i := range uint64(1000) {
		if s.Write(event(i, nil)) != nil {
			break
		}
	}
	written := out.Len()
	if s.Close() == nil {
		t.Fatal("a full disk was not noticed")
	}
	if out.Len() != written {
		t.Error("Close went on")
	}
	if _, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len())); err == nil {
		t.Error("the broken file opens")
	}
}

// Every field of a row is a column of both formats.
func TestColumnsAreFields(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[row]()
	if got, want := len(columns), fields.NumField()-1; got != want {
		t.Fatalf("%d columns, want %d", got, want)
	}
	for i, c := range columns {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("parquet"), ",")
		if c.name != name {
			t.Errorf("column %d is %s, want %s", i, c.name, name)
		}
	}
}
