package fakehost_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// TestAsksAtTerminal runs a hook that asks about a call. An honest host asks the user and follows the
// answer. A host that ignores the hook does not ask, which its transcript shows.
func TestAsksAtTerminal(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	for _, c := range []struct {
		name        string
		lies        []fakehost.Lie
		says        string
		asked, runs bool
	}{
		{"yes", nil, "1", true, true},
		{"no", nil, "2", true, false},
		{"ignored", []fakehost.Lie{fakehost.IgnoresAsk}, "2", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := faketest.New(t, program, fakehost.Build{Lies: c.lies})
			installWithServer(t, s, programs)
			s.Model.Play(mockmodel.Script{Turns: []mockmodel.Turn{{Calls: []mockmodel.Call{mockmodel.Shell("touch asked")}}}})
			screen := runAtTerminal(t, s, c.says, "please go", "--allowedTools", "Bash")
			if asked := strings.Contains(screen, "Do you want to proceed?"); asked != c.asked || asked && !strings.Contains(screen, "reason-of-ask") {
				t.Errorf("the person was asked: %v\n%s", asked, screen)
			}
			if s.Exists("asked") != c.runs {
				t.Errorf("the call ran: %v", !c.runs)
			}
			testMisses(t, s, c.lies...)
		})
	}
}

// runAtTerminal runs the host at a terminal on which the user types an answer, and returns the host's
// output.
func runAtTerminal(t *testing.T, s *faketest.Space, says string, args ...string) string {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: no terminal can be opened here: %v", err)
	}
	defer ours.Close()
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := s.Command("claude", args, nil)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	if _, err := ours.WriteString(says + "\n"); err != nil {
		t.Fatal(err)
	}
	var screen []byte
	for buf := make([]byte, 4096); ; {
		n, err := ours.Read(buf)
		screen = append(screen, buf[:n]...)
		if err != nil { // the other end is closed
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, screen)
	}
	return string(screen)
}
