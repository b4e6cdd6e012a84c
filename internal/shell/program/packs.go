package program

import "github.com/checkrein/checkrein/internal/shell"

//go:generate go run ./gen

// A Set is a file of rules.
type Set struct {
	Tag string // by which the index knows it: as its file is called
	*shell.RuleSet
}

// The rules of commands that go around what guards agents.
const (
	RuleHooksOff   = "hooks-off"
	RuleGuardEnded = "guard-ended"
	RuleGuardLater = "guard-later"
)

// Rules calls fn with every rule of the built-in packs. Callers must not change
// them.
func Rules(fn func(*shell.Rule)) {
	for _, set := range Packs {
		for i := range set.Rules {
			fn(&set.Rules[i])
		}
	}
}

// Coded calls fn with what is judged by code and not by a rule of a set: by where a
// path lies, by what goes where, or by a language of its own. Each has the id, the
// category and what such a thing mostly comes to; Cmd is empty.
func Coded(fn func(*shell.Rule)) {
	for i := range coded {
		fn(&coded[i])
	}
}

// Samples calls fn with every rule of the built-in packs and with what is judged by
// code, and with the samples of each. Callers must not change them. No rule leads to its
// samples: what the hot program does not ask for it does not carry.
func Samples(fn func(*shell.Rule, *shell.Samples)) {
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
