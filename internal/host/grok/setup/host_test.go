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
  user_prompt_submit:
    - {type: rule, if: {prompt: {contains: FORBIDDEN}}, decision: deny, reason: NOPROMPT-CANARY}
  pre_tool_use:
    - {type: rule, if: {command: {contains: touch denied}}, decision: deny, reason: DENY-CANARY}
    - {type: rule, if: {command: {contains: touch original}}, decision: none, patch: {command: touch rewritten}}
    - {command: 'printf ''{"context":"CALL-CANARY"}'''}
  tool_response_transform:
    - {command: 'grep -q SECRET && printf ''{"updated_output":"CLEAN-CANARY"}'' || true'}
  post_tool_use:
    - {command: 'echo AFTER-CANARY'}
  post_tool_use_failure:
    - {command: 'cat >>"$HOME/failure"'}
  stop:
    - {command: 'test -e "$HOME/stopped" || { touch "$HOME/stopped"; printf ''{"decision":"block","reason":"STOP-CANARY"}''; }'}
  session_end:
    - {command: 'cat >>"$HOME/end"'}
`

// runInstalled runs the real Grok after checkrein install grok, with CANARY in the configuration
// replaced with canary.
func runInstalled(t *testing.T, canary, prompt string, turns ...mockmodel.Turn) (*hosttest.Space, hostlab.Result) {
	t.Helper()
	space := hosttest.New(t).Host("grok").OpenSpace()
	program := jsplugintest.Program(t)
	if err := space.Write(space.Home, map[string]string{".config/checkrein/checkrein.yaml": strings.ReplaceAll(hostConfig, "CANARY", canary)}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "install", "grok", "--program", program)
	cmd.Dir, cmd.Env = space.Project, []string{"HOME=" + space.Home, "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	return space, space.Run(hostlab.Run{Prompt: prompt, Script: mockmodel.Script{Turns: turns, Final: "all is well"}})
}

func callTurn(c mockmodel.Call) mockmodel.Turn { return mockmodel.Turn{Calls: []mockmodel.Call{c}} }

func TestHostTools(t *testing.T) {
	canary := rand.Text()
	space, res := runInstalled(t, canary, "please go",
		callTurn(mockmodel.Shell("touch denied")), callTurn(mockmodel.Shell("touch original")), callTurn(mockmodel.Shell("echo SECRET")),
		callTurn(mockmodel.Write("a.txt", "one SECRET")), callTurn(mockmodel.Read("a.txt")), callTurn(mockmodel.Shell("exit 3")))
	for turn, want := range []string{"DENY-", "", "CLEAN-", "", "CLEAN-"} {
		if got, ok := res.Record.Result(turn, 0); !ok || want != "" && !strings.Contains(got.Text, want+canary) || strings.Contains(got.Text, "SECRET") {
			t.Errorf("of call %d the model was told %q, want %s", turn, got.Text, want)
		}
	}
	for file, want := range map[string]bool{"denied": false, "original": false, "rewritten": true, "a.txt": true} {
		if _, err := os.Stat(filepath.Join(space.Project, file)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", file, err == nil, want)
		}
	}
	for _, want := range []string{"CALL-", "AFTER-", "STOP-"} {
		if !res.Record.ModelSaw(want + canary) {
			t.Errorf("the model did not see %s", want)
		}
	}
	for file, want := range map[string]string{"failure": `"command":"exit 3"`, "end": `"hook_event_name":"session_end"`} {
		if b, err := os.ReadFile(filepath.Join(space.Home, file)); !strings.Contains(string(b), want) {
			t.Errorf("%s heard %q, %v", file, b, err)
		}
	}
}

func TestHostPromptDenied(t *testing.T) {
	canary := rand.Text()
	_, res := runInstalled(t, canary, "please FORBIDDEN")
	if n := len(res.Record.Turns()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}
