package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/lab/ablate/ablated"
	"github.com/checkrein/checkrein/internal/lab/corpora"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// A subject is a command that is judged repeatedly.
type subject struct {
	set    string
	answer string // with all functions
	judge  func() string
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
			out = append(out, subject{set: set.Name, judge: func() string {
				v := g.Decide(c.Dialect, p.Localize(c.Command))
				return engine.AnswerWord(&v)
			}})
		}
	}
	return out, nil
}

// Limits of the trials for one function. A function that all commands call is tried with
// some of them; if it is needed, a few changes show that.
const (
	maxTries   = 600
	maxChanges = 12
	maxTime    = 5 * time.Second
)

// sweep prints what changes without each of the functions that a file lists.
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
	by := make([][]*subject, len(names)) // the subjects that call each function
	for i := range subjects {
		s := &subjects[i]
		s.judge() // fill caches while all functions are on
		ablated.TakeEntered()
		s.answer = s.judge()
		for _, n := range ablated.TakeEntered() {
			by[n] = append(by[n], s)
		}
	}
	for n, name := range names {
		fmt.Printf("%s\tentered by %d\t%s\n", name, len(by[n]), describeWithout(n, by[n]))
	}
	return nil
}

// describeWithout describes what changes when one function is switched off.
func describeWithout(function int, subjects []*subject) string {
	if len(subjects) == 0 {
		return "never entered"
	}
	changes := map[string]int{}
	total := 0
	begun := time.Now()
	for i := 0; i < len(subjects) && total < maxChanges && time.Since(begun) < maxTime; i += 1 + len(subjects)/maxTries {
		s := subjects[i]
		if answer := judgeWithout(function, s); answer != s.answer {
			changes[s.set+": "+s.answer+" becomes "+answer]++
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

// judgeWithout returns the answer with one function switched off, or "no end" if there is none after
// two seconds. The judgment then goes on with the function switched on again.
func judgeWithout(function int, s *subject) string {
	ablated.SwitchOff(function)
	defer ablated.SwitchOff(-1)
	answer := make(chan string, 1)
	go func() { answer <- s.judge() }()
	select {
	case a := <-answer:
		return a
	case <-time.After(2 * time.Second):
		return "no end"
	}
}
