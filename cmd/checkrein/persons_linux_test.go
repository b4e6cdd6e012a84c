package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/checkrein/checkrein/internal/shell/files"
)

// ofPeople are the commands that the programs themselves refuse below an agent, by
// their rows in the list for agents.
var ofPeople = map[string][]string{
	"hooks approve": {"hooks approve --all"},
	"hooks revoke":  {"hooks revoke --all"},
	"hooks on":      {"hooks on"},
	"hooks off":     {"hooks off"},
	"hooks disable": {"hooks disable guard"},
	"hooks enable":  {"hooks enable guard"},
	"allow":         {"allow", "allow 0000 --always", "allow --revoke all"},
	"pause":         {"pause 30m"},
	"confirm":       {"confirm"},
	"person forget": {"person forget 4711"},
	"report":        {"report 0000"},
	"wrong":         {"wrong 0000"},
	"serve":         {"serve", "serve --socket s"},
	"open":          {"open", "open --print"},
	"audit prune":   {"audit prune", "audit prune --accept-damage", "audit prune --ledger ."},
	"install":       {"install claude", "install --all", "install claude --shadow", "install claude --program /bin/true"},
	"uninstall":     {"uninstall claude", "uninstall --all"},
	"init":          {"init --user", "init --user --force"},
	"git install":   {"git install", "git install --program /bin/true"},
	"git uninstall": {"git uninstall"},
	"prove":         {"prove claude", "prove --all"},

	"shadow enforce": {"shadow enforce guarded"},

	"fleet join":     {"fleet join https://localhost"},
	"fleet leave":    {"fleet leave"},
	"fleet login":    {"fleet login https://localhost"},
	"fleet token":    {"fleet token"},
	"fleet machines": {"fleet machines"},
	"fleet revoke":   {"fleet revoke 0123"},
	"fleet records":  {"fleet records"},
	"fleet keys":     {"fleet keys"},
	"fleet push":     {"fleet push . --shadow"},
	"fleet rollout":  {"fleet rollout"},
	"fleet freeze":   {"fleet freeze --lift"},
	"fleet diff":     {"fleet diff ."},
	"fleet export":   {"fleet export ."},
	"fleet apply":    {"fleet apply ."},

	"fleet approvals": {"fleet approvals"},
	"fleet approve":   {"fleet approve 0123456789ab"},
	"fleet deny":      {"fleet deny 0123456789ab"},

	"approvals code":    {"approvals code", "approvals code 0000"},
	"approvals passkey": {"approvals passkey add laptop"},
	"approvals phone":   {"approvals phone add pixel --url https://localhost:8443"},
	"approvals remove":  {"approvals remove pixel"},
}

// ofAll are those that are not on the list for agents, or not always, and yet are not
// refused: why.
var ofAll = map[string]string{
	"hook":             "hosts give it",
	"person":           "it shows its help",
	"fleet":            "it shows its help",
	"run":              "it is a host, and asks a person about hooks itself",
	"git pre-commit":   "git gives it",
	"git pre-push":     "git gives it",
	"scan":             "it writes a baseline, which is a file of the project",
	"scrub":            "it changes files of the project, and keeps what they were",
	"undo":             "it changes files of the project",
	"undo reset":       "it changes files of the project",
	"snapshots undo":   "it changes files of the project",
	"snapshots reset":  "it changes files of the project",
	"convert":          "it writes a file that needs approval",
	"eval":             "it runs hooks that are named",
	"doctor":           "it runs hooks that may run",
	"test":             "it runs hooks that may run, in a sandbox",
	"hooks doctor":     "it runs hooks that may run",
	"canary":           "it runs hooks that may run, in a sandbox",
	"replay":           "it reads, and writes a report",
	"shadow report":    "it reads",
	"suggest":          "it asks only a person, see TestSuggestApplies",
	"explain":          "it reads",
	"audit query":      "it reads",
	"audit show":       "it reads",
	"audit tail":       "it reads",
	"watch":            "it reads; its keys run commands that ask a person themselves",
	"audit summary":    "it reads",
	"audit key":        "it reads",
	"audit export":     "it reads",
	"audit checkpoint": "it adds a signature",
}

// Every command that is a person's is refused below an agent, by the programs
// themselves; each row of the list for agents is on one side.
func TestCommandsReservedForPeople(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, row := range files.OwnCommands() {
		rows[row.Name] = true
		open := row.Audience == files.Internal || row.Planned || row.Audience == files.Agents && row.Denied == "" && row.Required == ""
		lines, people := ofPeople[row.Name]
		_, all := ofAll[row.Name]
		if people && all || !open && !people && !all {
			t.Errorf("%q: say in this file whether the program refuses it below an agent", row.Name)
		}
		for _, line := range lines {
			if files.AgentMayRun(strings.Fields(line)) {
				t.Errorf("%q is a person's, and on the list for agents", line)
			}
		}
	}
	d := newDesk(t, "version: 1\n", guarded)
	d.write(filepath.Join(d.project, "ls.json"), event("ls"))
	if out, err := d.command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: %v %s", err, out)
	}
	script := "checkrein hook claude <ls.json >/dev/null\n"
	for name, lines := range ofPeople {
		if !rows[name] {
			t.Errorf("%q is no command", name)
		}
		for _, line := range lines {
			script += "checkrein " + line + " </dev/null; echo \"" + line + " => $?\"\n"
		}
	}
	said := d.asHost(script)
	for _, lines := range ofPeople {
		for _, line := range lines {
			if !strings.Contains(said, "\n"+line+" => 4\n") {
				t.Errorf("%s is not refused", line)
			}
		}
	}
	if t.Failed() {
		t.Log(said)
	}
}

// A program of the person that runs what it is told, such as an editor's server, is
// not the person: while an agent runs, what counts is a shell that is typed in.
func TestServiceCannotPoseAsPerson(t *testing.T) {
	t.Parallel()
	skipBelowTerminal(t)
	d := newDesk(t, "version: 1\npacks: []\n", guarded)
	d.write(filepath.Join(d.project, "ls.json"), event("ls"))
	for _, name := range []string{"asked", "left"} {
		if err := syscall.Mkfifo(filepath.Join(d.project, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	servant := d.command("sh", "-c", `read -r line <asked; eval "$line"; true`)
	if err := servant.Start(); err != nil {
		t.Fatal(err)
	}
	defer servant.Wait()
	said := d.asHost("checkrein hook claude <ls.json >/dev/null\necho 'echo checkrein hooks approve --all | sh >said 2>&1; echo $? >left' >asked\ncat left said\n")
	if !strings.HasPrefix(said, "4\n") || !strings.Contains(said, "not started from an interactive shell") || !strings.Contains(said, "checkrein status") {
		t.Errorf("%s", said)
	}
}

// A debugger in a person's shell is not the person.
func TestDebuggerCannotPoseAsPerson(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "gdb")
	skipBelowTerminal(t)
	h := newAgentHost(t)
	shell := h.command("bash", "--norc", "-i")
	x := startInTerminal(t, shell)
	x.typeKeys("echo up $((1+1))\n")
	x.expect("up 2")
	h.sendLine("gdb -q -batch -p " + strconv.Itoa(shell.Process.Pid) + ` -ex 'call (int)system("checkrein hooks approve --all >err 2>&1; echo $? >left")' >gdb.out 2>&1 || echo no >left`)
	got := h.waitForCommand()
	h.readOutput()
	if strings.HasPrefix(got, "no") {
		out, _ := os.ReadFile(filepath.Join(h.project, "gdb.out"))
		t.Skipf("SKIPPED: the debugger gets into no process here: %s", out)
	}
	if !strings.HasPrefix(got, "4 ") || !strings.Contains(got, "like a debugger") {
		t.Errorf("%s", got)
	}
}

// status lists the agents that run.
func TestStatusListsHosts(t *testing.T) {
	t.Parallel()
	h := newAgentHost(t)
	if _, said := h.run("status"); !strings.Contains(said, "running: claude (process ") {
		t.Errorf("%s", said)
	}
	if err := h.in.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(h.out); err != nil { // to its end
		t.Fatal(err)
	}
	if _, said := h.run("status"); strings.Contains(said, "running: claude") {
		t.Errorf("it ended: %s", said)
	}
}

// A terminal that an agent puts over a program of the system, for itself alone, is
// none.
func TestTerminalStartedByAgent(t *testing.T) {
	t.Parallel()
	how := unshareFlags(t)
	needs(t, "bash", "python3")
	real, err := exec.Command("python3", "-c", "import os, sys; print(os.path.realpath(sys.executable), sys.base_prefix)").Output()
	at, prefix, ok := strings.Cut(strings.TrimSpace(string(real)), " ")
	if err != nil || !ok {
		t.Skipf("SKIPPED: python3 does not say where it is: %v", err)
	}
	skipBelowTerminal(t)
	h := newAgentHost(t)
	h.write(filepath.Join(h.project, "play.py"), python)
	h.sendLine("env -i HOME=$HOME PATH=$PATH HISTFILE= PYTHONHOME=" + prefix + " " + how + " -m sh -c 'mount -t tmpfs none /opt && touch /opt/kitty && mount --bind " + at + " /opt/kitty && exec /opt/kitty play.py " + typing + "' || echo no >left")
	got := h.waitForCommand()
	h.readOutput()
	if !strings.HasPrefix(got, "4 ") || !strings.Contains(got, "an agent may be running this command") {
		t.Errorf("%s", got)
	}
}
