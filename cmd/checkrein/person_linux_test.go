package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// An agentHost is a host that runs, has called a hook, and does what it is told.
type agentHost struct {
	*desk
	in  io.Writer
	out *bufio.Reader
}

const toldDone = "-- done --"

// newAgentHost starts a host, which then loosens the user's file, so that there is something to
// confirm.
func newAgentHost(t *testing.T) *agentHost {
	t.Helper()
	d := newDesk(t, "version: 1\n", "version: 1\n")
	d.env = append(d.env, "TMUX_TMPDIR="+newShortDir(t), "SHELL=/bin/bash", "TERM=xterm", "PS1=$ ", "HISTFILE=")
	d.write(filepath.Join(d.project, "event.json"), event("ls"))
	// What a person types, or an agent for them. An answer waits, should it be asked for.
	d.write(filepath.Join(d.project, "keys"), typed+"exit\n")
	for _, name := range []string{"left", "hold"} {
		if err := syscall.Mkfifo(filepath.Join(d.project, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	host := d.command(filepath.Join(programs, "ashost"), `while read -r line; do eval "$line" 2>&1; echo "`+toldDone+`"; done; true`)
	in, err := host.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = host.Wait()
		endAllIn(d.project)
	})
	h := &agentHost{d, in, bufio.NewReader(out)}
	h.does("sleep 0.1; checkrein hook claude <event.json")
	d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\npacks: []\n")
	h.does("checkrein hook claude <event.json")
	return h
}

const (
	command = "checkrein confirm 2>err; echo $? >left\n"
	typed   = command + "n\n"
)

// endAllIn ends the processes that work in a directory, such as terminals that an agent
// left behind.
func endAllIn(dir string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if at, err := os.Readlink(link); err != nil || at != dir {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// newShortDir returns a directory whose name is short enough for a socket.
func newShortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "p")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// does has the host run a shell line and returns what that printed.
func (h *agentHost) does(line string) string {
	h.t.Helper()
	h.sendLine(line)
	return h.readOutput()
}

func (h *agentHost) sendLine(line string) {
	h.t.Helper()
	if _, err := io.WriteString(h.in, line+"\n"); err != nil {
		h.t.Fatal(err)
	}
}

func (h *agentHost) readOutput() string {
	h.t.Helper()
	var said strings.Builder
	for {
		text, err := h.out.ReadString('\n')
		if strings.TrimSpace(text) == toldDone {
			return said.String()
		}
		said.WriteString(text)
		if err != nil {
			h.t.Fatalf("the host ended: %s", said.String())
		}
	}
}

// waitForCommand waits for the typed command and returns its exit code and errors.
func (h *agentHost) waitForCommand() string {
	h.t.Helper()
	code, err := os.ReadFile(filepath.Join(h.project, "left")) // when somebody writes to it
	if err != nil {
		h.t.Fatal(err)
	}
	said, _ := os.ReadFile(filepath.Join(h.project, "err"))
	return strings.TrimSpace(string(code)) + " " + string(said)
}

// endKeyFeed ends the process that feeds keys.
func (h *agentHost) endKeyFeed() {
	h.t.Helper()
	hold, err := os.OpenFile(filepath.Join(h.project, "hold"), os.O_RDWR, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = hold.Close() })
	if _, err := hold.WriteString("x\n"); err != nil {
		h.t.Fatal(err)
	}
}

// The answer that waits is no, so that one who is taken for a person hears this.
const takenForAPerson = "4 checkrein: nothing was changed"

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("SKIPPED: there is no %s, so that way around was not tried", p)
		}
	}
}

const python = `import os, pty, sys
mid = os.getpid()
if os.fork(): os._exit(0)
os.setsid()
mid = os.getpid()
if os.fork(): os._exit(0)
while os.getppid() == mid: pass
if "WAIT" in os.environ: open(os.environ["WAIT"]).read()
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
os.write(fd, open("keys", "rb").read())
while True:
    try:
        if not os.read(fd, 4096): break
    except OSError: break
`

// feed types the keys, and does not hang up before they had their effect.
const feed = "{ cat keys; read x <hold; } | "

const typing = "bash --norc -i"

// renamedPython returns a command that poses as a person with a copy of python under another name.
func renamedPython(name string) string {
	return `python3 -c 'import shutil, sys; shutil.copy(sys.executable, "` + name + `")'; env -i HOME=$HOME PATH=$PATH HISTFILE= ./` + name + " play.py " + typing
}

// Whatever terminal an agent opens, and wherever it leaves its host, it does not count as a person.
func TestAgentCannotPoseAsPerson(t *testing.T) {
	t.Parallel()
	const inPane = `; tmux send-keys -t A 'checkrein confirm 2>err; echo $? >left' Enter n Enter`
	tests := []struct {
		name  string
		needs []string
		line  string
		want  string
	}{
		{"script", []string{"script"}, feed + "script -qc '" + typing + "' /dev/null >/dev/null", "an agent is running this command"},
		{"script that is left behind", []string{"script", "setsid"}, feed + "setsid -f script -qc '" + typing + "' /dev/null >/dev/null 2>&1", "an agent may be running this command"},
		{"python", []string{"python3"}, "python3 play.py " + typing, "an agent may be running this command"},
		{"python without an environment", []string{"python3"}, "env -i HOME=$HOME PATH=$PATH HISTFILE= python3 play.py " + typing, "an agent may be running this command"},
		{"python that is called like a terminal", []string{"python3"}, "bash -c 'exec -a xterm python3 play.py " + typing + "'", "an agent may be running this command"},
		{"python that is called like a multiplexer", []string{"python3"}, "bash -c 'exec -a tmux python3 play.py " + typing + "'", "an agent may be running this command"},
		{"a copy that is called like a terminal", []string{"python3"}, renamedPython("xterm"), "an agent may be running this command"},
		{"a copy that is called like a login", []string{"python3"}, renamedPython("login"), "an agent may be running this command"},
		{"a copy that is called like a server of logins", []string{"python3"}, renamedPython("sshd"), "an agent may"},
		{"a copy that is called like a multiplexer", []string{"python3"}, renamedPython("tmux"), "an agent may"},
		{"no shell at all", []string{"python3"}, `python3 play.py sh -c 'checkrein confirm 2>err; echo $? >left'`, "an agent"},
		{"expect", []string{"expect", "setsid"}, `setsid -f expect -c 'spawn bash --norc -i; send [read [open keys]]; expect eof' >/dev/null 2>&1`, "an agent may be running this command"},
		{"socat", []string{"socat", "setsid"}, feed + "setsid -f socat EXEC:'" + typing + "',pty,setsid,ctty STDIO >/dev/null 2>&1", "an agent may be running this command"},
		{"screen", []string{"screen"}, "screen -dmS A " + typing + "; screen -S A -X readreg p keys; screen -S A -X paste p", "an agent may be running this command"},
		{"tmux", []string{"tmux"}, "tmux -f /dev/null new-session -d -s A '" + typing + "'" + inPane, "attach to it from your own terminal, or use a window outside tmux"},
		{"tmux with a client of its own", []string{"tmux", "script", "setsid"}, "tmux -f /dev/null new-session -d -s A '" + typing + "'; { read x <hold | setsid -f script -qc 'tmux attach -t A' /dev/null >/dev/null 2>&1; } & while test -z \"$(tmux list-clients)\"; do sleep 0.05; done" + inPane, "an agent may be running this command"},
		{"numbers of its own", []string{"unshare", "script"}, feed + "unshare -rpf script -qc '" + typing + "' /dev/null >/dev/null", "an agent may be running this command"},
		{"processes of its own", []string{"unshare", "script"}, feed + "unshare -rpf --mount-proc script -qc '" + typing + "' /dev/null >/dev/null", "this process is isolated from claude"},
		{"a state that is covered", []string{"unshare", "script", "mount"}, feed + "unshare -rm sh -c 'mount -t tmpfs none $HOME/.local/state && script -qc \"" + typing + "\" /dev/null' >/dev/null", "an agent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			needs(t, append(tt.needs, "bash")...)
			if strings.Contains(tt.line, "unshare") {
				if out, err := exec.Command("unshare", "-rmpf", "true").CombinedOutput(); err != nil {
					t.Skipf("SKIPPED: the kernel gives nobody here namespaces: %s", out)
				}
			}
			h := newAgentHost(t)
			h.write(filepath.Join(h.project, "play.py"), python)
			if strings.Contains(tt.line, "tmux") {
				t.Cleanup(func() { _ = h.command("tmux", "kill-server").Run() })
			}
			h.sendLine(tt.line) // it waits for us to listen
			got := h.waitForCommand()
			h.endKeyFeed()
			h.readOutput()
			if !strings.Contains(got, tt.want) || !strings.HasPrefix(got, "4 ") || strings.Contains(got, takenForAPerson) {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

// A process that a host leaves running does not count as a person after the host has ended.
func TestAgentOutlivesItsHost(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "python3")
	skipBelowTerminal(t)
	h := newAgentHost(t)
	h.write(filepath.Join(h.project, "play.py"), python)
	if err := syscall.Mkfifo(filepath.Join(h.project, "go"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.does("env -i WAIT=go HOME=$HOME PATH=$PATH HISTFILE= python3 play.py " + typing + " >/dev/null 2>&1")
	if err := h.in.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(h.out); err != nil { // to its end
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.project, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := h.waitForCommand(); !strings.HasPrefix(got, "4 ") || !strings.Contains(got, "an agent may be running this command") {
		t.Errorf("%s", got)
	}
}

// A person's own terminal counts while a host runs elsewhere.
func TestPersonBesideAHost(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	skipBelowTerminal(t)
	h := newAgentHost(t)
	x := startInTerminal(t, h.command("bash", "--norc", "-i"))
	x.typeKeys(command)
	x.expect("should it take effect") // what is typed earlier, the shell may take
	x.typeKeys("n\n")
	if got := h.waitForCommand(); !strings.Contains(got, takenForAPerson) {
		t.Errorf("%s", got)
	}
}

// A variable that a host sets for what it runs gives an agent away. The process that is named
// is the one from which the others have the variable.
func TestHostVariableRevealsAgent(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	skipBelowTerminal(t)
	h := newAgentHost(t)
	x := startInTerminal(t, h.command("bash", "--norc", "-i"))
	x.typeKeys("CLAUDECODE=1 bash -c '" + strings.TrimSpace(command) + "'\n")
	if got := h.waitForCommand(); !strings.Contains(got, "(bash) has CLAUDECODE in its environment") {
		t.Errorf("%s", got)
	}
}

// What a person looks at in a tmux is the person's; what an agent opens there
// unseen is not.
func TestPersonInTmux(t *testing.T) {
	t.Parallel()
	needs(t, "tmux", "bash")
	skipBelowTerminal(t)
	h := newAgentHost(t)
	t.Cleanup(func() { _ = h.command("tmux", "kill-server").Run() })
	x := startInTerminal(t, h.command("tmux", "-f", "/dev/null", "new-session", "-s", "mine", typing))
	x.typeKeys(command)
	x.expect("should it take effect")
	x.typeKeys("n\n")
	if got := h.waitForCommand(); !strings.Contains(got, takenForAPerson) {
		t.Errorf("in the pane that is looked at: %s", got)
	}
	send := ` 'checkrein confirm 2>err; echo $? >left' Enter n Enter`
	h.does("tmux new-session -d -s A '" + typing + "'; tmux send-keys -t A" + send)
	if got := h.waitForCommand(); !strings.Contains(got, "this tmux terminal") {
		t.Errorf("in another session: %s", got)
	}
	h.does("tmux new-window -d -t mine -n B '" + typing + "'; tmux send-keys -t mine:B" + send)
	if got := h.waitForCommand(); !strings.Contains(got, "this tmux terminal") {
		t.Errorf("in a window behind: %s", got)
	}
	h.does(`tmux new-window -t mine 'checkrein confirm 2>err; echo $? >left'`)
	if got := h.waitForCommand(); !strings.Contains(got, "not started from an interactive shell") {
		t.Errorf("in a window without a shell: %s", got)
	}
}

// skipBelowTerminal skips the test below a multiplexer or sshd, where the result would depend on the
// developer's terminal.
func skipBelowTerminal(t *testing.T) {
	t.Helper()
	for pid := os.Getpid(); pid > 1; {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return
		}
		rest := string(stat[strings.LastIndexByte(string(stat), ')')+1:])
		name := string(stat[:strings.LastIndexByte(string(stat), ')')])
		for _, of := range []string{"tmux", "screen", "zellij", "dtach", "abduco", "cron", "sshd"} {
			if strings.Contains(name, "("+of) {
				t.Skipf("SKIPPED: the tests run below %s", of)
			}
		}
		if pid, err = strconv.Atoi(strings.Fields(rest)[1]); err != nil {
			return
		}
	}
}

// What is not the terminal in whose foreground the command runs is no terminal of
// a person, host or not.
func TestConfirmTakesTheTerminal(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	d := newDesk(t, "version: 1\n", "version: 1\n")
	d.write(filepath.Join(d.project, "event.json"), event("ls"))
	d.asHost("checkrein hook claude <event.json\nprintf 'version: 1\\npacks: []\\n' >$HOME/.config/checkrein/checkrein.yaml\ncheckrein hook claude <event.json\n")
	const remedy = "stdin and stdout must be that terminal"
	ours, theirs, err := openPTY()
	if err != nil {
		t.Skipf("SKIPPED: no terminal can be opened here (%v)", err)
	}
	defer ours.Close()
	defer theirs.Close()
	foreign := d.command(filepath.Join(programs, "checkrein"), "confirm")
	var said strings.Builder
	foreign.Stdin, foreign.Stdout, foreign.Stderr = theirs, theirs, &said
	foreign.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if _ = foreign.Run(); !strings.Contains(said.String(), "not this process's controlling terminal") || !strings.Contains(said.String(), remedy) {
		t.Errorf("another's terminal: %s", said.String())
	}
	for line, want := range map[string]string{
		"checkrein confirm </dev/null":        "stdin is not a terminal",
		"echo y | checkrein confirm":          "stdin is not a terminal",
		"checkrein confirm | cat":             "stdout is not a terminal",
		"checkrein confirm >out":              "stdout is not a terminal",
		"checkrein confirm </dev/ptmx":        "stdin is not a terminal",
		"checkrein confirm & wait":            "not in the foreground",
		"checkrein confirm <" + theirs.Name(): "stdin and stdout are two different terminals",
	} {
		x := startInTerminal(t, d.command("bash", "--norc", "-i"))
		x.typeKeys(line + "; echo end $((1+1))\n")
		x.expect(want)
		x.expect("end 2")
		x.typeKeys("exit\n")
		x.waitForExit()
	}
}
