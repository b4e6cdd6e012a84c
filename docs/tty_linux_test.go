package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A tty is the terminal of a page's shell. Questions are answered with y.
type tty struct {
	ours, theirs *os.File

	mu   sync.Mutex
	more *sync.Cond
	text strings.Builder
	at   int // what was seen already
}

// openTTY gives a command a terminal of its own, nil if there is none to be had.
func openTTY(cmd *exec.Cmd) *tty {
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		// So wide that nothing is wrapped: where a line breaks would depend on the length of
		// the test's own paths.
		err = unix.IoctlSetWinsize(int(ours.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 500})
	}
	var theirs *os.File
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		_ = ours.Close()
		return nil
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	x := &tty{ours: ours, theirs: theirs}
	x.more = sync.NewCond(&x.mu)
	return x
}

// begin reads what is printed, and answers.
func (x *tty) begin() {
	if x == nil {
		return
	}
	_ = x.theirs.Close()
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := x.ours.Read(buf)
			x.mu.Lock()
			x.text.Write(buf[:n])
			asked := strings.HasSuffix(code.ReplaceAllString(x.text.String(), ""), "[y/N] ")
			x.more.Broadcast()
			x.mu.Unlock()
			if asked {
				_, _ = x.ours.WriteString("y\n")
			}
			if err != nil {
				return
			}
		}
	}()
}

// seen is what was printed since the last time, up to the sign that the shell prints
// behind a command.
func (x *tty) seen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		if out, _, ok := strings.Cut(x.text.String()[x.at:], "\x1e"); ok {
			x.at += len(out) + 1
			return out
		}
		x.more.Wait()
	}
}

// killAll ends a page's shell with what it started and left in the background.
func killAll(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // without a terminal it leads no group
	_ = p.Kill()
}
