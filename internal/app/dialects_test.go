//go:build unix

package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A dialectCase is a guard and a rewriter written for one system, using only that system's names.
type dialectCase struct {
	name, file string
	text       func(script string) string
	sees       string // the text that the guard searches its payload for
	rewrites   string // the answer of the rewriter
}

var dialectCases = []dialectCase{
	{"native", "checkrein.yaml", func(s string) string {
		return "version: 1\nhooks:\n  pre_tool_use:\n    - {name: h, type: command, matcher: shell, command: " + s + "}\n"
	}, `"tool":"shell"`, `{"updated_input":{"command":"ls"}}`},
	{"docker-agent", "agent.yaml", func(s string) string {
		return "agents:\n  root:\n    hooks:\n      pre_tool_use:\n        - {matcher: shell, hooks: [{name: h, type: command, command: " + s + "}]}\n"
	}, `"tool_name":"shell".*"cmd":"echo hello"`, `{"hook_specific_output":{"updated_input":{"cmd":"ls"}}}`},
	{"starchild", "shell_hooks.yaml", func(s string) string {
		return "hooks:\n  - {event: pre_tool_call, name: h, matcher: echo, command: " + s + "}\n"
	}, `"event":"pre_tool_call".*"tool_name":"bash".*"command":"echo hello"`, `{"tool_input":{"command":"ls"}}`},
	{"hookmd", "h/HOOK.md", func(string) string {
		return "---\nname: h\ndescription: d\ntrigger: before_tool\nmatcher: {tool: Shell, pattern: echo}\n---\n"
	}, `"tool_name": "Shell".*"command": "echo hello"`, `{"updated_input":{"command":"ls"}}`},
	{"claude", "settings.json", func(s string) string {
		return `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"` + s + `"}]}]}}`
	}, `"hook_event_name":"PreToolUse".*"tool_name":"Bash".*"command":"echo hello"`,
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}`},
}

// open writes a hook that runs script, and returns a kit in which the hook is approved.
func (c dialectCase) open(t *testing.T, script string) *app.Kit {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "h", "scripts", "run.sh")
	write(t, path, "#!/bin/sh\n"+script)
	file := filepath.Join(dir, filepath.FromSlash(c.file))
	write(t, file, c.text(path))
	opts := app.Options{Files: []string{file}, Dir: dir, State: filepath.Join(dir, "state"), Managed: app.NoManaged,
		Environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}}
	k, err := app.Open(opts)
	if err == nil {
		err = k.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.name != "starchild" { // hooks of starchild always need approval
		return k
	}
	if _, err := k.Approve(nil); err != nil {
		t.Fatal(err)
	}
	if k, err = app.Open(opts); err != nil {
		t.Fatal(err)
	}
	return k
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := built.WriteScript(path, text); err != nil {
		t.Fatal(err)
	}
}

func hostEvents(t *testing.T) map[string]checkrein.Event {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "hosts", "*.json"))
	if err != nil || len(files) < 7 {
		t.Fatalf("%d recorded payloads, %v", len(files), err)
	}
	events := map[string]checkrein.Event{}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := payload.ReadEvent(body, "pre_tool_use")
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		ev.Host = name
		events[name] = ev
	}
	return events
}

// A guard in any dialect protects the same call on every host, and its rewrite reaches the host in the
// host's format.
func TestEveryDialectOnEveryHost(t *testing.T) {
	t.Parallel()
	events := hostEvents(t)
	for _, c := range dialectCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			guard := c.open(t, `grep -q '`+c.sees+`' && { echo "`+c.name+` says no" >&2; exit 2; }; exit 0`)
			rewriter := c.open(t, `cat >/dev/null; echo '`+c.rewrites+`'`)
			for name, ev := range events {
				if out := guard.Decide(t.Context(), ev); out.Verdict.Decision != checkrein.Deny || out.Verdict.Reason != c.name+" says no" {
					t.Errorf("%s on %s: %s", c.name, name, out.JSON(true))
				}
				want, err := rawjson.Patch(ev.Tool.Input, []byte(`{"command":"ls"}`))
				if err != nil {
					t.Fatal(err)
				}
				out := rewriter.Decide(t.Context(), ev)
				if host.Honours(&ev)&checkrein.CanRewriteInput == 0 {
					if out.Verdict.Input != nil || len(out.Dropped) == 0 {
						t.Errorf("%s on %s, which rewrites nothing: %s", c.name, name, out.JSON(true))
					}
				} else if !rawjson.Equal(out.Verdict.Input, want) {
					t.Errorf("%s on %s: the input became %s, want %s", c.name, name, out.Verdict.Input, want)
				}
			}
		})
	}
}
