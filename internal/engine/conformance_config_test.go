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

// TestConformanceConfig checks items 1 to 13: configuration.
func TestConformanceConfig(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"1 timeout":                             checkTimeouts,
		"2 empty configuration":                 checkEmptyHooks,
		"3 every event, mapping or list":        checkEvents,
		"4 builtin and args":                    checkBuiltinHooks,
		"5 required keys":                       checkRequiredKeys,
		"6 matcher table":                       checkMatchers,
		"7 refused configuration":               checkRejectedFiles,
		"8 command-line flags":                  checkFlagHooks,
		"9 sources add up":                      checkMerging,
		"10 drop-ins":                           checkDropIns,
		"11 agent flags":                        checkAgentFlags,
		"12 snapshot setting":                   checkSnapshotHooks,
		"13 grammar and table list one another": checkEventTable,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func checkTimeouts(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 60 * time.Second, "timeout: 0": 60 * time.Second, "timeout: 5": 5 * time.Second, "timeout: 600": 10 * time.Minute} {
		more := []string{value}
		if value == "" {
			more = nil
		}
		if h := wantValid(t, hooksOn(checkrein.Stop, scriptHook("x", more...))); h[0].Limit() != want {
			t.Errorf("%q: got %v, want %v", value, h[0].Limit(), want)
		}
	}
	wantBroken(t, hooksOn(checkrein.Stop, scriptHook("x", "timeout: -1")), "timeout -1 is negative")
}

func checkEmptyHooks(t *testing.T) {
	for _, text := range []string{"version: 1\n", "version: 1\nhooks:\n", "version: 1\nhooks: {}\n", "version: 1\nhooks: {stop: [], pre_tool_use: ~}\n"} {
		if k := openKit(t, withFile(t, "checkrein.yaml", text)); len(k.Hooks()) != 0 || k.Check() != nil {
			t.Errorf("%q: got %d hooks, %v", text, len(k.Hooks()), k.Check())
		}
	}
	for _, kind := range dockerAgentEvents {
		if got := len(wantValid(t, hooksOn(kind, scriptHook("x")))); got != 1 {
			t.Errorf("%s: got %d hooks", kind, got)
		}
	}
}

func checkEvents(t *testing.T) {
	for _, kind := range dockerAgentEvents {
		entry := scriptHook("x", "name: n")
		one, list := kind.String()+": "+entry, kind.String()+": ["+entry+"]"
		if checkrein.ContractOf(kind).Subject == checkrein.SubjectTool {
			one, list = kind.String()+": {matcher: shell, hooks: "+entry+"}", kind.String()+": [{matcher: shell, hooks: ["+entry+"]}]"
		}
		a, b := wantValid(t, one), wantValid(t, list)
		if diff := cmp.Diff(a, b); diff != "" || len(a) != 1 || a[0].On != kind {
			t.Errorf("%s: mapping and list (-one +list):\n%s", kind, diff)
		}
	}
}

func checkBuiltinHooks(t *testing.T) {
	h := wantValid(t, hooksOn(checkrein.TurnStart, `{type: builtin, command: add_git_diff, args: [full, "a b", ""]}`))
	if got, want := string(h[0].With), `{"name":"add_git_diff","args":["full","a b",""]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	wantBroken(t, hooksOn(checkrein.TurnStart, `{type: bultin, command: x}`), `unknown hook type "bultin", did you mean "builtin"?`)
	wantBroken(t, hooksOn(checkrein.TurnStart, `{command: x}`), "no type")
}

func checkRequiredKeys(t *testing.T) {
	for entry, mistake := range map[string]string{
		`{type: command}`:               "needs command",
		`{type: command, command: ""}`:  "needs command",
		`{type: builtin}`:               "needs command",
		`{type: builtin, command: " "}`: "needs command",
		`{type: model, prompt: p}`:      "needs model",
		`{type: model, model: a/b}`:     "needs prompt",
	} {
		wantBroken(t, hooksOn(checkrein.PreToolUse, entry), mistake)
	}
	wantValid(t, hooksOn(checkrein.PreToolUse, `{type: model, model: a/b, prompt: p, schema: pre_tool_use_decision}`))
}

func checkMatchers(t *testing.T) {
	for _, tt := range []struct {
		matcher   string
		yes, fail string // tools that match and tools that do not
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
		k := agentKit(t, fmt.Sprintf("pre_tool_use: [{matcher: %s, hooks: [%s]}]", tt.matcher, scriptHook("true")))
		for want, tools := range map[bool]string{true: tt.yes, false: tt.fail} {
			for _, tool := range strings.Fields(tools) {
				ev := shellEvent("ls")
				ev.Tool = &checkrein.Tool{Name: tool}
				if got := len(k.Plan(ev)) == 1; got != want {
					t.Errorf("%s on %s: matches %v, want %v", tt.matcher, tool, got, want)
				}
			}
		}
	}
}

func checkRejectedFiles(t *testing.T) {
	tool := func(rest string) string { return "pre_tool_use: [{" + rest + ", hooks: [" + scriptHook("x") + "]}]" }
	for hooks, mistake := range map[string]string{
		tool(`matcher: "shell("`): `"(" is never closed`,
		tool(`matcher: "(?!x)"`):  "look-around",
		hooksOn(checkrein.PreToolUse, scriptHook("x", "on_error: blok")):             `on_error: "blok" is unknown, did you mean "block"?`,
		hooksOn(checkrein.SessionStart, scriptHook("x", "on_error: block")):          "on_error: block has no effect here: no hook can block session_start",
		hooksOn(checkrein.ToolResponseTransform, scriptHook("x", "on_error: block")): "no hook can block",
		"post_tool_use: [{preempt_yolo: true, hooks: [" + scriptHook("x") + "]}]":    "preempt_yolo has no effect on post_tool_use",
		"post_tool_use: [{preempt_yolo: false, hooks: [" + scriptHook("x") + "]}]":   "preempt_yolo has no effect on post_tool_use",
	} {
		wantBroken(t, hooks, mistake)
	}
	for _, hooks := range []string{
		hooksOn(checkrein.BeforeLLMCall, scriptHook("x", "on_error: block", "strict_output: true")),
		"pre_tool_use: [{preempt_yolo: false, hooks: [" + scriptHook("x") + "]}]",
		hooksOn(checkrein.PostToolUse, scriptHook("x", "on_error: block")),
	} {
		wantValid(t, hooks)
	}
	out := decideKind(t, agentKit(t, tool(`matcher: "edit_file("`)), checkrein.PreToolUse)
	wantDecision(t, out, checkrein.Deny) // the broken gate is closed for every tool
}

func checkFlagHooks(t *testing.T) {
	if k := agentKit(t, "stop: []"); len(k.Plan(newEvent(checkrein.Stop))) != 0 {
		t.Error("no flag makes a hook")
	}
	for _, kind := range []checkrein.Kind{checkrein.PreToolUse, checkrein.PostToolUse, checkrein.SessionStart, checkrein.SessionEnd, checkrein.OnUserInput, checkrein.Stop} {
		var flags []checkrein.Hook
		for i, cmd := range []string{"", "true", "  ", "exit 0"} {
			if h, ok := config.FlagHook(kind, cmd, i); ok {
				flags = append(flags, h)
			}
		}
		k := agentKit(t, hooksOn(kind, scriptHook("true", "name: own")), func(o *app.Options) { o.Hooks = flags })
		var got []string
		for _, s := range k.Plan(newEvent(kind)) {
			if s.Hook.Name != "limit_large_tool_results" {
				got = append(got, s.Hook.Label()+" "+s.Hook.Match)
			}
		}
		if want := []string{"own ", "flag#1 ", "flag#3 "}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}

func checkMerging(t *testing.T) {
	flag, _ := config.FlagHook(checkrein.Stop, "true", 1)
	given := []checkrein.Hook{flag}
	before := slices.Clone(given)
	files := []func(*app.Options){withFile(t, "a.yaml", agentFile(hooksOn(checkrein.Stop, scriptHook("true", "name: a")))),
		withFile(t, "b.yaml", "version: 1\nhooks: {stop: {command: 'true', name: b}}\n"), func(o *app.Options) { o.Hooks = given }}
	for _, tt := range []struct {
		name string
		from []func(*app.Options)
		want string
	}{
		{"nothing", nil, ""}, {"one side", files[:1], "a"}, {"the other", files[1:2], "b"}, {"both", files[:2], "a b"}, {"and flags", files, "a b flag#1"}, {"flags alone", files[2:], "flag#1"},
	} {
		var got []string
		for _, s := range openKit(t, tt.from...).Plan(newEvent(checkrein.Stop)) {
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

func checkDropIns(t *testing.T) {
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
		for _, s := range k.Plan(newEvent(checkrein.Stop)) {
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
	// checkrein differs here: an unreadable file closes gates and affects nothing else.
	sound["15.yaml"], sound["16.yaml"] = "version: 1\nhooks: {", "version: 1\nhooks: {on_thing: []}\n"
	k := openKit(t, home(sound))
	if got := labels(k); got != "configuration configuration a b" {
		t.Errorf("got %q", got)
	}
	wantDecision(t, decideKind(t, k, checkrein.PreToolUse), checkrein.Deny)
	out := decideKind(t, k, checkrein.Stop)
	wantDecision(t, out, checkrein.NoOpinion)
	wantText(t, fmt.Sprint(out.Verdict.Notice), "15.yaml:2")
	wantText(t, fmt.Sprint(out.Verdict.Notice), `unknown event "on_thing"`)
}

func checkAgentFlags(t *testing.T) {
	text := agentFile(hooksOn(checkrein.ToolResponseTransform, scriptHook("true", "name: own"))+"\n"+hooksOn(checkrein.TurnStart, scriptHook("true", "name: own"))) +
		"    add_date: true\n    add_environment_info: true\n    add_prompt_files: [A.md]\n    redact_secrets: true\n    toolsets: [{type: shell, safer: true}]\n"
	phases := checkrein.HandlerType{Name: "builtin", New: func(checkrein.Hook) (checkrein.Handler, error) {
		return checkrein.HandlerFunc(answerWith(checkrein.Verdict{})), nil
	},
		Traits: func(h *checkrein.Hook) checkrein.Traits {
			return checkrein.Traits{Rewrites: true, Redacts: h.Name == "redact_secrets", Limits: h.Name == "limit_large_tool_results"}
		}}
	k := openKit(t, withFile(t, "agent.yaml", text), func(o *app.Options) { o.Handlers = []checkrein.HandlerType{phases} })
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
		for _, s := range k.Plan(newEvent(kind)) {
			got = append(got, s.Hook.Label())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}

func checkSnapshotHooks(t *testing.T) {
	wired := func(text string) string {
		var got []string
		for _, h := range openKit(t, withFile(t, "checkrein.yaml", text)).Hooks() {
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

func checkEventTable(t *testing.T) {
	for _, row := range checkrein.Contracts()[1:] {
		h := wantValid(t, hooksOn(row.Kind, scriptHook("x")))
		if len(h) != 1 || h[0].On != row.Kind {
			t.Errorf("%s: got %+v", row.Name, h)
		}
		if name, _ := json.Marshal(row.Kind); string(name) != `"`+row.Name+`"` {
			t.Errorf("%s is written as %s", row.Name, name)
		}
	}
	if _, err := parseHooks(t, "other: {type: command, command: x}"); err == nil {
		t.Error("an event that stands for all without a row can be named")
	}
}
