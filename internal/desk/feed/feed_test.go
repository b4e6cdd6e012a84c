package feed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

// subscribe returns a subscription that ends with the test.
func subscribe(t *testing.T, f *feed.Feed, opts feed.Options) *feed.Subscription {
	t.Helper()
	s, err := f.Subscribe(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// take returns the next rows of s, at least n of them, and how many were dropped.
func take(t *testing.T, s *feed.Subscription, n int) (rows []feed.Row, dropped int) {
	t.Helper()
	for len(rows) < n {
		b, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rows, dropped = append(rows, b.Rows...), dropped+b.Dropped
	}
	return rows, dropped
}

func numbers(rows []feed.Row) (out []uint64) {
	for _, r := range rows {
		out = append(out, r.Record)
	}
	return out
}

func TestFeedFollowsSegmentsAndResumes(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 10_000) // a few records a segment
	f := feed.New(b.Dir())
	live := subscribe(t, f, feed.Options{}) // before there is a ledger
	b.Fill(t, 20)
	rows, dropped := take(t, live, 20)
	if dropped != 0 || len(rows) != 20 || !slices.IsSorted(numbers(rows)) {
		t.Fatalf("%d rows, %d dropped: %v", len(rows), dropped, numbers(rows))
	}
	if got := rows[0]; got.Answer != feed.Denied || got.Call != "git push -f" || got.Tool != "Bash" || got.Why == "" || !slices.Contains(got.Rules, "no-force") || got.Faults != 1 || !got.IsCall() {
		t.Errorf("%+v", got)
	}
	// Another reader continues after a record, from memory and, without it, from the files.
	middle := rows[9].Record
	for name, of := range map[string]*feed.Feed{"in memory": f, "from files": feed.New(b.Dir())} {
		again, _ := take(t, subscribe(t, of, feed.Options{After: middle}), 10)
		if !slices.Equal(numbers(again), numbers(rows[10:])) {
			t.Errorf("%s: %v, want %v", name, numbers(again), numbers(rows[10:]))
		}
	}
	since, _ := take(t, subscribe(t, feed.New(b.Dir()), feed.Options{Filter: index.Filter{Since: clitest.Noon.Add(15 * time.Minute)}}), 5)
	if !slices.Equal(numbers(since), numbers(rows[15:])) {
		t.Errorf("since: %v, want %v", numbers(since), numbers(rows[15:]))
	}
}

func TestFeedReadsBackBeyondItsMemory(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 200_000)
	b.Fill(t, 900) // more than a feed remembers, in several segments
	f := feed.New(b.Dir())
	first, _ := take(t, subscribe(t, f, feed.Options{}), 100)
	from := first[len(first)-1].Record - 450
	rows, dropped := take(t, subscribe(t, f, feed.Options{After: from}), 440)
	got := numbers(rows)
	for i := range got {
		if i > 0 && got[i] != got[i-1]+1 && got[i] != got[i-1]+2 { // a segment's own record may lie between
			t.Errorf("record %d follows %d", got[i], got[i-1])
		}
	}
	if dropped != 0 || got[0] != from+1 && got[0] != from+2 || !slices.Contains(got, first[len(first)-1].Record) {
		t.Errorf("%d rows from %d, after %d; %d dropped", len(rows), got[0], from, dropped)
	}
}

// TestFeedCountsWhatSlowReadersLose checks that every record is a row or is counted.
func TestFeedCountsWhatSlowReadersLose(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	f := feed.New(b.Dir())
	slow, quick := subscribe(t, f, feed.Options{}), subscribe(t, f, feed.Options{Filter: index.Filter{Decision: []string{"none"}}})
	const n = 700
	b.Fill(t, n)
	b.Add(t, clitest.UndecidedRecord())
	rows, _ := take(t, quick, 1) // the feed has read to the end
	if len(rows) != 1 || rows[0].Answer != feed.Passed || rows[0].IsCall() {
		t.Errorf("%+v", rows)
	}
	batch, err := slow.Next(context.Background())
	if err != nil || len(batch.Rows)+batch.Dropped != n+1 || batch.Dropped == 0 || batch.Last != rows[0].Record {
		t.Errorf("%d rows and %d dropped up to %d of %d: %v", len(batch.Rows), batch.Dropped, batch.Last, n+1, err)
	}
}

func TestBatchesAreAtMostTenASecond(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	s := subscribe(t, feed.New(b.Dir()), feed.Options{})
	var last time.Time
	for range 4 {
		b.Fill(t, 1)
		take(t, s, 1)
		if now := time.Now(); now.Sub(last) < feed.Interval*9/10 {
			t.Errorf("two batches within %v", now.Sub(last))
		}
		last = time.Now()
	}
}

func TestRowsHaveOnlyVisibleShortText(t *testing.T) {
	t.Parallel()
	r := clitest.DeniedRecord()
	r.Session = "\x1b]0;evil\a"
	r.Agent = "a\u202eb"
	r.Subject.Input.JSON = json.RawMessage(`{"command":"printf '\u001b[2J'\n\techo ` + strings.Repeat("x", 5000) + `"}`)
	r.Plan[0].Rule = "rule\x1b[31m"
	row, ok := feed.NewRow(r, nil)
	text := fmt.Sprintf("%+v", row)
	if !ok || strings.ContainsAny(text, "\x1b\a\n\t\u202e") || len(row.Call) > 1000 {
		t.Errorf("%q", text)
	}
	r.Shadow = true
	if row, _ = feed.NewRow(r, nil); row.Answer != feed.Passed || row.Would != feed.Denied {
		t.Errorf("shadow: %+v", row)
	}
	r.Decision, r.Answer, r.Shadow = "none", "contained", false
	if row, _ = feed.NewRow(r, nil); row.Answer != feed.Contained {
		t.Errorf("contained: %+v", row)
	}
	if _, ok = feed.NewRow(&record.Record{Kind: "segment"}, nil); ok {
		t.Error("a row for the ledger itself")
	}
}

func TestParseOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ query, want string }{
		{"host=claude&host=codex&event=PreToolUse&denied=true&calls=true&tool=mcp__*&after=7&since=1h", ""},
		{"hosts=claude", `unknown parameter "hosts"`},
		{"event=nothing", "unknown event"},
		{"decision=maybe", "must be one of none, allow, ask, deny"},
		{"since=soon", "not a valid time"},
		{"after=x", "after: "},
		{"denied=1", "must be one of true, false"},
	} {
		values, err := url.ParseQuery(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		o, err := feed.ParseOptions(values, clitest.Noon)
		if tt.want == "" && (err != nil || len(o.Filter.Host) != 2 || o.Filter.Event[0] != "pre_tool_use" || o.Filter.Outcome[0] != "deny" || !o.Calls || o.After != 7 || !o.Filter.Since.Equal(clitest.Noon.Add(-time.Hour))) {
			t.Errorf("%s: %+v, %v", tt.query, o, err)
		}
		if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v", tt.query, err)
		}
	}
}

// TestFollow checks that each line is added once, in batches, and again offered while flush fails, and
// that the last lines are flushed at the end.
func TestFollow(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 3)
	ctx, stop := context.WithCancel(context.Background())
	var got, pending int
	fails := 2
	flushed := make(chan int, 100)
	ended := make(chan error)
	begun := make(chan struct{})
	go func() {
		close(begun)
		ended <- feed.Follow(ctx, b.Dir(), 4, time.Millisecond, func([]byte) { pending++ }, func() error {
			if fails--; fails >= 0 {
				return errors.New("not now")
			}
			if pending > 4 {
				t.Errorf("%d lines at once", pending)
			}
			got, pending = got+pending, 0
			flushed <- got
			return nil
		})
	}()
	<-begun
	time.Sleep(50 * time.Millisecond) // so that it has begun at the end; otherwise it adds more lines
	b.Fill(t, 6)
	for n := range flushed {
		if n >= 6 {
			break
		}
	}
	b.Fill(t, 2)
	stop()
	if err := <-ended; err != nil || got < 8 {
		t.Errorf("%d lines of 8: %v", got, err)
	}
}

// TestBatchJSON checks that batches that share encoded rows are what package json makes of them.
func TestBatchJSON(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 3)
	f := feed.New(b.Dir())
	first, second := subscribe(t, f, feed.Options{}), subscribe(t, f, feed.Options{})
	for _, s := range []*feed.Subscription{first, second} {
		batch, err := s.Next(context.Background())
		if err != nil || len(batch.Rows) != 3 {
			t.Fatalf("%+v, %v", batch, err)
		}
		batch.Dropped = 2
		if want, err := json.Marshal(batch); err != nil || string(batch.JSON()) != string(want) {
			t.Errorf("%v\n%s\n%s", err, batch.JSON(), want)
		}
	}
	if got := (&feed.Batch{}).JSON(); string(got) != `{"rows":[],"dropped":0,"last":0}` {
		t.Errorf("%s", got)
	}
}
