package blocked

import (
	"slices"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

// The allow command names every rule that a grant lifts, and those that still block the call.
func TestAllowNamesLiftedAndRemainingRules(t *testing.T) {
	t.Parallel()
	b := &grant.Block{Handle: "4f2a", Root: "/p", Binding: grant.Binding{Text: "t"}, By: []grant.Decider{
		{Hook: "packs", Type: "builtin", Scope: "user", Rule: "git/push-force", Rules: []string{"git/push-force", "containers/volume-remove"}},
		{Hook: "mine", Type: "rule", Scope: "user"},
	}}
	for _, tt := range []struct{ rules, lifts, left []string }{
		{nil, []string{"git/push-force", "containers/volume-remove", "mine"}, nil},
		{[]string{"containers/volume-remove"}, []string{"containers/volume-remove"}, []string{"git/push-force", "mine"}},
		{[]string{"packs"}, []string{"git/push-force", "containers/volume-remove"}, []string{"mine"}},
		{[]string{"mine", "git/push-force"}, []string{"mine", "git/push-force"}, []string{"containers/volume-remove"}},
	} {
		g, err := (&allowFlags{rules: tt.rules}).newGrant(b, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got := grant.DeciderNames(g.Lifts); !slices.Equal(got, tt.lifts) {
			t.Errorf("--rule %q lifts %q, want %q", tt.rules, got, tt.lifts)
		}
		if got := stillBlocking(b, &g); !slices.Equal(got, tt.left) {
			t.Errorf("--rule %q leaves %q, want %q", tt.rules, got, tt.left)
		}
		if got, want := g.Allows(b), len(tt.left) == 0; got != want {
			t.Errorf("--rule %q lets the call pass: %t", tt.rules, got)
		}
	}
}

// A reason is shown once, whoever gave it.
func TestBlockShowsEachReasonOnce(t *testing.T) {
	t.Parallel()
	block := &grant.Block{Shown: "git push -f", By: []grant.Decider{{Hook: "no-force", Reason: clitest.LongReason}, {Hook: "also", Reason: clitest.LongReason}},
		Binding: grant.Binding{Deeds: []grant.Deed{{Kind: "git-history", Radius: "high", Reason: clitest.LongReason}}}}
	clitest.CheckReasonOnce(t, func(p *report.Report) { printBlock(p.Screen, block) })
}
