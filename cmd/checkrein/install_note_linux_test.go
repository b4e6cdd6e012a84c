package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// A noted is a person's home, and programs for which it is that of the user id.
type noted struct {
	t             *testing.T
	home, project string
	bin           string
}

func newNoted(t *testing.T) noted {
	t.Helper()
	dir := t.TempDir()
	n := noted{t, filepath.Join(dir, "home"), filepath.Join(dir, "project"), filepath.Join(dir, "home", "bin")}
	for _, d := range []string{n.bin, n.project, filepath.Join(n.home, ".claude"), filepath.Join(n.home, ".codex")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := built.For(n.home, n.bin, "checkrein", "checkreind"); err != nil {
		t.Fatal(err)
	}
	return n
}

// run runs a line of a shell in the project, with variables before the person's.
func (n noted) run(stdin string, argv []string, environ ...string) (string, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = n.project, strings.NewReader(stdin)
	cmd.Env = append([]string{"HOME=" + n.home, "PATH=" + n.bin + ":" + os.Getenv("PATH")}, environ...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (n noted) checkrein(args ...string) string {
	n.t.Helper()
	out, err := n.run("", append([]string{filepath.Join(n.bin, "checkrein")}, args...))
	if err != nil {
		n.t.Fatalf("checkrein %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// TestInstalled installs for the home of the user id, which takes programs of their
// own: one build for all.
func TestInstalled(t *testing.T) {
	t.Parallel()
	n := newNoted(t)
	t.Run("noted", func(t *testing.T) { n.t = t; testNoted(t, n) })
	t.Run("line", func(t *testing.T) { n.t = t; testInstalledLine(t, n) })
	t.Run("agent", func(t *testing.T) { n.t = t; testAgentMovesNoPins(t, n) })
}

// What is installed is noted in the home of the user id, until the last host goes.
func testNoted(t *testing.T, n noted) {
	path := filepath.Join(n.home, ".local", "state", "checkrein", "installed.json")
	read := func() string { text, _ := os.ReadFile(path); return string(text) }
	program := []string{"--program", filepath.Join(n.bin, "checkrein")}
	n.checkrein(append([]string{"install", "claude", "--dry-run"}, program...)...)
	if read() != "" {
		t.Errorf("a dry run notes %s", read())
	}
	n.checkrein(append([]string{"install", "claude"}, program...)...)
	n.checkrein(append([]string{"install", "codex"}, program...)...)
	var got struct{ Config, State string }
	if err := json.Unmarshal([]byte(read()), &got); err != nil || got.Config != filepath.Join(n.home, ".config", "checkrein") || got.State != filepath.Join(n.home, ".local", "state", "checkrein") {
		t.Errorf("noted is %q, %v", read(), err)
	}
	n.checkrein("uninstall", "claude")
	if read() == "" {
		t.Error("the note went with the first host")
	}
	n.checkrein("uninstall", "codex")
	if read() != "" {
		t.Errorf("the note stays: %s", read())
	}
	// A throw-away home is nobody's.
	if out, err := n.run("", append([]string{filepath.Join(n.bin, "checkrein"), "install", "claude"}, program...), "HOME="+n.project+"/other"); err != nil || read() != "" {
		t.Errorf("%v %s: %s", err, read(), out)
	}
}

// The line that is installed, as a host's shell runs it: whatever variables say, the
// person's rules count, and the person's ledger has the event.
func testInstalledLine(t *testing.T, n noted) {
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(n.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\nhooks:\n  pre_tool_use:\n    - {type: rule, if: {command: {prefix: deploy}}, decision: deny, reason: not on Fridays}\n")
	evil := filepath.Join(n.project, ".cfg")
	write(filepath.Join(evil, "checkrein", "checkrein.yaml"), "version: 1\npacks: []\n")
	n.checkrein("install", "claude", "--program", filepath.Join(n.bin, "checkrein"))
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	text, err := os.ReadFile(filepath.Join(n.home, ".claude", "settings.json"))
	if err != nil || json.Unmarshal(text, &settings) != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	line := settings.Hooks["PreToolUse"][0].Hooks[0].Command
	event := `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"` + n.project + `","tool_name":"Bash","tool_input":{"command":"deploy now"}}`
	for _, environ := range [][]string{
		nil,
		{"XDG_CONFIG_HOME=" + evil, "XDG_STATE_HOME=" + evil},
		{"XDG_CONFIG_HOME=/proc/self/cwd/.cfg"},
		{"HOME=" + evil},
		{"GOMAXPROCS=0", "GODEBUG=panicnil=7", "GOGC=1", "GOMEMLIMIT=1"},
	} {
		out, err := n.run(event, []string{"sh", "-c", line}, environ...)
		if err != nil || !strings.Contains(out, `"permissionDecision":"deny"`) || !strings.Contains(out, "not on Fridays") {
			t.Errorf("%q: %v %s", environ, err, out)
		}
	}
	if out := n.checkrein("audit", "query", "--json"); strings.Count(out, `"command":"deploy now"`) != 5 {
		t.Errorf("the ledger has\n%s", out)
	}
	if out := n.checkrein("status", "claude"); strings.Contains(out, "! ") {
		t.Errorf("status says\n%s", out)
	}
	if out, _ := n.run("", []string{filepath.Join(n.bin, "checkrein"), "status", "claude"}, "XDG_CONFIG_HOME="+filepath.Join(n.home, "x")); !strings.Contains(out, "calls checkrein with --config") {
		t.Errorf("status says\n%s", out)
	}
}

// An agent installs nothing: neither lines as they are nor with other directories.
func testAgentMovesNoPins(t *testing.T, n noted) {
	event := `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"` + n.project + `","tool_name":"Bash","tool_input":{"command":"ls"}}`
	agent := func(install string) string {
		t.Helper()
		out, _ := n.run(event, []string{filepath.Join(programs, "ashost"), "checkrein hook claude >/dev/null; " + install})
		return out
	}
	for _, bent := range []string{"", "XDG_CONFIG_HOME=$PWD/.cfg", "XDG_STATE_HOME=$PWD/.cfg", "HOME=$PWD CLAUDE_CONFIG_DIR=$HOME/.claude"} {
		if out := agent(bent + " checkrein install claude"); !strings.Contains(out, "an agent is running this command") {
			t.Errorf("%s: %s", bent, out)
		}
	}
}
