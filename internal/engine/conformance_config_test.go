package engine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/google/go-cmp/cmp"
)

// Items 1 to 13: configuration.
func TestConformanceConfig(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"1 timeout":                             conformTimeout,
		"2 empty configuration":                 conformEmpty,
		"3 every event, mapping or list":        conformEvents,
		"4 builtin and args":                    conformBuiltin,
		"5 required keys":                       conformRequired,
		"6 matcher table":                       conformMatcher,
		"7 refused configuration":               conformRefused,
		"8 command-line flags":                  conformFlags,
		"9 sources add up":                      conformMerging,
		"10 drop-ins":                           conformDropIns,
		"11 agent flags":                        conformAgentFlags,
		"12 snapshot setting":                   conformSnapshot,
		"13 grammar and table list one another": conformTable,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func conformTimeout(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 60 * time.Second, "timeout: 0": 60 * time.Second, "timeout: 5": 5 * time.Second, "timeout: 600": 10 * time.Minute} {
		more := []string{value}
		if value == "" {
			more = nil
		}
		if h := wantSound(t, onEvent(checkrein.Stop, sh("x", more...))); h[0].Limit() != want {
			t.Errorf("%q: got %v, want %v", value, h[0].Limit(), want)
		}
	}
	wantBroken(t, onEvent(checkrein.Stop, sh("x", "timeout: -1")), "timeout -1 is negative")
}

func conformEmpty(t *testing.T) {
	for _, text := range []string{"version: 1\n", "version: 1\nhooks:\n", "version: 1\nhooks: {}\n", "version: 1\nhooks: {stop: [], pre_tool_use: ~}\n"} {
		if k := openKit(t, file(t, "checkrein.yaml", text)); len(k.Hooks()) != 0 || k.Check() != nil {
			t.Errorf("%q: got %d hooks, %v", text, len(k.Hooks()), k.Check())
		}
	}
	for _, kind := range theirEvents {
		if got := len(wantSound(t, onEvent(kind, sh("x")))); got != 1 {
			t.Errorf("%s: got %d hooks", kind, got)
		}
	}
}

func conformEvents(t *testing.T) {
	for _, kind := range theirEvents {
		entry := sh("x", "name: n")
		one, list := kind.String()+": "+entry, kind.String()+": ["+entry+"]"
		if checkrein.ContractOf(kind).Subject == checkrein.SubjectTool {
			one, list = kind.String()+": {matcher: shell, hooks: "+entry+"}", kind.String()+": [{matcher: shell, hooks: ["+entry+"]}]"
		}
		a, b := wantSound(t, one), wantSound(t, list)
		if diff := cmp.Diff(a, b); diff != "" || len(a) != 1 || a[0].On != kind {
			t.Errorf("%s: mapping and list (-one +list):\n%s", kind, diff)
		}
	}
}

func conformBuiltin(t *testing.T) {
	h := wantSound(t, onEvent(checkrein.TurnStart, `{type: builtin, command: add_git_diff, args: [full, "a b", ""]}`))
	if got, want := string(h[0].With), `{"name":"add_git_diff","args":["full","a b",""]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	wantBroken(t, onEvent(checkrein.TurnStart, `{type: bultin, command: x}`), `unknown hook type "bultin", did you mean "builtin"?`)
	wantBroken(t, onEvent(checkrein.TurnStart, `{command: x}`), "no type")
}

func conformRequired(t *testing.T) {
	for entry, mistake := range map[string]string{
		`{type: command}`:               "needs command",
		`{type: command, command: ""}`:  "needs command",
		`{type: builtin}`:               "needs command",
		`{type: builtin, command: " "}`: "needs command",
		`{type: model, prompt: p}`:      "needs model",
		`{type: model, model: a/b}`:     "needs prompt",
	} {
		wantBroken(t, onEvent(checkrein.PreToolUse, entry), mistake)
	}
	wantSound(t, onEvent(checkrein.PreToolUse, `{type: model, model: a/b, prompt: p, schema: pre_tool_use_decision}`))
}

func conformMatcher(t *testing.T) {
	for _, tt := range []struct {
		matcher   string
		yes, fail string // tools that match, and that do not
	}{
		{`"*"`, "shell edit_file mcp__x__y frobnicate", ""},
		{`""`, "shell edit_file frobnicate", ""},
		{`~`, "shell frobnicate", ""},
		{`shell`, "shell", "shell_script myshell Shel edit_file"},
		{`"shell|edit_file"`, "shell edit_file", "edit_files write_file"},
		{`"mcp__.*"`, "mcp__x__y", "mcp_ shell xmcp__a__b"},
		{`"mcp:.*"`, "mcp__x__y mcp:x/y", "shell"},
		{`"read_.*"`, "read_file read_many_files", "xread_file"},
		{`"ell"`, "", "shell"},
		{`"SHELL"`, "", "shell"},
	} {
		k := agentKit(t, fmt.Sprintf("pre_tool_use: [{matcher: %s, hooks: [%s]}]", tt.matcher, sh("true")))
		for want, tools := range map[bool]string{true: tt.yes, false: tt.fail} {
			for _, tool := range strings.Fields(tools) {
				ev := shell("ls")
				ev.Tool = &checkrein.Tool{Name: tool}
				if got := len(k.Plan(ev)) == 1; got != want {
					t.Errorf("%s on %s: matches %v, want %v", tt.matcher, tool, got, want)
				}
			}
		}
	}
}

func conformRefused(t *testing.T) {
	tool := func(rest string) string { return "pre_tool_use: [{" + rest + ", hooks: [" + sh("x") + "]}]" }
	for hooks, mistake := range map[string]string{
		tool(`matcher: "shell("`):                                            `"(" is never closed`,
		tool(`matcher: "(?!x)"`):                                             "look-around",
		onEvent(checkrein.PreToolUse, sh("x", "on_error: blok")):             `on_error: "blok" is unknown, did you mean "block"?`,
		onEvent(checkrein.SessionStart, sh("x", "on_error: block")):          "on_error: block has no effect here: no hook can block session_start",
		onEvent(checkrein.ToolResponseTransform, sh("x", "on_error: block")): "no hook can block",
		"post_tool_use: [{preempt_yolo: true, hooks: [" + sh("x") + "]}]":    "preempt_yolo has no effect on post_tool_use",
		"post_tool_use: [{preempt_yolo: false, hooks: [" + sh("x") + "]}]":   "preempt_yolo has no effect on post_tool_use",
	} {
		wantBroken(t, hooks, mistake)
	}
	for _, hooks := range []string{
		onEvent(checkrein.BeforeLLMCall, sh("x", "on_error: block", "strict_output: true")),
		"pre_tool_use: [{preempt_yolo: false, hooks: [" + sh("x") + "]}]",
		onEvent(checkrein.PostToolUse, sh("x", "on_error: block")),
	} {
		wantSound(t, hooks)
	}
	out := ask(t, agentKit(t, tool(`matcher: "edit_file("`)), checkrein.PreToolUse)
	wantDecision(t, out, checkrein.Deny) // the broken gate stays closed, for every tool
}

func conformFlags(t *testing.T) {
	if k := agentKit(t, "stop: []"); len(k.Plan(event(checkrein.Stop))) != 0 {
		t.Error("no flag makes a hook")
	}
	for _, kind := range []checkrein.Kind{checkrein.PreToolUse, checkrein.PostToolUse, checkrein.SessionStart, checkrein.SessionEnd, checkrein.OnUserInput, checkrein.Stop} {
		var flags []checkrein.Hook
		for i, cmd := range []string{"", "true", "  ", "exit 0"} {
			if h, ok := config.FlagHook(kind, cmd, i); ok {
				flags = append(flags, h)
			}
		}
		k := agentKit(t, onEvent(kind, sh("true", "name: own")), func(o *app.Options) { o.Hooks = flags })
		var got []string
		for _, s := range k.Plan(event(kind)) {
			if s.Hook.Name != "limit_large_tool_results" {
				got = append(got, s.Hook.Label()+" "+s.Hook.Match)
			}
		}
		if want := []string{"own ", "flag#1 ", "flag#3 "}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}

func conformMerging(t *testing.T) {
	flag, _ := config.FlagHook(checkrein.Stop, "true", 1)
	given := []checkrein.Hook{flag}
	before := slices.Clone(given)
	files := []func(*app.Options){file(t, "a.yaml", agentFile(onEvent(checkrein.Stop, sh("true", "name: a")))),
		file(t, "b.yaml", "version: 1\nhooks: {stop: {command: 'true', name: b}}\n"), func(o *app.Options) { o.Hooks = given }}
	for _, tt := range []struct {
		name string
		from []func(*app.Options)
		want string
	}{
		{"nothing", nil, ""}, {"one side", files[:1], "a"}, {"the other", files[1:2], "b"}, {"both", files[:2], "a b"}, {"and flags", files, "a b flag#1"}, {"flags alone", files[2:], "flag#1"},
	} {
		var got []string
		for _, s := range openKit(t, tt.from...).Plan(event(checkrein.Stop)) {
			got = append(got, s.Hook.Label())
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if diff := cmp.Diff(before, given); diff != "" {
		t.Errorf("the caller's hooks were changed:\n%s", diff)
	}
	relative := []string{"a.yaml"}
	openKit(t, func(o *app.Options) { o.Files = relative })
	if relative[0] != "a.yaml" {
		t.Errorf("the caller's file names were changed: %q", relative)
	}
}

func conformDropIns(t *testing.T) {
	home := func(files map[string]string) func(*app.Options) {
		return func(o *app.Options) {
			dir := filepath.Join(o.Dir, "xdg", "checkrein", "hooks.d")
			for name, text := range files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o.Environ = append(o.Environ, "XDG_CONFIG_HOME="+filepath.Join(o.Dir, "xdg"))
		}
	}
	named := func(n string) string { return "version: 1\nhooks: {stop: {command: 'true', name: " + n + "}}\n" }
	labels := func(k *app.Kit) string {
		var got []string
		for _, s := range k.Plan(event(checkrein.Stop)) {
			got = append(got, s.Hook.Label())
		}
		return strings.Join(got, " ")
	}
	sound := map[string]string{"20.yaml": named("b"), "10.yml": named("a"), "x.txt": "[", "sub/y.yaml": named("no"), "dir.yaml/z": "["}
	if got := labels(openKit(t, home(sound))); got != "a b" {
		t.Errorf("got %q", got)
	}
	if got := labels(openKit(t, home(nil))); got != "" {
		t.Errorf("no directory: got %q", got)
	}
	// Ours differs: what cannot be read closes gates, and stops nobody else.
	sound["15.yaml"], sound["16.yaml"] = "version: 1\nhooks: {", "version: 1\nhooks: {on_thing: []}\n"
	k := openKit(t, home(sound))
	if got := labels(k); got != "configuration configuration a b" {
		t.Errorf("got %q", got)
	}
	wantDecision(t, ask(t, k, checkrein.PreToolUse), checkrein.Deny)
	out := ask(t, k, checkrein.Stop)
	wantDecision(t, out, checkrein.NoOpinion)
	wantText(t, fmt.Sprint(out.Verdict.Notice), "15.yaml:2")
	wantText(t, fmt.Sprint(out.Verdict.Notice), `unknown event "on_thing"`)
}

func conformAgentFlags(t *testing.T) {
	text := agentFile(onEvent(checkrein.ToolResponseTransform, sh("true", "name: own"))+"\n"+onEvent(checkrein.TurnStart, sh("true", "name: own"))) +
		"    add_date: true\n    add_environment_info: true\n    add_prompt_files: [A.md]\n    redact_secrets: true\n    toolsets: [{type: shell, safer: true}]\n"
	phases := checkrein.HandlerType{Name: "builtin", New: func(checkrein.Hook) (checkrein.Handler, error) {
		return checkrein.HandlerFunc(says(checkrein.Verdict{})), nil
	},
		Traits: func(h *checkrein.Hook) checkrein.Traits {
			return checkrein.Traits{Rewrites: true, Redacts: h.Name == "redact_secrets", Limits: h.Name == "limit_large_tool_results"}
		}}
	k := openKit(t, file(t, "agent.yaml", text), func(o *app.Options) { o.Handlers = []checkrein.HandlerType{phases} })
	for kind, want := range map[checkrein.Kind]string{
		checkrein.TurnStart:             "own add_date add_prompt_files",
		checkrein.SessionStart:          "add_environment_info",
		checkrein.PreToolUse:            "safer_shell redact_secrets",
		checkrein.BeforeLLMCall:         "redact_secrets",
		checkrein.ToolResponseTransform: "own redact_secrets limit_large_tool_results",
		checkrein.SessionEnd:            "limit_large_tool_results",
		checkrein.Stop:                  "",
	} {
		var got []string
		for _, s := range k.Plan(event(kind)) {
			got = append(got, s.Hook.Label())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}

func conformSnapshot(t *testing.T) {
	wired := func(text string) string {
		var got []string
		for _, h := range openKit(t, file(t, "checkrein.yaml", text)).Hooks() {
			if h.Run == "builtin" && strings.Contains(string(h.With), `"snapshot"`) {
				got = append(got, h.On.String())
			}
		}
		return strings.Join(got, " ")
	}
	for text, want := range map[string]string{
		"version: 1\nsettings: {snapshot: true}\n":  "session_start turn_start turn_end session_end",
		"version: 1\nsettings: {snapshot: false}\n": "",
		"version: 1\n": "",
		"version: 1\nhooks: {post_tool_use: {type: builtin, command: snapshot}}\n":    "post_tool_use",
		"version: 1\nsettings: {}\nhooks: {stop: {type: builtin, command: snapshot}}": "stop",
	} {
		if got := wired(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func conformTable(t *testing.T) {
	for _, row := range checkrein.Contracts()[1:] {
		h := wantSound(t, onEvent(row.Kind, sh("x")))
		if len(h) != 1 || h[0].On != row.Kind {
			t.Errorf("%s: got %+v", row.Name, h)
		}
		if name, _ := json.Marshal(row.Kind); string(name) != `"`+row.Name+`"` {
			t.Errorf("%s is written as %s", row.Name, name)
		}
	}
	if _, err := parse(t, "other: {type: command, command: x}"); err == nil {
		t.Error("an event that stands for all without a row can be named")
	}
}
