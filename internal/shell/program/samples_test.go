package program

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

func TestEveryRuleHasSamples(t *testing.T) {
	Samples(func(r *shell.Rule, s *shell.Samples) {
		if s == nil || len(s.Match) == 0 || len(s.NoMatch) == 0 {
			t.Errorf("%s/%s: write a command for which it holds and one for which it does not, below the rules of its file", r.Category.Row().PackName(), r.ID)
		}
	})
}

func TestEverySampleHasItsRule(t *testing.T) {
	list := samples()
	for i, set := range Packs {
		ids, seen := map[string]bool{}, map[string]bool{}
		for j := range set.Rules {
			if id := set.Rules[j].ID; ids[id] {
				t.Errorf("%s: two rules of this set are called %q", set.Name(), id)
			} else {
				ids[id] = true
			}
			if set.Rules[j].Samples != nil {
				t.Errorf("%s/%s: its samples belong below the rules, or the hot program carries them", set.Name(), set.Rules[j].ID)
			}
		}
		for _, s := range list[i] {
			if !ids[s.id] {
				t.Errorf("%s: samples of %q, which is no rule of this set", set.Name(), s.id)
			}
			if seen[s.id] {
				t.Errorf("%s: samples of %q twice", set.Name(), s.id)
			}
			seen[s.id] = true
		}
	}
}
