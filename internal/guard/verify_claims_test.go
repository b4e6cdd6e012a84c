package guard

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/conduct"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/text/card"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// handle runs the builtin name on ev.
func (m *machine) handle(ev checkrein.Event, name string, args ...string) (checkrein.Verdict, error) {
	m.t.Helper()
	with, _ := json.Marshal(map[string]any{"name": name, "args": args})
	h, err := Type(m.env).New(checkrein.Hook{Run: "builtin", With: with})
	if err != nil {
		m.t.Fatalf("%s: %v", with, err)
	}
	got, err := h.Handle(m.t.Context(), ev)
	guardtest.CheckRuleNamed(m.t, name, &got.Verdict)
	return got.Verdict, err
}

func TestVerifyClaims(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dir := guardtest.TempDir(t)
	guardtest.WriteFile(t, filepath.Join(dir, "previews.json"), `{"items":[{"id":"my-app-1","url":"https://example.com/my-app-1"}]}`)
	guardtest.WriteFile(t, filepath.Join(m.env.Home, "tasks.jsonl"), `{"task":"task_77aa","name":"Daily digest"}`)
	evidence := []string{"evidence=previews.json", "evidence=~/tasks.jsonl", "evidence=missing.json"}
	tests := []struct {
		name, reply string
		kind        checkrein.Kind
		details     []checkrein.Detail
		args        []string
		want        bool // the claim is caught
	}{
		{"made up", "Published! https://example.com/my-app-2", checkrein.Stop, nil, evidence, true},
		{"true", "Published! https://example.com/my-app-1", checkrein.Stop, nil, evidence, false},
		{"true, on another line", "Published!\n\n- https://example.com/my-app-1", checkrein.Stop, nil, evidence, false},
		{"true, in front", "Here is the link: https://example.com/my-app-1\nPublished!", checkrein.Stop, nil, evidence, false},
		{"by id", "Reminder scheduled (task_77aa).", checkrein.Stop, nil, evidence, false},
		{"by name", `I've scheduled "Daily digest" for 9am.`, checkrein.Stop, nil, evidence, false},
		{"nothing to look up", "Reminder scheduled.", checkrein.Stop, nil, evidence, true},
		{"the second is made up", "Published! https://example.com/my-app-1\n\nReminder scheduled.", checkrein.Stop, nil, evidence, true},
		{"evidence beats tools", "Published!", checkrein.Stop, guardtest.SingleDetail("tool_names", `["bash"]`), evidence, true},
		{"no evidence named", "Published!", checkrein.Stop, nil, nil, true},
		{"no tool that could", "Published!", checkrein.Stop, guardtest.SingleDetail("tool_names", `["read_file"]`), nil, true},
		{"no tool", "Published!", checkrein.Stop, guardtest.SingleDetail("tool_names", `[]`), nil, true},
		{"a tool that could", "Published!", checkrein.Stop, guardtest.SingleDetail("tool_names", `["read_file","bash"]`), nil, false},
		{"an offer", "Shall I publish it? It would be published at https://example.com/x.", checkrein.Stop, nil, evidence, false},
		{"goal", "All done.", checkrein.OnCompletionClaim, guardtest.SingleDetail("summary", `"Published to https://example.com/none"`), evidence, true},
		{"goal, true", "All done.", checkrein.OnCompletionClaim, guardtest.SingleDetail("summary", `"Published to https://example.com/my-app-1"`), evidence, false},
		{"sub-agent", "Posted!", checkrein.SubagentStop, nil, evidence, true},
		{"as HOOK.md sends it", "", checkrein.Stop, guardtest.SingleDetail("final_message", `{"role":"assistant","content":"Posted!"}`), evidence, true},
		{"unknown word", "I've released version 2.", checkrein.Stop, nil, evidence, false},
		{"word of one's own", "I've released version 2.", checkrein.Stop, nil, []string{"Released"}, true},
		{"elsewhere", "Published!", checkrein.AfterLLMCall, nil, evidence, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &machine{t: t, env: m.env}
			ev := checkrein.Event{Kind: tt.kind, Session: checkrein.Session{ID: "s", Dir: dir}, Text: tt.reply, Details: tt.details}
			got, err := m.handle(ev, "verify_claims", tt.args...)
			if err != nil || (got.Decision == checkrein.Deny) != tt.want || !tt.want && !got.IsZero() {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestVerifyClaimsReason(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	ev := checkrein.Event{Kind: checkrein.Stop, Text: "All done.\n\nPosted to AgentX: /post/99"}
	got, _ := m.handle(ev, "verify_claims")
	card := card.FromReason(got.Reason)
	guardtest.CheckEqual(t, card.Sentence, "Blocked (nothing shows that it was posted; do it and give its URL or ID, or say that it is not done)")
	guardtest.CheckEqual(t, card.Command, "Posted to AgentX: /post/99")
}

func TestVerifyClaimsNote(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	ev := checkrein.Event{Kind: checkrein.OnResponseEnd, Text: "Published! https://example.com/x"}
	got, err := m.handle(ev, "verify_claims")
	if err != nil || got.Decision != checkrein.NoOpinion || !strings.Contains(got.Append, "Unverified: nothing shows that it was published.") {
		t.Fatalf("got %+v, %v", got, err)
	}
	again, _, err := checkrein.Apply(ev, &got)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := m.handle(again, "verify_claims"); !got.IsZero() {
		t.Errorf("noted twice: %+v", got)
	}
	ev.Text = "I can publish it."
	if got, _ := m.handle(ev, "verify_claims"); !got.IsZero() {
		t.Errorf("an offer: %+v", got)
	}
}

func TestVerifyClaimsInvalidArguments(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"", "evidence=", "file=x", "two words", "a/b"} {
		if _, err := conduct.NewVerifyClaims([]string{arg}); err == nil || !strings.Contains(err.Error(), "evidence=FILE") {
			t.Errorf("%q: %v", arg, err)
		}
	}
	m := newMachine(t)
	ev := checkrein.Event{Kind: checkrein.Stop, Text: "Published!", Session: checkrein.Session{Dir: guardtest.TempDir(t)}}
	if _, err := m.handle(ev, "verify_claims", "evidence=."); err == nil {
		t.Error("a directory is evidence")
	}
	ev.Text = "No claim."
	if _, err := m.handle(ev, "verify_claims", "evidence=."); err != nil {
		t.Errorf("read without need: %v", err)
	}
}
