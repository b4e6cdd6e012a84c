package endtoend

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// agentFile is a docker-agent file with hooks: one that replaces text, and one that logs sub-agents.
const agentFile = `agents:
  root:
    model: scripted/demo
    hooks:
      tool_response_transform:
        - hooks: [{type: command, command: 'node "HOME/scrub.js"'}]
      subagent_stop:
        - {type: command, command: 'node "HOME/heard.js"'}
`

const scrubText = `const fs = require("fs"), e = JSON.parse(fs.readFileSync(0, "utf8"))
fs.appendFileSync(__dirname + "/kinds", typeof e.tool_response + "\n")
const is = e.tool_response.replace(/code-\d+/g, "[scrubbed]")
if (is !== e.tool_response) console.log(JSON.stringify({hook_specific_output: {updated_tool_response: is}}))
`

const heardText = `const fs = require("fs"), e = JSON.parse(fs.readFileSync(0, "utf8"))
fs.appendFileSync(__dirname + "/agents", e.agent_name + "\n")
`

// TestHostAgentFileHooks runs hooks of docker-agent files on every host: they get text, their rewrites
// reach the model, and they get the names of sub-agents.
func TestHostAgentFileHooks(t *testing.T) {
	hosttest.New(t)
	programs := buildPrograms(t)
	agents := map[string]string{"claude": "general-purpose", "qwen": "general-purpose", "copilot": "general-purpose"}
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) {
			w := newWorld(t, programs, f.host)
			w.configure("version: 1\ninclude: [agent.yaml]\n")
			w.writeFiles(w.Home, map[string]string{
				".config/checkrein/agent.yaml": strings.ReplaceAll(agentFile, "HOME", w.Home), "scrub.js": scrubText, "heard.js": heardText,
			})
			w.writeFiles(w.Project, map[string]string{"notes.txt": "the code-12345 is here\n"})
			calls := []mockmodel.Call{mockmodel.Shell("cat notes.txt; echo code-67890 >&2"), f.readCall(filepath.Join(w.Project, "notes.txt"))}
			if task, ok := w.Host.DelegateCall("look around"); ok && agents[f.host] != "" {
				task.Args["description"] = "look"
				calls = append(calls, task)
			}
			res := w.Run(hostlab.Run{Prompt: "please go", Script: callScript(calls...)})
			for i := range 2 {
				got, ok := res.Record.Result(i, 0)
				if w.reliesOn(capability.OutputReplaced) && (!ok || strings.Contains(got.Text, "code-") || !strings.Contains(got.Text, "[scrubbed]")) {
					t.Errorf("result %d: the model was given %q", i, got.Text)
				}
			}
			kinds := w.lines("kinds")
			if len(kinds) < 2 || slices.ContainsFunc(kinds, func(s string) bool { return s != "string" }) {
				t.Errorf("tool_response is %q", kinds)
			}
			if want := agents[f.host]; want != "" && !slices.Contains(w.lines("agents"), want) {
				t.Errorf("the sub-agents are %q, want %q", w.lines("agents"), want)
			}
		})
	}
}

// lines returns the lines of a file in the home directory.
func (w *world) lines(name string) []string {
	text, _ := os.ReadFile(filepath.Join(w.Home, name)) // none = no lines
	return strings.Fields(string(text))
}

// TestHostRunsItsOwnFile includes a hook file that the host also runs itself: each hook runs once,
// either by the host or by checkrein. Copilot CLI skips the file in a folder that is not trusted, so
// checkrein runs the hook there.
func TestHostRunsItsOwnFile(t *testing.T) {
	hosttest.New(t)
	programs := buildPrograms(t)
	for host, file := range map[string]string{"claude": ".claude/settings.json", "qwen": ".qwen/settings.json", "codex": ".claude/settings.json", "copilot": ".claude/settings.json"} {
		t.Run(host, func(t *testing.T) {
			w := newWorld(t, programs, host)
			hook := `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo x >>` + w.Home + `/ran","timeout":20000}]}]}}`
			w.writeFiles(w.Project, map[string]string{file: hook, "checkrein.yaml": "version: 1\ninclude: [" + file + "]\n"})
			w.checkrein("hooks", "approve", "--all")
			w.Run(hostlab.Run{Prompt: "please go", Script: callScript(mockmodel.Shell("echo hello"))})
			times, says := 1, "itself, so checkrein runs them on other agents only"
			switch host {
			case "codex":
				says = ""
			case "copilot":
				times, says = 2, "itself in a folder that you trust there: they run twice then"
			}
			if ran := w.lines("ran"); len(ran) != times {
				t.Errorf("the hook ran %d times for one call, want %d", len(ran), times)
			}
			if out, _ := w.runProgram("checkrein", "doctor"); !strings.Contains(strings.Join(strings.Fields(out), " "), says) {
				t.Errorf("doctor: %s", out)
			}
		})
	}
}

// TestHostTrustIsSeen starts a host in a folder without a record of trust. The events that arrive show
// that the folder is trusted, and status must agree.
func TestHostTrustIsSeen(t *testing.T) {
	hosttest.New(t)
	programs := buildPrograms(t)
	t.Run("gemini", func(t *testing.T) {
		w := newWorld(t, programs, "gemini")
		status := func() *install.Report {
			_ = os.Remove(filepath.Join(w.Home, ".gemini", "trustedFolders.json")) // as where a variable alone trusts the folder
			cmd := exec.CommandContext(t.Context(), w.ProgramPath("checkrein"), "status", w.name, "--json")
			cmd.Dir = w.Project
			for _, v := range w.Environ(nil) {
				if !strings.HasPrefix(v, "GEMINI_CLI_TRUST_WORKSPACE=") {
					cmd.Env = append(cmd.Env, v)
				}
			}
			out, _ := cmd.Output() // it fails for what is wrong
			var r struct{ Hosts []install.Report }
			if err := json.Unmarshal(out, &r); err != nil || len(r.Hosts) != 1 {
				t.Fatalf("%v: %s", err, out)
			}
			return &r.Hosts[0]
		}
		if h := status(); h.Trusted == nil || h.Trusted.State != install.NotYet {
			t.Errorf("before any event: %+v", h.Trusted)
		}
		w.Run(hostlab.Run{Prompt: "please go", Script: callScript(mockmodel.Shell("echo hello"))})
		if h := status(); h.Trusted.State != install.Yes || h.Seen.Count == 0 || !h.Works() {
			t.Errorf("after %d events: %+v, %v", h.Seen.Count, h.Trusted, h.Problems)
		}
	})
}
