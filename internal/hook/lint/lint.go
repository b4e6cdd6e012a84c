// Package lint finds settings in configuration files that are valid but have no effect, or another one
// than intended: patterns that never match, conditions that cannot hold, exemptions without effect,
// times in the wrong unit.
//
// Its checks are listed in a table, [Checks]. Only commands with which users check their files run
// them. Findings never prevent a file from being loaded.
package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A Level is the severity of a finding.
type Level uint8

// The levels.
const (
	Warn  Level = iota // has an effect, at least on some machines, but probably not the intended one
	Error              // never has an effect
)

// A Check looks for one kind of mistake.
type Check struct {
	Name  string
	Level Level
	What  string // what it finds
	run   func(*pass)
}

// Checks returns the table of checks. Callers must not modify it.
func Checks() []Check { return checks }

var checks = []Check{
	{"control-character", Error, "a pattern with a control character, from an escape in double quotes", (*pass).checkControls},
	{"relative-path", Error, "a relative path that is compared with absolute ones", (*pass).checkRelative},
	{"relative-argument", Warn, "a relative path that is compared with an argument that most agents send as an absolute path", (*pass).checkRelativeArgument},
	{"variable-in-path", Error, "a variable or ~ that is never expanded", (*pass).checkVariables},
	{"backslash-path", Error, "a Windows path with backslashes", (*pass).checkBackslashes},
	{"glob-directory", Warn, "a glob that ends with a slash", (*pass).checkGlobDirectory},
	{"glob-whole", Warn, "a glob without wildcards, which must equal the whole value", (*pass).checkWholeGlob},
	{"regex-slashes", Warn, "a regular expression enclosed in slashes", (*pass).checkSlashes},
	{"glob-braces", Error, "braces in a glob, where they have no meaning", (*pass).checkBraces},
	{"glob-in-text", Warn, "a star or another wildcard in a string that is compared literally", (*pass).checkPatternInText},
	{"matcher-glob", Warn, "a matcher that is written as a glob", (*pass).checkMatcherGlob},
	{"unknown-value", Error, "a value that the field never has", (*pass).checkValues},
	{"unknown-effect", Warn, "an unknown effect", (*pass).checkEffects},
	{"unknown-host", Warn, "an unknown agent", (*pass).checkHosts},
	{"matcher-against-if", Error, "a matcher and a condition for different tools", (*pass).checkTools},
	{"agents-tool-name", Warn, "a matcher with a name that only some agents use for a tool", (*pass).checkToolNames},
	{"misses-patches", Warn, "a matcher for file-changing tools that omits an installed agent's patch tool", (*pass).checkPatches},
	{"covered", Error, "a rule that another rule in the file makes pointless", (*pass).checkCovered},
	{"same-name", Warn, "two hooks with the same name on one event, in one file or in files of one scope", (*pass).checkSameName},
	{"pack-allow", Error, "a pack exemption that is not a path glob", (*pass).checkPackAllow},
	{"pack-off", Warn, "a pack that is off but has other settings", (*pass).checkPackOff},
	{"unknown-rule", Error, "a grant or shadow mode for a rule that does not exist", (*pass).checkRuleNames},
	{"over", Warn, "a setting that has expired", (*pass).checkPastDates},
	{"timeout", Warn, "a timeout that is probably in the wrong unit", (*pass).checkTimeouts},
	{"one-word-list", Error, "a whole command line as one list item", (*pass).checkOneWord},
	{"tilde-in-list", Error, "a ~ that no shell expands", (*pass).checkTilde},
	{"builtin-as-command", Warn, "a builtin's name as a command", (*pass).checkBuiltins},
	{"unset-variable", Warn, "an environment variable that is not set here", (*pass).checkUnset},
}

// A Case is the input of the checks.
type Case struct {
	Files []File
	Hooks []checkrein.Hook // the hooks of all files

	Builtins []string // the names of all builtins
	Hosts    []string
	Patching []string // names of installed hosts that change files by patches
	Effects  []string // the values of the field effects
	Rules    []string // PACK/RULE, of all packs
	Getenv   func(string) (string, bool)
	Now      time.Time
}

// A File is one of checkrein's own configuration files.
type File struct {
	Path  string
	Scope checkrein.Scope
	Text  []byte
}

// A Finding is a mistake that a check found.
type Finding struct {
	Check string
	Level Level
	At    *checkrein.HookError
}

// RunChecks runs all checks on c and returns their findings. Files that cannot be parsed are skipped.
func RunChecks(c *Case) []Finding {
	p := pass{Case: c}
	for _, f := range c.Files {
		root, _, err := yamldoc.Parse(f.Text)
		if err != nil || root.Kind != yamldoc.Map {
			continue // the loader reports it
		}
		p.files = append(p.files, file{f.Path, root})
		p.entries = append(p.entries, hookEntries(&f, root)...)
	}
	for i := range p.entries {
		p.tests = append(p.tests, conditionTests(&p.entries[i])...)
	}
	for i := range checks {
		p.check = &checks[i]
		p.check.run(&p)
	}
	return p.found
}

// A pass runs the checks and collects their findings.
type pass struct {
	*Case
	check   *Check
	files   []file
	entries []entry
	tests   []test
	found   []Finding
}

// A file is a parsed file.
type file struct {
	path string
	root *yamldoc.Node
}

// addFinding adds a finding of the current check at the node at, unless the same one was added before.
func (p *pass) addFinding(path, hook string, at *yamldoc.Node, remedy, format string, args ...any) {
	column := at.Column
	f := Finding{p.check.Name, p.check.Level, &checkrein.HookError{Hook: hook, Origin: checkrein.Origin{File: path, Line: at.Line}, Column: column,
		Err: fmt.Errorf(format, args...), Remedy: remedy}}
	if !slices.ContainsFunc(p.found, func(g Finding) bool { return g.Check == f.Check && g.At.Error() == f.At.Error() }) {
		p.found = append(p.found, f)
	}
}

func (p *pass) addEntryFinding(e *entry, n *yamldoc.Node, remedy, format string, args ...any) {
	p.addFinding(e.path, e.label, n, remedy, format, args...)
}
