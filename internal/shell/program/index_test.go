package program

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestIndexIsComplete checks that the index lists every rule for every program and subcommand that it
// names.
func TestIndexIsComplete(t *testing.T) {
	for _, set := range Packs {
		for i := range set.Rules {
			rule := &set.Rules[i]
			words := strings.Fields(rule.Cmd + " *")
			for name := range strings.SplitSeq(words[0], "|") {
				for sub := range strings.SplitSeq(words[1], "|") {
					found := false
					is := func(r *shell.Rule) { found = found || r == rule }
					line := RulesFor(name)
					line.PlainRules().Each(is)
					line.SubcommandRules(sub).Each(is)
					if !found {
						t.Errorf("%s/%s is not found for %s %s", set.Tag, rule.ID, name, sub)
					}
				}
			}
		}
	}
	for _, name := range []string{"", " ", "\n", "a", "gi", "gits", "git ", "git look:look-git", "zzz", "\x7f", "\x00", "!", "é", strings.Repeat("git", 9)} {
		if line := RulesFor(name); line != "" {
			t.Errorf("%q has rules: %s", name, line)
		}
	}
	for _, sub := range []string{"", " ", "pus", "push ", "ush", "push git:push-force", "|", "|push"} {
		if list := RulesFor("git").SubcommandRules(sub); list != "" {
			t.Errorf("git %q has rules: %s", sub, list)
		}
	}
}
