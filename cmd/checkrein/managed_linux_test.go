package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A managedMachine has an /etc of its own, in which the administrator's files lie.
type managedMachine struct {
	t                  *testing.T
	etc, home, project string
	init               string // the process ID of the machine's first process
}

func newManagedMachine(t *testing.T, managed string) *managedMachine {
	t.Helper()
	dir := t.TempDir()
	m := &managedMachine{t, filepath.Join(dir, "etc"), filepath.Join(dir, "home"), filepath.Join(dir, "project"), ""}
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Skip(err)
	}
	for name, text := range map[string]string{m.etc + "/passwd": string(passwd), m.etc + "/checkrein/checkrein.yaml": managed, m.home + "/x": "", m.project + "/.git/HEAD": "ref: refs/heads/main\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m.start()
	return m
}

// start starts the machine, which has processes and an /etc of its own: the agents of other
// tests are not seen, and an agent that ended is known to have ended.
func (m *managedMachine) start() {
	m.t.Helper()
	cmd := exec.Command("unshare", "-rmpf", "--mount-proc", "--kill-child", "sh", "-c", `mount --bind "$1" /etc && echo up && exec cat`, "sh", m.etc)
	in, err := cmd.StdinPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		m.t.Skip("no mount namespace here")
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
	if err != nil {
		m.t.Skip(err)
	}
	m.init = strings.TrimSpace(string(children))
}

// command is a shell command on the machine.
func (m *managedMachine) command(line string) *exec.Cmd {
	cmd := exec.Command("nsenter", "-t", m.init, "-U", "-m", "-p", "--preserve-credentials", "sh", "-c", `cd "$1" && eval "$2"`, "sh", m.project, line)
	cmd.Env = []string{"HOME=" + m.home, "PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH"), "TERM=dumb"}
	return cmd
}

// run returns what a command prints, and its exit code as the last line.
func (m *managedMachine) run(line string) string {
	m.t.Helper()
	out, err := m.command(line + "; echo exit $?").CombinedOutput()
	if err != nil {
		m.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

func (m *managedMachine) checkOutput(line string, texts ...string) {
	m.t.Helper()
	out := m.run(line)
	for _, text := range texts {
		part, absent := strings.CutPrefix(text, "!")
		if strings.Contains(strings.Join(strings.Fields(out), " "), part) == absent {
			m.t.Errorf("%s: %q, want %q\n", line, out, text)
		}
	}
}

// write writes a file in the person's home.
func (m *managedMachine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

const (
	eventLs = `echo '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}' | checkrein `
	callLs  = eventLs + "hook claude"
	evalLs  = eventLs + "eval"
)

// A typo of the administrator's is the administrator's to correct.
func TestBrokenManagedFile(t *testing.T) {
	t.Parallel()
	m := newManagedMachine(t, "version: 1\nhooks:\n  pre_tool_use: [{name: policy, type: rule, decison: deny}]\n")
	const ask = "ask this machine's administrator to correct /etc/checkrein/checkrein.yaml"
	m.checkOutput(callLs, `"permissionDecision":"deny"`, ask, "!the user corrects")
	m.checkOutput(evalLs, "deny", ask)
	m.checkOutput(evalLs+" --json", `"decision":"deny"`, ask)
	for _, command := range []string{"status", "doctor", "validate", "hooks list", "hooks doctor"} {
		m.checkOutput("checkrein "+command, `unknown key "decison"`, ask)
	}
	m.checkOutput("checkrein status --json", `"remedies":[{"text":"`+ask)
	m.checkOutput("checkrein validate --json", `"remedies":[{"text":"`+ask)

	// So is a program that is missing.
	missing := newManagedMachine(t, "version: 1\nhooks:\n  pre_tool_use: [{name: policy, command: /nonexistent/x}]\n")
	missing.checkOutput("checkrein doctor", "is missing", ask)
	missing.checkOutput("checkrein validate", "is missing", ask, "!"+ask+"; ask")

	// Of a person's own file nobody else is named.
	own := newManagedMachine(t, "version: 1\n")
	own.write(".config/checkrein/checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use: [{name: policy, type: rule, decison: deny}]\n")
	for _, line := range []string{callLs, evalLs, "checkrein status", "checkrein doctor", "checkrein validate", "checkrein hooks list"} {
		own.checkOutput(line, "decison", "!administrator")
	}
}

// A managed file tries its own hooks: nothing is stopped, and every screen shows it.
func TestManagedShadow(t *testing.T) {
	t.Parallel()
	m := newManagedMachine(t, "version: 1\nmode: shadow\nhooks:\n  pre_tool_use:\n    - {name: no-ls, type: rule, if: {command: {is: ls}}, decision: deny, reason: no ls here}\n")
	m.checkOutput(callLs, "!permissionDecision")
	m.checkOutput("checkrein audit query --denied", "would deny", "not enforced: shadow mode")
	m.checkOutput("checkrein audit query --json", `"shadow":true`, `"decision":"deny"`)
	m.checkOutput("checkrein explain --last", "NOT ENFORCED (shadow mode): would have been denied", "no-ls would have denied it (shadow mode, set by the administrator)",
		"ask your administrator: /etc/checkrein/checkrein.yaml:5 sets the hook no-ls to shadow mode (mode: shadow)")
	m.checkOutput("checkrein status", "the administrator set it to shadow mode", "no-ls (/etc/checkrein/checkrein.yaml:5)")
	m.checkOutput("checkrein validate", "the administrator set it to shadow mode", "exit 0")
	m.checkOutput("checkrein classify 'docker volume rm data'", "DENIED")
	m.checkOutput("checkrein hooks list", "shadow", "!no-ls pre_tool_use just now just now on")
	m.checkOutput("checkrein hooks list --json", `"id":"no-ls","event":"pre_tool_use","mode":"shadow"`)
	m.checkOutput("checkrein doctor", "hook-shadow", "no-ls (/etc/checkrein/checkrein.yaml:5)", "exit 0")
	m.checkOutput(evalLs, "would deny", "no ls here", "!no hook objects")
	m.checkOutput(evalLs+" --explain", "mode: shadow")
	m.checkOutput(evalLs+" --json", `"hook":"no-ls"`, `"shadow":true`, `!{"decision"`)
	m.checkOutput("checkrein match no-ls --command ls", "it would deny", "shadow")

	m.checkOutput("checkrein shadow report", "no-ls would have denied", "would deny, counted none: ls")
	m.checkOutput("checkrein shadow enforce no-ls --yes", "a managed file, sets it: ask this machine's administrator", "exit 4")

	// So does a person's own file, for its own hooks.
	m.write(".config/checkrein/checkrein.yaml", "version: 1\nmode: shadow\nhooks:\n  pre_tool_use:\n    - {name: mine, type: rule, if: {command: {is: ls}}, decision: deny, reason: mine}\n")
	m.checkOutput(callLs, "!permissionDecision")
	m.checkOutput("checkrein validate", "because it is in shadow mode", "exit 0")
	m.checkOutput("checkrein hooks list --json", `"id":"mine","event":"pre_tool_use","mode":"shadow"`)
}

// Of a managed and a person's level the stricter counts, everywhere.
func TestManagedLevels(t *testing.T) {
	t.Parallel()
	m := newManagedMachine(t, "version: 1\npacks: [{name: kubernetes, medium: deny}]\n")
	m.write(".config/checkrein/checkrein.yaml", "version: 1\npacks: [{name: kubernetes, low: none, medium: none, high: none, unknown: none}]\n")
	const call = `echo '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"kubectl apply -f x"}}' | checkrein `
	m.checkOutput(call+"eval --json --exit-code", `"decision":"deny"`, "exit 1")
	m.checkOutput("checkrein classify 'kubectl apply -f x'", "DENIED", "kubernetes/change")
	m.checkOutput("checkrein classify --defaults 'kubectl apply -f x'", "PASSES")
	m.checkOutput("checkrein packs kubernetes", "k8s-write deny")
	m.checkOutput("checkrein match kubernetes --command 'kubectl apply -f x'", "the packs deny it")
	m.checkOutput(call+"hook claude", `"permissionDecision":"deny"`, "administrator")
}
