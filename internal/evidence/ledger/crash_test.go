package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/lab/norace"
	"github.com/checkrein/checkrein/internal/sys/state"
	"pgregory.net/rapid"
)

// death is the value with which a write panics when the process is to die in it.
type death struct{}

// A mortal is a disk that counts all changes of files and dies at one of them: before it, after it or,
// where the system may stop half-way, in the middle.
type mortal struct {
	ledger.Disk
	left int                // changes until death
	part func(size int) int // how much of the fatal write is done
	open []io.Closer        // what the kernel closes when a process dies
	adds int                // of calls that were counted as missed

	blind bool // the count cannot be opened
}

// change calls do, or dies.
func (m *mortal) change(size int, do func(n int) error) error {
	m.left--
	if m.left == 0 {
		_ = do(m.part(size))
		panic(death{})
	}
	return do(size)
}

// changeWhole calls do, which happens completely or not at all, or dies.
func (m *mortal) changeWhole(do func() error) error {
	return m.change(1, func(n int) error {
		if n == 0 {
			return nil
		}
		return do()
	})
}

func (m *mortal) Create(name string, data []byte) error {
	return m.changeWhole(func() error { return m.Disk.Create(name, data) })
}

func (m *mortal) CreateOnce(name string, data []byte) error {
	return m.changeWhole(func() error { return m.Disk.CreateOnce(name, data) })
}

func (m *mortal) OpenShared(name string, size int) (ledger.Shared, error) {
	if m.blind {
		return nil, errors.New("no such place")
	}
	f, err := m.Disk.OpenShared(name, size)
	if err != nil {
		return nil, err
	}
	m.open = append(m.open, f)
	return &mortalShared{f, m}, nil
}

type mortalShared struct {
	ledger.Shared
	disk *mortal
}

func (f *mortalShared) Add(off int, delta uint64) (n uint64, err error) {
	err = f.disk.changeWhole(func() error {
		n, err = f.Shared.Add(off, delta)
		f.disk.adds++
		return err
	})
	return n, err
}

func (f *mortalShared) WriteAt(b []byte, off int64) (done int, err error) {
	err = f.disk.changeWhole(func() error {
		done, err = f.Shared.WriteAt(b, off)
		return err
	})
	return done, err
}

func (m *mortal) AddMissNote(name, text string) error {
	return m.changeWhole(func() error {
		err := m.Disk.AddMissNote(name, text)
		if err == nil {
			m.adds++
		}
		return err
	})
}

// RemoveMissNotes may die after each of the notes.
func (m *mortal) RemoveMissNotes(list []ledger.MissNote) {
	for i := range list {
		_ = m.changeWhole(func() error {
			m.Disk.RemoveMissNotes(list[i : i+1])
			return nil
		})
	}
}

func (m *mortal) Rename(from, to string) error {
	return m.changeWhole(func() error { return m.Disk.Rename(from, to) })
}

func (m *mortal) OpenLocked(name string) (ledger.File, error) {
	f, err := m.Disk.OpenLocked(name)
	return m.mortal(f), err
}

func (m *mortal) OpenAppend(name string) (ledger.File, error) {
	f, err := m.Disk.OpenAppend(name)
	return m.mortal(f), err
}

func (m *mortal) mortal(f ledger.File) ledger.File {
	m.open = append(m.open, f)
	return &mortalFile{f, m}
}

type mortalFile struct {
	ledger.File
	disk *mortal
}

func (f *mortalFile) Write(b []byte) (done int, err error) {
	err = f.disk.change(len(b), func(n int) error {
		done, err = f.File.Write(b[:n])
		return err
	})
	return done, err
}

// WriteAt happens completely or not at all, since a head is shorter than a page, and the kernel does
// not stop within one.
func (f *mortalFile) WriteAt(b []byte, off int64) (done int, err error) {
	err = f.disk.changeWhole(func() error {
		done, err = f.File.WriteAt(b, off)
		return err
	})
	return done, err
}

// appendMortally appends a record in a simulated process that dies after left changes.
func appendMortally(opts ledger.Options, members []byte, left int, part func(int) int) (r ledger.Receipt, died bool, err error) {
	m := &mortal{Disk: ledger.DiskOf(opts), left: left, part: part}
	died = m.runMortal(func(l *ledger.Ledger) { r, err = l.Append(ledger.KindEvent, members, false) }, opts)
	return r, died, err
}

// missMortally counts an unrecorded call in a simulated process that dies after left changes, and
// reports whether it is counted.
func missMortally(opts ledger.Options, left int, part func(int) int, blind bool) bool {
	m := &mortal{Disk: ledger.DiskOf(opts), left: left, part: part, blind: blind}
	m.runMortal(func(l *ledger.Ledger) { _ = l.CountMissed(state.ErrBusy) }, opts)
	return m.adds > 0
}

// runMortal calls what with the ledger, and reports whether the process died in it.
func (m *mortal) runMortal(what func(*ledger.Ledger), opts ledger.Options) (died bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(death); !ok {
				panic(p)
			}
			died = true
			for _, f := range m.open {
				f.Close()
			}
		}
	}()
	what(ledger.Open(ledger.WithDisk(opts, m)))
	return false
}

// TestCrashAtEveryWrite has writers die at any of their writes, in any order and number. Acknowledged
// records remain, and the ledger verifies. Calls that could not be recorded are reported, each once.
func TestCrashAtEveryWrite(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "ledger")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
		start := now
		opts := ledger.Options{
			Dir:     state.NewDir(filepath.Join(dir, "state")),
			Segment: int64(rapid.IntRange(400, 4000).Draw(t, "segment")),
			Now:     func() time.Time { now = now.Add(time.Millisecond); return now },
			Clock:   func() (string, int64) { return "b1", int64(now.Sub(start)) },
		}
		acknowledged := map[uint64]ledger.Hash{}
		missed := uint64(0)
		for i := range rapid.IntRange(1, 30).Draw(t, "appends") {
			members := fmt.Appendf(nil, `"n":%d,"pad":"%0*d"`, i, rapid.IntRange(1, 900).Draw(t, "pad"), 0)
			left := 0
			if rapid.Bool().Draw(t, "dies") {
				left = rapid.IntRange(1, 12).Draw(t, "at")
			}
			part := func(size int) int { return rapid.IntRange(0, size).Draw(t, "part") }
			for range rapid.IntRange(0, 3).Draw(t, "missed") {
				if missMortally(opts, rapid.IntRange(0, 4).Draw(t, "dies missing"), part, rapid.Bool().Draw(t, "blind")) {
					missed++
				}
			}
			r, died, err := appendMortally(opts, members, left, part)
			if err != nil {
				t.Fatalf("append %d: %v", i, err)
			}
			if !died {
				acknowledged[r.Seq] = r.Hash
			}
		}
		mustHold(t, filepath.Join(dir, "state", ledger.Folder), acknowledged)
		if len(acknowledged) == 0 {
			return
		}
		report, err := seal.Verify(context.Background(), filepath.Join(dir, "state", ledger.Folder), seal.VerifyOptions{AllowMissed: true})
		if err != nil || report.Missed != missed {
			t.Errorf("%d calls were missed, %d are told: %v", missed, report.Missed, err)
		}
	})
}

// eachLine calls fn for every record of a ledger.
func eachLine(t interface{ Fatalf(string, ...any) }, dir string, fn func(*ledger.Line)) {
	r := ledger.NewReader(dir, ledger.Position{})
	defer r.Close()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		if !e.Damaged {
			fn(&e.Line)
		}
	}
}

// mustHold checks that a ledger verifies and has the acknowledged records.
func mustHold(t interface {
	Fatalf(string, ...any)
	Errorf(string, ...any)
}, dir string, acknowledged map[uint64]ledger.Hash) {
	if len(acknowledged) == 0 {
		return
	}
	report, err := seal.Verify(context.Background(), dir, seal.VerifyOptions{AllowMissed: true})
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	for _, f := range report.Findings {
		t.Errorf("a ledger that nobody touched: %+v", f)
	}
	found := map[uint64]ledger.Hash{}
	eachLine(t, dir, func(l *ledger.Line) { found[l.Seq] = l.Hash })
	for seq, hash := range acknowledged {
		if found[seq] != hash {
			t.Errorf("record %d was acknowledged and is not there", seq)
		}
	}
}
