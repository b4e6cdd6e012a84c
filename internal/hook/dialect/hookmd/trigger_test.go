package hookmd

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// TestTriggers checks that the first and the current names of events correspond one to one.
func TestTriggers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first, current string
		kind           checkrein.Kind
	}{
		{"session_start", "pre-session", checkrein.SessionStart},
		{"session_end", "post-session", checkrein.SessionEnd},
		{"before_agent", "pre-agent-turn", checkrein.UserPromptSubmit},
		{"after_agent", "post-agent-turn", checkrein.OnResponseEnd},
		{"before_stop", "pre-agent-turn-stop", checkrein.Stop},
		{"before_tool", "pre-tool-call", checkrein.PreToolUse},
		{"after_tool", "post-tool-call", checkrein.PostToolUse},
		{"after_tool_failure", "post-tool-call-failure", checkrein.PostToolUseFailure},
		{"subagent_start", "pre-subagent", checkrein.SubagentStart},
		{"subagent_stop", "post-subagent", checkrein.SubagentStop},
		{"pre_compact", "pre-context-compact", checkrein.PreCompact},
		{"post-context-compact", "post-context-compact", checkrein.AfterCompaction},
	} {
		t.Run(tt.current, func(t *testing.T) {
			t.Parallel()
			for _, trigger := range []string{tt.first, tt.current} {
				f, err := parseAs(t, "guard", guard("trigger: "+trigger+"\n"))
				if err != nil || f.Hooks[0].On != tt.kind {
					t.Errorf("%s: got %+v, %v", trigger, f.Hooks, err)
				}
			}
			if first, current := triggerNames(tt.kind); first != tt.first || current != tt.current {
				t.Errorf("got %s, %s", first, current)
			}
		})
	}
}

// TestAfterToolIsAboutSuccess checks that after_tool applies only to tools that succeeded, which
// post_tool_use does not imply.
func TestAfterToolIsAboutSuccess(t *testing.T) {
	t.Parallel()
	f, err := parseAs(t, "guard", guard("trigger: after_tool\n"))
	if err != nil {
		t.Fatal(err)
	}
	cond, err := match.CompileCond(f.Hooks[0].If, checkrein.ContractOf(checkrein.PostToolUse))
	if err != nil {
		t.Fatal(err)
	}
	for _, failed := range []bool{false, true} {
		view := match.ViewOf(&checkrein.Event{Kind: checkrein.PostToolUse, Tool: &checkrein.Tool{Name: "Bash", Failed: failed}}, "", nil)
		if got := cond.Holds(&view); got == failed {
			t.Errorf("failed %v: the condition holds: %v", failed, got)
		}
	}
}

const listing = "use one of pre-session, post-session, pre-agent-turn, pre-tool-call, post-tool-call, post-tool-call-failure, post-agent-turn, " +
	"pre-agent-turn-stop, pre-subagent, post-subagent, pre-context-compact, post-context-compact, or their older names"

// TestLost checks that a file with an unknown event closes all gates, because it may have been one.
func TestLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", `1: the file does not start with front matter (start with a --- line`},
		{"no front matter", "# Guard\n", `1: the file does not start with front matter`},
		{"a fence too long", "----\nname: guard\n----\n", `1: the file does not start with front matter`},
		{"never closed", "---\nname: guard\n", `1: the front matter is never closed (close it with a --- line)`},
		{"not closed in time", "---\n" + strings.Repeat("# x\n", MaxFrontMatter/4) + "---\n", `1: the front matter does not end within 64 KiB`},
		{"empty front matter", "---\n---\n", `the hook has no trigger (` + listing + `)`},
		{"no YAML", "---\nname: [\n---\n", `HOOK.md:2:7: this [ is never closed`},
		{"a list", "---\n- name: guard\n---\n", `2: the file is a list, not a mapping`},
		{"a key twice", guard("trigger: before_tool\ntrigger: after_tool\n"), `HOOK.md:5:1: "trigger" occurs twice`},
		{"no trigger", guard(""), `2: the hook has no trigger (` + listing + `)`},
		{"a trigger that is a list", guard("trigger: [before_tool]\n"), `4: trigger is a list, not a string`},
		{"a typo", guard("trigger: before_tol\n"), `4: unknown trigger "before_tol", did you mean "before_tool"? (` + listing + `)`},
		{"another system's name", guard("trigger: PreToolUse\n"), `4: unknown trigger "PreToolUse": in this format, it is called pre-tool-call`},
		{"another system's name of nothing here", guard("trigger: before_llm_call\n"), `4: unknown trigger "before_llm_call"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := parseAs(t, "guard", tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if f.Lost == nil || len(f.Hooks) != 0 {
				t.Errorf("got %d hooks, lost %v", len(f.Hooks), f.Lost)
			}
		})
	}
}
