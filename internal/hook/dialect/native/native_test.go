package native

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

func read(text string) (hookfile.File, error) {
	return Dialect.Parse(hookfile.Source{File: "/c.yaml", Data: []byte(text)})
}

// parseEntry parses a file with one entry of pre_tool_use, given in flow style.
func parseEntry(text string) (checkrein.Hook, error) {
	f, err := read("version: 1\nhooks:\n  pre_tool_use:\n    - " + text + "\n")
	if len(f.Hooks) == 0 {
		return checkrein.Hook{}, err
	}
	return f.Hooks[0], err
}

func TestEntry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, entry string
		want        func(checkrein.Hook) string // what is wrong with it
	}{
		{"type by command", `{command: x}`, is("run", "command")},
		{"type by url", `{url: "https://x"}`, is("run", "http")},
		{"type by model", `{model: a/b, prompt: p}`, is("run", "model")},
		{"type by decision", `{decision: deny}`, is("run", "rule")},
		{"type by patch", `{patch: {a: 1}}`, is("run", "rule")},
		{"defaults", `{command: x}`, is("rest", "100 false false true false false 1m0s")},
		{"everything", `{command: x, priority: 0, async: true, rewrites: false, strict_output: true, timeout: 0.5}`, is("rest", "0 true false false false true 500ms")},
		{"gate", `{command: x, gate: true}`, is("rest", "100 false true true false false 1m0s")},
		{"timeout with units", `{command: x, timeout: 1m30s}`, is("rest", "100 false false true false false 1m30s")},
		{"timeout in quotes", `{command: x, timeout: "30"}`, is("rest", "100 false false true false false 30s")},
		{"timeout 0", `{command: x, timeout: 0}`, is("rest", "100 false false true false false 1m0s")},
		{"shell text", `{command: "a 'b' $c"}`, is("with", `{"command":"a 'b' $c"}`)},
		{"program and arguments", `{command: [a, 1.10, "2", true, 007]}`, is("with", `{"argv":["a","1.10","2","true","007"]}`)},
		{"environment as written", `{command: x, env: {V: 1.10, B: TRUE, N: null, A: "x y"}}`, is("with", `{"command":"x","env":{"A":"x y","B":"TRUE","N":"","V":"1.10"}}`)},
		{"builtin", `{type: builtin, command: add_date, args: [1.10, full]}`, is("with", `{"name":"add_date","args":["1.10","full"]}`)},
		{"numbers of a patch keep their text", `{patch: {n: 1.10, big: 12345678901234567890, gone: null}}`, is("with", `{"patch":{"n":1.10,"big":12345678901234567890,"gone":null}}`)},
		{"null is absent", `{command: x, timeout: ~, env: ~, name: ~, matcher: ~}`, is("with", `{"command":"x"}`)},
		{"matcher", `{command: x, matcher: "shell|edit_.*"}`, is("match", "shell|edit_.*")},
		{"condition", `{command: x, if: {tool: {is: shell}}}`, is("if", `{"tool":{"is":"shell"}}`)},
		{"named", `{name: mine, command: x}`, is("id", "mine")},
		{"unnamed", `{command: x}`, is("id", "pre_tool_use#1")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, err := parseEntry(tt.entry)
			if err != nil {
				t.Fatal(err)
			}
			if diff := tt.want(h); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// is compares one aspect of a hook.
func is(what, want string) func(checkrein.Hook) string {
	return func(h checkrein.Hook) string {
		got := map[string]string{"run": h.Run, "with": string(h.With), "match": h.Match, "if": string(h.If), "id": h.ID,
			"rest": fmt.Sprint(h.Priority, h.Async, h.Gate, h.Rewrites, h.Preempt, h.Strict, " ", h.Limit())}[what]
		if got != want {
			return fmt.Sprintf("got %s, want %s", got, want)
		}
		return ""
	}
}

// TestBadEntry checks that a mistake is reported at its line, and that the hook faults as its event
// requires, whatever its on_error is.
func TestBadEntry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, entry, err string }{
		{"no type", `{name: x}`, "the hook does not say what it does"},
		{"a type that is a number", `{type: 1, command: x}`, "type is a number, not a string"},
		{"unknown type", `{type: rulez}`, `unknown hook type "rulez", did you mean "rule"?`},
		{"command without one", `{type: command}`, "a hook of type command needs command"},
		{"an empty command", `{type: command, command: "  "}`, "needs command"},
		{"an empty program", `{type: command, command: []}`, "needs command"},
		{"builtin without a name", `{type: builtin}`, "needs command"},
		{"builtin with a list", `{type: builtin, command: [add_date, x]}`, "the builtin's name is a list, not a string (write the arguments as args)"},
		{"model without prompt", `{type: model, model: a/b}`, "needs prompt"},
		{"http without url", `{type: http}`, "needs url"},
		{"unknown key", `{command: x, tiemout: 1}`, `unknown key "tiemout", did you mean "timeout"?`},
		{"a key of another type", `{command: x, url: "https://x", type: command}`, "url has no effect on hooks of type command (remove it)"},
		{"timeout of another kind", `{command: x, timeout: soon}`, `timeout: "soon" is not a valid duration`},
		{"timeout in milliseconds", `{command: x, timeout: 100000}`, "longer than a day"},
		{"priority below", `{command: x, priority: -1}`, "priority -1 is out of range (write a whole number from 0 to 1000)"},
		{"priority above", `{command: x, priority: 1001}`, "priority 1001"},
		{"half a priority", `{command: x, priority: 1.5}`, "priority 1.5"},
		{"on_error", `{command: x, on_error: blok}`, `on_error: "blok" is unknown, did you mean "block"?`},
		{"a gate that cannot decide", `{command: x, gate: true, async: true, on_error: ignore}`, "an asynchronous hook cannot make decisions"},
		{"a judge that cannot decide", `{type: model, model: a/b, prompt: x, schema: pre_tool_use_decision, async: true}`, "an asynchronous hook cannot make decisions"},
		{"a rule that cannot decide", `{decision: deny, async: true}`, "an asynchronous hook cannot make decisions"},
		{"async as text", `{command: x, async: "yes"}`, "async is a string, not a boolean"},
		{"unknown decision", `{decision: block}`, `decision: "block" is unknown`},
		{"a list where a mapping belongs", `{decision: deny, if: [x]}`, "if is a list, not a mapping"},
		{"a condition without a meaning", `{decision: deny, if: {command: {matches: x}}}`, "unknown operator"},
		{"an argument that is a list", `{type: builtin, command: add_date, args: [[x]]}`, "args holds a list (put it in quotes)"},
		{"a variable that is a list", `{command: x, env: {A: [x]}}`, "env.A is a list (put it in quotes)"},
		{"preempt_yolo without a group", `{command: x, preempt_yolo: true}`, `unknown key "preempt_yolo"`},
		{"a matcher of a group and its own", `{matcher: shell, hooks: [{command: x, matcher: edit_file}]}`, "the hook's group already has a matcher"},
		{"a bad matcher, told to be ignored", `{command: x, matcher: "(", on_error: ignore}`, `"(" is never closed`},
		{"a text", `./check.sh`, "an entry under pre_tool_use is a string, not a mapping (write - {name: …, command: …})"},
		{"nothing", `~`, "an entry under pre_tool_use is null"},
		{"a group of nothing", `{matcher: shell, hooks: ~}`, "has no hooks"},
		{"a group of texts", `{hooks: [x]}`, "a hook under pre_tool_use is a string, not a mapping"},
		{"a key of a group", `{matchr: shell, hooks: [{command: x}]}`, `unknown key "matchr" in a matcher group, did you mean "matcher"?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, err := parseEntry(tt.entry)
			if err == nil || !strings.Contains(err.Error(), tt.err) || !strings.HasPrefix(err.Error(), "/c.yaml:4: ") {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if h.Broken == "" || h.On != checkrein.PreToolUse || h.Async || h.OnFault != checkrein.FaultByRow {
				t.Errorf("it does not fault as its row says: %+v", h)
			}
		})
	}
}

// TestBadEntryThatBlocks checks that a broken hook keeps on_error: block, because it is stricter.
func TestBadEntryThatBlocks(t *testing.T) {
	t.Parallel()
	f, _ := read("version: 1\nhooks:\n  post_tool_use: {command: x, on_error: block, oops: 1}\n")
	if h := f.Hooks[0]; h.Broken == "" || h.OnFault != checkrein.FaultBlock {
		t.Errorf("got %+v", h)
	}
}

// TestBadGroup checks that a mistake in a group makes each of its hooks broken, with the remedy.
func TestBadGroup(t *testing.T) {
	t.Parallel()
	f, err := read("version: 1\nhooks:\n  pre_tool_use:\n    - matcher: [shell]\n      hooks: [{name: a, command: x}, {name: b, command: y}]\n")
	if err == nil || len(f.Hooks) != 2 {
		t.Fatalf("got %d hooks, %v", len(f.Hooks), err)
	}
	for _, h := range f.Hooks {
		if !strings.HasPrefix(h.Broken, "matcher is a list, not a string (write one string") || h.Match != "" {
			t.Errorf("got %q for tools %q", h.Broken, h.Match)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text, err string
		lost            bool
		hooks           int
	}{
		{"empty", "", "add version: 1", false, 0},
		{"only a version", "version: 1\n", "", false, 0},
		{"no hooks", "version: 1\nhooks:\n", "", false, 0},
		{"an event without entries", "version: 1\nhooks: {stop: }\n", "", false, 0},
		{"no version", "hooks: {stop: {command: x}}\n", "/c.yaml:1: the file has no version (add version: 1 as the first line)", false, 1},
		{"another version", "version: 2\nhooks: {stop: {command: x}}\n", "version must be the number 1, not 2 (write version: 1)", true, 1},
		{"JSON", `{"version": 1, "hooks": {"stop": [{"command": "x"}]}}`, "", false, 1},
		{"unknown key", "version: 1\nhoooks: {}\n", `unknown key "hoooks" in the file, did you mean "hooks"?`, true, 0},
		{"nothing alike", "version: 1\nzzz: {}\n", `unknown key "zzz" in the file: must be one of version, hooks`, true, 0},
		{"unknown setting", "version: 1\nsettings: {snapshots: true}\n", `unknown key "snapshots" in settings, did you mean "snapshot"?`, true, 0},
		{"a switch that is a string", "version: 1\nproject_may_allow: 'true'\n", "project_may_allow is a string (write true or false)", false, 0},
		{"unknown not_replaced", "version: 1\nnot_replaced: warn\n", `not_replaced: "warn" is unknown`, false, 0},
		{"unknown on_full", "version: 1\non_full: stop\n", `on_full: "stop" is unknown`, false, 0},
		{"hooks in a list", "version: 1\nhooks: [x]\n", "hooks is a list", true, 0},
		{"an event that is a string", "version: 1\nhooks: {stop: x}\n", "stop is a string, not a list of hooks", false, 1},
		{"packs", "version: 1\npacks: [git, {name: disk, medium: none, allow: [a, b]}]\n", "", false, 0},
		{"a pack of one's own", "version: 1\npacks: [git, {name: ours, rules: [{id: x}]}]\n", "", false, 1},
		{"a pack of one's own that is off", "version: 1\npacks: [{name: ours, off: true, rules: [{id: x}]}]\n", "", false, 0},
		{"a pack that is named twice", "version: 1\npacks: [git, {name: git, high: ask}]\n", "the pack git is listed twice", false, 0},
		{"a decision that packs do not make", "version: 1\npacks: [{name: git, high: allow}]\n", `high cannot be "allow" (use none, ask or deny)`, false, 0},
		{"a pack without a name", "version: 1\npacks: [{medium: none}]\n", "without a name", false, 0},
		{"a pack with a key too many", "version: 1\npacks: [{name: git, medum: none}]\n", `unknown key "medum" in the pack git, did you mean "medium"`, false, 0},
		{"no packs", "version: 1\npacks: []\n", "", false, 0},
		{"packs that are a text", "version: 1\npacks: git\n", "packs is a string", false, 0},
		{"a second document", "version: 1\n---\nhooks: {stop: {command: x}}\n", "a second document", true, 0},
		{"a list", "- version: 1\n", "the file is a list, not a mapping", true, 0},
		{"another system's event", "version: 1\nhooks: {Stop: []}\n", `unknown event "Stop": here it is called stop`, true, 0},
		{"no event at all", "version: 1\nhooks: {zzz: []}\n", "native:zzz observes an agent's own event", true, 0},
		{"native without a name", "version: 1\nhooks: {'native:': []}\n", "unknown event", true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(tt.text)
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if (f.Lost != nil) != tt.lost || len(f.Hooks) != tt.hooks {
				t.Errorf("lost %v, %d hooks; want %v, %d", f.Lost, len(f.Hooks), tt.lost, tt.hooks)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, hooks, want string }{
		{"a matcher that matches nothing known", "pre_tool_use: {command: x, matcher: Bsah}", `matcher "Bsah" matches no known tool`},
		{"a known one", "pre_tool_use: {command: x, matcher: Bash}", ""},
		{"an MCP tool", "pre_tool_use: {command: x, matcher: 'mcp__github__.*'}", ""},
		{"any MCP tool", "pre_tool_use: {command: x, matcher: 'mcp:.*'}", ""},
		{"a rule that says nothing", "pre_tool_use: {type: rule, if: {tool: {is: shell}}, reason: no}", "the rule does nothing (add decision, patch, context or notice)"},
		{"a host's event that has a row", "native:PreToolUse: {command: x}", "native:PreToolUse never fires, because PreToolUse has its own event name here (write pre_tool_use)"},
		{"a host's event without one", "native:FileChanged: {command: x}", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read("version: 1\nhooks:\n  " + tt.hooks + "\n")
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(f.Warnings)
			if tt.want == "" && len(f.Warnings) != 0 || !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %q", got, tt.want)
			}
		})
	}
}

func TestNativeEvent(t *testing.T) {
	t.Parallel()
	f, err := read("version: 1\nhooks:\n  native:FileChanged: {command: x}\n")
	if err != nil || f.Hooks[0].On != checkrein.Other || f.Hooks[0].Event != "FileChanged" {
		t.Errorf("got %+v, %v", f.Hooks, err)
	}
}

// TestEncode checks that native hooks get the host's names, together with checkrein's name for the
// tool.
func TestEncode(t *testing.T) {
	t.Parallel()
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Host: "claude", Session: checkrein.Session{ID: "s", Dir: "/w"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: json.RawMessage(`{"command":"ls"}`)}}
	got, err := Dialect.Encode(ev)
	const want = `{"session_id":"s","cwd":"/w","hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"ls"},"tool":"shell","host":"claude"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	ev.Tool.Input = json.RawMessage(`{"command":`)
	if got, err := Dialect.Encode(ev); err == nil {
		t.Errorf("no JSON went out: %s", got)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, text string
		want       bool
	}{
		{"/a/checkrein.yaml", "", true}, {"/a/checkrein.yml", "x", true},
		{"/a/x.yaml", "version: 1\n", true}, {"/a/x.yaml", "packs: []\n", true}, {"/a/x.yaml", "# c\ninclude: a\n", true},
		{"/a/hooks.json", `{"version": 1, "hooks": {"pre_tool_use": []}}`, true}, {"/a/x.json", `{"version":1,"packs":[]}`, true}, {"/a/x.json", `{"version":1,"hooks":{}}`, true},
		{"/a/hooks.json", `{"version": 1, "hooks": {"PreToolUse": []}}`, false}, {"/a/hooks.json", `{"version": 1, "hooks": {"beforeShellExecution": []}}`, false},
		{"/a/hooks.json", `{"hooks": {"pre_tool_use": []}}`, false}, {"/a/x.json", `{"version": 1}`, false}, {"/a/x.json", `{"version": 1, "hooks": [`, false}, {"/a/x.yaml", "{\nversion: 1\n}", true},
		{"/a/x.yaml", "hooks: {}\n", false}, {"/a/x.yaml", "a:\n version: 1\n", false}, {"/a/x.yaml", "", false},
		{"/a/x.yaml", " version: 1\n", true}, {"/a/x.yaml", "--- {version: 1}\n", true}, {"/a/x.yaml", "\"version\" : 1\n", true},
	} {
		if got := Dialect.Detect(hookfile.Source{File: tt.file, Data: []byte(tt.text)}); got != tt.want {
			t.Errorf("%s %q: got %v", tt.file, tt.text, got)
		}
	}
}

// FuzzParse checks that every file yields hooks or errors and never a panic, that a hook without an
// error is complete, and that every mistake is reported.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "version: 1", "version: 1\nhooks:\n  pre_tool_use:\n    - matcher: shell\n      hooks: [{type: command, command: x}]\n",
		"version: 1\nhooks: {stop: {decision: deny, if: {not: {event: {is: x}}}}}", "hooks: [", "version: 1\nhooks: {pre_tool_use: [~, 1, [x], {hooks: {}}]}",
		"version: 1\ninclude: [a, {}]\nsettings: []\npacks: {}", "a: &x [*x]", "version: 1\nhooks: {native:X: {command: [a, 1]}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := read(text)
		if file.Lost != nil && err == nil {
			t.Error("lost without an error")
		}
		for _, h := range file.Hooks {
			checkHook(t, &h, err)
		}
	})
}

// checkHook checks that a hook is complete or marked as broken.
func checkHook(t *testing.T, h *checkrein.Hook, err error) {
	t.Helper()
	switch {
	case h.Broken != "" && err == nil:
		t.Errorf("broken without an error: %+v", h)
	case h.ID == "" || h.From.File == "" || h.From.Line < 1 || h.On >= checkrein.NumKinds || h.Priority < 0 || h.Priority > hookfile.MaxPriority:
		t.Errorf("not whole: %+v", h)
	case h.Broken == "" && (h.Run == "" || !json.Valid(h.With) || h.If != nil && !json.Valid(h.If)):
		t.Errorf("not whole: %+v", h)
	}
}
