package shell

import "strings"

// A RuleSet is a set of rules about one kind of program. The built-in sets are static data, one file
// each; users add their own in YAML.
type RuleSet struct {
	Pack  Pack   // the kind of program; which pack guards an effect depends on the category of the rule
	Own   string // the name of a set that the user wrote; "" = a built-in set
	Rules []Rule
}

// Name returns the name of the set as messages have it.
func (s *RuleSet) Name() string {
	if s.Own != "" {
		return s.Own
	}
	return s.Pack.String()
}

// A Rule describes what a call does, according to its words.
//
// All conditions that are set must hold. Lists are separated by spaces. Package rules matches calls
// against rules.
type Rule struct {
	ID  string
	Cmd string // the program and its subcommands: "git push"; a word may be alternatives, "docker|podman", "*", or "**", which is one to three words
	Any string // at least one of these flags or words occurs: "-f --force"
	All string // each of these occurs; alternatives with |: "-r|-R|--recursive -f|--force"
	Not string // none of these occurs: "--dry-run -n"
	Arg string // an operand matches one of these patterns (* and ? as in file names)
	SQL string // a statement in the arguments or on standard input begins with one of these, separated by |

	Bare bool // only flags follow the words of Cmd

	Label    Label
	Kind     string
	Category Category
	Own      *Row // replaces Category in rules that the user wrote
	Impact   Impact
	Paths    bool   // the operands are affected paths
	Keeps    Saving // what of the git repository must be saved first
	Reason   string // one line; see [Rule.ReasonFor]

	Samples *Samples // of rules that the user wrote; those of built-in rules are data of package program
}

// ReasonFor returns the reason for a call with these operands; "" means that they are unknown, or that
// there are none. "{args}" in Reason stands for the operands. Without operands, "{args}" at the end is
// left out together with the colon before it, and "{args|a bucket}" becomes "a bucket".
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
	return before + "something" + after // only rules of users lack a kind
}

// Samples holds commands with which a rule is tested.
type Samples struct {
	Match   []string // commands that the rule must match
	NoMatch []string // commands that it must not match
}
