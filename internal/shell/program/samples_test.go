package program

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

func TestEveryRuleHasSamples(t *testing.T) {
	EachSample(func(r *shell.Rule, s *shell.Samples) {
		if len(s.Match) == 0 || len(s.NoMatch) == 0 {
			t.Errorf("%s/%s: add a command that it matches and one that it does not match, below its line", r.Category.Row().PackName(), r.ID)
		}
		if r.Samples != nil {
			t.Errorf("%s/%s refers to its samples, so that the hot program links them", r.Category.Row().PackName(), r.ID)
		}
	})
}
