package verdicts

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/corpora"
	"github.com/checkrein/checkrein/internal/lab/full"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// TestVerdictsReuse checks that a command gets the same verdict from a judgement that was kept, for every
// command of the corpora.
func TestVerdictsReuse(t *testing.T) {
	full.Skip(t)
	g := guardtest.New(t)
	for _, set := range corpora.Sets() {
		cases, err := set.ReadWithoutSetup("../../..")
		if err != nil {
			t.Fatal(err)
		}
		guardtest.Each(cases, func(_ int, c *corpora.Case) {
			command := g.Localize(c.Command)
			var first string
			for i := range 2 {
				v, _ := json.Marshal(g.DecideAndKeep(command))
				if i == 0 {
					first = string(v)
				} else if string(v) != first {
					t.Errorf("%s: the verdict about\n%s\nbecame\n%s\nfrom\n%s", set.Name, command, v, first)
				}
			}
		})
	}
}
