//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long tests wait for something that must happen, however long it should take.
const patience = 2 * time.Minute

// shellSpec returns a Spec that runs script in the shell.
func shellSpec(script string) Spec { return Spec{Argv: ShellArgv(script)} }

// mustRun runs s, which must end by itself.
func mustRun(t *testing.T, s Spec) Result {
	t.Helper()
	res, err := runWithin(t, patience, s)
	if err != nil {
		t.Fatalf("Run: %v (stderr %q)", err, res.Stderr)
	}
	return res
}

func runWithin(t *testing.T, d time.Duration, s Spec) (Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return Run(ctx, s)
}

// parsePIDs returns the n process numbers in out, the output of a script. The processes are killed
// when the test ends, in case they survived it.
func parsePIDs(t *testing.T, out []byte, n int) []int {
	t.Helper()
	var pids []int
	for field := range strings.FieldsSeq(string(out)) {
		pid, err := strconv.Atoi(field)
		if err != nil || pid <= 1 {
			t.Fatalf("pid in %q: %v", out, err)
		}
		pids = append(pids, pid)
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	}
	if len(pids) != n {
		t.Fatalf("output %q has %d pids, want %d", out, len(pids), n)
	}
	return pids
}

// eventually waits until cond holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("error %v, want %v", got, want)
	}
}

func wantBytes(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s is %.80q (%d bytes), want %.80q (%d bytes)", what, got, len(got), want, len(want))
	}
}
