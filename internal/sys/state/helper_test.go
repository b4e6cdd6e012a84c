package state

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// helperEnv is the variable that makes the test program act as one of the helpers below instead of
// running tests, for tests with several processes.
const helperEnv = "CHECKREIN_STATE_HELPER"

// patience is how long tests of exclusion wait for a lock. Many processes on a busy machine may need
// more than LockWait.
const patience = time.Minute

func TestMain(m *testing.M) {
	part := os.Getenv(helperEnv)
	if part == "" {
		os.Exit(m.Run())
	}
	if err := runHelper(part, os.Args[1:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// runHelper acts as the helper part with args.
func runHelper(part string, args []string) error {
	dir := NewDir(args[0])
	dir.wait = patience
	switch part {
	case "increment":
		times, err := strconv.Atoi(args[1])
		for i := 0; i < times && err == nil; i++ {
			err = increment(dir.OpenStore("counters", time.Hour, nil), "key")
		}
		return err
	case "hold":
		if _, err := dir.Lock("x"); err != nil {
			return err
		}
		return announceAndWait("held")
	case "stage":
		if _, err := writeTemp(dir.Path("x"), []byte("half"), time.Time{}); err != nil {
			return err
		}
		return announceAndWait("staged")
	case "write":
		return dir.Write("x", []byte("new"))
	case "log":
		return appendLines(dir, args[1], args[2], args[3])
	}
	return fmt.Errorf("unknown part %q", part)
}

// announceAndWait prints what, so that the parent continues, and waits to be killed.
func announceAndWait(what string) error {
	fmt.Println(what)
	time.Sleep(time.Minute)
	return fmt.Errorf("not killed after %q", what)
}

func increment(s Store, key string) error {
	var n int
	return s.Update(key, &n, func() error {
		n++
		return nil
	})
}

func appendLines(dir Dir, id, limit, lines string) error {
	log := dir.OpenLog("log")
	n, err := strconv.Atoi(lines)
	if err != nil {
		return err
	}
	if log.Max, err = strconv.ParseInt(limit, 10, 64); err != nil {
		return err
	}
	for i := range n {
		if err := log.Append(fmt.Appendf(nil, "%s %d %s", id, i, logPadding(i))); err != nil {
			return err
		}
	}
	return nil
}

func logPadding(i int) string { return "................................"[:i%32] }

// helperCommand returns a command that runs the test program as the helper part with args.
func helperCommand(t *testing.T, part string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), helperEnv+"="+part)
	return cmd
}

// runConcurrently runs cmds at the same time and waits for all of them.
func runConcurrently(t *testing.T, cmds ...*exec.Cmd) {
	t.Helper()
	failed := make(chan error, len(cmds))
	for _, cmd := range cmds {
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%v: %s: %w", cmd.Args, out, err)
			}
			failed <- err
		}()
	}
	for range cmds {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// startUntil starts cmd, waits until it announces want, and returns a function that kills it.
func startUntil(t *testing.T, cmd *exec.Cmd, want string) (kill func()) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != want+"\n" {
		t.Fatalf("helper said %q, %v; want %q", line, err, want)
	}
	return kill
}

func dirEntryNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// newTestDir returns a state directory that does not exist yet.
func newTestDir(t *testing.T) Dir {
	t.Helper()
	return NewDir(filepath.Join(t.TempDir(), "a", "state"))
}
