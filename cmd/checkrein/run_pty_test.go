//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A terminal is a person's: what they type goes in, what they see comes out.
type terminal struct {
	t    *testing.T
	keys *os.File
	cmd  *exec.Cmd

	mu   sync.Mutex
	text strings.Builder
	at   int           // what was looked at already
	over chan struct{} // closed when nothing more can be read
}

// openPTY opens both ends of a terminal.
func openPTY() (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		_ = ours.Close()
	}
	return ours, theirs, err
}

// startInTerminal starts cmd in a new terminal.
func startInTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	ours, theirs, err := openPTY()
	if err != nil {
		t.Skipf("SKIPPED: no terminal can be opened here (%v), so the interface for people was not run", err)
	}
	x := &terminal{t: t, keys: ours, cmd: cmd, over: make(chan struct{})}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(x.over)
		buf := make([]byte, 4096)
		for {
			n, err := ours.Read(buf)
			x.mu.Lock()
			x.text.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = ours.Close()
	})
	return x
}

func (x *terminal) typeKeys(s string) {
	x.t.Helper()
	if _, err := x.keys.WriteString(s); err != nil {
		x.t.Fatal(err)
	}
}

// expect waits for want in the output after the last match.
func (x *terminal) expect(want string) {
	x.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(2 * time.Millisecond) {
		x.mu.Lock()
		all := x.text.String()
		if i := strings.Index(all[x.at:], want); i >= 0 {
			x.at += i + len(want)
			x.mu.Unlock()
			return
		}
		x.mu.Unlock()
		if time.Now().After(deadline) {
			x.t.Fatalf("no %q behind\n%s\n--- in\n%s", want, all[:x.at], all[x.at:])
		}
	}
}

// approveAll answers yes to every question until the program ends, and returns its exit code and the
// text on the terminal.
func (x *terminal) approveAll() (code int, text string) {
	x.t.Helper()
	ended := make(chan int)
	go func() { ended <- x.waitForExit() }()
	seen := func() string {
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.text.String()
	}
	for asked := 0; ; {
		if n := strings.Count(seen(), "[y/N] "); n > asked {
			asked = n
			x.typeKeys("y\n")
		}
		select {
		case code := <-ended:
			return code, seen()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// waitForExit waits until the program ends and, unless another process keeps the terminal open, for
// the last of its output.
func (x *terminal) waitForExit() int {
	x.t.Helper()
	late := time.AfterFunc(5*time.Minute, func() { _ = x.cmd.Process.Kill() })
	defer late.Stop()
	err := x.cmd.Wait()
	if err != nil && x.cmd.ProcessState == nil {
		x.t.Fatal(err)
	}
	select {
	case <-x.over:
	case <-time.After(2 * time.Second):
	}
	return x.cmd.ProcessState.ExitCode()
}

const seated = `
agents:
  root:
    model: scripted/demo
    welcome_message: Ask me anything.
    toolsets: [{type: shell}, {type: filesystem}]
    hooks:
      turn_end: [{type: command, command: "cat >>turns.json; echo >>turns.json"}]
      session_end: [{type: command, command: "cat >end.json"}]
      user_steering_messages_submit: [{type: command, command: "cat >steered.json"}]
`

// A person is asked, with what is known of the danger, and each answer counts.
func TestRunAtTerminal(t *testing.T) {
	t.Parallel()
	p := newRunPlace(t, seated)
	if err := os.MkdirAll(filepath.Join(p.dir, "home", ".config", "checkrein"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(t, "home/.config/checkrein/checkrein.yaml", "version: 1\npacks: [{name: filesystem, medium: ask}]\n")
	x := startInTerminal(t, p.command())
	x.expect("Ask me anything.")
	x.expect("to list commands, type /help; to resume it later, use --resume")
	x.expect("> ")

	x.typeKeys("Run: rm -rf src\n")
	x.expect("? root wants to call shell  [destructive, blast radius: ")
	x.expect("│ rm -rf src")
	x.expect("category: fs-delete")
	x.expect("allow? ")
	x.typeKeys("that is the only copy\n")
	x.expect("✗ shell did not run: The user rejected the call")
	x.expect("did not work")
	x.expect("that is the only copy")
	x.expect("> ")

	x.typeKeys("Run: mkdir made\n")
	x.expect("a = always (shell:cmd=mkdir made)")
	x.expect("allow? ")
	x.typeKeys("y\n")
	x.expect("(user_approved)")
	x.expect("> ")
	if _, err := os.Stat(filepath.Join(p.dir, "made")); err != nil {
		t.Error(err)
	}

	x.typeKeys("Run: touch twice\n")
	x.expect("allow? ")
	x.typeKeys("a\n")
	x.expect("(user_approved_tool)")
	x.expect("> ")
	x.typeKeys("Run: touch twice\n")
	x.expect("(session_permissions_allow)")
	x.expect("> ")

	x.typeKeys("Run: printf '\\033[2J'\n")
	x.expect("allow? ")
	x.typeKeys("y\n")
	x.expect(`│ \x1b[2J`)
	x.expect("> ")
	x.typeKeys("/cots\n")
	x.expect(`did you mean "cost"?`)
	x.typeKeys("/exit\n")
	if code := x.waitForExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := p.read(t, "end.json"); !strings.Contains(got, `"reason":"prompt_input_exit"`) {
		t.Errorf("session_end heard %s", got)
	}
}

// What is typed while a tool works steers the agent. Ctrl-C stops the turn and
// what it runs; twice it ends the program, and the last hooks are heard.
func TestRunSteeringAndCtrlC(t *testing.T) {
	t.Parallel()
	p := newRunPlace(t, seated)
	x := startInTerminal(t, p.command("--yolo"))
	x.expect("> ")
	slow := `Run: touch one; n=0; while [ ! -e two ] && [ $n -lt 1200 ]; do n=$((n+1)); sleep 0.05; done; sleep 1; echo over` // the terminal shows what is typed before the agent has it
	x.typeKeys(slow + "\n")
	x.expect("(yolo)")
	p.wait(t, "one")
	x.typeKeys("Say: steered\n")
	x.expect("Say: steered")
	p.write(t, "two", "")
	x.expect("\r\nsteered")
	x.expect("> ")
	if got := p.read(t, "steered.json"); !strings.Contains(got, `"steering_messages":["Say: steered"]`) {
		t.Errorf("user_steering_messages_submit heard %s", got)
	}

	x.typeKeys(`Run: touch three; sleep 1000` + "\n")
	p.wait(t, "three")
	x.typeKeys("\x03")
	x.expect("stopped")
	x.expect("> ")
	x.typeKeys("Say: still here\n")
	x.expect("\r\nstill here")
	x.expect("> ")

	x.typeKeys(`Run: touch four; trap "" INT; sleep 1000` + "\n")
	p.wait(t, "four")
	x.typeKeys("\x03") // two at once would be one for the kernel
	x.expect("stopped")
	x.typeKeys("\x03")
	if code := x.waitForExit(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if got := p.read(t, "end.json"); !strings.Contains(got, `"reason":"other"`) {
		t.Errorf("session_end heard %s", got)
	}
	if got := p.read(t, "turns.json"); strings.Count(got, `"reason":"canceled"`) != 2 || !strings.Contains(got, `"reason":"steered"`) {
		t.Errorf("turn_end heard %s", got)
	}
}

// An agent file that came with a repository is shown before its hooks run.
func TestRunAsksForHooks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer string
		code   int
		reply  string
	}{{"n", 4, "nothing was run"}, {"y", 0, "hello"}} {
		p := newRunPlace(t, seated)
		if out, err := exec.Command("git", "init", "-q", p.dir).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: git is needed: %v\n%s", err, out)
		}
		x := startInTerminal(t, p.command())
		x.expect("hooks of agent root would run")
		x.expect("| cat >>turns.json")
		x.expect("Let them run, exactly as they are now? (y/n) ")
		x.typeKeys(tt.answer + "\nSay: hello\n/exit\n")
		x.expect(tt.reply)
		if code := x.waitForExit(); code != tt.code {
			t.Errorf("%s: exit code %d", tt.answer, code)
		}
		if heard := p.read(t, "end.json") != ""; heard != (tt.code == 0) {
			t.Errorf("%s: a hook ran: %v", tt.answer, heard)
		}
	}
}

// wait waits for a file that somebody makes.
func (p *runPlace) wait(t *testing.T, name string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(p.dir, name)); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not come", name)
		}
	}
}
