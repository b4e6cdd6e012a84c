package taskfile

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A makeCall is a call of make, with the contents of the files that it reads.
//
// A variable has every value that a file gives it, because conditionals are not evaluated. $(shell x)
// becomes $(x), which the shell that runs a recipe evaluates. Other functions yield
// [shell.Placeholder], and rules that functions generate are not followed.
type makeCall struct {
	*callReader
	goals       []string // targets that the command line names
	makefiles   []string // files that -f names
	includeDirs []string // directories that -I names
	idle        bool     // make only prints its version or help

	vars          map[string]*makeVar
	rules         []makeRule
	runs          []string // commands that run while the files are read
	exports       []string // variables in the environment of recipes
	inRule        bool     // lines that begin with a tab belong to the last rule
	oneShell      bool     // all lines of a recipe run in one shell
	nesting       int      // nesting depth of the file that is read
	size          int      // bytes expanded so far
	maxValueCount int      // the largest number of values of any variable
}

// readMake reads what a call of make runs.
func readMake(r *callReader) bool {
	c := makeCall{callReader: r, vars: map[string]*makeVar{}, maxValueCount: 1}
	for i := range r.call.Env {
		if v := &r.call.Env[i]; v.Value.IsKnown() {
			c.setFromCall(v.Name, v.Value.Text, false)
		}
	}
	c.parseMakeArgs()
	if c.idle {
		return true
	}
	c.readMakefiles()
	commands := c.goalCommands()
	env := c.exportedVars()
	sh, flags := c.expand("$(SHELL)", "", 0, 0), c.expand("$(.SHELLFLAGS)", "", 0, 0)
	for _, text := range c.runs {
		r.addShellText(Text{Text: text, Dir: r.dir, Env: env})
	}
	plain := facts.LanguageOf(afterSlash(sh)).IsPosix() && strings.Trim(flags, "-abcdefghijklmnopqrstuvwxyz ") == ""
	if plain && strings.Contains(sh, "/") && !strings.HasPrefix(sh, "/") {
		r.addShellText(Text{Text: sh + " -c :", Dir: r.dir, Env: env})
	}
	for _, text := range commands {
		if !plain && strings.TrimSpace(text) != "" {
			text = sh + " " + flags + " " + shellQuote(text)
		}
		r.addShellText(Text{Text: text, Dir: r.dir, Env: env})
	}
	if c.size > 16*maxExpand || len(c.rules) > maxRules {
		r.addUnsure("make: the file has more rules than are read")
	}
	return true
}

// makeValues lists the long options of make that take a value, each with its letter.
const makeValues = "--file=f --makefile=f --directory=C --include-dir=I --eval=E --old-file=o --assume-old=o --what-if=o " +
	"--new-file=o --assume-new=o"

// parseMakeArgs parses the arguments of the call: options, variables and goals.
func (c *makeCall) parseMakeArgs() {
	args := c.call.Args
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		next := func() string {
			if i++; i < len(args) {
				return args[i].Text
			}
			return ""
		}
		name, op, value, sets := parseDefinition(a)
		switch {
		case a == "" || a == "-" || a == "--":
		case strings.HasPrefix(a, "--"):
			c.parseLongOption(a, next)
		case a[0] == '-':
			c.parseShortOptions(a[1:], next)
		case sets && op == "!=":
			c.setFromCall(name, "$(shell "+value+")", true)
			c.expand("$("+name+")", "", 0, 0)
		case sets:
			c.setFromCall(name, value, true)
			c.expand(value, "", 0, 0)
		case !args[i].IsKnown() || args[i].Glob:
			c.goals = append(c.goals, placeholder)
			c.addUnsure("make: which targets are requested")
		default:
			c.goals = append(c.goals, c.targetNames(strings.ReplaceAll(a, "$", "$$"), 0)...)
		}
	}
}

// parseLongOption parses the long option opt. Next returns the next argument, if opt takes its value
// from it.
func (c *makeCall) parseLongOption(opt string, next func() string) {
	name, val, has := strings.Cut(opt, "=")
	c.idle = c.idle || name == "--help" || name == "--version"
	for row := range strings.FieldsSeq(makeValues) {
		if full, letter, _ := strings.Cut(row, "="); len(name) > 4 && strings.HasPrefix(full, name) {
			if !has {
				val = next()
			}
			c.applyOption(letter[0], val)
			return
		}
	}
}

// parseShortOptions parses a group of short options. One of them may take the rest of the group, or
// the next argument, as its value.
func (c *makeCall) parseShortOptions(letters string, next func() string) {
	for i := range len(letters) {
		rest := letters[i+1:]
		switch letters[i] {
		case 'f', 'C', 'I', 'E', 'o', 'W':
			if rest == "" {
				rest = next()
			}
			c.applyOption(letters[i], rest)
			return
		case 'j', 'l', 'O':
			return
		case 'h', 'v':
			c.idle = true
		}
	}
}

// applyOption applies the option with the given letter and value. It ignores options that do not change what runs.
func (c *makeCall) applyOption(letter byte, val string) {
	switch letter {
	case 'f':
		c.makefiles = append(c.makefiles, val)
	case 'C':
		if !isKnown(val) {
			c.addUnsure("make: which directory it runs in")
		}
		c.dir = c.resolvePath(val)
	case 'I':
		c.includeDirs = append(c.includeDirs, val)
	case 'E':
		c.readMakefileText(val)
	}
}

// readMakefiles reads the files that make reads: those in MAKEFILES, and those that -f names or else
// the default one.
func (c *makeCall) readMakefiles() {
	if v := c.vars["MAKEFILES"]; v != nil {
		c.readIncludes(v.values[0])
	}
	for _, name := range c.makefiles {
		switch text, sure := c.stdinText(); {
		case name == "-" && sure:
			c.readMakefileText(text)
		case name == "-" || strings.HasPrefix(name, "/dev/") || !isKnown(name):
			c.addUnsure("make: which makefile it reads")
		default:
			c.readMakefile(name)
		}
	}
	if len(c.makefiles) > 0 {
		return
	}
	for name := range strings.FieldsSeq(c.row.files) {
		if c.readMakefile(name) {
			return
		}
	}
}

// readMakefile reads the makefile name, and reports whether it exists.
func (c *makeCall) readMakefile(name string) bool {
	c.addImplicitScript(name)
	text, err := c.disk.File(c.resolvePath(name))
	if isNotExist(err) {
		return false
	}
	c.addWholeFile(c.resolvePath(name))
	if err != nil {
		c.addUnsure("make: the contents of " + displayText(name))
	}
	c.readMakefileText(string(text))
	return true
}

// readIncludes reads the makefiles in list, the expanded argument of an include line.
func (c *makeCall) readIncludes(list string) {
	for name := range strings.FieldsSeq(list) {
		if !isKnown(name) || strings.ContainsAny(name, "*?[$`") {
			c.addUnsure("make includes files whose names are unknown")
			continue
		}
		for _, dir := range append([]string{"."}, c.includeDirs...) {
			if c.readMakefile(joinPath(c.resolvePath(dir), name)) {
				break
			}
		}
	}
}

// exportedVars returns the variables in the environment of recipes, with their values.
func (c *makeCall) exportedVars() []shell.Variable {
	var out []shell.Variable
	names := append(c.exports, "PATH")
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if v := c.vars[name]; v != nil && strings.Trim(name, identChars) == "" {
			out = append(out, shell.Variable{Name: name, Value: shell.Word{Text: c.expand("$("+name+")", "", 0, 0)}})
		}
	}
	return out
}

// identChars lists the characters of a variable name.
const identChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"
