package claude

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein"
)

func withRule(rule string) string {
	quoted, _ := json.Marshal(rule)
	return `{"type": "command", "command": "x", "if": ` + string(quoted) + `}`
}

// TestRules checks that rules match everything that Claude Code 2.1.197 was observed to match, and
// more: commands inside bash -c, which it misses, match as well.
func TestRules(t *testing.T) {
	t.Parallel()
	sh := func(c string) string {
		b, _ := json.Marshal(map[string]string{"command": c})
		return string(b)
	}
	file := func(p string) string { return `{"file_path":"` + p + `"}` }
	patch := func(p string) string {
		b, _ := json.Marshal(map[string]string{"input": "*** Begin Patch\n*** Update File: " + p + "\n*** End Patch"})
		return string(b)
	}
	for _, tt := range []struct {
		rule, tool string
		yes, no    []string
	}{
		{"Bash(touch *)", "Bash", []string{sh("touch ran"), sh("cd . && touch ran"), sh("echo $(touch ran)"), sh("FOO=1 touch ran"), sh("for i in 1; do touch ran; done"),
			sh("touch"), sh("touch\tran"), sh("ls;touch ran"), sh("bash -c 'touch ran'")}, []string{sh("touchy"), sh("ls"), sh("untouch x"), `{}`}},
		{"Bash(git push *)", "shell", []string{`{"cmd":"git push -f"}`}, []string{`{"cmd":"git pull"}`}},
		{"Bash(npm run test:*)", "Bash", []string{sh("npm run test"), sh("npm run test -- x")}, []string{sh("npm run tests")}},
		{"Bash(make)", "Bash", []string{sh("make"), sh("cd x && make"), sh("(make)")}, []string{sh("cmake"), sh("makefile")}},
		{"Bash(ls*)", "Bash", []string{sh("ls"), sh("lsof"), sh("cd x; ls -l")}, []string{sh("als")}},
		{"Bash(echo [?] \\*)", "Bash", []string{sh("echo [?] *")}, []string{sh("echo a *"), sh("echo [?] x")}},
		{"Bash", "Bash", []string{sh("x"), `{}`}, nil},
		{"Bash(*)", "run_shell_command", []string{sh("x")}, nil},
		{"Bash", "Read", nil, []string{`{}`}},
		{"Read(.env)", "Read", []string{file(".env"), file("/p/.env"), file("/p/a/.env"), file("./x/../.env")}, []string{file("/p/env"), file("/p/.env2"), `{}`}},
		{"Edit(src/**)", "Edit", []string{file("/p/src/a/b.go"), file("src/a")}, []string{file("/p/srcs/a")}},
		{"Edit(/src/**/*.ts)", "replace", []string{file("/p/src/a.ts"), file("/p/src/a/b.ts")}, []string{file("/p/src/a.js")}},
		{"Edit(src/**)", "Write", []string{file("/p/src/a")}, []string{file("/p/a")}},
		{"Edit(src/**)", "apply_patch", []string{patch("src/a.go"), `{"input":"?"}`, `{}`}, []string{patch("a.go")}},
		{"Edit(src/**)", "Read", nil, []string{file("/p/src/a"), `{}`}},
		{"Edit", "write_file", []string{`{}`}, nil},
		{"Edit", "apply_patch", []string{`{}`}, nil},
		{"Edit", "Bash", nil, []string{`{}`}},
		{"MultiEdit(src/**)", "Write", []string{file("/p/src/a")}, nil},
		{"Write(//etc/**)", "write_file", []string{`{"path":"/etc/passwd"}`}, []string{`{"path":"/p/etc/passwd"}`}},
		{"Write(~/.ssh)", "Write", []string{file("~/.ssh/id"), file("/home/dev/.ssh/id")}, []string{file("/home/dev/.ssh2/id")}},
		{"Write(src)", "Edit", nil, []string{file("src/a")}},
		{"mcp__lab__say", "mcp_lab_say", []string{`{}`}, nil},
		{"mcp__lab__say", "mcp__lab__shout", nil, []string{`{}`}},
		{"mcp__lab", "mcp__lab__shout", []string{`{}`}, nil},
		{"mcp__lab__s*", "mcp__lab__shout", []string{`{}`}, nil},
		{"mcp__lab__*", "mcp__other__say", nil, []string{`{}`}},
		{"mcp__*", "mcp__other__say", []string{`{}`}, nil},
		{"Skill", "Skill", []string{`{}`}, nil},
		{"Skill", "Bash", nil, []string{`{}`}},
	} {
		h := onlyHook(t, eventFile("PreToolUse", "", withRule(tt.rule)))
		for _, input := range tt.yes {
			if ev := call(tt.tool, input); !hookApplies(t, h, &ev) {
				t.Errorf("%s misses %s %s: %s", tt.rule, tt.tool, input, h.If)
			}
		}
		for _, input := range tt.no {
			if ev := call(tt.tool, input); hookApplies(t, h, &ev) {
				t.Errorf("%s hits %s %s: %s", tt.rule, tt.tool, input, h.If)
			}
		}
		if back, ok := condRule(h.If); !ok {
			t.Errorf("%s is not found again in %s", tt.rule, h.If)
		} else if again := onlyHook(t, eventFile("PreToolUse", "", withRule(back))); string(again.If) != string(h.If) {
			t.Errorf("%s comes back as %s", tt.rule, back)
		}
	}
}

func TestParseRules(t *testing.T) {
	t.Parallel()
	const x, remedy = ` command {"command":"x"}`, ` (write a rule such as "Bash(git push *)")`
	checkParse(t, []parseCase{
		{"not about a tool", eventFile("Stop", "", withRule("Bash")), `stop#1 if={"event":{"exists":false}}` + x,
			`warning: /s.json:3: hook "stop#1": Stop is not a tool event: a hook with "if" never runs on it (remove if)`},
		{"nor this", eventFile("FileChanged", "", withRule("(")), `FileChanged#1 event=FileChanged if={"event":{"exists":false}}` + x,
			`warning: /s.json:3: hook "FileChanged#1": FileChanged is not a tool event: a hook with "if" never runs on it (remove if)`},
		{"about a tool, without a row", eventFile("PermissionDenied", "", withRule("Bash")), `PermissionDenied#1 event=PermissionDenied` + x,
			`warning: /s.json:3: hook "PermissionDenied#1": "if" does not work on PermissionDenied: the hook runs every time (check the payload in the hook)`},
		{"never closed", eventFile("PreToolUse", "", withRule("Bash(x")), `pre_tool_use#1` + x + ` broken: if: "Bash(x": ( is never closed` + remedy,
			`/s.json:3: hook "pre_tool_use#1": if: "Bash(x": ( is never closed` + remedy},
		{"empty", eventFile("PreToolUse", "", withRule("")), `pre_tool_use#1` + x + ` broken: if: "": the tool name is missing` + remedy,
			`/s.json:3: hook "pre_tool_use#1": if: "": the tool name is missing` + remedy},
		{"two tools", eventFile("PreToolUse", "", withRule("Bash|Edit")), `pre_tool_use#1` + x + ` broken: if: "Bash|Edit": the rule must begin with one tool name` + remedy,
			`/s.json:3: hook "pre_tool_use#1": if: "Bash|Edit": the rule must begin with one tool name` + remedy},
		{"what only Claude can tell", eventFile("PreToolUse", "", withRule("WebFetch(domain:x.example)")), `pre_tool_use#1 if={"tool":{"is":"fetch"}}` + x,
			`warning: /s.json:3: hook "pre_tool_use#1": if: only the tool name in "WebFetch(domain:x.example)" is checked, so the hook runs on all calls of that tool (check the payload in the hook)`},
		{"a broken glob", eventFile("PreToolUse", "", withRule("Edit(a[)")), `pre_tool_use#1 if={"tool":{"in":["edit","write","patch"]}}` + x,
			`warning: /s.json:3: hook "pre_tool_use#1": if: only the tool name in "Edit(a[)" is checked, so the hook runs on all calls of that tool (check the payload in the hook)`},
		{"a matcher beside it", eventFile("PostToolUse", "Bash", withRule("Bash")), `post_tool_use#1 match=Bash/words if={"all":[{"tool_error":{"is":false}},{"tool":{"is":"shell"}}]}` + x, ""},
	})
}

// TestPostToolUseIsAboutSuccess checks that PostToolUse applies to tools that succeeded only, because
// Claude has another event for failed ones.
func TestPostToolUseIsAboutSuccess(t *testing.T) {
	t.Parallel()
	for _, text := range []string{eventFile("PostToolUse", "", command), eventFile("PostToolUse", "Bash", withRule("Bash(ls *)"))} {
		h := onlyHook(t, text)
		ev := call("Bash", `{"command":"ls -l"}`)
		ev.Kind = checkrein.PostToolUse
		if !hookApplies(t, h, &ev) {
			t.Errorf("%s misses a success", h.If)
		}
		if ev.Tool.Failed = true; hookApplies(t, h, &ev) {
			t.Errorf("%s hits a failure", h.If)
		}
	}
}

// TestHookThatNeverRuns checks that a hook that Claude never runs does not run in checkrein either.
func TestHookThatNeverRuns(t *testing.T) {
	t.Parallel()
	f, _ := readFile(eventFile("Stop", "", withRule("Bash")))
	ev := checkrein.Event{Kind: checkrein.Stop, Text: "done"}
	if hookApplies(t, &f.Hooks[0], &ev) {
		t.Error("it runs")
	}
}

// TestSeveralRulesAreAMistake checks that several rules in one are rejected, because they would match
// nothing.
func TestSeveralRulesAreAMistake(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"Bash(rm *) || Bash(git *)", "Bash(rm *),Bash(git *)"} {
		if _, _, err := splitRule(rule); err == nil {
			t.Errorf("%s is read as one rule", rule)
		}
	}
}
