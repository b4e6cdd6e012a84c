package shell

import "strings"

// A RuleSet is a set of rules about one kind of program. The built-in ones are static data, one file
// each; people add their own in YAML.
type RuleSet struct {
	Pack  Pack   // the kind of program; the categories of its rules determine the pack that guards
	Own   string // the name of a set that a person wrote
	Rules []Rule
}

// Name returns the name of the set in messages.
func (s *RuleSet) Name() string {
	if s.Own != "" {
		return s.Own
	}
	return s.Pack.String()
}

// A Rule describes what a call does, by its words.
//
// All conditions that are set must hold. Lists are separated by spaces. Package rules matches calls
// against rules.
type Rule struct {
	ID  string
	Cmd string // the program and its subcommands: "git push"; a word may be alternatives, "docker|podman", "*", or "**", which is one to three words
	Any string // at least one of these flags or words occurs: "-f --force"
	All string // each of these occurs; alternatives with |: "-r|-R|--recursive -f|--force"
	Not string // none of these occurs: "--dry-run -n"
	Arg string // an argument that is no flag matches one of these patterns (* and ? as in file names)
	SQL string // a statement in the arguments or on standard input begins with one of these, separated by |

	Bare bool // no word follows those of Cmd, except flags

	Label    Label
	Kind     string
	Category Category
	Own      *Row // in place of Category, for a person's own rules
	Impact   Impact
	Paths    bool   // arguments that are no flags are affected paths
	Reason   string // one line; see [Rule.ReasonFor]

	Samples *Samples // for a person's own rules; those of built-in rules are data of package program
}

// ReasonFor returns the reason for a call with these operands; "" means that they are unknown, or that
// there are none. In a reason, "{args}" stands for the operands. Without operands, it is left out at
// the end together with the colon before it; elsewhere "{args|a bucket}" names their kind.
func (r *Rule) ReasonFor(operands string) string {
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

// Samples are commands that test a rule.
type Samples struct {
	Match   []string // commands that the rule must match
	NoMatch []string // commands that it must not match
}
