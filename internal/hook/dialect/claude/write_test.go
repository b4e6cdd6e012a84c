package claude

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// plainHook returns a hook that Claude's files can express completely.
func plainHook(kind checkrein.Kind, run, with string) checkrein.Hook {
	return checkrein.Hook{ID: kind.String() + "#1", On: kind, Run: run, With: json.RawMessage(with), Timeout: 10 * time.Minute,
		Priority: hookfile.DefaultPriority, Rewrites: true, Dialect: "claude"}
}

func TestWriteGroups(t *testing.T) {
	t.Parallel()
	bash := plainHook(checkrein.PreToolUse, "command", `{"command":"a <b>"}`)
	bash.Match = "shell"
	args := plainHook(checkrein.PreToolUse, "command", `{"argv":["/bin/x","y"]}`)
	args.Match, args.Timeout, args.Async = "Bash", 0, true
	other := plainHook(checkrein.PreToolUse, "command", `{"command":"b"}`)
	other.If = checkrein.Condition(`{"tool":{"is":"shell"},"command":{"glob":["x","*[ \t\n;&|(){}!=$` + "`" + `'\"]x","x[ \t\n;&|(){}!=$` + "`" + `'\"]*","*[ \t\n;&|(){}!=$` + "`" + `'\"]x[ \t\n;&|(){}!=$` + "`" + `'\"]*"]}}`)
	start := plainHook(checkrein.SessionStart, "command", `{"command":"c"}`)
	start.If = checkrein.Condition(`{"source":{"in":["startup","resume"]}}`)
	docs, losses := Dialect.Write([]checkrein.Hook{bash, start, args, other, bash})
	if len(losses) != 0 || len(docs) != 1 || docs[0].Name != "settings.json" {
		t.Fatalf("got %+v, %+v", docs, losses)
	}
	want, err := os.ReadFile("testdata/groups.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(docs[0].Data)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteNothing(t *testing.T) {
	t.Parallel()
	docs, losses := Dialect.Write(nil)
	if len(losses) != 0 || string(docs[0].Data) != "{\n  \"hooks\": {}\n}\n" {
		t.Errorf("got %s, %+v", docs[0].Data, losses)
	}
}

func TestWriteMatchers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ match, want, loss string }{
		{"", "", ""}, {"*", "", ""},
		{"Bash", "Bash", ""},
		{"shell", "Bash", ""},
		{"run_shell_command|read_file", "Bash|Read", ""},
		{"edit", "Edit|MultiEdit|NotebookEdit", ""},
		{"mcp:lab/say", "mcp__lab__say", ""},
		{"frob:x|shell", "^(?:frob:x|Bash)$", ""},
		{"mcp__lab__.*", "^(?:mcp__lab__.*)$", ""},
		{"sh.*|Edit", "^(?:sh.*|Edit|Bash)$", ""},
		{".*", "^(?:.*)$", ""},
		{"mcp:.*", "^(?:mcp:.*)$", "matcher"},
		{"(?i)bash", "^(?:(?i)bash)$", "matcher"},
	} {
		h := plainHook(checkrein.PreToolUse, "command", `{"command":"x"}`)
		h.Match = tt.match
		var w writer
		if got := w.toolMatcher(&h); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.match, got, tt.want)
		}
		if got := whats(w.losses); got != tt.loss {
			t.Errorf("%q loses %q, want %q", tt.match, got, tt.loss)
		}
	}
}

func whats(losses []hookfile.Loss) string {
	var out []string
	for _, l := range losses {
		out = append(out, l.What)
	}
	return strings.Join(out, " ")
}

func native(h *checkrein.Hook) { h.Dialect = "native" }

var lossTests = []struct {
	name      string
	kind      checkrein.Kind
	run, with string
	change    func(*checkrein.Hook)
	want      string
	gone      bool
}{
	{"nothing", checkrein.Stop, "command", `{"command":"x"}`, nil, "", false},
	{"an event of ours", checkrein.TurnStart, "command", `{"command":"x"}`, nil, "event", true},
	{"an event of other hosts", checkrein.BeforeLLMCall, "command", `{"command":"x"}`, nil, "event", true},
	{"any event", checkrein.Other, "command", `{"command":"x"}`, nil, "event", true},
	{"another host's event", checkrein.Other, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.Event = "beforeX" }, "event", true},
	{"Claude's event", checkrein.Other, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.Event = "FileChanged" }, "", false},
	{"a worktree", checkrein.WorktreeCreate, "command", `{"command":"x"}`, native, "event", true},
	{"Claude's worktree", checkrein.WorktreeCreate, "command", `{"command":"x"}`, nil, "", false},
	{"a builtin", checkrein.Stop, "builtin", `{"name":"x"}`, nil, "type", true},
	{"a rule", checkrein.PreToolUse, "rule", `{"decision":"deny"}`, nil, "type", true},
	{"a broken hook", checkrein.Stop, "command", `{}`, func(h *checkrein.Hook) { h.Broken = "x" }, "hook", true},
	{"no command", checkrein.Stop, "command", `{}`, nil, "hook", true},
	{"a condition", checkrein.PreToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"cwd":{"under":"/x"}}`) }, "if", false},
	{"a condition that is a rule", checkrein.PreToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"tool": {"is": "shell"}}`) }, "", false},
	{"a condition that is a matcher", checkrein.SessionEnd, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"reason":{"is":"clear"}}`) }, "", false},
	{"and one that is none", checkrein.SessionEnd, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"reason":{"is":"a b"}}`) }, "if", false},
	{"properties", checkrein.Stop, "command", `{"command":"x"}`, func(h *checkrein.Hook) {
		h.Name, h.Args, h.Search, h.Priority, h.Chain, h.Gate, h.Rewrites, h.Strict, h.OnFault = "n", "a", "s", 5, "c", true, false, true, checkrein.FaultWarn
	}, "name args search priority chain gate rewrites strict_output on_error", false},
	{"preempt, which all do", checkrein.PreToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.Preempt = true }, "", false},
	{"http", checkrein.Stop, "http", `{"url":"https://x.example","headers":{"A":"${env.B} $ $1"},"allowed_env":["B"]}`, nil, "", false},
	{"http of ours", checkrein.Stop, "http", `{"url":"https://x.example","headers":{"A":"$B"},"allow_local":true}`, native, "headers allow_local dialect", false},
	{"http to this machine", checkrein.Stop, "http", `{"url":"http://localhost","allow_local":true}`, nil, "", false},
	{"payloads of others", checkrein.Stop, "command", `{"command":"x"}`, native, "dialect", false},
	{"payloads of nobody named", checkrein.Stop, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.Dialect = "" }, "dialect", false},
	{"a judge of others", checkrein.Stop, "model", `{"prompt":"{{ . | toJSON }}"}`, native, "", false},
	{"a gate of others", checkrein.PreToolUse, "command", `{"command":"x"}`, native, "on_error dialect", false},
	{"a gate that blocks", checkrein.PreToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.OnFault = checkrein.FaultBlock }, "on_error", false},
	{"no gate of others", checkrein.PreToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.Dialect, h.Async = "native", true }, "dialect", false},
	{"after every tool", checkrein.PostToolUse, "command", `{"command":"x"}`, nil, "event if", false},
	{"after every shell", checkrein.PostToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"tool":{"is":"shell"}}`) }, "event if", false},
	{"after what nobody can say", checkrein.PostToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"cwd":{"under":"/x"}}`) }, "event if", false},
	{"after a tool that succeeded", checkrein.PostToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"tool_error": {"is": false}}`) }, "", false},
	{"after a shell that succeeded", checkrein.PostToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) {
		h.If = checkrein.Condition(`{"tool_error":{"is":false},"tool":{"is":"shell"}}`)
	}, "", false},
	{"the same by all", checkrein.PostToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) {
		h.If = checkrein.Condition(`{"all":[{"tool_error":{"is":false}},{"tool":{"is":"shell"}}]}`)
	}, "", false},
	{"success and more", checkrein.PostToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) {
		h.If = checkrein.Condition(`{"all":[{"tool_error":{"is":false}},{"cwd":{"under":"/x"}}]}`)
	}, "if", false},
	{"after a failure", checkrein.PostToolUse, "command", `{"command":"x"}`, func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"tool_error":{"is":true}}`) }, "event if", false},
	{"http on a start", checkrein.SessionStart, "http", `{"url":"https://x.example"}`, nil, "type", true},
	{"http beside", checkrein.Stop, "http", `{"url":"https://x.example"}`, func(h *checkrein.Hook) { h.Async = true }, "async", false},
	{"a judge", checkrein.PreToolUse, "model", `{"model":"anthropic/x","prompt":"{{ toJSON . }} {{\"{{\"}}","schema":"pre_tool_use_decision"}`, nil, "", false},
	{"another judge", checkrein.PreToolUse, "model", `{"model":"openai/x","prompt":"x","system_prompt":"y"}`, nil, "system_prompt prompt model schema", false},
	{"a template", checkrein.PreToolUse, "model", `{"model":"anthropic/x","prompt":"{{ .tool_name }}"}`, nil, "type", true},
	{"a dollar", checkrein.PreToolUse, "model", `{"model":"anthropic/x","prompt":"$ARGUMENTS"}`, nil, "type", true},
	{"a place", checkrein.Stop, "command", `{"command":"x","env":{"A":"b"},"working_dir":"y"}`, nil, "env working_dir", false},
}

// TestLosses checks that exactly the properties that Claude cannot express are reported.
func TestLosses(t *testing.T) {
	t.Parallel()
	for _, tt := range lossTests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := plainHook(tt.kind, tt.run, tt.with)
			if tt.change != nil {
				tt.change(&h)
			}
			docs, losses := Dialect.Write([]checkrein.Hook{h})
			if got := whats(losses); got != tt.want {
				t.Errorf("loses %q, want %q", got, tt.want)
			}
			for _, l := range losses {
				if l.Hook != h.Label() || l.Why == "" {
					t.Errorf("got %+v", l)
				}
			}
			if gone := !strings.Contains(string(docs[0].Data), "type"); gone != tt.gone {
				t.Errorf("gone: %v\n%s", gone, docs[0].Data)
			}
			if f, err := readFile(string(docs[0].Data)); err != nil || len(f.Hooks) != 1 != tt.gone {
				t.Errorf("read back: %d hooks, %v", len(f.Hooks), err)
			}
		})
	}
}
