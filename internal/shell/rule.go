package shell

// A Pack is a set of rules about one kind of program. The built-in packs are
// static data, one file each; people add their own in YAML.
type Pack struct {
	Name  string
	About string
	Rules []Rule
}

// A Rule says what a call does, by the words that it is made of.
//
// All conditions that are set must hold. Lists are separated by spaces. Package
// packs holds calls against rules.
type Rule struct {
	ID  string
	Cmd string // the program and its subcommands: "git push"; a word may be alternatives, "docker|podman", or "*"
	Any string // at least one of these flags or words is given: "-f --force"
	All string // each of these is given; alternatives with |: "-r|-R|--recursive -f|--force"
	Not string // the rule does not hold when one of these is given: "--dry-run -n"
	Arg string // an argument that is no flag fits one of these patterns (* and ? as in file names)
	SQL string // a statement in the arguments or on standard input begins with one of these, separated by |

	Label    Label
	Kind     string
	Category string
	Radius   Radius
	Paths    bool   // the arguments that are no flags are paths that it touches
	Reason   string // one line; {args} stands for the arguments

	Match   []string // commands for which the rule must hold
	NoMatch []string // commands for which it must not
}
