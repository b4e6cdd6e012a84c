package hookmd

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// foreignHook returns a hook of another dialect that loses nothing but its dialect.
func foreignHook(change func(*checkrein.Hook)) checkrein.Hook {
	h := checkrein.Hook{
		ID: "guard", Name: "guard", On: checkrein.PreToolUse, Run: "command", With: json.RawMessage(`{"command":"exit 0"}`),
		Priority: hookfile.DefaultPriority, Chain: "hookmd", Rewrites: true, OnFault: checkrein.FaultWarn, Dialect: "native",
	}
	if change != nil {
		change(&h)
	}
	return h
}

// formatLosses lists losses as "hook: what", without those that every hook of another dialect has.
func formatLosses(losses []hookfile.Loss) string {
	var out []string
	for _, l := range losses {
		if l.What != "dialect" {
			out = append(out, l.Hook+": "+l.What)
		}
		if l.Why == "" {
			out = append(out, "without a reason")
		}
	}
	return strings.Join(out, ", ")
}

func names(docs []hookfile.Document) string {
	var out []string
	for _, d := range docs {
		out = append(out, d.Name)
	}
	return strings.Join(out, " ")
}

func TestWrite(t *testing.T) {
	t.Parallel()
	docs, losses := Dialect.Write([]checkrein.Hook{foreignHook(func(h *checkrein.Hook) {
		h.Match, h.Args, h.Timeout, h.Priority, h.OnFault = "shell|write", `rm "x" \.py$`, 5*time.Second, 999, checkrein.FaultByRow
		h.With = json.RawMessage(`{"argv":["./my guard.py","it's"],"env":{"A":"1 ${env.B}"},"working_dir":"sub"}`)
	})})
	if got, want := names(docs), "guard/HOOK.md guard/scripts/run.sh"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	const front = `---
name: "guard"
description: "guard, a hook on pre-tool-call"
trigger: pre-tool-call
matcher:
  tool: "shell|write"
  pattern: "rm \"x\" \\.py$"
timeout: 5000
priority: 999
on_error: block
---

# guard

Written by checkrein. On pre-tool-call it runs the file in scripts/, with the event as JSON on stdin.
`
	if diff := cmp.Diff(front, string(docs[0].Data)); diff != "" {
		t.Errorf("HOOK.md (-want +got):\n%s", diff)
	}
	const script = "#!/bin/sh\nexec './my guard.py' 'it'\\''s'\n"
	if diff := cmp.Diff(script, string(docs[1].Data)); diff != "" {
		t.Errorf("run.sh (-want +got):\n%s", diff)
	}
	if got, want := formatLosses(losses), "guard: working_dir, guard: env, guard: on_error"; got != want {
		t.Errorf("lost %s, want %s", got, want)
	}
}

var lossCases = []struct {
	name   string
	change func(*checkrein.Hook)
	want   string
	none   bool // nothing is written
}{
	{"nothing", nil, "", false},
	{"no such event", func(h *checkrein.Hook) { h.On = checkrein.BeforeLLMCall }, "guard: event", true},
	{"a host's event", func(h *checkrein.Hook) { h.On, h.Event = checkrein.Other, "FileChanged" }, "guard: event", true},
	{"broken", func(h *checkrein.Hook) { h.Broken = "x" }, "guard: hook", true},
	{"a builtin", func(h *checkrein.Hook) { h.Run = "builtin" }, "guard: type", true},
	{"a rule", func(h *checkrein.Hook) { h.Run = "rule" }, "guard: type", true},
	{"http", func(h *checkrein.Hook) { h.Run = "http" }, "guard: type", true},
	{"a model", func(h *checkrein.Hook) { h.Run = "model" }, "guard: type", true},
	{"no command", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"argv":[]}`) }, "guard: hook", true},
	{"an environment that is none", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"command":"x","env":1}`) }, "guard: hook", true},
	{"too long", func(h *checkrein.Hook) { h.Args = strings.Repeat("x", MaxFrontMatter) }, "guard: hook", true},
	{"if", func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"tool":{"is":"shell"}}`) }, "guard: if", false},
	{"search", func(h *checkrein.Hook) { h.Search = "x" }, "guard: search", false},
	{"gate", func(h *checkrein.Hook) { h.Gate = true }, "guard: gate", false},
	{"rewrites", func(h *checkrein.Hook) { h.Rewrites = false }, "guard: rewrites", false},
	{"strict", func(h *checkrein.Hook) { h.Strict = true }, "guard: strict_output", false},
	{"preempt", func(h *checkrein.Hook) { h.Preempt = true }, "guard: preempt_yolo", false},
	{"off", func(h *checkrein.Hook) { h.Off = "by its file" }, "guard: off", false},
	{"a chain of its own", func(h *checkrein.Hook) { h.Chain = "x" }, "guard: chain", false},
	{"alone, it needs no chain", func(h *checkrein.Hook) { h.Chain = "" }, "", false},
	{"a short timeout", func(h *checkrein.Hook) { h.Timeout = 99 * time.Millisecond }, "guard: timeout", false},
	{"a long timeout", func(h *checkrein.Hook) { h.Timeout = 10*time.Minute + 1 }, "guard: timeout", false},
	{"a broken millisecond", func(h *checkrein.Hook) { h.Timeout = time.Second + 1 }, "guard: timeout", false},
	{"its row's policy on a gate", func(h *checkrein.Hook) { h.OnFault = checkrein.FaultByRow }, "guard: on_error", false},
	{"its row's policy elsewhere", func(h *checkrein.Hook) { h.On, h.OnFault = checkrein.Stop, checkrein.FaultByRow }, "", false},
	{"ignored faults", func(h *checkrein.Hook) { h.OnFault = checkrein.FaultIgnore }, "guard: on_error", false},
	{"blocking where nothing can", func(h *checkrein.Hook) { h.On, h.OnFault = checkrein.SessionEnd, checkrein.FaultBlock }, "guard: on_error", false},
	{"blocking beside", func(h *checkrein.Hook) { h.Async, h.Chain, h.OnFault = true, "", checkrein.FaultBlock }, "guard: on_error", false},
	{"after a tool", func(h *checkrein.Hook) { h.On = checkrein.PostToolUse }, "guard: event", false},
	{"after a tool that succeeded", func(h *checkrein.Hook) {
		h.On, h.If = checkrein.PostToolUse, checkrein.Condition(`{ "tool_error": {"is": false} }`)
	}, "", false},
	{"after a tool, if", func(h *checkrein.Hook) {
		h.On, h.If = checkrein.PostToolUse, checkrein.Condition(`{"tool":{"is":"shell"}}`)
	}, "guard: event, guard: if", false},
	{"a matcher elsewhere", func(h *checkrein.Hook) { h.On, h.Match = checkrein.Stop, "x" }, "guard: matcher", false},
	{"a matcher that is wrong", func(h *checkrein.Hook) { h.Match = "(" }, "guard: matcher", false},
	{"a name that is none here", func(h *checkrein.Hook) { h.Name = "No rm!" }, "No rm!: name", false},
	{"no name", func(h *checkrein.Hook) { h.Name, h.ID = "", "pre_tool_use#1" }, "", false},
	{"a variable that is none", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"command":"x","env":{"a.b":"1","C":"2"}}`) }, "guard: env", false},
	{"a folder without a script", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"hook_folder":"/nowhere"}`) }, "guard: script", false},
}

func TestLosses(t *testing.T) {
	t.Parallel()
	for _, tt := range lossCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			docs, losses := Dialect.Write([]checkrein.Hook{foreignHook(tt.change)})
			if got := formatLosses(losses); got != tt.want {
				t.Errorf("lost %q, want %q", got, tt.want)
			}
			if (len(docs) == 0) != tt.none {
				t.Errorf("wrote %s", names(docs))
			}
			if len(docs) > 0 {
				readBack(t, docs[0])
			}
		})
	}
}

// readBack parses a written HOOK.md, which must be valid.
func readBack(t interface {
	Helper()
	Fatalf(string, ...any)
}, doc hookfile.Document) checkrein.Hook {
	t.Helper()
	f, err := Dialect.Parse(hookfile.Source{File: filepath.FromSlash("/out/" + doc.Name), Data: doc.Data})
	if err != nil || len(f.Hooks) != 1 {
		t.Fatalf("%v\n%s", err, doc.Data)
	}
	return f.Hooks[0]
}

// TestLossesThatDependOnOthers checks that a change of dialect is reported, and for hooks that share
// an event, that one may end the turn of another.
func TestLossesThatDependOnOthers(t *testing.T) {
	t.Parallel()
	loose := foreignHook(func(h *checkrein.Hook) { h.Chain = "" })
	second := foreignHook(func(h *checkrein.Hook) { h.Chain, h.Name, h.On = "", "second", checkrein.Stop })
	third := foreignHook(func(h *checkrein.Hook) { h.Chain, h.Name = "", "third" })
	_, losses := Dialect.Write([]checkrein.Hook{loose, second, third})
	if got, want := formatLosses(losses), "guard: chain, third: chain"; got != want {
		t.Errorf("lost %q, want %q", got, want)
	}
	said := fmt.Sprint(losses)
	if strings.Count(said, "gets the HOOK.md payload instead of the one for native") != 3 || strings.Count(said, "not become context") != 1 {
		t.Errorf("got %s", said)
	}
}

func TestWrittenNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70)
	var hooks []checkrein.Hook
	for _, name := range []string{"a", "A", "a-2", "a", "-x-", "No rm -rf!", "é", "", long, long, "true", "123", "1e5"} {
		hooks = append(hooks, foreignHook(func(h *checkrein.Hook) { h.Name, h.ID = name, "" }))
	}
	docs, _ := Dialect.Write(hooks)
	var got []string
	for _, d := range docs {
		if folder, file, _ := strings.Cut(d.Name, "/"); file == "HOOK.md" {
			got = append(got, folder)
			if h := readBack(t, d); h.Name != folder {
				t.Errorf("%s reads as %s", folder, h.Name)
			}
		}
	}
	want := []string{"a", "a-2", "a-2-2", "a-3", "-x-", "no-rm-rf", "hook", "hook-2", long[:64], long[:62] + "-2", "true", "123", "1e5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// TestMatchersAreTranslated checks that a matcher with another system's names still matches the same
// tools.
func TestMatchersAreTranslated(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect, matcher string
		by               bool
		want             string
	}{
		{"native", "Bash", false, "Bash"},
		{"hookmd", "Bash", false, "Bash"},
		{"docker-agent", "shell", false, "shell"},
		{"docker-agent", "edit_file|fetch", false, "edit_file|fetch|StrReplaceFile"},
		{"docker-agent", "*", false, "*"},
		{"docker-agent", ".*", false, ".*"},
		{"claude", "Bash", true, "Bash|Shell"},
		{"claude", "Edit, Write|Glob", true, "Edit|Write|Glob|StrReplaceFile|WriteFile"},
		{"claude", "^mcp__", true, ".*(?:^mcp__).*"},
		{"claude", "mcp__lab__.*", true, ".*(?:mcp__lab__.*).*"},
		{"claude", "", true, ""},
	} {
		t.Run(tt.dialect+" "+tt.matcher, func(t *testing.T) {
			t.Parallel()
			docs, _ := Dialect.Write([]checkrein.Hook{foreignHook(func(h *checkrein.Hook) { h.Dialect, h.Match, h.MatchWords = tt.dialect, tt.matcher, tt.by })})
			h := readBack(t, docs[0])
			if h.Match != tt.want {
				t.Errorf("got %q, want %q", h.Match, tt.want)
			}
			before, err := match.CompileTool(tt.matcher, tt.by)
			if err != nil {
				t.Fatal(err)
			}
			after, err := match.CompileTool(h.Match, h.MatchWords)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"Bash", "Edit", "edit_file", "shell", "mcp__lab__say", "x_mcp__lab__say", "Glob", "frob"} {
				tool := &checkrein.Tool{Name: name, Canonical: tools.CanonicalTool(name)}
				if before.Match(tool, "") && !after.Match(tool, toolName(tool.Canonical)) {
					t.Errorf("%s is not matched any more", name)
				}
			}
		})
	}
}

// TestFoldersAreCopied checks that a hook from a folder keeps what only its files have.
func TestFoldersAreCopied(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "guard")
	text := "---\nname: guard\ndescription: >-\n  Guards\n  things.\ntrigger: before_tool\nmetadata: {author: \"a b\", n: 1.10}\n---\n\n# Guard\n\n---\nrest"
	file := writeFile(t, folder, "HOOK.md", text, 0o644)
	writeFile(t, folder, "scripts/run.sh", "exit 2\n", 0o644)
	f, err := Dialect.Parse(hookfile.Source{File: file, Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	docs, losses := Dialect.Write(f.Hooks)
	want := []hookfile.Document{
		{Name: "guard/HOOK.md", Data: []byte("---\nname: \"guard\"\ndescription: \"Guards things.\"\ntrigger: pre-tool-call\nmetadata: {\"author\":\"a b\",\"n\":1.10}\n---\n\n# Guard\n\n---\nrest")},
		{Name: "guard/scripts/run.sh", Data: []byte("exit 2\n")},
	}
	if diff := cmp.Diff(want, docs); diff != "" || len(losses) > 0 {
		t.Errorf("lost %v, documents (-want +got):\n%s", losses, diff)
	}
	readBack(t, docs[0])
	writeFile(t, folder, "scripts/lib.sh", "", 0o644)
	if _, losses := Dialect.Write(f.Hooks); formatLosses(losses) != "guard: script" {
		t.Errorf("lost %v", losses)
	}
}
