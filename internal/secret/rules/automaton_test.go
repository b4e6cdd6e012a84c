package rules

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/automaton"
)

var update = flag.Bool("update", false, "write the generated tables anew")

// allAnchors returns the anchors of all rules, each once, in the order of the table.
func allAnchors() []automaton.Anchor {
	var list []automaton.Anchor
	at := map[string]int{}
	for i, r := range Table {
		for _, text := range strings.Fields(r.Anchors) {
			text = strings.ReplaceAll(text, "·", " ")
			if _, ok := at[text]; !ok {
				at[text] = len(list)
				list = append(list, automaton.Anchor{Text: text})
			}
			a := &list[at[text]]
			a.Rules = append(a.Rules, i)
		}
	}
	return list
}

func TestAutomaton(t *testing.T) {
	m, err := automaton.Build(allAnchors())
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

// TestLanes checks that scanning in lanes yields the same hits and the same last state as scanning
// byte by byte, wherever in a lane an anchor ends.
func TestLanes(t *testing.T) {
	t.Parallel()
	list := allAnchors()
	for _, a := range list {
		if len(a.Text) > laneRun {
			t.Errorf("%q is longer than what is read before a lane", a.Text)
		}
	}
	const size = lanes * laneSize
	r := rand.New(rand.NewPCG(5, 20))
	for shift := range 200 {
		text := make([]byte, size)
		for i := range text {
			text[i] = byte('0' + r.IntN(75))
		}
		for at := shift % 50; ; {
			a := list[int(r.Uint32())%len(list)].Text
			if at+len(a) > size {
				break
			}
			copy(text[at:], a)
			at += len(a) + int(r.Uint32())%3
		}
		first := uint32(0)
		for _, c := range []byte(list[shift%len(list)].Text) {
			first = NextState(first, c)
		}
		var want [lanes][]laneHit
		state := first
		for i, c := range text {
			if state = NextState(state, c); state >= FirstHit {
				want[i/laneSize] = append(want[i/laneSize], laneHit{uint16(state), uint16(i%laneSize + 1)})
			}
		}
		var seen [lanes][laneSize]laneHit
		n, end := scanLanes(string(text), first, &seen)
		for l := range seen {
			if !slices.Equal(seen[l][:n[l]], want[l]) {
				t.Fatalf("lane %d of %q has the hits %v, want %v", l, text, seen[l][:n[l]], want[l])
			}
		}
		if end != state {
			t.Fatalf("%q ends in state %d, want %d", text, end, state)
		}
	}
}
