package program

import "github.com/checkrein/checkrein/internal/shell"

// A sample holds a rule of a pack to its word: commands for which it must hold,
// and commands for which it must not. Samples lie in the file of their rules, but
// no rule leads to them: what the hot program does not ask for it does not carry.
type sample struct {
	id string
	match
	noMatch
}

type (
	match   []string
	noMatch []string
)

// samples are those of [Packs], in the same order. It is a function because a
// variable made of variables is made when the program starts.
func samples() [len(Packs)][]sample {
	return [...][]sample{
		lookSamples, lookMoreSamples,
		gitSamples, containersSamples, kubernetesSamples, cloudSamples, infraSamples,
		databaseSamples, packagesSamples, servicesSamples, messagingSamples, backupSamples,
		ciSamples, secretsSamples, privilegeSamples, readsSamples, devSamples,
	}
}

// Samples calls fn with every rule of the built-in packs and with what is judged by
// code, and with the samples of each. Callers must not change them.
func Samples(fn func(*shell.Rule, *shell.Samples)) {
	list := samples()
	for i, set := range Packs {
		of := map[string]*shell.Samples{}
		for _, s := range list[i] {
			of[s.id] = &shell.Samples{Match: s.match, NoMatch: s.noMatch}
		}
		for j := range set.Rules {
			rule := &set.Rules[j]
			fn(rule, of[rule.ID])
		}
	}
	Coded(func(r *shell.Rule) { fn(r, r.Samples) })
}
