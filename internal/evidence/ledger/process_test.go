package ledger_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// The variables that make the test's own program a writer.
const (
	writerDir = "CHECKREIN_TEST_WRITER_DIR"
	appendsOf = "CHECKREIN_TEST_APPENDS" // by each process; make test-ledger sets it
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerDir); dir != "" {
		if err := writeMany(dir, appends()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(misserDir); dir != "" {
		os.Exit(missMany(dir))
	}
	os.Exit(m.Run())
}

func appends() int {
	if n, err := strconv.Atoi(os.Getenv(appendsOf)); err == nil {
		return n
	}
	return 150
}

// writeMany appends records and prints each receipt.
func writeMany(dir string, n int) error {
	l := ledger.Open(ledger.Options{Dir: state.NewDir(dir), Segment: 1 << 20})
	for i := range n {
		r, err := l.Append(ledger.KindEvent, fmt.Appendf(nil, `"pid":%d,"n":%d,"pad":"%0400d"`, os.Getpid(), i, 0), i%16 == 0)
		if err != nil {
			return err
		}
		fmt.Println(r.Seq, r.Hash)
	}
	return nil
}

// TestManyProcesses has 16 processes append at the same time and kills some of them. No acknowledged
// record is lost, and the chain is intact.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	const processes, killed = 16, 5
	dir := filepath.Join(t.TempDir(), "state")
	var mu sync.Mutex
	acknowledged := map[uint64]ledger.Hash{}
	var wg sync.WaitGroup
	for i := range processes {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			kill := -1
			if i < killed {
				kill = appends() * (i + 1) / (killed + 2)
			}
			n := collect(t, out, kill, cmd.Process, func(seq uint64, h ledger.Hash) {
				mu.Lock()
				defer mu.Unlock()
				acknowledged[seq] = h
			})
			err := cmd.Wait()
			if i >= killed && (err != nil || n != appends()) {
				t.Errorf("writer %d: %d records, %v", i, n, err)
			}
			if i < killed && err == nil {
				t.Logf("writer %d was done before it could be killed", i)
			}
		})
	}
	wg.Wait()
	if len(acknowledged) < (processes-killed)*appends() {
		t.Errorf("%d records are acknowledged: some of them twice", len(acknowledged))
	}
	mustHold(t, filepath.Join(dir, ledger.Folder), acknowledged)
}

// collect reads receipts, kills the writer after the given number of them, and
// returns how many there were.
func collect(t *testing.T, out io.Reader, kill int, p *os.Process, add func(uint64, ledger.Hash)) int {
	n := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var seq uint64
		var hex string
		if _, err := fmt.Sscan(lines.Text(), &seq, &hex); err != nil {
			break // it died while it printed
		}
		h, ok := ledger.ParseHash(hex)
		if !ok {
			break
		}
		add(seq, h)
		if n++; n == kill {
			time.Sleep(time.Millisecond) // so that it dies anywhere
			if err := p.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	return n
}
