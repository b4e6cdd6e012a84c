package program

import "github.com/checkrein/checkrein/internal/shell"

//go:generate go run ./gen

// A Set is the rules of one file.
type Set struct {
	Tag string // the name of the file, by which the index refers to it
	*shell.RuleSet
}

// The ids of the rules about commands that bypass the guards of agents.
const (
	RuleHooksOff   = "hooks-off"
	RuleGuardEnded = "guard-ended"
	RuleGuardLater = "guard-later"
)

// EachRule calls fn with every rule of the built-in packs. The rules must not be changed.
func EachRule(fn func(*shell.Rule)) {
	for _, set := range Packs {
		for i := range set.Rules {
			fn(&set.Rules[i])
		}
	}
}

// EachCodedRule calls fn with a pseudo-rule for each effect that code finds instead of a rule of a
// set: by the location of a path, by the destination of data, or in code of a programming language.
// Each has the id, the category and the usual label and impact; Cmd is empty.
func EachCodedRule(fn func(*shell.Rule)) {
	for i := range coded {
		fn(&coded[i])
	}
}

// EachSample calls fn with every rule of the built-in packs and every pseudo-rule, and with its
// samples. They must not be changed. Rules do not refer to their samples, so that samples are only
// linked where they are used.
func EachSample(fn func(*shell.Rule, *shell.Samples)) {
	for i := range samples {
		rules := coded[:]
		if i < len(Packs) {
			rules = Packs[i].Rules
		}
		for j := range rules {
			fn(&rules[j], &samples[i][j])
		}
	}
}
