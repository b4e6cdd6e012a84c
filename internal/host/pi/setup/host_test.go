package setup_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/host/pi"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
	"github.com/checkrein/checkrein/internal/lab/jsplugintest"
)

// hostConfig is a configuration whose hooks write texts with CANARY, which each test replaces with its
// own word.
const hostConfig = `version: 1
packs: []
hooks:
  session_start:
    - {command: 'echo SESSION-CANARY'}
  user_prompt_submit:
    - {command: 'echo PROMPT-CANARY'}
    - {type: rule, if: {prompt: {contains: FORBIDDEN}}, decision: deny, reason: NOPROMPT-CANARY}
    - {command: 'grep -q REPHRASE && printf ''{"updated_output":"REPHRASED-CANARY"}'' || true'}
  before_llm_call:
    - {command: 'printf ''{"context":"SYSTEM-CANARY"}'''}
  pre_tool_use:
    - {type: rule, if: {command: {contains: touch denied}}, decision: deny, reason: DENY-CANARY}
    - {type: rule, if: {command: {contains: touch asked}}, decision: ask, reason: ASK-CANARY}
    - {type: rule, if: {command: {contains: touch original}}, decision: none, patch: {command: touch rewritten}}
  tool_response_transform:
    - {command: 'grep -q SECRET && printf ''{"updated_output":"CLEAN-CANARY"}'' || true'}
  post_tool_use:
    - {command: 'echo AFTER-CANARY'}
  post_tool_use_failure:
    - {command: 'cat >>"$HOME/failure"'}
  on_response_end:
    - {command: 'printf ''{"updated_output":"FINAL-CANARY"}'''}
  stop:
    - {command: 'cat >>"$HOME/stop"; test -e "$HOME/stopped" || { touch "$HOME/stopped"; printf ''{"decision":"block","reason":"STOP-CANARY"}''; }'}
  session_end:
    - {command: 'cat >>"$HOME/end"'}
`

// A trial is a run of the real Pi with checkrein's extension.
type trial struct {
	t      *testing.T
	space  *hosttest.Space
	res    hostlab.Result
	canary string
}

func runTrial(t *testing.T, r hostlab.Run, program string, turns ...mockmodel.Turn) *trial {
	tr := &trial{t: t, space: hosttest.New(t).Host("pi").OpenSpace(), canary: rand.Text()}
	r.Home = map[string]string{
		".config/checkrein/checkrein.yaml":  strings.ReplaceAll(hostConfig, "CANARY", tr.canary),
		".pi/agent/extensions/checkrein.js": string(pi.Plugin(hostfiles.Line{Program: program})),
	}
	r.Script = mockmodel.Script{Turns: turns, Final: "all is well"}
	tr.res = tr.space.Run(r)
	return tr
}

// wantResult checks that the model got a result with these texts for the call of a turn.
func (tr *trial) wantResult(turn int, want ...string) {
	tr.t.Helper()
	got, ok := tr.res.Record.Result(turn, 0)
	for _, w := range want {
		if w = strings.ReplaceAll(w, "CANARY", tr.canary); !ok || !strings.Contains(got.Text, w) {
			tr.t.Errorf("of call %d the model was told %q, want %q", turn, got.Text, w)
		}
	}
}

func (tr *trial) wantFile(file string, want bool) {
	tr.t.Helper()
	if _, err := os.Stat(filepath.Join(tr.space.Project, file)); (err == nil) != want {
		tr.t.Errorf("%s is there: %v, want %v", file, err == nil, want)
	}
}

// wantPayload checks that a hook was called with a payload that has these texts.
func (tr *trial) wantPayload(file string, want ...string) {
	tr.t.Helper()
	b, err := os.ReadFile(filepath.Join(tr.space.Home, file))
	for _, w := range want {
		if !strings.Contains(string(b), strings.ReplaceAll(w, "CANARY", tr.canary)) {
			tr.t.Errorf("%s heard %q (%v), want %s", file, b, err, w)
		}
	}
}

func program(t *testing.T) string {
	t.Helper()
	if os.Getenv(hosttest.Var) == "" {
		return "" // the lab skips the test then
	}
	return jsplugintest.Program(t)
}

func callTurn(c mockmodel.Call) mockmodel.Turn { return mockmodel.Turn{Calls: []mockmodel.Call{c}} }

func TestHostTools(t *testing.T) {
	tr := runTrial(t, hostlab.Run{Prompt: "please REPHRASE"}, program(t),
		callTurn(mockmodel.Shell("touch denied")), callTurn(mockmodel.Shell("touch asked")), callTurn(mockmodel.Shell("touch original")),
		callTurn(mockmodel.Shell("echo SECRET")), callTurn(mockmodel.Native("read", map[string]any{"path": "nope.txt"})),
		callTurn(mockmodel.Write("a.txt", "one")), callTurn(mockmodel.Edit("a.txt", "one", "two")))
	turns := tr.res.Record.Turns()
	for _, want := range []string{"REPHRASED-", "SESSION-", "PROMPT-", "SYSTEM-"} {
		if !turns[0].Contains(want + tr.canary) {
			t.Errorf("the first request has no %s: %q", want, turns[0].Texts())
		}
	}
	if turns[0].Contains("please REPHRASE") {
		t.Error("the model saw the prompt as it was")
	}
	tr.wantResult(0, "DENY-CANARY")
	tr.wantFile("denied", false)
	tr.wantResult(1, "ASK-CANARY", "so the user was not asked")
	tr.wantFile("asked", false)
	tr.wantResult(2, "AFTER-CANARY")
	tr.wantFile("original", false)
	tr.wantFile("rewritten", true)
	if got, ok := tr.res.Record.Call(2, 0); !ok || !strings.Contains(got.Args, "touch original") {
		t.Errorf("the model was told that it called %s", got.Args)
	}
	tr.wantResult(3, "CLEAN-CANARY", "AFTER-CANARY")
	if got, _ := tr.res.Record.Result(3, 0); strings.Contains(got.Text, "SECRET") {
		t.Errorf("the model saw what was replaced: %q", got.Text)
	}
	tr.wantPayload("failure", `"path":"nope.txt"`, `"error":`)
	if b, _ := os.ReadFile(filepath.Join(tr.space.Home, "failure")); strings.Contains(string(b), "denied") {
		t.Errorf("a denied call was told as one that failed: %s", b)
	}
	if b, err := os.ReadFile(filepath.Join(tr.space.Project, "a.txt")); string(b) != "two" {
		t.Errorf("a.txt has %q, %v", b, err)
	}
	tr.wantPayload("stop", `"stop_response":"FINAL-CANARY`, `"stop_hook_active":true`)
	if last := turns[len(turns)-1]; !last.Contains("STOP-" + tr.canary) {
		t.Errorf("the model was not told to go on: %q", last.Texts())
	}
	tr.wantPayload("end", `"hook_event_name":"session_end"`)
	if !strings.Contains(tr.res.Stdout, "FINAL-"+tr.canary) {
		t.Errorf("the person was shown %q", tr.res.Stdout)
	}
}

func TestHostPromptDenied(t *testing.T) {
	tr := runTrial(t, hostlab.Run{Prompt: "please FORBIDDEN"}, program(t))
	if n := len(tr.res.Record.Turns()); n != 0 || tr.res.Exit != 0 {
		t.Errorf("the model was asked %d times, exit %d", n, tr.res.Exit)
	}
	if said := tr.res.Stderr; !strings.Contains(said, "checkrein blocked this prompt: NOPROMPT-"+tr.canary) {
		t.Errorf("the person was told %q", said)
	}
}

// TestHostDriven checks that denials hold if another program drives Pi, and that no one is asked
// there, because checkrein cannot see which program it is.
func TestHostDriven(t *testing.T) {
	tr := runTrial(t, hostlab.Run{Prompt: "please go", Person: func([]byte) bool { return true }}, program(t),
		callTurn(mockmodel.Shell("touch denied")), callTurn(mockmodel.Shell("touch asked")), callTurn(mockmodel.Shell("touch allowed")))
	tr.wantResult(0, "DENY-CANARY")
	tr.wantFile("denied", false)
	tr.wantResult(1, "ASK-CANARY", "so the user was not asked")
	tr.wantFile("asked", false)
	tr.wantFile("allowed", true)
	if len(tr.res.Questions) != 0 {
		t.Errorf("the person was asked %+v", tr.res.Questions)
	}
}

// TestHostWithoutCheckrein checks that no tool runs if checkrein does not answer, and that the model
// gets the reason.
func TestHostWithoutCheckrein(t *testing.T) {
	tr := runTrial(t, hostlab.Run{Prompt: "please go"}, "/nowhere/checkrein", callTurn(mockmodel.Shell("touch ran")))
	tr.wantResult(0, "could not be asked", "checkrein status")
	tr.wantFile("ran", false)
	if !strings.Contains(tr.res.Stderr, "hooks on session_start did not run") {
		t.Errorf("the person was told %q", tr.res.Stderr)
	}
}
