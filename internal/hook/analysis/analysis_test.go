package analysis_test

import (
	"context"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/analysis"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		rules [][2]string // decision and condition
		want  string      // the finding about the last rule
	}{
		{"two values of one field", [][2]string{{"deny", `{"all":[{"tool":{"is":"shell"}},{"tool":{"is":"write"}}]}`}}, "dead"},
		{"two commands of one call", [][2]string{{"deny", `{"all":[{"command":{"is":"a"}},{"command":{"is":"b"}}]}`}}, ""},
		{"two elements of one list", [][2]string{{"deny", `{"tool_input.n":{"is":7,"gt":9}}`}}, ""},
		{"a number and its text", [][2]string{{"deny", `{"tool_input.n":{"is":7},"not":{"tool_input.n":{"lt":9}}}`}}, "dead"},
		{"an empty text", [][2]string{{"deny", `{"tool_input.n":{"is":""}}`}}, ""},
		{"a directory in another one", [][2]string{{"deny", `{"cwd":{"under":"/a"}}`}, {"ask", `{"cwd":{"under":"/a/b"}}`}}, "shadowed"},
		{"a directory beside another one", [][2]string{{"deny", `{"cwd":{"under":"/a/b"}}`}, {"ask", `{"cwd":{"under":"/a/bc"}}`}}, ""},
		{"a symlink may lead elsewhere", [][2]string{{"deny", `{"paths":{"under":"/a"}}`}, {"ask", `{"paths":{"under":"/a/b"}}`}}, ""},
		{"an allow must be sure", [][2]string{{"ask", `{"paths":{"under":"/a"}}`}, {"allow", `{"paths":{"under":"/a"}}`}}, "shadowed"},
		{"two rules together", [][2]string{{"deny", `{"command":{"regex":"a"}}`}, {"deny", `{"not":{"command":{"regex":"a"}}}`}, {"ask", `{"host":{"is":"x"}}`}}, "shadowed"},
		{"the same events", [][2]string{{"deny", `{"command":{"glob":"a*"}}`}, {"allow", `{"command":{"prefix":"a"}}`}}, "contradiction"},
		{"a stricter one", [][2]string{{"ask", `{"command":{"prefix":"a"}}`}, {"deny", `{"command":{"prefix":"ab"}}`}}, ""},
		{"a word and its boundary", [][2]string{{"deny", `{"command":{"contains":"rm"}}`}, {"ask", `{"command":{"regex":"\\brm\\b"}}`}}, "shadowed"},
	} {
		var hooks []checkrein.Hook
		for i, r := range tt.rules {
			hooks = append(hooks, newRule(i, r[0], r[1]))
		}
		got := ""
		for _, f := range analysis.Check(context.Background(), policyOf(hooks)) {
			if f.Hook.ID == hooks[len(hooks)-1].ID && f.Status == analysis.Proven {
				got = f.Check
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestProve(t *testing.T) {
	t.Parallel()
	rules := []checkrein.Hook{
		newRule(1, "deny", `{"command":{"glob":"git push*--force*"}}`),
		newRule(2, "ask", `{"command":{"prefix":"git push"}}`),
		newRule(3, "allow", `{"command":{"prefix":"git "}}`),
	}
	guard := checkrein.Hook{ID: "guard", On: checkrein.PreToolUse, Run: "command", Match: "fetch"}
	for _, tt := range []struct {
		always   bool
		decision checkrein.Decision
		cond     string
		guarded  bool
		want     string
	}{
		{false, checkrein.Allow, `{"command":{"prefix":"git push"}}`, false, analysis.Holds},
		{true, checkrein.Ask, `{"command":{"prefix":"git push"}}`, false, analysis.Holds},
		{true, checkrein.Deny, `{"command":{"prefix":"git push"}}`, false, analysis.Violated},
		{false, checkrein.Allow, `{"tool":{"is":"fetch"}}`, false, analysis.Violated},
		{false, checkrein.Allow, `{"command":{"exists":false}}`, false, analysis.Holds},
		{false, checkrein.Allow, `{"command":{"exists":false}}`, true, analysis.Undecided},
		{true, checkrein.Ask, `{"command":{"prefix":"git push"}}`, true, analysis.Holds},
	} {
		hooks := rules
		if tt.guarded {
			hooks = append(rules[:3:3], guard)
		}
		p := policyOf(rules)
		p.Hooks = hooks
		p.Raises = func(*checkrein.Hook) []checkrein.Decision {
			return []checkrein.Decision{checkrein.Allow, checkrein.Deny}
		}
		got, err := analysis.Prove(context.Background(), p, &analysis.Property{On: checkrein.PreToolUse, Always: tt.always, Decision: tt.decision, If: []byte(tt.cond)})
		if err != nil || got.Result != tt.want {
			t.Errorf("always %v, %s, %s: %s (%s), %v; want %s", tt.always, tt.decision, tt.cond, got.Result, got.Why, err, tt.want)
		}
		if got.Result == analysis.Violated && got.Witness == nil {
			t.Errorf("%s: no example", tt.cond)
		}
	}
}

// TestGuestsJudgePermissionRequests checks that rules on tool calls count for requests for permission.
func TestGuestsJudgePermissionRequests(t *testing.T) {
	t.Parallel()
	p := policyOf([]checkrein.Hook{newRule(1, "deny", `{"tool":{"is":"shell"}}`)})
	got, err := analysis.Prove(context.Background(), p, &analysis.Property{On: checkrein.PermissionRequest, Decision: checkrein.Deny, If: []byte(`{"host":{"is":"codex"}}`)})
	if err != nil || got.Result != analysis.Violated {
		t.Errorf("%s (%s), %v; want violated", got.Result, got.Why, err)
	}
}
