package builtin

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/packs"
)

// commandWard is a command of checkrein that is not for agents.
func commandWard(why string) ward {
	w := ward{decision: checkrein.Deny, rule: "self/command", final: true, what: "a command of checkrein that is not on its list for agents",
		way: "agents may run scan, explain, validate, eval without -c, classify, status, packs, docs, version, their help, and what else only shows something" + byPerson}
	if why == files.ReasonUnknown {
		w.what, w.way = "a command of checkrein whose words are not known beforehand", "they may be options that are not an agent's to give, so write -- before them"
	}
	return w
}

// around is what a person is asked about because it goes around checkrein.
func (k *keeper) around(rule, does string) ward {
	way := "start it without that"
	switch rule {
	case packs.RuleGuardEnded:
		way = "name only processes of your own work"
	case packs.RuleGuardLater:
		way = "set it only in front of the command that needs it"
	case ruleGitHooks:
		way = "let the hooks run, and put right what they find"
	}
	return k.asked("protect/around", "what guards agents", "this "+does+", so "+way+byPerson)
}

// passedOn judges a command of checkrein that is given to a program which runs what
// it is given, though that is not known of it: go run, a loader, a wrapper of the
// project's own.
func (k *keeper) passedOn(c *shell.Call) ward {
	if c.Name == "git" {
		return ward{}
	}
	for i := range c.Args {
		name, _, _ := strings.Cut(c.Args[i].Text, "@") // of a Go module's version
		if !ownName(name) || readsAsGlob(name) {
			continue
		}
		words := make([]string, 0, len(c.Args))
		for _, w := range c.Args[i+1:] {
			words = append(words, w.Text)
		}
		if len(words) > 0 && slices.ContainsFunc(files.OwnCommands(), func(row files.OwnCommand) bool { return row.Name == words[0] }) && !files.AgentMay(words) {
			return commandWard("")
		}
	}
	return ward{}
}
