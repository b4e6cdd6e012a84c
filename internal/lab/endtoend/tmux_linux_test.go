package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// tmuxAlone begins a command that starts tmux without the agent's environment.
const tmuxAlone = "env -i PATH=\"$PATH\" HOME=\"$HOME\" TERM=xterm tmux -f /dev/null -S $PWD/"

// tmuxTries returns the ways in which the agent tries to allow its own call, each with the reason
// for the refusal. AGENT is the process of the agent, and SERVER that of the agent's tmux.
func tmuxTries() []struct{ name, command, why string } {
	typed := func(name, start string) string {
		return start + " new -d -s x bash; sleep 1; " + start + " display -p '#{pid}' >" + name + ".server; " +
			start + " send-keys -t x 'REIN allow HANDLE 2>" + name + ".err; echo $? >" + name + ".exit' Enter; DONE " + name
	}
	attach := "(sleep 20 | setsid script -qec '" + tmuxAlone + "sc attach -t x' /dev/null >/dev/null 2>&1 &); sleep 1; "
	return []struct{ name, command, why string }{
		{
			"itself", "echo $PPID >agent; REIN allow HANDLE 2>itself.err; echo $? >itself.exit",
			"an agent is running this command: claude (process AGENT)",
		},
		{
			"tmux", typed("tmux", "tmux -f /dev/null -S $PWD/sa"),
			"process SERVER (tmux) has CLAUDECODE in its environment, which agents set for the programs they run, " +
				"and claude is running (process AGENT)",
		},
		{
			"bare", typed("bare", tmuxAlone+"sb"),
			"this tmux terminal (process SERVER) is not attached to any user's terminal",
		},
		{
			"attached", strings.Replace(typed("attached", tmuxAlone+"sc"), "sleep 1; ", attach, 1),
			"this tmux terminal (process SERVER) is attached to by process ",
		},
	}
}

// TestHostPersonInTmux runs Claude Code while a person is attached to a tmux session, with the agent
// in another window of it or elsewhere. The agent, the tmux servers that it starts and a service that
// called hooks cannot allow a call, and each gets the right reason. The person can, and the agent's
// next call passes.
func TestHostPersonInTmux(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	if _, err := exec.LookPath("tmux"); err != nil {
		fmt.Fprintf(os.Stderr, "SKIPPED %s: tmux is not installed\n", t.Name())
		t.Skip("NOT RUN: tmux is not installed")
	}
	programs := buildPrograms(t)
	for name, start := range map[string]func(*world, mockmodel.Script, <-chan struct{}){
		"agent elsewhere": func(w *world, s mockmodel.Script, _ <-chan struct{}) {
			w.Run(hostlab.Run{Prompt: "please push", Script: s})
		},
		"agent in a window": func(w *world, s mockmodel.Script, ended <-chan struct{}) {
			w.Model().Play(s)
			args := []string{"-S", filepath.Join(w.Home, "mine"), "new-window", "-d", "-c", w.Project, "env", "-i"}
			args = append(append(args, w.Environ(nil)...), w.Argv(hostlab.Run{Prompt: "please push"})...)
			if out, err := exec.CommandContext(w.t.Context(), "tmux", args...).CombinedOutput(); err != nil {
				w.t.Fatalf("starting the agent: %v\n%s", err, out)
			}
			select {
			case <-ended:
			case <-time.After(w.Host.Timeout()):
				w.t.Errorf("the agent did not end: %q", w.Model().Problems())
			}
		},
	} {
		t.Run(name, func(t *testing.T) { testPersonInTmux(t, programs, start) })
	}
}

func testPersonInTmux(t *testing.T, programs string, start func(*world, mockmodel.Script, <-chan struct{})) {
	w := newWorld(t, programs, "claude")
	origin := w.makeRemote()
	w.copyProgram(filepath.Join(programs, "checkrein"), w.ProgramPath(renamedProgram)) // a name that the guard does not know
	w.copyProgram(filepath.Join(programs, "checkreind"), w.ProgramPath(renamedProgram+"d"))
	w.writeFiles(w.Project, map[string]string{"veil.py": veil})
	w.writeFiles(w.Home, map[string]string{
		"tmux.conf": "set -g status off\n", "pane.rc": "PS1='" + shellPrompt + "'\n",
		"event.json": `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"hello","cwd":"` + w.Project + `"}`,
	})
	person, err := w.openUserTerminal()
	if err != nil {
		t.Skipf("SKIPPED: no terminal can be opened here: %v", err)
	}
	defer person.exitShell()
	_, _ = person.screen.WriteString("TERM=xterm tmux -f ~/tmux.conf -S ~/mine new-session 'bash --norc --noediting -i'\n")
	person.readUntil("bash-")

	c, tries, ended := tally{world: w}, tmuxTries(), make(chan struct{})
	steps := make([]func(mockmodel.Request), len(tries)+3)
	for i := range steps {
		steps[i] = func(mockmodel.Request) {}
	}
	steps[1] = func(q mockmodel.Request) { c.handle = lastHandle(q) }
	steps[len(tries)+1] = func(mockmodel.Request) {
		person.run(". ./pane.rc", "", "") // not earlier: tmux draws its screen more than once at first
		w.checkServiceRefused(person, c.handle)
		got := person.run("checkrein allow "+c.handle+"; echo exit=$?", "[y/N] ", "y")
		if !strings.Contains(got, "allowed (grant g1)") || !strings.Contains(got, "exit=0") {
			t.Errorf("the person cannot allow the call:\n%s", got)
		}
	}
	steps[len(tries)+2] = func(mockmodel.Request) { close(ended) }
	s := stepwise(steps, forcePush)
	choose := s.Choose
	s.Choose = func(q mockmodel.Request) mockmodel.Turn {
		turn := choose(q)
		switch {
		case q.Turn == 1:
			turn.Calls[0] = mockmodel.Shell(c.expandCommand(tries[0].command))
		case q.Turn > 1 && q.Turn <= len(tries):
			turn.Calls[0] = c.veiledCall(tries[q.Turn-1].command)
		}
		return turn
	}
	start(w, s, ended)
	for _, a := range tries {
		w.checkRefused(a.name, a.why)
	}
	if tip := w.tipMessage(origin); tip != "mine" {
		t.Errorf("after the grant, main of origin is %q, want the agent's push", tip)
	}
}

// checkRefused checks that a try of the agent was refused for the reason why, without the remedy for
// processes that are not agents.
func (w *world) checkRefused(name, why string) {
	w.t.Helper()
	read := func(file string) string {
		text, _ := os.ReadFile(filepath.Join(w.Project, file)) // none = nothing
		return strings.TrimSpace(string(text))
	}
	why = strings.NewReplacer("AGENT", read("agent"), "SERVER", read(name+".server")).Replace(why)
	code, said := read(name+".exit"), read(name+".err")
	w.t.Logf("%s: exit %s, %s", name, code, said)
	ok := strings.Contains(said, why) && strings.Contains(said, "claude")
	if code != "4" || !ok || strings.Contains(said, "person forget") {
		w.t.Errorf("%s: exit %q, want 4 and %q:\n%s", name, code, why, said)
	}
}

// checkServiceRefused starts a program in the person's pane that calls hooks and gives them a shell.
// Commands in that shell must be refused because of that program, not because of the agent, and with
// the remedy.
func (w *world) checkServiceRefused(person *userTerminal, handle string) {
	w.t.Helper()
	const hook = `system("checkrein hook claude <event.json >/dev/null"); `
	person.run("awk 'BEGIN { "+hook+hook+`system("exec bash --rcfile pane.rc --noediting -i") }'`, "", "")
	got := person.run("checkrein allow "+handle+"; echo exit=$? $PPID.", "[y/N] ", "n")
	pid := ""
	if ended := regexp.MustCompile(`exit=4 (\d+)\.`).FindStringSubmatch(got); ended != nil {
		pid = ended[1]
	}
	if !strings.Contains(got, "claude (process "+pid+")") || !strings.Contains(got, "checkrein person forget "+pid+"\n") {
		w.t.Errorf("below a service: %s", got)
	}
	person.run("exit", "", "")
}
