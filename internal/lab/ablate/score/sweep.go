package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/lab/ablate/ablated"
	"github.com/checkrein/checkrein/internal/lab/corpora"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// A subject is a command that is judged again and again.
type subject struct {
	set      string
	decision string // with all functions
	judge    func() string
}

// readSubjects returns the commands of all corpora.
func readSubjects(p corpora.Place, g *guardtest.Guard) ([]subject, error) {
	var out []subject
	for _, set := range corpora.Sets() {
		cases, err := set.ReadWithoutSetup(".")
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			out = append(out, subject{set: set.Name, judge: func() string { return g.Decide(c.Dialect, p.Localize(c.Command)).Decision.String() }})
		}
	}
	return out, nil
}

// Limits of what is tried without one function. A function that all commands enter is tried
// with some of them, and one that is needed shows it soon.
const (
	maxTries   = 600
	maxChanges = 12
	maxTime    = 5 * time.Second
)

// sweep prints what changes without each function that a file lists.
func sweep(file string, p corpora.Place, g *guardtest.Guard) error {
	subjects, err := readSubjects(p, g)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	ablated.Prepare(len(names))
	by := make([][]*subject, len(names)) // who enters which function
	for i := range subjects {
		s := &subjects[i]
		s.judge() // what is read once is not read with a function switched off
		ablated.TakeEntered()
		s.decision = s.judge()
		for _, n := range ablated.TakeEntered() {
			by[n] = append(by[n], s)
		}
	}
	for n, name := range names {
		fmt.Printf("%s\tentered by %d\t%s\n", name, len(by[n]), without(n, by[n]))
	}
	return nil
}

// without describes what changes when one function is switched off.
func without(function int, subjects []*subject) string {
	if len(subjects) == 0 {
		return "never entered"
	}
	changes := map[string]int{}
	total := 0
	begun := time.Now()
	for i := 0; i < len(subjects) && total < maxChanges && time.Since(begun) < maxTime; i += 1 + len(subjects)/maxTries {
		s := subjects[i]
		decision := judgeWithout(function, s)
		if decision != s.decision {
			changes[s.set+": "+s.decision+" becomes "+decision]++
			total++
		}
	}
	if total == 0 {
		return "nothing changes"
	}
	var out []string
	for _, what := range slices.Sorted(maps.Keys(changes)) {
		out = append(out, fmt.Sprintf("%s (%d)", what, changes[what]))
	}
	return strings.Join(out, ", ")
}

// judgeWithout judges without one function. What does not end then goes on when the
// function is there again.
func judgeWithout(function int, s *subject) string {
	ablated.SwitchOff(function)
	defer ablated.SwitchOff(-1)
	decision := make(chan string, 1)
	go func() { decision <- s.judge() }()
	select {
	case d := <-decision:
		return d
	case <-time.After(2 * time.Second):
		return "no end"
	}
}
