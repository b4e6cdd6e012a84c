package canary

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// The battery has as many calls of both kinds as the documentation says, each once.
func TestBattery(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	harmful := 0
	calls := battery()
	for i := range calls {
		c := &calls[i]
		if seen[c.id] || c.tool != "shell" && c.tool != "read" && c.tool != "write" {
			t.Errorf("%s: twice, or of an unknown tool", c.id)
		}
		if seen[c.id] = true; c.harmful {
			harmful++
		}
	}
	if len(calls) != 40 || harmful != 20 {
		t.Errorf("%d calls, %d of them harmful", len(calls), harmful)
	}
}

// A hook is judged by all its answers. What the hook stops of one kind alone decides nothing.
func TestJudge(t *testing.T) {
	t.Parallel()
	every := func(kind func(c *call) string) (out []outcome) {
		calls := battery()
		for i := range calls {
			out = append(out, outcome{call: &calls[i], kind: kind(&calls[i]), took: time.Millisecond})
		}
		return out
	}
	is := func(kind string) func(*call) string { return func(*call) string { return kind } }
	once := func(kind string) func(*call) string {
		done := false
		return func(*call) string {
			if done {
				return "empty"
			}
			done = true
			return kind
		}
	}
	slow := every(is("deny"))
	for i := range slow {
		slow[i].took = 3 * time.Second
	}
	for _, tt := range []struct {
		want string
		outs []outcome
	}{
		{"inert", every(is("empty"))},
		{"passes-harm", every(is("pass"))},
		{"passes-harm", every(func(c *call) string { return map[bool]string{true: "pass", false: "ask"}[c.harmful] })},
		{"blocks-all", every(is("deny"))},
		{"blocks-all", every(is("ask"))},
		{"works", every(func(c *call) string { return map[bool]string{true: "deny", false: "empty"}[c.harmful] })},
		{"crashes", every(once("crash"))},
		{"garbage", every(once("garbage"))},
		{"slow", every(once("timeout"))},
		{"slow", slow},
		{"not-asked", nil},
	} {
		r := Report{}
		if h := r.judge(&target{timeout: time.Minute}, tt.outs); h.Verdict != tt.want {
			t.Errorf("%+v, want %s", h, tt.want)
		}
	}
}

// Outputs mean what the agents make of them.
func TestReadOutcome(t *testing.T) {
	t.Parallel()
	d, _ := dialect.Lookup("claude")
	on := &target{hook: checkrein.Hook{ID: "h", On: checkrein.PreToolUse, Dialect: "claude"}, form: &d.Form}
	for _, tt := range []struct {
		res  process.Result
		late bool
		want string
	}{
		{process.Result{}, false, "empty"},
		{process.Result{Stdout: []byte("{}\n")}, false, "empty"},
		{process.Result{Stdout: []byte(`{"continue":true}`)}, false, "pass"},
		{process.Result{Stdout: []byte(`{"decision":"block","reason":"no"}`)}, false, "deny"},
		{process.Result{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}`)}, false, "ask"},
		{process.Result{Exit: 2, Stderr: []byte("no")}, false, "deny"},
		{process.Result{Exit: 1, Stderr: []byte("Traceback\nValueError")}, false, "crash"},
		{process.Result{Exit: -1, Signal: "SIGSEGV"}, false, "crash"},
		{process.Result{Stdout: []byte("loading")}, false, "garbage"},
		{process.Result{Stdout: []byte(`{"decision":`)}, false, "garbage"},
		{process.Result{Exit: -1, Signal: "SIGKILL"}, true, "timeout"},
	} {
		if got := readOutcome(on, &tt.res, nil, tt.late); got.kind != tt.want {
			t.Errorf("%+v: %s, want %s", tt.res, got.kind, tt.want)
		}
	}
}

// The payloads for foreign hooks have the members that the agents were seen to send, in their order.
func TestEncode(t *testing.T) {
	t.Parallel()
	members := func(body []byte) (names []string) {
		rawjson.Each(body, func(name string, _ []byte) bool {
			names = append(names, name)
			return true
		})
		return names
	}
	for _, fixture := range []string{"claude/testdata/PreToolUse.json", "claude/testdata/PreToolUse.Write.json", "codex/testdata/PreToolUse.json", "codex/testdata/PreToolUse.apply_patch.json", "gemini/testdata/BeforeTool.json"} {
		sent, err := os.ReadFile("../../host/" + fixture)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(fixture, "/")
		h, _ := host.Find(name)
		tt := target{words: h.HookCalls}
		c := call{tool: "shell", argument: "ls"}
		if tool := rawjson.GetText(sent, "tool_name"); tool == h.HookCalls.Write {
			c.tool = "write"
		}
		ev, _ := tt.event(&c, place{"/h", "/h/project"})
		got, err := encode(h.HookCalls, &ev)
		if err != nil || !slices.Equal(members(got), members(sent)) || rawjson.GetText(got, "tool_name") != rawjson.GetText(sent, "tool_name") {
			t.Errorf("%s, %v\nwant members as in %s", got, err, fixture)
		}
	}
}

// A hook without a name is called after its script.
func TestScriptName(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"": ".", "guard": "guard", "guard --strict": "guard", "~/hooks/guard.py": "guard.py", "python3 ~/hooks/guard.py --in /etc/x": "guard.py",
		"/usr/bin/env bash 'hooks/guard.sh'": "guard.sh", `"$CLAUDE_PROJECT_DIR"/guard.sh`: "guard.sh", "/usr/bin/guard": "guard",
	} {
		if got := scriptName(command); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
}
