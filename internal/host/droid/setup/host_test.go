package setup_test

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
	"github.com/checkrein/checkrein/internal/lab/jsplugintest"
)

// hostConfig is a configuration whose hooks write texts with CANARY, which each test replaces with its
// own word.
const hostConfig = `version: 1
packs: []
hooks:
  session_start:
    - {command: 'echo BEGIN-CANARY'}
  pre_tool_use:
    - {type: rule, if: {command: {contains: touch denied}}, decision: deny, reason: DENY-CANARY}
    - {type: rule, if: {command: {contains: touch original}}, decision: none, patch: {command: touch rewritten}}
  post_tool_use:
    - {command: 'grep -q halting && printf ''{"decision":"block","reason":"HALT-CANARY"}'' || echo AFTER-CANARY'}
  stop:
    - {command: 'test -e "$HOME/stopped" || { touch "$HOME/stopped"; printf ''{"decision":"block","reason":"STOP-CANARY"}''; }'}
  session_end:
    - {command: 'cat >>"$HOME/end"'}
`

// runInstalled runs the real Droid after checkrein install droid, with hooks in files, and with CANARY
// in the configuration replaced with canary.
func runInstalled(t *testing.T, canary string, files map[string]string, turns ...mockmodel.Turn) (*hosttest.Space, hostlab.Result) {
	t.Helper()
	space := hosttest.New(t).Host("droid").OpenSpace()
	program := jsplugintest.Program(t)
	files[".config/checkrein/checkrein.yaml"] = strings.ReplaceAll(hostConfig, "CANARY", canary)
	if err := space.Write(space.Home, files); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "install", "droid", "--program", program)
	cmd.Dir, cmd.Env = space.Project, []string{"HOME=" + space.Home, "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	return space, space.Run(hostlab.Run{Prompt: "please go", Script: mockmodel.Script{Turns: turns, Final: "all is well"}})
}

func callTurn(c mockmodel.Call) mockmodel.Turn { return mockmodel.Turn{Calls: []mockmodel.Call{c}} }

func checkFiles(t *testing.T, space *hosttest.Space, want map[string]bool) {
	t.Helper()
	for file, want := range want {
		if _, err := os.Stat(filepath.Join(space.Project, file)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", file, err == nil, want)
		}
	}
}

func TestHostTools(t *testing.T) {
	canary := rand.Text()
	space, res := runInstalled(t, canary, map[string]string{},
		callTurn(mockmodel.Shell("touch denied")), callTurn(mockmodel.Shell("touch original")), callTurn(mockmodel.Write("a.txt", "one")))
	if got, ok := res.Record.Result(0, 0); !ok || !strings.Contains(got.Text, "DENY-"+canary) {
		t.Errorf("of the denied call the model was told %q", got.Text)
	}
	checkFiles(t, space, map[string]bool{"denied": false, "original": false, "rewritten": true, "a.txt": true})
	for _, want := range []string{"BEGIN-", "AFTER-", "STOP-"} {
		if !res.Record.ModelSaw(want + canary) {
			t.Errorf("the model did not see %s", want)
		}
	}
	if b, err := os.ReadFile(filepath.Join(space.Home, "end")); !strings.Contains(string(b), `"hook_event_name":"session_end"`) {
		t.Errorf("session_end got %q, %v", b, err)
	}
}

// TestHostPeerAllows checks that a hook that runs first and allows the call does not undo a denial, and
// that checkrein is called although hooks.json overrides the settings.
func TestHostPeerAllows(t *testing.T) {
	canary := rand.Text()
	allow := `{"PreToolUse": [{"hooks": [{"type": "command", "command": "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}'"}]}]}`
	space, _ := runInstalled(t, canary, map[string]string{".factory/hooks.json": allow}, callTurn(mockmodel.Shell("touch denied")))
	checkFiles(t, space, map[string]bool{"denied": false})
}

// TestHostStopped checks that a denial after a call ends the run.
func TestHostStopped(t *testing.T) {
	canary := rand.Text()
	space, res := runInstalled(t, canary, map[string]string{}, callTurn(mockmodel.Shell("touch halting")), callTurn(mockmodel.Shell("touch later")))
	checkFiles(t, space, map[string]bool{"halting": true, "later": false})
	if n := len(res.Record.Turns()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}
