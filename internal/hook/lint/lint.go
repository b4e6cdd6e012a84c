// Package lint finds what configuration files say that can be read and yet does
// nothing, or something else than people mean: patterns that never match, conditions
// that cannot hold, exemptions without effect, times in the wrong unit.
//
// What it looks for is a table, [Checks]. Only commands that people give to look at
// their files run it: a file that loaded yesterday loads today, whatever is found.
package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A Level describes how bad a finding is.
type Level uint8

// The levels.
const (
	Warn  Level = iota // it works, or may on another machine, and is probably not meant
	Error              // it never has an effect
)

// A Check is a row of the table.
type Check struct {
	Name  string
	Level Level
	What  string // what it finds
	run   func(*pass)
}

// Checks is the table of everything that is looked for. Callers must not change it.
func Checks() []Check { return checks }

var checks = []Check{
	{"control-character", Error, "a pattern with a control character, from an escape in double quotes", (*pass).controls},
	{"relative-path", Error, "a relative path that is compared with absolute ones", (*pass).relative},
	{"relative-argument", Warn, "a relative path that is compared with an argument that most agents send as an absolute path", (*pass).relativeArgument},
	{"variable-in-path", Error, "a variable or ~ that is never expanded", (*pass).variables},
	{"backslash-path", Error, "a Windows path with backslashes", (*pass).backslashes},
	{"glob-directory", Warn, "a glob that ends with a slash", (*pass).directory},
	{"glob-whole", Warn, "a glob without wildcards, which must equal the whole value", (*pass).wholeGlob},
	{"regex-slashes", Warn, "a regular expression enclosed in slashes", (*pass).slashes},
	{"glob-braces", Error, "braces in a glob, where they have no meaning", (*pass).braces},
	{"glob-in-text", Warn, "a star or another wildcard in a string that is compared literally", (*pass).patternInText},
	{"matcher-glob", Warn, "a matcher that is written as a glob", (*pass).matcherGlob},
	{"unknown-value", Error, "a value that the field never has", (*pass).values},
	{"unknown-effect", Warn, "an unknown effect", (*pass).effects},
	{"unknown-host", Warn, "an unknown agent", (*pass).hosts},
	{"matcher-against-if", Error, "a matcher and a condition for different tools", (*pass).tools},
	{"misses-patches", Warn, "a matcher for file-changing tools that omits an installed agent's patch tool", (*pass).patches},
	{"covered", Error, "a rule that another rule in the file makes pointless", (*pass).covered},
	{"same-name", Warn, "two hooks with the same name on one event, in one file or in files of one scope", (*pass).sameName},
	{"pack-allow", Error, "a pack exemption that is not a path glob", (*pass).packAllow},
	{"pack-off", Warn, "a pack that is off but has other settings", (*pass).packOff},
	{"grant-rule", Error, "a grant for a rule that does not exist", (*pass).grantRules},
	{"over", Warn, "a setting that has expired", (*pass).over},
	{"timeout", Warn, "a timeout that is probably in the wrong unit", (*pass).timeouts},
	{"one-word-list", Error, "a whole command line as one list item", (*pass).oneWord},
	{"tilde-in-list", Error, "a ~ that no shell expands", (*pass).tilde},
	{"builtin-as-command", Warn, "a builtin's name as a command", (*pass).builtins},
	{"unset-variable", Warn, "an environment variable that is not set here", (*pass).unset},
}

// A Case is what is looked at, and what must be known for it.
type Case struct {
	Files []File
	Hooks []checkrein.Hook // of all files

	Builtins []string // their names
	Hosts    []string
	Patching []string // the names of hosts that are installed and change files by patches
	Effects  []string // the words that the field effects can have
	Rules    []string // PACK/RULE, of all packs
	Getenv   func(string) (string, bool)
	Now      time.Time
}

// A File is one of checkrein's own.
type File struct {
	Path  string
	Scope checkrein.Scope
	Text  []byte
}

// A Finding is something that a check found.
type Finding struct {
	Check string
	Level Level
	At    *checkrein.HookError
}

// Run looks at everything.
func Run(c *Case) []Finding {
	p := pass{Case: c}
	for _, f := range c.Files {
		root, _, err := yamldoc.Parse(f.Text)
		if err != nil || root.Kind != yamldoc.Map {
			continue // which is said elsewhere
		}
		p.files = append(p.files, file{f.Path, root})
		p.entries = append(p.entries, entriesOf(&f, root)...)
	}
	for i := range p.entries {
		p.tests = append(p.tests, testsOf(&p.entries[i])...)
	}
	for i := range checks {
		p.check = &checks[i]
		p.check.run(&p)
	}
	return p.found
}

// A pass is one look at a case.
type pass struct {
	*Case
	check   *Check
	files   []file
	entries []entry
	tests   []test
	found   []Finding
}

// A file is one with its text as a tree.
type file struct {
	path string
	root *yamldoc.Node
}

// find notes a finding of the check at hand, at a value. What is found once more at the
// same place says nothing new.
func (p *pass) find(path, hook string, at *yamldoc.Node, remedy, format string, args ...any) {
	column := at.Column
	f := Finding{p.check.Name, p.check.Level, &checkrein.HookError{Hook: hook, Origin: checkrein.Origin{File: path, Line: at.Line}, Column: column,
		Err: fmt.Errorf(format, args...), Remedy: remedy}}
	if !slices.ContainsFunc(p.found, func(g Finding) bool { return g.Check == f.Check && g.At.Error() == f.At.Error() }) {
		p.found = append(p.found, f)
	}
}

func (p *pass) at(e *entry, n *yamldoc.Node, remedy, format string, args ...any) {
	p.find(e.path, e.label, n, remedy, format, args...)
}
