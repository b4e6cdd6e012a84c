package ledger_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/lab/norace"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// The variables that make the test's own program one that cannot record: it appends as
// long as it is asked to, and counts what fails.
const (
	misserDir = "CHECKREIN_TEST_MISSER_DIR"
	missCalls = "CHECKREIN_TEST_MISS_CALLS"
	missFails = "CHECKREIN_TEST_MISS_FAILS" // do not even try
)

// missMany makes calls that cannot be recorded, and prints the result of each.
func missMany(dir string) int {
	n, _ := strconv.Atoi(os.Getenv(missCalls))
	l := ledger.Open(ledger.Options{Dir: state.NewDir(dir)})
	for range n {
		err := error(state.ErrBusy)
		if os.Getenv(missFails) == "" {
			_, err = l.Append(ledger.KindEvent, []byte(`"pad":"`+strings.Repeat("x", 2000)+`"`), false)
		}
		if err == nil {
			fmt.Println("recorded")
			continue
		}
		if err := l.CountMissed(err); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("missed", err)
	}
	return 0
}

func misser(dir string, calls int, more ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), misserDir+"="+dir, missCalls+"="+strconv.Itoa(calls)), more...)
	cmd.Stderr = os.Stderr
	return cmd
}

// gaps returns the records of a ledger that report missed calls.
func gaps(t *testing.T, b *bench) (list []ledger.Line) {
	t.Helper()
	eachLine(t, b.opts.Dir.Path(ledger.Folder), func(l *ledger.Line) {
		if _, ok := l.MissedTotal(); ok && l.Kind == ledger.KindGap {
			line := *l
			line.Raw = append([]byte(nil), l.Raw...)
			list = append(list, line)
		}
	})
	return list
}

func verified(t *testing.T, b *bench, o seal.VerifyOptions) *seal.Report {
	t.Helper()
	r, err := seal.Verify(context.Background(), b.opts.Dir.Path(ledger.Folder), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Calls that could not be recorded are reported once, by the next record that can be written.
func TestMissedIsReportedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, 1)
	for _, err := range []error{state.ErrBusy, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, errors.New("odd")} {
		if err := b.CountMissed(err); err != nil {
			t.Fatal(err)
		}
	}
	r := verified(t, b, seal.VerifyOptions{})
	if r.IsClean() || r.Missed != 3 || r.Findings[0].Kind != seal.FindMissed || !strings.Contains(r.Findings[0].Text, "3 calls were not recorded between "+time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC).Local().Format(time.DateTime)+" and") {
		t.Errorf("before the next record: %+v", r.Findings)
	}
	b.add(t, 2)
	b.add(t, 3)
	list := gaps(t, b)
	if len(list) != 1 {
		t.Fatalf("%d gaps", len(list))
	}
	for name, want := range map[string]string{"missed": "3", "total": "3", "busy": "1", "full": "1", "other": "1", "unnoted": "", "doubt": ""} {
		if got := list[0].Text(name); got != want {
			t.Errorf("%s is %q, want %q: %s", name, got, want, list[0].Raw)
		}
	}
	if list[0].Text("from") >= list[0].Text("to") || !strings.Contains(list[0].Text("why"), "another process held the ledger's lock (1), the disk was full (1), writing failed (1)") {
		t.Errorf("%s", list[0].Raw)
	}
	if r := verified(t, b, seal.VerifyOptions{}); r.IsClean() || r.Missed != 3 || r.Findings[0].Kind != seal.FindGap {
		t.Errorf("after it: %+v", r.Findings)
	}
	if r := verified(t, b, seal.VerifyOptions{AllowMissed: true}); !r.IsClean() || r.Missed != 3 || len(r.Notices) != 1 {
		t.Errorf("allowed: %+v, %+v", r.Findings, r.Notices)
	}
}

// A ledger of an older build has no count, and silently gets one.
func TestMissedOfOldLedgers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, 1)
	// As older builds write: no count, and no total in the segment's first record.
	key, err := b.Key()
	if err != nil {
		t.Fatal(err)
	}
	stamp := ledger.Stamp{Seq: 1, Kind: ledger.KindSegment, Time: b.now, Boot: "b1"}
	line, hash := ledger.AppendLine(nil, &stamp, []byte(`"ledger":"`+key.ID()+`","segment":1`), nil)
	head := ledger.Head{Ledger: key.ID(), Segment: 1, Began: b.now, Size: int64(len(line)), Seq: 1, Hash: hash, Boot: "b1"}
	if err := errors.Join(os.WriteFile(b.file(ledger.CurrentFile), line, 0o600), os.WriteFile(b.file(ledger.HeadFile), head.AppendSealed(nil, key), 0o600), os.Remove(b.file(ledger.MissedFile))); err != nil {
		t.Fatal(err)
	}
	if r := verified(t, b, seal.VerifyOptions{}); !r.IsClean() {
		t.Errorf("as it was: %v", r.Findings)
	}
	b.add(t, 2)
	if r := verified(t, b, seal.VerifyOptions{}); !r.IsClean() || len(gaps(t, b)) != 0 {
		t.Errorf("after a record: %v", r.Findings)
	}
	if err := b.CountMissed(state.ErrBusy); err != nil {
		t.Fatal(err)
	}
	b.add(t, 3)
	if list := gaps(t, b); len(list) != 1 || list[0].Text("total") != "1" {
		t.Errorf("%+v", list)
	}
}

// Whatever is done to the count, verify and the next writer report it, and counting continues.
func TestMissedIsSealed(t *testing.T) {
	t.Parallel()
	edit := func(change func(data []byte)) func(t *testing.T, file string) {
		return func(t *testing.T, file string) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			change(data)
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name  string
		do    func(t *testing.T, file string)
		count string
	}{
		{"removed", func(t *testing.T, file string) { os.Remove(file) }, ""},
		{"emptied", func(t *testing.T, file string) { os.Truncate(file, 0) }, ""},
		{"shortened", func(t *testing.T, file string) { os.Truncate(file, 100) }, ""},
		{"zeros", edit(func(d []byte) { clear(d) }), ""},
		{"the number is zero", edit(func(d []byte) { clear(d[:8]) }), "2"},
		{"the number is less", edit(func(d []byte) { d[0]-- }), "2"},
		{"what is told is more", edit(func(d []byte) { d[64] += 2 }), "2"},
		{"the seal is another", edit(func(d []byte) { d[64+20] ^= 1 }), "2"},
		{"a note is another", edit(func(d []byte) { d[128+3*64+9] ^= 1 }), "2"},
		{"a note of what was told is another", edit(func(d []byte) { d[128+9] ^= 1 }), "2"},
		{"something behind a note", edit(func(d []byte) { d[128+63] ^= 1 }), "2"},
		{"something in between", edit(func(d []byte) { d[20] ^= 1 }), "2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.add(t, 1)
			for range 3 {
				if err := b.CountMissed(state.ErrBusy); err != nil {
					t.Fatal(err)
				}
			}
			b.add(t, 2) // which tells three
			for range 2 {
				if err := b.CountMissed(state.ErrBusy); err != nil {
					t.Fatal(err)
				}
			}
			test.do(t, b.file(ledger.MissedFile))
			r := verified(t, b, seal.VerifyOptions{AllowMissed: true})
			if r.IsClean() || r.Findings[0].Kind != seal.FindMissed {
				t.Errorf("verify: %+v", r.Findings)
			}
			b.add(t, 3)
			list := gaps(t, b)
			if len(list) != 2 {
				t.Fatalf("%d gaps", len(list))
			}
			if list[1].Text("doubt") == "" {
				t.Errorf("the writer says nothing: %s", list[1].Raw)
			}
			if test.count != "" && list[1].Text("missed") != test.count {
				t.Errorf("told: %s", list[1].Raw)
			}
			// It goes on from there.
			if err := b.CountMissed(state.ErrBusy); err != nil {
				t.Fatal(err)
			}
			b.add(t, 4)
			list = gaps(t, b)
			if len(list) != 3 || list[2].Text("missed") != "1" || list[2].Text("doubt") != "" {
				t.Errorf("afterwards: %d gaps, %s", len(list), list[len(list)-1].Raw)
			}
			for _, f := range verified(t, b, seal.VerifyOptions{AllowMissed: true}).Findings {
				if f.Kind == seal.FindMissed {
					t.Errorf("afterwards: %+v", f)
				}
			}
		})
	}
}

// Every byte of the count is checked.
func TestMissedMutations(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	b := newBench(t)
	b.add(t, 1)
	for range 3 {
		if err := b.CountMissed(state.ErrBusy); err != nil {
			t.Fatal(err)
		}
	}
	b.add(t, 2)
	file := b.file(ledger.MissedFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for at := range data {
		if at > 128+4*64 && at%61 != 0 { // what is empty behind is all alike
			continue
		}
		data[at] ^= 1 << (at % 8)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if verified(t, b, seal.VerifyOptions{}).Findings[0].Kind == seal.FindGap && len(verified(t, b, seal.VerifyOptions{}).Findings) == 1 {
			t.Errorf("byte %d is changed, and nothing is found", at)
		}
		data[at] ^= 1 << (at % 8)
	}
}

// Processes that miss calls at the same time, some of which are killed, neither lose nor double any,
// while others record.
func TestMissedByManyProcesses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, 1)
	dir := b.opts.Dir.Path()
	const processes, killed, calls = 8, 3, 200
	var mu sync.Mutex
	said := uint64(0)
	var wg sync.WaitGroup
	for i := range processes {
		cmd := misser(dir, calls, missFails+"=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			n := 0
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if n++; i < killed && n == calls*(i+1)/(killed+1) {
					_ = cmd.Process.Kill()
				}
			}
			_ = cmd.Wait()
			mu.Lock()
			said += uint64(n)
			mu.Unlock()
		})
	}
	recorder := misser(dir, calls)
	if out, err := recorder.Output(); err != nil || strings.Count(string(out), "recorded\n") != calls {
		t.Errorf("who records meanwhile: %v, %s", err, out)
	}
	wg.Wait()
	b.add(t, 2)
	b.add(t, 3)
	told, last := uint64(0), uint64(0)
	for _, l := range gaps(t, b) {
		n, _ := strconv.ParseUint(l.Text("missed"), 10, 64)
		told += n
		last, _ = l.MissedTotal()
		if l.Text("doubt") != "" {
			t.Errorf("%s", l.Raw)
		}
	}
	if told < said || told > said+killed || last != told {
		t.Errorf("%d calls were missed, %d are told, the total is %d", said, told, last)
	}
	if r := verified(t, b, seal.VerifyOptions{AllowMissed: true}); !r.IsClean() || r.Missed != told {
		t.Errorf("%d missed, %+v", r.Missed, r.Findings)
	}
}

// If a writer is killed at any time, missed calls are still reported once.
func TestMissedAndKilled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, 1)
	dir := b.opts.Dir.Path()
	for i := range 12 {
		if err := b.CountMissed(state.ErrBusy); err != nil {
			t.Fatal(err)
		}
		cmd := misser(dir, 50)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for n, lines := 0, bufio.NewScanner(out); lines.Scan(); {
			if n++; n == i%4 {
				break
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	b.add(t, 2)
	if r := verified(t, b, seal.VerifyOptions{AllowMissed: true}); !r.IsClean() || r.Missed != 12 {
		t.Errorf("%d missed, %+v", r.Missed, r.Findings)
	}
}

// Calls are counted while another process never releases the lock.
func TestMissedByHeldLock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, 1)
	held, err := b.opts.Dir.OpenLocked(filepath.ToSlash(filepath.Join(ledger.Folder, ledger.HeadFile)))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 3 { // at the same time, since each waits for it
		wg.Go(func() {
			out, err := misser(b.opts.Dir.Path(), 1).Output()
			if err != nil || !strings.HasPrefix(string(out), "missed ") {
				t.Errorf("%v, %s", err, out)
			}
		})
	}
	wg.Wait()
	held.Close()
	b.add(t, 2)
	if list := gaps(t, b); len(list) != 1 || list[0].Text("missed") != "3" || list[0].Text("busy") != "3" {
		t.Errorf("%+v", list)
	}
}
