package taskfile

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A makeCall is a call of make, with what is read of the files that it reads.
//
// A variable has every value that the text gives it, whatever conditionals say. $(shell x)
// becomes $(x), as the shell of a recipe would have it; other functions yield
// [shell.Hole], and what makes rules while the text is read is not followed.
type makeCall struct {
	*reading
	goals, files, from []string
	idle               bool // it only prints its version or its help

	vars     map[string]*makeVar
	rules    []makeRule
	runs     []string // commands that run while the text is read
	exports  []string // variables that recipes get
	open     bool     // lines with a tab belong to the last rule
	oneShell bool
	nesting  int
	size     int // of all that was expanded
	widest   int // the most values that a variable has
}

// readMake reads what a call of make runs.
func readMake(r *reading) bool {
	c := makeCall{reading: r, vars: map[string]*makeVar{}, widest: 1}
	for i := range r.call.Env {
		if v := &r.call.Env[i]; v.Value.IsKnown() {
			c.set(v.Name, v.Value.Text, false)
		}
	}
	c.words()
	if c.idle {
		return true
	}
	c.readFiles()
	commands := c.commands()
	env := c.exported()
	sh, flags := c.expand("$(SHELL)", "", 0, 0), c.expand("$(.SHELLFLAGS)", "", 0, 0)
	for _, text := range c.runs {
		r.text(Text{Text: text, Dir: r.dir, Env: env})
	}
	plain := facts.LanguageOf(lastName(sh)).IsPosix() && strings.Trim(flags, "-abcdefghijklmnopqrstuvwxyz ") == ""
	if plain && strings.Contains(sh, "/") && !strings.HasPrefix(sh, "/") {
		r.text(Text{Text: sh + " -c :", Dir: r.dir, Env: env})
	}
	for _, text := range commands {
		if !plain && strings.TrimSpace(text) != "" {
			text = sh + " " + flags + " " + quote(text)
		}
		r.text(Text{Text: text, Dir: r.dir, Env: env})
	}
	if c.size > 16*maxExpand || len(c.rules) > maxRules {
		r.unsure("make: the file has more rules than are read")
	}
	return true
}

// makeValues are the long options of make that take a value, each with its letter.
const makeValues = "--file=f --makefile=f --directory=C --include-dir=I --eval=E --old-file=o --assume-old=o --what-if=o " +
	"--new-file=o --assume-new=o"

// words reads the words of the call.
func (c *makeCall) words() {
	args := c.call.Args
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		next := func() string {
			if i++; i < len(args) {
				return args[i].Text
			}
			return ""
		}
		name, op, value, sets := definition(a)
		switch {
		case a == "" || a == "-" || a == "--":
		case strings.HasPrefix(a, "--"):
			c.long(a, next)
		case a[0] == '-':
			c.short(a[1:], next)
		case sets && op == "!=":
			c.set(name, "$(shell "+value+")", true)
			c.expand("$("+name+")", "", 0, 0)
		case sets:
			c.set(name, value, true)
			c.expand(value, "", 0, 0)
		case !args[i].IsKnown() || args[i].Glob:
			c.goals = append(c.goals, hole)
			c.unsure("make: which targets it is told to make")
		default:
			c.goals = append(c.goals, c.names(strings.ReplaceAll(a, "$", "$$"), 0)...)
		}
	}
}

// long reads a long option.
func (c *makeCall) long(opt string, next func() string) {
	name, val, has := strings.Cut(opt, "=")
	c.idle = c.idle || name == "--help" || name == "--version"
	for row := range strings.FieldsSeq(makeValues) {
		if full, letter, _ := strings.Cut(row, "="); len(name) > 4 && strings.HasPrefix(full, name) {
			if !has {
				val = next()
			}
			c.option(letter[0], val)
			return
		}
	}
}

// short reads letters, of which one may take the rest as its value.
func (c *makeCall) short(letters string, next func() string) {
	for i := range len(letters) {
		rest := letters[i+1:]
		switch letters[i] {
		case 'f', 'C', 'I', 'E', 'o', 'W':
			if rest == "" {
				rest = next()
			}
			c.option(letters[i], rest)
			return
		case 'j', 'l', 'O':
			return
		case 'h', 'v':
			c.idle = true
		}
	}
}

func (c *makeCall) option(letter byte, val string) {
	switch letter {
	case 'f':
		c.files = append(c.files, val)
	case 'C':
		if !known(val) {
			c.unsure("make: which directory it runs in")
		}
		c.dir = c.at(val)
	case 'I':
		c.from = append(c.from, val)
	case 'E':
		c.read(val)
	}
}

// readFiles reads the files that make reads.
func (c *makeCall) readFiles() {
	if v := c.vars["MAKEFILES"]; v != nil {
		c.include(v.values[0])
	}
	for _, name := range c.files {
		switch text, sure := c.input(); {
		case name == "-" && sure:
			c.read(text)
		case name == "-" || strings.HasPrefix(name, "/dev/") || !known(name):
			c.unsure("make: which makefile it reads")
		default:
			c.file(name)
		}
	}
	if len(c.files) > 0 {
		return
	}
	for name := range strings.FieldsSeq(c.row.files) {
		if c.file(name) {
			return
		}
	}
}

// file reads a makefile when it is there.
func (c *makeCall) file(name string) bool {
	c.implicit(name)
	text, err := c.look.File(c.at(name))
	if missing(err) {
		return false
	}
	c.whole(c.at(name))
	if err != nil {
		c.unsure("make: what " + plain(name) + " says")
	}
	c.read(string(text))
	return true
}

// include reads the files that a line names.
func (c *makeCall) include(list string) {
	for name := range strings.FieldsSeq(list) {
		if !known(name) || strings.ContainsAny(name, "*?[$`") {
			c.unsure("make includes files whose names are unknown")
			continue
		}
		for _, dir := range append([]string{"."}, c.from...) {
			if c.file(join(c.at(dir), name)) {
				break
			}
		}
	}
}

// exported returns the variables that recipes get.
func (c *makeCall) exported() []shell.Variable {
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
