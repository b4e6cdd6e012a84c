//go:build linux

package records_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/disktest"
	"github.com/checkrein/checkrein/hub/internal/hubtest"
	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// acknowledgeEnv names the store to which TestMain's child adds records until it is killed.
const acknowledgeEnv = "CHECKREIN_TEST_ACKNOWLEDGE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(acknowledgeEnv); dir != "" {
		acknowledge(dir)
	}
	os.Exit(m.Run())
}

// testLines returns lines of a ledger.
func testLines() (out [][]byte) {
	var text []byte
	var prev ledger.Hash
	for i := range 100 {
		s := ledger.Stamp{Seq: uint64(i + 1), Kind: ledger.KindEvent, Time: time.Unix(1, 0), Prev: prev}
		text, prev = ledger.AppendLine(text[:0], &s, fmt.Appendf(nil, `"decision":"none","text":%q`, strings.Repeat("x", 200+i)), nil)
		out = append(out, bytes.Clone(bytes.TrimSuffix(text, []byte("\n"))))
	}
	return out
}

// acknowledge adds records of several machines to the store in dir, and prints what was acknowledged.
func acknowledge(dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	s, err := store.Open(context.Background(), store.Options{Dir: dir, Keep: time.Hour})
	fail(err)
	book := records.NewBook(s)
	fmt.Println("open")
	for m := range 4 {
		go func() {
			var key ledger.Key
			key[0] = byte(m + 1)
			batches, _ := chainOf(nil, key, testLines(), 21_000)
			for _, body := range batches {
				head, err := book.Add(context.Background(), fmt.Sprintf("m%d", m), body)
				fail(err)
				fmt.Printf("ack m%d %s %d %s\n", m, head.Ledger, head.Seq, head.Hash)
			}
		}()
	}
	select {}
}

// TestPowerFailure kills a hub whose disk loses power, and checks that what it acknowledged is there.
func TestPowerFailure(t *testing.T) {
	for round := range 3 {
		d := disktest.Mount(t)
		var out strings.Builder
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), acknowledgeEnv+"="+d.Dir)
		pipe, err := cmd.StdoutPipe()
		hubtest.Must(t, err)
		hubtest.Must(t, cmd.Start())
		lines := bufio.NewScanner(pipe)
		for n := 0; lines.Scan(); n++ {
			fmt.Fprintln(&out, lines.Text())
			if n == 10+15*round { // more come while it dies
				hubtest.Must(t, cmd.Process.Signal(syscall.SIGKILL))
			}
		}
		_ = cmd.Wait()
		if strings.Contains(out.String(), "error") || !strings.Contains(out.String(), "ack m") {
			t.Fatalf("the hub said %q", out.String())
		}
		after := d.After(t)
		s, err := store.Open(context.Background(), store.Options{Dir: after, Keep: time.Hour})
		hubtest.Must(t, err)
		book := records.NewBook(s)
		acknowledged := 0
		for line := range strings.Lines(out.String()) {
			var machine, id, hash string
			var seq uint64
			if n, _ := fmt.Sscanf(line, "ack %s %s %d %s\n", &machine, &id, &seq, &hash); n != 4 {
				continue
			}
			acknowledged++
			ends, err := book.Ends(context.Background(), machine, id)
			hubtest.Must(t, err)
			if ends.Head.Seq < seq || ends.Head.Seq == seq && ends.Head.Hash.String() != hash {
				t.Errorf("record %d of %s was acknowledged, but after the power failure the hub has %d", seq, machine, ends.Head.Seq)
			}
		}
		t.Logf("%d batches were acknowledged, %d syncs", acknowledged, d.Syncs())
		s.Close()
	}
}
