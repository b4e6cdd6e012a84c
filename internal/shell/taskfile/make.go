package taskfile

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A makeCall is a call of make, with the contents of the files that it reads.
//
// A variable has every value that the text gives it, whatever conditionals require. $(shell x) becomes
// $(x), as the shell of a recipe would have it; other functions yield [shell.Placeholder], and rules
// that are generated while the text is read are not followed.
type makeCall struct {
	*reading
	goals, files, from []string
	idle               bool // it only prints its version or its help

	vars          map[string]*makeVar
	rules         []makeRule
	runs          []string // commands that run while the text is read
	exports       []string // variables that recipes get
	inRule        bool     // lines with a tab belong to the last rule
	oneShell      bool
	nesting       int
	size          int // bytes expanded so far
	maxValueCount int // the most values that a variable has
}

// readMake reads what a call of make runs.
func readMake(r *reading) bool {
	c := makeCall{reading: r, vars: map[string]*makeVar{}, maxValueCount: 1}
	for i := range r.call.Env {
		if v := &r.call.Env[i]; v.Value.IsKnown() {
			c.setFromCall(v.Name, v.Value.Text, false)
		}
	}
	c.parseWords()
	if c.idle {
		return true
	}
	c.readFiles()
	commands := c.commands()
	env := c.exportedVars()
	sh, flags := c.expand("$(SHELL)", "", 0, 0), c.expand("$(.SHELLFLAGS)", "", 0, 0)
	for _, text := range c.runs {
		r.addText(Text{Text: text, Dir: r.dir, Env: env})
	}
	plain := facts.LanguageOf(lastName(sh)).IsPosix() && strings.Trim(flags, "-abcdefghijklmnopqrstuvwxyz ") == ""
	if plain && strings.Contains(sh, "/") && !strings.HasPrefix(sh, "/") {
		r.addText(Text{Text: sh + " -c :", Dir: r.dir, Env: env})
	}
	for _, text := range commands {
		if !plain && strings.TrimSpace(text) != "" {
			text = sh + " " + flags + " " + quote(text)
		}
		r.addText(Text{Text: text, Dir: r.dir, Env: env})
	}
	if c.size > 16*maxExpand || len(c.rules) > maxRules {
		r.addUnsure("make: the file has more rules than are read")
	}
	return true
}

// makeValues are the long options of make that take a value, each with its letter.
const makeValues = "--file=f --makefile=f --directory=C --include-dir=I --eval=E --old-file=o --assume-old=o --what-if=o " +
	"--new-file=o --assume-new=o"

// parseWords parses the words of the call.
func (c *makeCall) parseWords() {
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
			c.parseLong(a, next)
		case a[0] == '-':
			c.parseShort(a[1:], next)
		case sets && op == "!=":
			c.setFromCall(name, "$(shell "+value+")", true)
			c.expand("$("+name+")", "", 0, 0)
		case sets:
			c.setFromCall(name, value, true)
			c.expand(value, "", 0, 0)
		case !args[i].IsKnown() || args[i].Glob:
			c.goals = append(c.goals, placeholder)
			c.addUnsure("make: which targets it is told to make")
		default:
			c.goals = append(c.goals, c.targetNames(strings.ReplaceAll(a, "$", "$$"), 0)...)
		}
	}
}

// parseLong parses a long option.
func (c *makeCall) parseLong(opt string, next func() string) {
	name, val, has := strings.Cut(opt, "=")
	c.idle = c.idle || name == "--help" || name == "--version"
	for row := range strings.FieldsSeq(makeValues) {
		if full, letter, _ := strings.Cut(row, "="); len(name) > 4 && strings.HasPrefix(full, name) {
			if !has {
				val = next()
			}
			c.setOption(letter[0], val)
			return
		}
	}
}

// parseShort parses letters, one of which may take the rest as its value.
func (c *makeCall) parseShort(letters string, next func() string) {
	for i := range len(letters) {
		rest := letters[i+1:]
		switch letters[i] {
		case 'f', 'C', 'I', 'E', 'o', 'W':
			if rest == "" {
				rest = next()
			}
			c.setOption(letters[i], rest)
			return
		case 'j', 'l', 'O':
			return
		case 'h', 'v':
			c.idle = true
		}
	}
}

func (c *makeCall) setOption(letter byte, val string) {
	switch letter {
	case 'f':
		c.files = append(c.files, val)
	case 'C':
		if !isKnown(val) {
			c.addUnsure("make: which directory it runs in")
		}
		c.dir = c.pathOf(val)
	case 'I':
		c.from = append(c.from, val)
	case 'E':
		c.readText(val)
	}
}

// readFiles reads the files that make reads.
func (c *makeCall) readFiles() {
	if v := c.vars["MAKEFILES"]; v != nil {
		c.readIncludes(v.values[0])
	}
	for _, name := range c.files {
		switch text, sure := c.input(); {
		case name == "-" && sure:
			c.readText(text)
		case name == "-" || strings.HasPrefix(name, "/dev/") || !isKnown(name):
			c.addUnsure("make: which makefile it reads")
		default:
			c.readMakefile(name)
		}
	}
	if len(c.files) > 0 {
		return
	}
	for name := range strings.FieldsSeq(c.row.files) {
		if c.readMakefile(name) {
			return
		}
	}
}

// readMakefile reads a makefile if it exists.
func (c *makeCall) readMakefile(name string) bool {
	c.addImplicitScript(name)
	text, err := c.look.File(c.pathOf(name))
	if isMissing(err) {
		return false
	}
	c.addWhole(c.pathOf(name))
	if err != nil {
		c.addUnsure("make: what " + displayText(name) + " says")
	}
	c.readText(string(text))
	return true
}

// readIncludes reads the files that a line names.
func (c *makeCall) readIncludes(list string) {
	for name := range strings.FieldsSeq(list) {
		if !isKnown(name) || strings.ContainsAny(name, "*?[$`") {
			c.addUnsure("make includes files whose names are unknown")
			continue
		}
		for _, dir := range append([]string{"."}, c.from...) {
			if c.readMakefile(join(c.pathOf(dir), name)) {
				break
			}
		}
	}
}

// exportedVars returns the variables that recipes get.
func (c *makeCall) exportedVars() []shell.Variable {
	var out []shell.Variable
	names := append(c.exports, "PATH")
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if v := c.vars[name]; v != nil && strings.Trim(name, letters) == "" {
			out = append(out, shell.Variable{Name: name, Value: shell.Word{Text: c.expand("$("+name+")", "", 0, 0)}})
		}
	}
	return out
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"
