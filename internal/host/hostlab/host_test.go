package hostlab_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// A denial is a trivial hook of a host that denies a tool call. Its files are written to the home
// directory and the project; REASON in them stands for the reason.
type denial struct {
	host          string
	home, project map[string]string
}

const denyScript = "#!/bin/sh\ncat >>\"$HOME/heard\"\nprintf '%s' '"

func denials() []denial {
	specific := denyScript + `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"REASON"}}'` + "\n"
	return []denial{
		{host: "claude", home: map[string]string{
			".claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"$HOME/deny.sh","timeout":10}]}]}}`,
			"deny.sh":               specific,
		}},
		{host: "codex", home: map[string]string{
			".codex/hooks.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"$HOME/deny.sh","timeout":10}]}]}}`,
			"deny.sh":           specific,
		}},
		{host: "gemini", home: map[string]string{
			".gemini/settings.json": `{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"$HOME/deny.sh","timeout":10000}]}]}}`,
			"deny.sh":               denyScript + `{"decision":"deny","reason":"REASON"}'` + "\n",
		}},
		{host: "qwen", home: map[string]string{
			".qwen/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"$HOME/deny.sh","timeout":10000}]}]}}`,
			"deny.sh":             specific,
		}},
		{host: "copilot", home: map[string]string{
			".copilot/hooks/deny.json": `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"$HOME/deny.sh","timeoutSec":10}]}}`,
			"deny.sh":                  denyScript + `{"permissionDecision":"deny","permissionDecisionReason":"REASON"}'` + "\n",
		}},
		{host: "opencode", project: map[string]string{
			"opencode.json": `{"plugin":["./deny.js"]}`,
			"deny.js": `import {appendFileSync} from "node:fs"
export const Deny = async () => ({"tool.execute.before": async (input) => {
	appendFileSync(process.env.HOME + "/heard", JSON.stringify(input))
	throw new Error("REASON")
}})`,
		}},
	}
}

// touchScript returns a script whose only call runs a command that creates a file.
func touchScript() mockmodel.Script {
	return mockmodel.Script{Turns: []mockmodel.Turn{{Calls: []mockmodel.Call{mockmodel.Shell("touch ran")}}}}
}

func fileExists(res hostlab.Result) bool {
	_, err := os.Stat(filepath.Join(res.Space.Project, "ran"))
	return err == nil
}

// TestHostDeny tests the lab with every real host: a hook's denial keeps the command from running, and
// its reason reaches the model. Without the hook, the same script runs the command.
func TestHostDeny(t *testing.T) {
	for _, d := range denials() {
		t.Run(d.host, func(t *testing.T) {
			t.Run("control", func(t *testing.T) { testControl(t, d) })
			t.Run("denied", func(t *testing.T) { testDenied(t, d) })
		})
	}
}

func testControl(t *testing.T, d denial) {
	prompt, note := "please go "+rand.Text(), "note-"+rand.Text()
	space := hosttest.New(t).Host(d.host).OpenSpace()
	file := filepath.Join(space.Project, "note.txt")
	res := space.Run(hostlab.Run{Prompt: prompt, Script: mockmodel.Script{Turns: []mockmodel.Turn{
		{Text: "first a file", Calls: []mockmodel.Call{mockmodel.Write(file, "draft\n")}},
		{Calls: []mockmodel.Call{mockmodel.Edit(file, "draft", note)}},
		{Calls: []mockmodel.Call{mockmodel.Shell("cat note.txt && touch ran")}},
	}, Final: "all is well"}})
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		t.Errorf("exit %d, want 0 and the model's last word\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	if !fileExists(res) {
		t.Error("the command did not run")
	}
	if n := len(res.Record.Turns()); n != 4 {
		t.Errorf("%d turns, want three calls and the last word", n)
	}
	if !res.Record.ModelSaw(prompt) {
		t.Error("the model did not see the prompt")
	}
	if told, ok := res.Record.Result(2, 0); !ok || !strings.Contains(told.Text, note) {
		t.Errorf("the model was told %q of the command, want what the file says", told.Text)
	}
}

func testDenied(t *testing.T, d denial) {
	reason := "reason-" + rand.Text()
	fill := func(files map[string]string) map[string]string {
		out := map[string]string{}
		for name, content := range files {
			out[name] = strings.ReplaceAll(content, "REASON", reason)
		}
		return out
	}
	res := hosttest.New(t).Host(d.host).Run(hostlab.Run{
		Prompt: "please go", Script: touchScript(), Home: fill(d.home), Project: fill(d.project), Unapproved: true,
	})
	if heard, err := os.ReadFile(filepath.Join(res.Space.Home, "heard")); err != nil || len(heard) == 0 {
		t.Errorf("the hook was not called: %v\nstdout: %s\nstderr: %s", err, res.Stdout, res.Stderr)
	}
	if fileExists(res) {
		t.Error("the command ran")
	}
	if told, ok := res.Record.Result(0, 0); !ok || !strings.Contains(told.Text, reason) {
		t.Errorf("the model was told %q, want the reason", told.Text)
	}
}

// TestHostFailure checks the member of Claude Code's hooks by which a hook that fails blocks the call, and
// that builds which do not know the member run the hook as before.
func TestHostFailure(t *testing.T) {
	const block, before = `,"onFailure":"block"`, "2.1.294" // the last build without it
	for _, tt := range []struct {
		name, version, member, script string
		runs                          bool
	}{
		{"fails", "", block, "exit 1", false},
		{"is late", "", block, "sleep 60", false},
		{"answers wrongly", "", block, `echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": 5}}'`, false},
		{"fails without it", "", "", "exit 1", true},
		{"fails in an older build", before, block, "exit 1", true},
		{"blocks in an older build", before, block, "exit 2", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := hosttest.New(t).Build("claude", tt.version).Run(hostlab.Run{Prompt: "please go", Script: touchScript(), Home: map[string]string{
				".claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"$HOME/hook.sh","timeout":3` + tt.member + `}]}]}}`,
				"hook.sh":               "#!/bin/sh\ncat >>\"$HOME/heard\"\n" + tt.script + "\n",
			}})
			if heard, err := os.ReadFile(filepath.Join(res.Space.Home, "heard")); err != nil || len(heard) == 0 {
				t.Errorf("the hook was not called: %v\nstderr: %s", err, res.Stderr)
			}
			if ran := fileExists(res); ran != tt.runs {
				t.Errorf("the command ran: %v, want %v\nstdout: %s\nstderr: %s", ran, tt.runs, res.Stdout, res.Stderr)
			}
		})
	}
}

// TestHostApproval checks that Codex does not run unapproved hooks, and that ApproveHooks approves
// them.
func TestHostApproval(t *testing.T) {
	space := hosttest.New(t).Host("codex").OpenSpace()
	var hooks map[string]string
	for _, d := range denials() {
		if d.host == "codex" {
			hooks = d.home
		}
	}
	before := space.Run(hostlab.Run{Prompt: "please go", Script: touchScript(), Home: hooks})
	if !fileExists(before) {
		t.Error("a hook that nobody approved had a say")
	}
	if err := os.Remove(filepath.Join(space.Project, "ran")); err != nil {
		t.Fatal(err)
	}
	if n, err := space.ApproveHooks(t.Context()); n != 1 || err != nil {
		t.Fatalf("approved %d hooks, %v; want 1", n, err)
	}
	if after := space.Run(hostlab.Run{Prompt: "please go", Script: touchScript()}); fileExists(after) {
		t.Error("the approved hook had no say")
	}
	if n, err := space.ApproveHooks(t.Context()); n != 0 || err != nil {
		t.Errorf("approved %d hooks again, %v; want none", n, err)
	}
}

// TestHostUntrusted checks that hooks of an untrusted project do not run, for hosts that distinguish
// such projects.
func TestHostUntrusted(t *testing.T) {
	places := map[string][2]string{ // of the same file in the home and in a project
		"codex":   {".codex/hooks.json", ".codex/hooks.json"},
		"copilot": {".copilot/hooks/deny.json", ".github/hooks/deny.json"},
	}
	for _, d := range denials() {
		place, ok := places[d.host]
		if !ok {
			continue
		}
		t.Run(d.host, func(t *testing.T) {
			for _, untrusted := range []bool{true, false} {
				res := hosttest.New(t).Host(d.host).Run(hostlab.Run{
					Prompt: "please go", Script: touchScript(), Untrusted: untrusted, Unapproved: true,
					Home:    map[string]string{"deny.sh": d.home["deny.sh"]},
					Project: map[string]string{place[1]: d.home[place[0]]},
				})
				if fileExists(res) != untrusted {
					t.Errorf("untrusted %v: the command ran: %v", untrusted, fileExists(res))
				}
			}
		})
	}
}
