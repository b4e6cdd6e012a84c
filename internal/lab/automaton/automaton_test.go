package automaton

import (
	"slices"
	"strings"
	"testing"
)

// reportedRules runs a machine over text and returns the rules that it reports, in order.
func reportedRules(m *Machine, text string) []int {
	var list []int
	state := 0
	for i := range len(text) {
		state = int(m.Rows[state*Stride+int(m.Class[text[i]])])
		if state >= m.First {
			for _, h := range m.Hits[m.At[state-m.First]:m.At[state-m.First+1]] {
				list = append(list, int(h.Rule))
			}
		}
	}
	return list
}

func TestBuild(t *testing.T) {
	anchors := []Anchor{{"he", []int{0}}, {"she", []int{1, 5}}, {"his", []int{2}}, {"hers", []int{3}}, {"-x-", []int{4}}}
	m, err := Build(anchors)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int{
		"ushers": {1, 5, 0, 3}, "USHERS": {1, 5, 0, 3}, "his": {2}, "hhe": {0}, "-x-x-": {4, 4}, "xyz": nil, "h\xffe": nil, "": nil,
	} {
		if got := reportedRules(m, text); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, text := range []string{"", "Upper", strings.Repeat("x", 256)} {
		if _, err := Build([]Anchor{{Text: text}}); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
