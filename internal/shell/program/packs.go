package program

import "github.com/checkrein/checkrein/internal/shell"

//go:generate go run ./gen

// A Set is a file of rules.
type Set struct {
	Tag string // the name of the file, which the index uses
	*shell.RuleSet
}

// The rules of commands that bypass the guards of agents.
const (
	RuleHooksOff   = "hooks-off"
	RuleGuardEnded = "guard-ended"
	RuleGuardLater = "guard-later"
)

// EachRule calls fn with every rule of the built-in packs. Callers must not change them.
func EachRule(fn func(*shell.Rule)) {
	for _, set := range Packs {
		for i := range set.Rules {
			fn(&set.Rules[i])
		}
	}
}

// EachCodedRule calls fn with a pseudo-rule for each effect that code finds, not a rule of a set: by
// the location of a path, by the destination of data, or by a language of its own. Each has the id,
// the category and the usual label and impact; Cmd is empty.
func EachCodedRule(fn func(*shell.Rule)) {
	for i := range coded {
		fn(&coded[i])
	}
}

// EachSample calls fn with every rule of the built-in packs and every pseudo-rule, and with the
// samples of each. Callers must not change them. Rules do not refer to their samples, so that programs
// that do not use samples do not link them.
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
