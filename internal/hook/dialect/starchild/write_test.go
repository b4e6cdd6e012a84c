package starchild

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// A fataler is a testing.T or a rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkRoundTrip checks that starchild's own hooks are written without a loss and read back unchanged.
func checkRoundTrip(t fataler, hooks []checkrein.Hook) {
	t.Helper()
	docs, losses := Dialect.Write(hooks)
	if len(docs) != 1 || docs[0].Name != "shell_hooks.yaml" || len(losses) > 0 {
		t.Fatalf("got %d documents, losses %+v", len(docs), losses)
	}
	src := hookfile.Source{File: "x.yaml", Data: docs[0].Data}
	if len(hooks) > 0 && !Dialect.Detect(src) {
		t.Fatalf("not recognised:\n%s", src.Data)
	}
	f, err := Dialect.Parse(src)
	if err != nil || len(f.Warnings) > 0 {
		t.Fatalf("got %v, %v of\n%s", err, f.Warnings, src.Data)
	}
	if diff := cmp.Diff(hooks, f.Hooks, cmpopts.IgnoreFields(checkrein.Hook{}, "From"), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("hooks (-want +got):\n%s\n%s", diff, src.Data)
	}
}

// genHooks generates the hooks of a file.
func genHooks() *rapid.Generator[[]checkrein.Hook] {
	return rapid.Custom(func(t *rapid.T) []checkrein.Hook {
		var count [checkrein.NumKinds]int
		hooks := rapid.SliceOfN(rapid.Custom(genHook), 0, 6).Draw(t, "hooks")
		for i := range hooks {
			h := &hooks[i]
			count[h.On]++
			if h.ID = h.Name; h.ID == "" {
				h.ID = fmt.Sprintf("%s#%d", ownEventName(h.On), count[h.On])
			}
		}
		return hooks
	})
}

func genHook(t *rapid.T) checkrein.Hook {
	var kinds []checkrein.Kind
	for _, row := range checkrein.Contracts() {
		if ownEventName(row.Kind) != "" {
			kinds = append(kinds, row.Kind)
		}
	}
	faults := []checkrein.FaultPolicy{checkrein.FaultWarn, checkrein.FaultIgnore}
	h := checkrein.Hook{On: rapid.SampledFrom(kinds).Draw(t, "on"), Priority: hookfile.DefaultPriority, Rewrites: true, Dialect: "starchild"}
	if checkrein.ContractOf(h.On).Can(checkrein.CanDeny) {
		faults = append(faults, checkrein.FaultBlock)
	}
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "true", "on", "null", "5", "a b", " a", "a ", "#x", "a: b", "a #b", "'", `"`, `\`, "a\nb", "\ttab", "- x", "é\u2028\ufeff", "\x00", "\u0085", "~", "{{x}}", "[", "*a", "&a", "!x", "%", "@x", "`"}))
	h.OnFault = rapid.SampledFrom(faults).Draw(t, "faults")
	h.Timeout = rapid.OneOf(rapid.Just(defaultTimeout), rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.Int64Range(1, int64(maxTimeout)).Draw(t, "ns"))
	}), rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.IntRange(1, 120).Draw(t, "s")) * time.Second
	})).Draw(t, "timeout")
	h.Name = texts.Draw(t, "name")
	h.Search = rapid.OneOf(rapid.SampledFrom([]string{"", "rm -rf|dd if=|mkfs", `\brm\s+-rf`, `"tool_name": ?"bash"`, "已发布|已上线"}),
		rapid.Map(texts, regexp.QuoteMeta)).Draw(t, "search")
	if rapid.Bool().Draw(t, "http") {
		h.Run, h.With = "http", json.RawMessage(`{"url":"https://guard.example.com/hook?a=b#c"}`)
		if rapid.Bool().Draw(t, "local") {
			h.With = json.RawMessage(`{"url":"http://127.0.0.1:8080/hook","allow_local":true}`)
		}
		return h
	}
	argv := append([]string{rapid.SampledFrom([]string{"/x", "/data/my hooks/guard.py", "guard", "jq", "/bin/sh"}).Draw(t, "program")},
		rapid.SliceOfN(texts, 0, 4).Draw(t, "args")...)
	if argv[0] == "/bin/sh" {
		argv = append([]string{argv[0], "-c"}, argv[1:]...)
	}
	if missingFileReason(argv) != "" {
		argv = argv[:1]
	}
	h.Run, h.With = "command", argvSettings(argv)
	return h
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, genHooks().Draw(t, "hooks")) })
}

// TestWriteIsStable checks that writing, reading and writing again yields the same file.
func TestWriteIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first, _ := Dialect.Write(genHooks().Draw(t, "hooks"))
		f, err := Dialect.Parse(hookfile.Source{Data: first[0].Data})
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Dialect.Write(f.Hooks); string(again[0].Data) != string(first[0].Data) {
			t.Fatalf("got\n%s\nthen\n%s", first[0].Data, again[0].Data)
		}
	})
}

// TestPythonReadsTheSame checks that Python's YAML parser, which starchild uses, reads the same
// strings.
func TestPythonReadsTheSame(t *testing.T) {
	t.Parallel()
	texts := rapid.SliceOfN(rapid.String(), 500, 500).Example(1)
	texts = append(texts, "true", "on", "No", "null", "y", "a: b", "a #b", " a", "a ", "'", `"`, `\`, "a\nb", "\t", "1e3", "/a/b c", "https://a/b", "0x1", "=", "é\u2028\ufeff")
	var doc strings.Builder
	for _, s := range texts {
		doc.WriteString("- " + formatScalar(s) + "\n")
	}
	const script = `
import json, sys
try:
    import yaml
except ImportError:
    print("null"); sys.exit()
print(json.dumps(yaml.safe_load(json.load(sys.stdin))))
`
	var got []any
	runPython(t, script, doc.String(), &got)
	if got == nil {
		t.Skip("python3 has no yaml")
	}
	for i, want := range texts {
		if got[i] != want {
			t.Errorf("%s: got %q, want %q", formatScalar(want), got[i], want)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	hooks := []checkrein.Hook{
		{ID: "a", Name: "no rm: ever", On: checkrein.PreToolUse, Search: `rm\s+-rf`, Run: "command", With: json.RawMessage(`{"argv":["/data/hooks/guard.py","it's","a b"]}`),
			Timeout: 10 * time.Second, Priority: 100, Rewrites: true, OnFault: checkrein.FaultBlock, Dialect: "starchild"},
		{ID: "b", On: checkrein.Stop, Run: "http", With: json.RawMessage(`{"url":"https://guard.example.com/hook"}`),
			Timeout: 20 * time.Second, Priority: 100, Rewrites: true, OnFault: checkrein.FaultWarn, Dialect: "starchild"},
	}
	docs, losses := Dialect.Write(hooks)
	want := header + `hooks:
  - event: pre_tool_call
    name: 'no rm: ever'
    matcher: 'rm\s+-rf'
    command: '/data/hooks/guard.py ''it''"''"''s'' ''a b'''
    timeout: 10
    on_error: block
  - event: on_stop
    type: http
    url: https://guard.example.com/hook
`
	if got := string(docs[0].Data); got != want || len(losses) > 0 {
		t.Errorf("got\n%s\nwant\n%s\nlosses %+v", got, want, losses)
	}
	if docs, _ := Dialect.Write(nil); string(docs[0].Data) != header+"hooks: []\n" {
		t.Errorf("of nothing: %s", docs[0].Data)
	}
}

// TestWriteSortsByPriority checks that the order in the file replaces the lost priorities.
func TestWriteSortsByPriority(t *testing.T) {
	t.Parallel()
	var hooks []checkrein.Hook
	for i, p := range []int{100, 5, 900, 100, 900} {
		hooks = append(hooks, plainHook(checkrein.PreToolUse, "", 1, func(h *checkrein.Hook) { h.Name, h.Priority = fmt.Sprintf("h%d", i), p }))
	}
	docs, _ := Dialect.Write(hooks)
	f, err := Dialect.Parse(hookfile.Source{File: file, Data: docs[0].Data})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range f.Hooks {
		got = append(got, h.Name)
	}
	if want := "h2 h4 h0 h3 h1"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if hooks[0].Name != "h0" {
		t.Error("the hooks themselves were sorted")
	}
}

// formatLoss returns a loss as one line.
func formatLoss(l hookfile.Loss) string {
	s := l.What + ": " + l.Why
	if l.Instead != "" {
		s += " → " + l.Instead
	}
	return s
}

// TestLosses checks, for each property that starchild cannot express, the loss and what is written
// instead.
func TestLosses(t *testing.T) {
	t.Parallel()
	const no = "" // nothing is written
	for _, tt := range []struct {
		name   string
		change func(*checkrein.Hook)
		loss   string
		want   string // the entry as it is read back, "" when there is none
	}{
		{"nothing", func(*checkrein.Hook) {}, "", `pre_tool_use {"argv":["/x"]} 20s warn`},
		{"another event", func(h *checkrein.Hook) { h.On = checkrein.TurnStart }, "event: starchild has no event like turn_start → pre_llm_call", no},
		{"a host's event", func(h *checkrein.Hook) { h.On, h.Event = checkrein.Other, "FileChanged" }, "event: starchild has no event like native:FileChanged", no},
		{"failures", func(h *checkrein.Hook) { h.On = checkrein.PostToolUseFailure }, "event: starchild has no event like post_tool_use_failure → post_tool_call, which also fires for failed tools", no},
		{"broken", func(h *checkrein.Hook) { h.Broken = "why" }, "hook: the hook is not valid: why", no},
		{"builtin", func(h *checkrein.Hook) { h.Run, h.With = "builtin", json.RawMessage(`{"name":"add_date"}`) }, "type: starchild has no hooks of type builtin, only command and http", no},
		{"rule", func(h *checkrein.Hook) { h.Run = "rule" }, "type: starchild has no hooks of type rule, only command and http → a script that runs the same test", no},
		{"model", func(h *checkrein.Hook) { h.Run = "model" }, "type: starchild has no hooks of type model, only command and http → a script that calls the model", no},
		{"a relative program", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"argv":["./x"]}`) },
			`command: the path "./x" is relative, so starchild looks for it in its server's directory: the file is not there, so the guard silently protects nothing → an absolute path`, no},
		{"no program", func(h *checkrein.Hook) { h.With = json.RawMessage(`{}`) }, "command: the hook has no command", no},
		{"shell text", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"command":"echo \"it's $x\" | jq '.a'\nexit 2"}`) }, "",
			`pre_tool_use {"argv":["/bin/sh","-c","echo \"it's $x\" | jq '.a'\nexit 2"]} 20s warn`},
		{"shell text that begins with a relative path", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"command":"./x a"}`) },
			`command: the path "./x" is relative, so starchild looks for it in its server's directory: the file is not there, so the guard silently protects nothing → an absolute path`, no},
		{"shell text that gives an interpreter a relative path", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"command":"python3 x.py; ./y"}`) },
			`command: the path "x.py" is relative, so starchild looks for it in its server's directory: the file is not there, so the guard silently protects nothing → an absolute path`,
			`pre_tool_use {"argv":["/bin/sh","-c","python3 x.py; ./y"]} 20s warn`},
		{"shell text that a shell fills in", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"command":"cd $HOME/x && ./y ~/z"}`) }, "",
			`pre_tool_use {"argv":["/bin/sh","-c","cd $HOME/x && ./y ~/z"]} 20s warn`},
		{"environment", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"argv":["/x"],"env":{"A":"b"}}`) },
			"env: hooks get the environment of the starchild server → /usr/bin/env NAME=value before the program", `pre_tool_use {"argv":["/x"]} 20s warn`},
		{"directory", func(h *checkrein.Hook) { h.With = json.RawMessage(`{"argv":["/x"],"working_dir":"sub"}`) },
			"working_dir: hooks run in the starchild server's directory → cd in the script", `pre_tool_use {"argv":["/x"]} 20s warn`},
		{"headers", func(h *checkrein.Hook) {
			h.Run, h.With = "http", json.RawMessage(`{"url":"https://a/b","headers":{"A":"b"},"allow_local":true}`)
			h.Dialect = "native"
		}, "dialect: the hook was written for payloads and answers in the native format → a script that reads event, tool_name and tool_input and prints a decision\n" +
			"headers: starchild has no such setting\nallow_local: starchild does not call local addresses; only checkrein reads this key → STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1 for all hooks",
			`pre_tool_use {"url":"https://a/b","allow_local":true} 20s warn`},
		{"a local address of its own", func(h *checkrein.Hook) {
			h.Run, h.With = "http", json.RawMessage(`{"url":"http://localhost/b","allow_local":true}`)
		}, "",
			`pre_tool_use {"url":"http://localhost/b","allow_local":true} 20s warn`},
		{"the usual limit of others", func(h *checkrein.Hook) { h.Timeout = 0 }, "", `pre_tool_use {"argv":["/x"]} 1m0s warn`},
		{"a long timeout", func(h *checkrein.Hook) { h.Timeout = 10 * time.Minute }, "timeout: starchild waits at most 120 seconds, not 10m0s → 120", `pre_tool_use {"argv":["/x"]} 2m0s warn`},
		{"faults by the row of a gate", func(h *checkrein.Hook) { h.OnFault = checkrein.FaultByRow }, "", `pre_tool_use {"argv":["/x"]} 20s block`},
		{"faults by another row", func(h *checkrein.Hook) { h.On, h.OnFault = checkrein.Stop, checkrein.FaultByRow }, "", `stop {"argv":["/x"]} 20s warn`},
		{"faults that block where nothing can", func(h *checkrein.Hook) { h.On, h.OnFault = checkrein.AfterLLMCall, checkrein.FaultBlock },
			"on_error: nothing can block post_llm_call → warn", `after_llm_call {"argv":["/x"]} 20s warn`},
		{"another dialect", func(h *checkrein.Hook) { h.Dialect = "" },
			"dialect: the hook was written for payloads and answers in the native format → a script that reads event, tool_name and tool_input and prints a decision", `pre_tool_use {"argv":["/x"]} 20s warn`},
		{"a condition", func(h *checkrein.Hook) { h.If = checkrein.Condition(`{"tool":{"is":"shell"}}`) },
			"if: starchild has no conditions, so the hook runs every time → the same test in the script", `pre_tool_use {"argv":["/x"]} 20s warn`},
		{"flags", func(h *checkrein.Hook) {
			h.Priority, h.Chain, h.Async, h.Gate, h.Rewrites, h.Preempt, h.Strict = 5, "c", true, true, false, true, true
		}, "priority: starchild has no priorities → the order of the hooks in the file\nchain: after a denial the other hooks still run\nasync: starchild waits for every hook, so this one can decide\n" +
			"gate: a rewritten call is not checked again\nrewrites: every hook may rewrite the call, so this one waits its turn\npreempt_yolo: starchild has no auto-approval\n" +
			"strict_output: starchild ignores the parts of an answer it does not understand", `pre_tool_use {"argv":["/x"]} 20s warn`},
		{"every tool", func(h *checkrein.Hook) { h.Match = "*" }, "", `pre_tool_use {"argv":["/x"]} 20s warn`},
		{"a tool", func(h *checkrein.Hook) { h.Match = "shell" },
			`matcher: starchild matches on the whole payload, not on tool names → matcher: '"tool_name": ?"(?:bash)"'`, `pre_tool_use {"argv":["/x"]} 20s warn "tool_name": ?"(?:bash)"`},
		{"a tool beside a search", func(h *checkrein.Hook) { h.Match, h.Search = "shell", "rm" },
			`matcher: starchild matches on the whole payload, not on tool names`, `pre_tool_use {"argv":["/x"]} 20s warn rm`},
		{"a search that cannot be read", func(h *checkrein.Hook) { h.Search = "a(" }, `search: the expression is not valid: pattern "a(": "(" is never closed: add ")", or write "\(" for a literal bracket`, `pre_tool_use {"argv":["/x"]} 20s warn`},
		{"a pattern", func(h *checkrein.Hook) { h.Args = "rm -rf" },
			`pattern: starchild matches on the whole payload, not only on the arguments → matcher: rm -rf`, `pre_tool_use {"argv":["/x"]} 20s warn rm -rf`},
		{"a pattern that JSON hides", func(h *checkrein.Hook) { h.Args = "^rm" }, `pattern: starchild matches on the whole payload, not only on the arguments`, `pre_tool_use {"argv":["/x"]} 20s warn`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := plainHook(checkrein.PreToolUse, "guard", 1, func(h *checkrein.Hook) { h.Name = "guard" })
			tt.change(&h)
			docs, losses := Dialect.Write([]checkrein.Hook{h})
			var said []string
			for _, l := range losses {
				if l.Hook != "guard" {
					t.Errorf("of %q", l.Hook)
				}
				said = append(said, formatLoss(l))
			}
			if got := strings.Join(said, "\n"); got != tt.loss {
				t.Errorf("got  %s\nwant %s", got, tt.loss)
			}
			f, err := Dialect.Parse(hookfile.Source{File: file, Data: docs[0].Data})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, h := range f.Hooks {
				got = strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", h.On, h.With, h.Timeout, h.OnFault, h.Search))
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
