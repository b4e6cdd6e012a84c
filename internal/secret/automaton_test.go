package secret

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/gen"
)

var update = flag.Bool("update", false, "write the generated tables anew")

// anchors returns the anchors of all rules, each once, in the order of the
// table.
func anchors() []gen.Anchor {
	var list []gen.Anchor
	at := map[string]int{}
	for i, r := range rules {
		for _, text := range strings.Fields(r.anchors) {
			text = strings.ReplaceAll(text, "·", " ")
			if _, ok := at[text]; !ok {
				at[text] = len(list)
				list = append(list, gen.Anchor{Text: text})
			}
			a := &list[at[text]]
			a.Rules = append(a.Rules, i)
		}
	}
	return list
}

func TestAutomaton(t *testing.T) {
	m, err := gen.Build(anchors())
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Source()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("automaton.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile("automaton.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("automaton.go is not what the rules make of it: run go generate")
	}
}
