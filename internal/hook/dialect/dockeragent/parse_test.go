package dockeragent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

func read(text, agent string, guess bool) (hookfile.File, error) {
	return Dialect.Parse(hookfile.Source{File: "/a.yaml", Data: []byte(text), Agent: agent, Guess: guess})
}

// ownHooks lists the hooks that the user wrote or requested, as "event name", without the limiter,
// which every agent has.
func ownHooks(f hookfile.File) string {
	var out []string
	for _, h := range f.Hooks {
		if h.Name == "limit_large_tool_results" {
			continue
		}
		what := h.On.String() + " " + h.Label()
		if h.Broken != "" {
			what += "!"
		}
		if h.Preempt {
			what += " preempting"
		}
		out = append(out, what)
	}
	return strings.Join(out, ", ")
}

// agentFile returns a file with one agent.
func agentFile(rest string) string { return "agents:\n  root:\n    model: x/y\n" + rest }

func TestWhichAgent(t *testing.T) {
	t.Parallel()
	hook := func(name string) string {
		return fmt.Sprintf("  %s:\n    hooks: {stop: {type: command, command: x, name: %s}}\n", name, name)
	}
	both, others := "agents:\n"+hook("first")+hook("root"), "agents:\n"+hook("first")+hook("second")
	for _, tt := range []struct {
		name, text, agent string
		guess             bool
		want, err         string
	}{
		{"root by default", both, "", false, "stop root", ""},
		{"else the first", others, "", false, "stop first", ""},
		{"the one asked for", both, "first", false, "stop first", ""},
		{"one that is not there", both, "frist", false, "", `the file has no agent "frist", did you mean "first"? (choose one of first, root)`},
		{"a guess that is not there", both, "coder", true, "stop root", ""},
		{"a guess that is there", both, "first", true, "stop first", ""},
		{"no agents", "agents:\n", "", false, "", "the file declares no agents"},
		{"agents in a list", "agents: [x]\n", "", false, "", "agents is a list, not a mapping"},
		{"an agent that is a string", "agents: {root: x}\n", "", false, "", "the agent is a string, not a mapping"},
		{"syntax", "agents: {\n", "", false, "", "/a.yaml:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(tt.text, tt.agent, tt.guess)
			if got := ownHooks(f); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if (f.Lost != nil) != (tt.err != "") {
				t.Errorf("lost: %v", f.Lost)
			}
		})
	}
}

func TestFlagHooks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want, err string }{
		{"none", "", "", ""},
		{"add_date", "    add_date: true\n", "turn_start add_date", ""},
		{"off", "    add_date: false\n", "", ""},
		{"environment", "    add_environment_info: true\n", "session_start add_environment_info", ""},
		{"files", "    add_prompt_files: [A.md, B.md]\n", "turn_start add_prompt_files", ""},
		{"no files", "    add_prompt_files: []\n", "", ""},
		{"files as a text", "    add_prompt_files: A.md\n", "", "add_prompt_files is a string, not a list"},
		{"a number among files", "    add_prompt_files: [A.md, 1]\n", "turn_start add_prompt_files", "add_prompt_files holds a number"},
		{"redaction", "    redact_secrets: true\n", "pre_tool_use redact_secrets preempting, before_llm_call redact_secrets, tool_response_transform redact_secrets", ""},
		{"safer shell", "    toolsets: [{type: think}, {type: shell, safer: true}]\n", "pre_tool_use safer_shell preempting", ""},
		{"safer, but no shell", "    toolsets: [{type: filesystem, safer: true}]\n", "", ""},
		{"safer, as a text", "    toolsets: [{type: shell, safer: 'yes'}]\n", "", "safer is a string, not a boolean (write true or false)"},
		{"a flag as a text", "    add_date: 'true'\n", "turn_start add_date", "add_date is a string, not a boolean (write true or false)"},
		{"after the agent's own", "    redact_secrets: true\n    hooks: {tool_response_transform: {hooks: [{type: command, command: x, name: mine}]}}\n",
			"tool_response_transform mine, pre_tool_use redact_secrets preempting, before_llm_call redact_secrets, tool_response_transform redact_secrets", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(agentFile(tt.text), "", false)
			if got := ownHooks(f); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
		})
	}
}

// TestLimiterIsImplied checks that the limiter is on both its events after all other hooks, whatever
// the file contains, and that its faults are not reported.
func TestLimiterIsImplied(t *testing.T) {
	t.Parallel()
	f, err := read(agentFile("    hooks: {session_end: {type: command, command: x}}\n"), "", false)
	if err != nil || len(f.Hooks) != 3 {
		t.Fatalf("got %d hooks, %v", len(f.Hooks), err)
	}
	for i, want := range []checkrein.Kind{checkrein.ToolResponseTransform, checkrein.SessionEnd} {
		if h := f.Hooks[i+1]; h.On != want || h.Name != "limit_large_tool_results" || h.OnFault != checkrein.FaultIgnore {
			t.Errorf("got %+v", h)
		}
	}
}

// TestNativeKeysAreUnknown checks that keys and types of checkrein's own files are unknown here.
func TestNativeKeysAreUnknown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, entry, err string }{
		{"priority", "{type: command, command: x, priority: 1}", `key "priority" is allowed only`},
		{"async", "{type: command, command: x, async: true}", `key "async" is allowed only`},
		{"gate", "{type: command, command: x, gate: true}", `key "gate" is allowed only`},
		{"if", "{type: command, command: x, if: {tool: {is: shell}}}", `key "if" is allowed only`},
		{"rule", "{type: rule}", `unknown hook type "rule"`},
		{"http", "{type: http}", `unknown hook type "http"`},
		{"no type", "{command: x}", "the hook has no type (add type: with one of command, builtin, model)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(agentFile("    hooks: {pre_tool_use: [{hooks: ["+tt.entry+"]}]}\n"), "", false)
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if h := f.Hooks[0]; h.Broken == "" || h.OnFault != checkrein.FaultBlock {
				t.Errorf("the gate is never closed: %+v", h)
			}
		})
	}
}

// TestGateFaultsBlock checks that faults on pre_tool_use block whatever on_error is, and that on_error
// counts on other events.
func TestGateFaultsBlock(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"", "warn", "ignore", "block"} {
		entry := "{type: command, command: x}"
		if policy != "" {
			entry = "{type: command, command: x, on_error: " + policy + "}"
		}
		f, err := read(agentFile("    hooks:\n      pre_tool_use: [{hooks: ["+entry+"]}]\n      post_tool_use: [{hooks: ["+entry+"]}]\n"), "", false)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Hooks[0].OnFault; got != checkrein.FaultBlock {
			t.Errorf("pre_tool_use, on_error %q: a fault is %q", policy, got)
		}
		if got := f.Hooks[1].OnFault.String(); got != policy {
			t.Errorf("post_tool_use, on_error %q: a fault is %q", policy, got)
		}
	}
}

// TestModelHookOptions checks that keys that docker-agent's schema accepts on model hooks without
// effect are neither errors nor settings.
func TestModelHookOptions(t *testing.T) {
	t.Parallel()
	f, err := read(agentFile("    hooks:\n      turn_start: [{type: model, model: a/b, prompt: p, env: {A: b}, working_dir: x}]\n"), "", false)
	if err != nil || f.Hooks[0].Broken != "" || len(f.Warnings) != 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	if with := string(f.Hooks[0].With); with != `{"model":"a/b","prompt":"p"}` {
		t.Error(with)
	}
}

// TestOtherKeysAreNotChecked checks that other settings of an agent file are not checked.
func TestOtherKeysAreNotChecked(t *testing.T) {
	t.Parallel()
	if _, err := read(agentFile("    toolsets: nonsense\n    commands: [1]\n")+"models: {x: [1]}\nversion: 99\n", "", false); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "agents:\n  root:\n    hooks:\n      pre_tool_use:\n        - matcher: shell\n          preempt_yolo: true\n          hooks: [{type: command, command: x}]\n",
		"agents: {a: {hooks: {stop: [1, ~]}, add_date: 1, toolsets: [x, {type: shell, safer: 2}]}}", "agents: [x]", "agents: {root: ~}", "agents:\n  ? [x]\n  : y"} {
		f.Add(s, "", false)
		f.Add(s, "root", true)
	}
	f.Fuzz(func(t *testing.T, text, agent string, guess bool) {
		file, err := read(text, agent, guess)
		if file.Lost != nil && err == nil {
			t.Error("lost without an error")
		}
		for _, h := range file.Hooks {
			switch {
			case h.Broken != "" && err == nil:
				t.Errorf("broken without an error: %+v", h)
			case h.Broken == "" && (h.Run == "" || !json.Valid(h.With)):
				t.Errorf("not whole: %+v", h)
			case h.On == checkrein.PreToolUse && h.OnFault != checkrein.FaultBlock:
				t.Errorf("a gate that opens on faults: %+v", h)
			}
		}
	})
}
