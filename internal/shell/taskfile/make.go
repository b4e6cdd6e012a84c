package taskfile

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A makeCall is a call of make as its words have it.
type makeCall struct {
	*reading
	Makefile
	goals, files, evals, from []string
	idle                      bool // it only prints its version or its help
}

// readMake reads what a call of make runs.
func readMake(r *reading) bool {
	c := makeCall{reading: r}
	c.Open = c.include
	for i := range r.call.Env {
		if v := &r.call.Env[i]; v.Value.Known() {
			c.Set(v.Name, v.Value.Text, false)
		}
	}
	c.words()
	if c.idle {
		return true
	}
	c.readFiles()
	commands := c.Commands(c.goals)
	env := c.exported()
	for _, text := range c.Runs {
		r.text(Text{Text: text, Dir: r.dir, Env: env})
	}
	sh, flags := c.Shell()
	plain := (sh == "" || facts.TongueOf(lastName(sh)).Posix()) && strings.Trim(flags, "-abcdefghijklmnopqrstuvwxyz ") == ""
	if plain && strings.Contains(sh, "/") && !strings.HasPrefix(sh, "/") {
		r.text(Text{Text: sh + " -c :", Dir: r.dir, Env: env})
	}
	for i := range commands {
		text := commands[i].Text
		if !plain && strings.TrimSpace(text) != "" {
			text = sh + " " + orDefault(flags, "-c") + " " + quote(text)
		}
		r.text(Text{Text: text, Dir: r.dir, Env: env})
	}
	c.implicit()
	for _, why := range c.Makefile.Unsure {
		r.unsure(why)
	}
	if c.Truncated {
		r.unsure("make: the file has more rules than are read")
	}
	return true
}

func orDefault(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// makeValues are the options of make that take a value, by their letter and their names.
var makeValues = [...]struct {
	name   string
	letter byte
}{
	{"file", 'f'}, {"makefile", 'f'}, {"directory", 'C'}, {"include-dir", 'I'}, {"eval", 'E'},
	{"old-file", 'o'}, {"assume-old", 'o'}, {"what-if", 'o'}, {"new-file", 'o'}, {"assume-new", 'o'},
}

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
			c.long(a[2:], next)
		case a[0] == '-':
			c.short(a[1:], next)
		case sets && op == "!=":
			c.Set(name, "$(shell "+value+")", true)
			c.expand("$("+name+")", nil, 0)
		case sets:
			c.Set(name, value, true)
			c.expand(value, nil, 0)
		case !args[i].Known() || args[i].Glob:
			c.goals = append(c.goals, hole)
			c.unsure("make: which targets it is told to make")
		default:
			c.goals = append(c.goals, c.names(strings.ReplaceAll(a, "$", "$$"))...)
		}
	}
}

// long reads a long option, which may be shortened.
func (c *makeCall) long(opt string, next func() string) {
	name, val, has := strings.Cut(opt, "=")
	c.idle = c.idle || name == "help" || name == "version"
	for _, o := range makeValues {
		if name == o.name || len(name) > 2 && strings.HasPrefix(o.name, name) {
			if !has {
				val = next()
			}
			c.option(o.letter, val)
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
		c.evals = append(c.evals, val)
	}
}

// readFiles reads the files that make reads.
func (c *makeCall) readFiles() {
	if v := c.vars["MAKEFILES"]; v != nil {
		c.Makefile.include(v.values[0])
	}
	for _, text := range c.evals {
		c.Read(text)
	}
	for _, name := range c.files {
		switch text, sure := c.input(); {
		case name == "-" && sure:
			c.Read(text)
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
	text, err := c.look.File(c.at(name))
	if missing(err) {
		return false
	}
	c.whole(c.at(name))
	if err != nil {
		c.unsure("make: what " + plain(name) + " says")
	}
	c.remade = append(c.remade, name)
	c.Read(string(text))
	return true
}

// implicit adds the files from which make makes others by rules of its own: those that it
// reads, and those that it needs and has no rule for.
func (c *makeCall) implicit() {
	for i, name := range append(c.remade, c.unruled...) {
		dir, base := filepath.Split(c.at(name))
		sources := [...]string{base + ".sh", base + ",v", "RCS/" + base + ",v", "SCCS/s." + base, "s." + base}
		for _, source := range sources[:] {
			if (i < len(c.remade) || source == sources[0]) && known(base) && c.wholeIf(filepath.Join(dir, source)) {
				c.unsure("make may make " + base + " from " + source)
			}
		}
	}
}

// include returns the text of a file that a makefile includes.
func (c *makeCall) include(name string) (string, bool) {
	for _, dir := range append([]string{"."}, c.from...) {
		path := join(c.at(dir), name)
		if text, err := c.look.File(path); !missing(err) {
			c.whole(path)
			if err != nil {
				c.unsure("make: what " + plain(name) + " says")
			}
			return string(text), err == nil
		}
	}
	return "", false
}
