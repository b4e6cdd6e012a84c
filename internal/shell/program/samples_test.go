package program

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

func TestEveryRuleHasSamples(t *testing.T) {
	EachSample(func(r *shell.Rule, s *shell.Samples) {
		if len(s.Match) == 0 || len(s.NoMatch) == 0 {
			t.Errorf("%s/%s: write a command for which it holds and one for which it does not, below its line", r.Category.Row().PackName(), r.ID)
		}
		if r.Samples != nil {
			t.Errorf("%s/%s has samples of its own: the hot program carries them", r.Category.Row().PackName(), r.ID)
		}
	})
}
