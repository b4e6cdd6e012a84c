package hookmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/checkrein/checkrein"
)

// specExample returns the example in a section of the format's specification.
func specExample(t testing.TB, section string) string {
	t.Helper()
	a, err := txtar.ParseFile("testdata/specification.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if f.Name == section {
			return string(f.Data)
		}
	}
	t.Fatalf("the document has no %s", section)
	return ""
}

// TestSpecification checks that every HOOK.md in the specification is valid and means what its section
// says.
func TestSpecification(t *testing.T) {
	t.Parallel()
	const tools, all = "Shell", ""
	for _, tt := range []struct {
		section, name string
		on            checkrein.Kind
		match, args   string
		timeout       string
		async         bool
		priority      int
	}{
		{"3.1", "security-check", checkrein.PreToolUse, all, "", "30s", false, 100},
		{"3.2", "auto-format", checkrein.PostToolUse, all, "", "30s", true, 100},
		{"4.1", "block-dangerous-commands", checkrein.PreToolUse, tools, "rm -rf /|mkfs|>:/dev/sda", "30s", false, 100},
		{"4.4/1", "m", checkrein.PreToolUse, tools, "", "30s", false, 100},
		{"4.4/2", "m", checkrein.PreToolUse, "WriteFile", `\.(py|js|ts)$`, "30s", false, 100},
		{"4.4/3", "m", checkrein.PreToolUse, tools, "(rm -rf|mkfs|dd if=/dev/zero)", "30s", false, 100},
		{"4.4/4", "m", checkrein.PreToolUse, all, "/etc/passwd|/var/www", "30s", false, 100},
		{"5.5", "enforce-tests", checkrein.Stop, all, "", "1m0s", false, 999},
		{"6.2/1", "block-dangerous-commands", checkrein.PreToolUse, tools, "rm -rf /|mkfs|dd if=/dev/zero", "5s", false, 999},
		{"6.2/2", "auto-format-python", checkrein.PostToolUse, "WriteFile", `\.py$`, "30s", true, 100},
		{"6.2/3", "block-prod-deploy", checkrein.PreToolUse, tools, "deploy.*prod|kubectl.*production", "1m0s", false, 100},
		{"6.2/4", "audit-log", checkrein.SessionEnd, all, "", "30s", true, 100},
		{"6.2/5", "enforce-test-coverage", checkrein.Stop, all, "", "2m0s", false, 999},
		{"10.2", "block-dangerous-commands", checkrein.PreToolUse, tools, "rm -rf /|mkfs|dd if=/dev/zero|>:/dev/sda", "5s", false, 999},
	} {
		t.Run(tt.section, func(t *testing.T) {
			t.Parallel()
			text := specExample(t, tt.section)
			if strings.HasPrefix(tt.section, "4.4/") {
				text = "---\nname: m\ndescription: d\ntrigger: before_tool\n" + text + "---\n"
			}
			f, err := parseAs(t, "security-check", text)
			if err != nil || f.Lost != nil || len(f.Hooks) != 1 {
				t.Fatalf("got %d hooks, %v, lost %v", len(f.Hooks), err, f.Lost)
			}
			h := f.Hooks[0]
			got := []any{h.Name, h.On, h.Match, h.Args, h.Timeout.String(), h.Async, h.Priority, h.Broken}
			want := []any{tt.name, tt.on, tt.match, tt.args, tt.timeout, tt.async, tt.priority, ""}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("hook (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNames checks that a name has 1 to 64 characters of any kind and need not be that of the folder.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, written, want string }{
		{"the folder's", "guard", "guard"},
		{"not the folder's", "block-dangerous-commands", "block-dangerous-commands"},
		{"underscore", "block_dangerous_commands", "block_dangerous_commands"},
		{"upper case", "Guard2", "Guard2"},
		{"blanks", "Block dangerous commands", "Block dangerous commands"},
		{"other letters", "prüfe-befehle", "prüfe-befehle"},
		{"one character", "g", "g"},
		{"64 characters", strings.Repeat("ü", 64), strings.Repeat("ü", 64)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := parseAs(t, "guard", "---\nname: "+tt.written+"\ndescription: d\ntrigger: before_tool\n---\n")
			if err != nil || len(f.Hooks) != 1 || f.Hooks[0].Name != tt.want || f.Hooks[0].ID != tt.want {
				t.Errorf("got %+v, %v", f.Hooks, err)
			}
		})
	}
}

// TestDescriptions checks that an invalid description is reported but does not break a guard.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"none", "---\nname: guard\ntrigger: before_tool\n---\n", "2: hook \"guard\": the hook has no description (describe in one sentence what the hook does)"},
		{"an empty one", "---\nname: guard\ndescription: ' '\ntrigger: before_tool\n---\n", "3: hook \"guard\": the description has 0 characters (use 1 to 1024 characters; put the rest into the body)"},
		{"a long one", "---\nname: guard\ndescription: " + strings.Repeat("é", 1025) + "\ntrigger: before_tool\n---\n", "the description has 1025 characters"},
		{"a list", "---\nname: guard\ndescription: [a]\ntrigger: before_tool\n---\n", "description is a list, not a string (quote it)"},
		{"the longest", "---\nname: guard\ndescription: " + strings.Repeat("é", 1024) + "\ntrigger: before_tool\n---\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := parseAs(t, "guard", tt.text)
			if err != nil || len(f.Hooks) != 1 || f.Hooks[0].Broken != "" {
				t.Fatalf("got %+v, %v", f.Hooks, err)
			}
			if (tt.want == "") != (len(f.Warnings) == 0) || tt.want != "" && !strings.Contains(f.Warnings[0].Error(), tt.want) {
				t.Errorf("got %v, want %q", f.Warnings, tt.want)
			}
		})
	}
}

// TestBrokenHookForLostFile checks that a lost file is replaced by a broken hook with the parts that
// could be read.
func TestBrokenHookForLostFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []any // name, event, tools, arguments, fault
	}{
		{"no front matter", "# Guard\n", []any{"guard", checkrein.PreToolUse, "", "", checkrein.FaultByRow}},
		{"an unknown trigger", guard("trigger: befor_tool\nmatcher: {tool: Shell, pattern: mkfs}\n"), []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"no trigger, and half a matcher", guard("matcher: {tool: '(', pattern: mkfs}\n"), []any{"guard", checkrein.PreToolUse, "", "mkfs", checkrein.FaultByRow}},
		{"a colon in the description", "---\nname: g_1\ndescription: Blocks: this\ntrigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: \"mkfs\"\ntimeout: 5000\n---\n",
			[]any{"g_1", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"a tab", "---\nname: guard\nmetadata:\n\ta: b\ntrigger: before_stop\n---\n", []any{"guard", checkrein.Stop, "", "", checkrein.FaultByRow}},
		{"what runs beside", "---\nname: guard\ndescription: Logs: all\ntrigger: before_tool\nasync: true\n---\n", []any{"guard", checkrein.PreToolUse, "", "", checkrein.FaultWarn}},
		{"what says that it blocks", "---\nname: guard\ndescription: Blocks: all\ntrigger: before_tool\non_error: block\n---\n", []any{"guard", checkrein.PreToolUse, "", "", checkrein.FaultBlock}},
		{"a matcher below a tab", guard("trigger: before_tool\nmatcher:\n\ttool: Shell # all\n\tpattern: \"mk\\\\wfs\"\n"), []any{"guard", checkrein.PreToolUse, "Shell", "mk\\wfs", checkrein.FaultByRow}},
		{"a tool's quote that never ends", guard("trigger: before_tool\nmatcher:\n  tool: \"Shell\n  pattern: mkfs\n"), []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"a pattern's quote that never ends", guard("trigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: \"mk[f]s\n"), []any{"guard", checkrein.PreToolUse, "Shell", "", checkrein.FaultByRow}},
		{"only a pattern, whose quote never ends", guard("trigger: before_tool\nmatcher:\n  pattern: \"mk[f]s\n"), []any{"guard", checkrein.PreToolUse, "", "mk[f]s", checkrein.FaultByRow}},
		{"a trigger twice", guard("trigger: before_tool\ntrigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: mkfs\n"), []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"two triggers, one of them a gate", guard("trigger: after_tool\ntrigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: mkfs\n"), []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"no closing line", "---\nname: guard\ndescription: Guards.\ntrigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: mkfs\n\n# Guard\n\n- It looks at tools: all\n- tool: none\n", []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"no closing line, flow", "---\nname: guard\ndescription: Guards.\ntrigger: before_tool\nmatcher: {tool: Shell, pattern: mkfs}\n", []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"a blank first line", "\n---\nname: guard\ndescription: Guards.\ntrigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: mkfs\n---\n\ntool: none\n", []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"a heading first", "# Guard\n\n---\nname: guard\ndescription: Guards.\ntrigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: mkfs\n---\n\ntool: none\n", []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"no lines of dashes", "name: guard\ntrigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: mkfs\n", []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"capitals", guard("Trigger: before_tool\nMatcher:\n  Tool: Shell\n  Pattern: mkfs\n"), []any{"guard", checkrein.PreToolUse, "Shell", "mkfs", checkrein.FaultByRow}},
		{"a list, and a tab", guard("trigger: before_tool\nmatcher:\n\ttool:\n\t  - Shell\n\t  - WriteFile\n"), []any{"guard", checkrein.PreToolUse, "Shell|WriteFile", "", checkrein.FaultByRow}},
		{"not a gate, in capitals", guard("Trigger: before_stop\nmatcher: {tool: Shell}\n"), []any{"guard", checkrein.Stop, "", "", checkrein.FaultByRow}},
		{"not a gate, and no closing line", "---\nname: guard\ndescription: Guards.\ntrigger: after_tool\nmatcher:\n  tool: Shell\n", []any{"guard", checkrein.PostToolUse, "Shell", "", checkrein.FaultByRow}},
		{"what runs beside, and a tab", guard("trigger: before_tool\nasync: true\nmatcher:\n\ttool: Shell\n"), []any{"guard", checkrein.PreToolUse, "Shell", "", checkrein.FaultWarn}},
		{"what says that it blocks, and a tab", guard("trigger: before_tool\non_error: block\nmatcher:\n\ttool: Shell\n"), []any{"guard", checkrein.PreToolUse, "Shell", "", checkrein.FaultBlock}},
		{"a tool below another key", guard("trigger: before_tool\nmetadata:\n\ttool: Shell\n"), []any{"guard", checkrein.PreToolUse, "", "", checkrein.FaultByRow}},
		{"a text that is only shown", guard("description: |\n  tool: Shell\ntrigger: before_tool\n"), []any{"guard", checkrein.PreToolUse, "", "", checkrein.FaultByRow}},
		{"prose", "# Guard\n\nTool: Shell\nPattern: mkfs\n", []any{"guard", checkrein.PreToolUse, "", "", checkrein.FaultByRow}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := parseAs(t, "guard", tt.text)
			if err == nil || f.Lost == nil || len(f.Hooks) != 0 || len(f.Instead) != 1 {
				t.Fatalf("got %d hooks, %d instead, %v, lost %v", len(f.Hooks), len(f.Instead), err, f.Lost)
			}
			h := f.Instead[0]
			if diff := cmp.Diff(tt.want, []any{h.Name, h.On, h.Match, h.Args, h.OnFault}); diff != "" || h.Broken == "" || h.Async {
				t.Errorf("hook (-want +got):\n%s%+v", diff, h)
			}
		})
	}
}

// TestBrokenMatcher checks that a broken hook with a known event applies to what a person would read
// in its matcher.
func TestBrokenMatcher(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, tools, args string }{
		{"a list of tools", "trigger: before_tool\nmatcher:\n  tool: [Shell, WriteFile]\n", "Shell|WriteFile", ""},
		{"tools line by line", "trigger: before_tool\nmatcher:\n  tool:\n  - Shell\n  - 'WriteFile'\n", "Shell|WriteFile", ""},
		{"a tool and no key", "trigger: before_tool\nmatcher: Shell\n", "Shell", ""},
		{"a list and no key", "trigger: before_tool\nmatcher: [Shell, WriteFile]\n", "Shell|WriteFile", ""},
		{"a list of matchers", "trigger: before_tool\nmatcher:\n  - tool: Shell\n    pattern: mkfs\n  - tool: WriteFile\n    pattern: etc\n", "Shell|WriteFile", ""},
		{"capitals", "trigger: before_tool\nMatcher:\n  tool: Shell\n  pattern: mkfs\n", "Shell", "mkfs"},
		{"a list and a pattern", "trigger: before_tool\nmatcher:\n  tool: [Shell]\n  pattern: mkfs\n", "", "mkfs"},
		{"an event without tools", "trigger: before_stop\nmatcher: Shell\n", "", ""},
		{"no matcher", "trigger: before_tool\ntimeout: 5\n", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := parseAs(t, "guard", guard(tt.text))
			if err == nil || f.Lost != nil || len(f.Hooks) != 1 || f.Hooks[0].Broken == "" {
				t.Fatalf("got %+v, %v", f, err)
			}
			if h := f.Hooks[0]; h.Match != tt.tools || h.Args != tt.args {
				t.Errorf("got tools %q, arguments %q; want %q, %q", h.Match, h.Args, tt.tools, tt.args)
			}
		})
	}
}
