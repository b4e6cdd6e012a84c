package shell

import "strings"

// A RuleSet is a set of rules about one kind of program. The built-in ones are
// static data, one file each; people add their own in YAML.
type RuleSet struct {
	Pack  Pack   // which programs it is about; its rules' categories say which pack guards
	Own   string // the name of a person's own
	Rules []Rule
}

// Name is what to call the set in messages.
func (s *RuleSet) Name() string {
	if s.Own != "" {
		return s.Own
	}
	return s.Pack.String()
}

// A Rule describes what a call does, by the words that it is made of.
//
// All conditions that are set must hold. Lists are separated by spaces. Package
// packs holds calls against rules.
type Rule struct {
	ID  string
	Cmd string // the program and its subcommands: "git push"; a word may be alternatives, "docker|podman", "*", or "**", which is one to three words
	Any string // at least one of these flags or words is given: "-f --force"
	All string // each of these is given; alternatives with |: "-r|-R|--recursive -f|--force"
	Not string // the rule does not hold when one of these is given: "--dry-run -n"
	Arg string // an argument that is no flag fits one of these patterns (* and ? as in file names)
	SQL string // a statement in the arguments or on standard input begins with one of these, separated by |

	Bare bool // no word follows those of Cmd; flags may

	Label    Label
	Kind     string
	Category Category
	Own      *Row // in place of Category: of a person's own rules
	Radius   Radius
	Paths    bool   // the arguments that are no flags are paths that it touches
	Reason   string // one line; see [Rule.Says]

	Samples *Samples // of a person's own; those of built-in rules are data of package program
}

// Says is the reason for a call whose operands are known; "" = they are not, or it
// has none. In a reason "{args}" stands for them: at the end it is left out with the
// colon before it, elsewhere "{args|a bucket}" says what kind of thing they are.
func (r *Rule) Says(operands string) string {
	before, rest, ok := strings.Cut(r.Reason, "{args")
	if !ok {
		return r.Reason
	}
	kind, after, _ := strings.Cut(rest, "}")
	switch {
	case operands != "":
		return before + operands + after
	case kind != "":
		return before + kind[1:] + after
	case after == "" && strings.HasSuffix(before, ": "):
		return before[:len(before)-2]
	}
	return before + "something" + after // a person's own rule
}

// Samples hold a rule to its word.
type Samples struct {
	Match   []string // commands for which the rule must hold
	NoMatch []string // commands for which it must not
}
