package ledger_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// On a disk that is full to the last byte, calls that cannot be recorded are counted.
func TestMissedOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k,mode=0700"); err != nil {
		t.Skipf("no file system of its own for the test: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	b := newBench(t)
	b.opts.Dir = state.NewDir(filepath.Join(dir, "state"))
	b.Ledger = ledger.Open(b.opts)
	b.add(t, 1)
	filler := filepath.Join(dir, "filler")
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	for size := 4096; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	f.Close()
	out, err := misser(b.opts.Dir.Path(), 5).Output()
	missed := strings.Count(string(out), "missed ")
	if err != nil || missed < 3 || !strings.Contains(string(out), "no space left on device") {
		t.Fatalf("%v, %s", err, out)
	}
	if r := verified(t, b, seal.VerifyOptions{}); int(r.Missed) != missed {
		t.Errorf("while it is full: %d of %d: %+v", r.Missed, missed, r.Findings)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	b.add(t, 2)
	list := gaps(t, b)
	if len(list) != 1 || list[0].Text("full") != list[0].Text("missed") {
		t.Fatalf("%+v", list)
	}
	if r := verified(t, b, seal.VerifyOptions{AllowMissed: true}); !r.IsClean() || int(r.Missed) != missed {
		t.Errorf("%d of %d: %+v", r.Missed, missed, r.Findings)
	}
}

// A limit on the size of files counts as a full disk.
func TestMissedOverFileLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n := range 40 { // more than the count itself is long
		if _, err := b.Append(ledger.KindEvent, []byte(`"n":"`+strings.Repeat("x", 1000+n)+`"`), false); err != nil {
			t.Fatal(err)
		}
	}
	cmd := misser(b.opts.Dir.Path(), 4, missLimit+"=36000")
	out, err := cmd.Output()
	if err != nil || strings.Count(string(out), "missed ") != 4 || !strings.Contains(string(out), "file too large") {
		t.Fatalf("%v, %s", err, out)
	}
	b.add(t, 2)
	if list := gaps(t, b); len(list) != 1 || list[0].Text("full") != "4" {
		t.Errorf("%+v", list)
	}
}

const missLimit = "CHECKREIN_TEST_MISS_LIMIT"

func init() {
	if n, err := strconv.ParseUint(os.Getenv(missLimit), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			panic(err)
		}
	}
}
