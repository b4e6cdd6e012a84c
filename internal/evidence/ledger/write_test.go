package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A bench is a ledger whose clocks the test controls.
type bench struct {
	*ledger.Ledger
	opts ledger.Options
	now  time.Time
	boot string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{now: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), boot: "b1"}
	start := b.now
	b.opts = ledger.Options{
		Dir:   state.NewDir(filepath.Join(t.TempDir(), "state")),
		Now:   func() time.Time { b.now = b.now.Add(time.Millisecond); return b.now },
		Clock: func() (string, int64) { return b.boot, int64(b.now.Sub(start)) },
	}
	b.Ledger = ledger.Open(b.opts)
	return b
}

func (b *bench) add(t *testing.T, n int) ledger.Receipt {
	t.Helper()
	r, err := b.Append(ledger.KindEvent, fmt.Appendf(nil, `"n":%d`, n), false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *bench) file(name string) string { return b.opts.Dir.Path(ledger.Folder, name) }

// lines returns the kinds of all records of a segment file, after checking that
// they are chained.
func (b *bench) lines(t *testing.T, name string) []ledger.Line {
	t.Helper()
	data, err := os.ReadFile(b.file(name))
	if err != nil {
		t.Fatal(err)
	}
	var out []ledger.Line
	for raw := range bytes.Lines(data) {
		line, err := ledger.ParseLine(bytes.TrimSuffix(raw, []byte("\n")))
		if err != nil {
			continue // torn
		}
		if n := len(out); n > 0 && (line.Prev != out[n-1].Hash || line.Seq != out[n-1].Seq+1) {
			t.Errorf("record %d is not chained to %d", line.Seq, out[n-1].Seq)
		}
		out = append(out, line)
	}
	return out
}

func kinds(lines []ledger.Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Kind)
	}
	return strings.Join(out, " ")
}

func TestAppendChains(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.add(t, 1)
	second := b.add(t, 2)
	lines := b.lines(t, ledger.CurrentFile)
	if kinds(lines) != "segment event event" {
		t.Fatalf("records: %s", kinds(lines))
	}
	if first.Seq != 2 || second.Seq != 3 || lines[2].Hash != second.Hash {
		t.Errorf("receipts %+v, %+v", first, second)
	}
	if string(lines[2].Members()) != `"n":2` {
		t.Errorf("members %s", lines[2].Members())
	}
	for _, name := range []string{ledger.HeadFile, ledger.KeyFile, ledger.CurrentFile} {
		info, err := os.Stat(b.file(name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		set  func(*ledger.Options)
		wait time.Duration
	}{
		{"by size", func(o *ledger.Options) { o.Segment = 700 }, 0},
		{"by age", func(o *ledger.Options) { o.Age = time.Hour }, 30 * time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			test.set(&b.opts)
			b.Ledger = ledger.Open(b.opts)
			due := 0
			for n := range 6 {
				if b.add(t, n).Due {
					due++
				}
				b.now = b.now.Add(test.wait)
			}
			one, two := b.lines(t, ledger.SegmentFile(1)), b.lines(t, ledger.SegmentFile(2))
			if one[0].Kind != ledger.KindSegment || two[0].Kind != ledger.KindSegment || two[0].Prev != one[len(one)-1].Hash {
				t.Errorf("segments: %s / %s", kinds(one), kinds(two))
			}
			if due == 0 {
				t.Error("a full segment asks for no checkpoint")
			}
		})
	}
}

func TestTornTailIsClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, 1)
	whole, err := os.ReadFile(b.file(ledger.CurrentFile))
	if err != nil {
		t.Fatal(err)
	}
	torn := `{"v":1,"seq":3,"kind":"ev`
	if err := os.WriteFile(b.file(ledger.CurrentFile), append(whole, torn...), 0o600); err != nil {
		t.Fatal(err)
	}
	b.add(t, 2)
	lines := b.lines(t, ledger.CurrentFile)
	if kinds(lines) != "segment event torn event" {
		t.Fatalf("records: %s", kinds(lines))
	}
	if want := fmt.Sprintf(`"bytes":%d,"digest":"`, len(torn)); !strings.HasPrefix(string(lines[2].Members()), want) {
		t.Errorf("the torn record says %s", lines[2].Members())
	}
}

func TestLossLeavesAGap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		tamper  func(t *testing.T, b *bench)
		want    string // of the current segment
		changed string // in the gap's members
	}{
		{"last record cut off", func(t *testing.T, b *bench) {
			data, _ := os.ReadFile(b.file(ledger.CurrentFile))
			cut := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
			if err := os.Truncate(b.file(ledger.CurrentFile), int64(cut)); err != nil {
				t.Fatal(err)
			}
		}, "segment event gap sealed event", `"boot_changed":false`},
		{"and the machine restarted", func(t *testing.T, b *bench) {
			data, _ := os.ReadFile(b.file(ledger.CurrentFile))
			cut := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
			if err := os.Truncate(b.file(ledger.CurrentFile), int64(cut)); err != nil {
				t.Fatal(err)
			}
			b.boot = "b2"
		}, "segment event gap event", `"boot_changed":true`},
		{"head removed", func(t *testing.T, b *bench) {
			if err := os.Remove(b.file(ledger.HeadFile)); err != nil {
				t.Fatal(err)
			}
		}, "segment event event gap sealed event", "the head was missing"},
		{"head edited", func(t *testing.T, b *bench) {
			data, _ := os.ReadFile(b.file(ledger.HeadFile))
			if err := os.WriteFile(b.file(ledger.HeadFile), bytes.Replace(data, []byte(`"seq":3`), []byte(`"seq":2`), 1), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "segment event event gap sealed event", "damaged or forged"},
		{"segment removed", func(t *testing.T, b *bench) {
			if err := os.Remove(b.file(ledger.CurrentFile)); err != nil {
				t.Fatal(err)
			}
		}, "segment gap event", "the head says there are 3 records"},
		{"segment overwritten", func(t *testing.T, b *bench) {
			if err := os.WriteFile(b.file(ledger.CurrentFile), []byte("gone"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "segment gap event", "the head says there are 3 records"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.add(t, 1)
			b.add(t, 2)
			test.tamper(t, b)
			b.Ledger = ledger.Open(b.opts)
			b.add(t, 3)
			lines := b.lines(t, ledger.CurrentFile)
			if kinds(lines) != test.want {
				t.Fatalf("records: %s, want %s", kinds(lines), test.want)
			}
			at := slices.IndexFunc(lines, func(l ledger.Line) bool { return l.Kind == ledger.KindGap })
			if gap := lines[at].Members(); !strings.Contains(string(gap), test.changed) {
				t.Errorf("the gap says %s, want %s in it", gap, test.changed)
			}
		})
	}
}

func TestNoStateDirectory(t *testing.T) {
	t.Parallel()
	_, err := ledger.Open(ledger.Options{}).Append(ledger.KindEvent, nil, true)
	if !errors.Is(err, state.ErrNoState) {
		t.Errorf("got %v", err)
	}
}

func TestRecordTooLong(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, 1)
	if _, err := b.Append(ledger.KindEvent, bytes.Repeat([]byte("x"), ledger.MaxLine), false); err == nil {
		t.Error("a record longer than a line may be was written")
	}
	b.add(t, 2)
	if got := kinds(b.lines(t, ledger.CurrentFile)); got != "segment event event" {
		t.Errorf("records: %s", got)
	}
}

// A dull is a disk that accepts everything but cannot sync.
type dull struct{ ledger.Disk }

func (d dull) OpenAppend(name string) (ledger.File, error) {
	f, err := d.Disk.OpenAppend(name)
	return dullFile{f}, err
}

type dullFile struct{ ledger.File }

func (dullFile) Sync() error { return errors.New("input/output error") }

func TestNotDurable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := ledger.Open(ledger.WithDisk(b.opts, dull{ledger.DiskOf(b.opts)}))
	if _, err := l.Append(ledger.KindEvent, nil, false); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(ledger.KindEvent, nil, true); !errors.Is(err, ledger.ErrNotDurable) {
		t.Errorf("got %v", err)
	}
	b.add(t, 3)
	if got := kinds(b.lines(t, ledger.CurrentFile)); got != "segment event event event" {
		t.Errorf("records: %s", got)
	}
}

// The boot id comes from the system and may be anything.
func TestOddBootID(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.boot = "a\"b\n"
	b.add(t, 1)
	b.add(t, 2)
	if got := kinds(b.lines(t, ledger.CurrentFile)); got != "segment event event" {
		t.Errorf("records: %s", got)
	}
}
