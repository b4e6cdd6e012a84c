package claude

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// hookApplies reports whether h applies to ev, as the engine would decide.
func hookApplies(t *testing.T, h *checkrein.Hook, ev *checkrein.Event) bool {
	t.Helper()
	tool, err := match.CompileTool(h.Match, h.MatchWords)
	if err != nil {
		t.Fatal(err)
	}
	local := ""
	if ev.Tool != nil {
		local = Dialect.ToolName(ev.Tool.Canonical)
	}
	cond, err := match.CompileCond(h.If, checkrein.ContractOf(h.On))
	if err != nil {
		t.Fatal(err)
	}
	view := match.ViewOf(ev, "/home/dev", nil)
	return tool.Match(ev.Tool, local) && cond.Holds(&view)
}

// onlyHook returns the only hook of a file.
func onlyHook(t *testing.T, text string) *checkrein.Hook {
	t.Helper()
	f, err := readFile(text)
	if err != nil || len(f.Hooks) != 1 {
		t.Fatalf("%s: %d hooks, %v", text, len(f.Hooks), err)
	}
	return &f.Hooks[0]
}

// TestMatchersAsObserved checks the patterns that were tried on Claude Code 2.1.197. Two of them are
// rejected instead; see TestParseMatchers.
func TestMatchersAsObserved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool    string
		yes, no []string
	}{
		{"Bash", []string{"Bash", "Bash|Edit", "Edit, Bash", "Edit,Bash", "Bash ", "*", "", "Ba.*", "^Bash$", ".", "B*"},
			[]string{"bash", "Bas", "ash", "Bash(touch *)", "!Edit"}},
		{"mcp__srv__tool", []string{"mcp__srv__tool", "mcp__srv__.*", "mcp__.*", "mcp__srv__*"}, []string{"mcp__srv", "mcp__"}},
	} {
		ev := call(tt.tool, `{}`)
		for _, m := range tt.yes {
			if !hookApplies(t, onlyHook(t, eventFile("PreToolUse", m, command)), &ev) {
				t.Errorf("%q does not hit %s", m, tt.tool)
			}
		}
		for _, m := range tt.no {
			if hookApplies(t, onlyHook(t, eventFile("PreToolUse", m, command)), &ev) {
				t.Errorf("%q hits %s", m, tt.tool)
			}
		}
	}
	ev := call("Bash", `{}`)
	if !hookApplies(t, onlyHook(t, `{"hooks":{"PreToolUse":[{"matcher":null,"hooks":[`+command+`]}]}}`), &ev) {
		t.Error("no matcher does not hit")
	}
}

// TestMatchersOnOtherHosts checks that a hook for Claude's tools applies to the same tools under other
// hosts' names.
func TestMatchersOnOtherHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ matcher, yes, no string }{
		{"Bash", "shell run_shell_command Shell", "read_file"},
		{"Edit|Write", "write_file replace apply_patch create", "bash"},
		{"^mcp__lab__", "mcp_lab_say mcp:lab/say", "mcp_other_say"},
		{"WebSearch", "google_web_search", "fetch"},
	} {
		h := onlyHook(t, eventFile("PreToolUse", tt.matcher, command))
		for name := range strings.FieldsSeq(tt.yes) {
			if ev := call(name, `{}`); !hookApplies(t, h, &ev) {
				t.Errorf("%q does not hit %s", tt.matcher, name)
			}
		}
		for name := range strings.FieldsSeq(tt.no) {
			if ev := call(name, `{}`); hookApplies(t, h, &ev) {
				t.Errorf("%q hits %s", tt.matcher, name)
			}
		}
	}
}

func TestParseMatchers(t *testing.T) {
	t.Parallel()
	const x = ` command {"command":"x"}`
	checkParse(t, []parseCase{
		{"a broken expression", eventFile("PreToolUse", "(", command),
			`pre_tool_use#1` + x + ` broken: matcher: pattern "(": "(" is never closed: add ")", or write "\(" for a literal bracket (list the tools instead: Bash|Edit)`,
			`/s.json:2: matcher: pattern "(": "(" is never closed: add ")", or write "\(" for a literal bracket (list the tools instead: Bash|Edit)`},
		{"look-around", eventFile("PreToolUse", "^(?!Edit)", command, command),
			`pre_tool_use#1` + x + ` broken: matcher: pattern "^(?!Edit)": look-around "(?!" is not supported: use a broader pattern and exclude the rest with if: {not: …} (list the tools instead: Bash|Edit)` + "\n" +
				`pre_tool_use#2` + x + ` broken: matcher: pattern "^(?!Edit)": look-around "(?!" is not supported: use a broader pattern and exclude the rest with if: {not: …} (list the tools instead: Bash|Edit)`,
			`/s.json:2: matcher: pattern "^(?!Edit)": look-around "(?!" is not supported: use a broader pattern and exclude the rest with if: {not: …} (list the tools instead: Bash|Edit)`},
		{"a number", `{"hooks":{"PreToolUse":[{"matcher":1,"hooks":[` + command + `]}]}}`,
			`pre_tool_use#1` + x + ` broken: matcher is a number (quote it)`, `/s.json:1: matcher is a number (quote it)`},
		{"a typo", eventFile("PreToolUse", "bash", command), `pre_tool_use#1 match=bash/words` + x, ""},
		{"an unknown tool", eventFile("PreToolUse", "Bahs", command), `pre_tool_use#1 match=Bahs/words` + x,
			`warning: /s.json:2: matcher "Bahs" matches no known tool, did you mean "Bash"? (check the spelling; names are case-sensitive)`},
		{"a rule", eventFile("PreToolUse", "Bash(git *)", command), `pre_tool_use#1 match=Bash(git *)/words` + x,
			`warning: /s.json:2: matcher "Bash(git *)" matches no known tool (a matcher checks only tool names; put conditions on the call into "if")`},
		{"a tool that only Claude has", eventFile("PostToolUse", "ExitPlanMode", command), `post_tool_use#1 match=ExitPlanMode/words if={"tool_error":{"is":false}}` + x, ""},
		{"sources", eventFile("SessionStart", "startup|resume", command), `session_start#1 if={"source":{"in":["startup","resume"]}}` + x, ""},
		{"an expression over sources", eventFile("SessionStart", "^(re|cl)", command), `session_start#1 if={"source":{"regex":"^(re|cl)"}}` + x, ""},
		{"a broken one", eventFile("SessionStart", "[", command),
			`session_start#1` + x + ` broken: matcher: if: source: regex: pattern "[": "[" is never closed: add "]", or write "\[" for a literal bracket (list plain names, or write a regular expression without look-around)`,
			`/s.json:2: matcher: if: source: regex: pattern "[": "[" is never closed: add "]", or write "\[" for a literal bracket (list plain names, or write a regular expression without look-around)`},
		{"reasons", eventFile("SessionEnd", "clear", command), `session_end#1 if={"reason":{"in":["clear"]}}` + x, ""},
		{"triggers", eventFile("PreCompact", "auto", command), `pre_compact#1 if={"source":{"in":["auto"]}}` + x, ""},
		{"agents", eventFile("SubagentStop", "general-purpose", command), `subagent_stop#1 if={"subagent_type":{"in":["general-purpose"]}}` + x, ""},
		{"what cannot be applied", eventFile("FileChanged", ".env", command), `FileChanged#1 event=FileChanged` + x,
			`warning: /s.json:2: the matcher ".env" does not work on FileChanged: the hooks run every time (check the payload in the hook)`},
		{"what Claude ignores", eventFile("UserPromptSubmit", "x", command), `user_prompt_submit#1` + x + ` timeout=30s`,
			`warning: /s.json:2: UserPromptSubmit ignores the matcher "x": the hooks run every time (remove it)`},
		{"and everything", eventFile("Stop", "*", command), `stop#1` + x, ""},
	})
}

// TestMatchersOnFields checks that a matcher becomes a condition if conditions can test its field.
// Otherwise the hook runs on every such event.
func TestMatchersOnFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ event, matcher, payload string }{
		{"SessionStart", "resume", `{"source":"resume"}`},
		{"SessionEnd", "other|clear", `{"reason":"other"}`},
		{"PreCompact", "^man", `{"source":"manual"}`},
		{"PostCompact", "manual", `{"source":"manual"}`},
		{"Notification", "permission_prompt", `{"notification_type":"permission_prompt"}`},
		{"SubagentStart", "general-purpose", `{"subagent_type":"general-purpose"}`},
	} {
		h := onlyHook(t, eventFile(tt.event, tt.matcher, command))
		ev := checkrein.Event{Kind: h.On}
		if h.If != nil && hookApplies(t, h, &ev) {
			t.Errorf("%s: %q hits nothing at all", tt.event, tt.matcher)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(tt.payload), &members); err != nil {
			t.Fatal(err)
		}
		for k, v := range members {
			ev.Details = append(ev.Details, checkrein.Detail{Name: k, Value: v})
		}
		if !hookApplies(t, h, &ev) {
			t.Errorf("%s: %q does not hit %s", tt.event, tt.matcher, tt.payload)
		}
	}
}
