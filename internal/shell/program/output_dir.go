package program

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// An OutputDir is a directory that a call writes files into, under names that derive from words other
// than a path; see [Row.Puts].
type OutputDir struct {
	Names     string // how the names derive: a word of the package comment, or the options whose value is the name
	Dir       string // the directory; it may begin with ~/ or be relative to that of the call
	MayBeFile bool   // Dir is a directory only if it exists as one or ends with a slash; otherwise it is a file
	Chosen    bool   // the call itself names the directory
	Reading
}

// FindOutputDir returns the directory that c writes into, by the first clause of its row that matches
// and whose directory is set. It reports false if there is none. The function value looks up a source
// that the row names, where $NAME is a variable, @FILE:KEY a setting in a file and =PROGRAM the
// directory of a program; it returns "" if the source is not set.
func FindOutputDir(c *shell.Call, value func(source string) string) (p OutputDir, ok bool) {
	if c = moduleCall(c); c == nil {
		return OutputDir{}, false
	}
	p.Reading = ReadingOf(c)
	for _, row := range [...]*Row{p.Sub3, p.Sub2, p.Sub, p.Row} {
		if row == nil || row.Puts == "" {
			continue
		}
		for clause := range strings.SplitSeq(row.Puts, "; ") {
			when, then, conditional := strings.Cut(clause, ": ")
			if !conditional {
				when, then = "", clause
			}
			if p.matchesClause(when, value) && p.setDir(then, value) {
				return p, true
			}
		}
	}
	return OutputDir{}, false
}

// moduleCall returns the call of the module for python -m MODULE … and python setup.py …. It returns
// nil for other calls of python, and c for any other program.
func moduleCall(c *shell.Call) *shell.Call {
	if !strings.HasPrefix(c.Name, "python") {
		return c
	}
	for i := range c.Args {
		text := c.Args[i].Text
		module := *c
		switch {
		case path.Base(text) == "setup.py":
			module.Name, module.Path, module.Args = "setup.py", text, c.Args[i+1:]
			return &module
		case text == "-m" && i+1 < len(c.Args):
			module.Name, module.Args = c.Args[i+1].Text, c.Args[i+2:]
			return &module
		}
	}
	return nil
}

// matchesClause reports whether the call has the words, options and variables in when, the condition
// of a clause. The words must be its first ones, apart from assignments.
func (p *OutputDir) matchesClause(when string, value func(string) string) bool {
	at := 0
	for want := range strings.FieldsSeq(when) {
		switch want[0] {
		case '-':
			if !p.hasOption(want) {
				return false
			}
			continue
		case '$':
			if v, _ := p.lookupVariable(want[1:], value); v == "" || IsFalse(v) {
				return false
			}
			continue
		}
		for at < len(p.Words) && strings.Contains(p.Words[at].Text, "=") {
			at++
		}
		if at >= len(p.Words) || !inAlternatives(want, p.Words[at].Text) {
			return false
		}
		at++
	}
	return true
}

// hasOption reports whether the call has one of the options in list, which are separated by |. If an
// option has =pattern, its value must match.
func (p *OutputDir) hasOption(list string) bool {
	for one := range strings.SplitSeq(list, "|") {
		if strings.Contains(one, "=") && p.Has(one) == Yes || p.lastFlag(one) != nil {
			return true
		}
	}
	return false
}

// inAlternatives reports whether word is in list, which is separated by |.
func inAlternatives(list, word string) bool {
	for one := range strings.SplitSeq(list, "|") {
		if one == word {
			return true
		}
	}
	return false
}

// lastFlag returns the last flag with one of the names, which are separated by |, or nil.
func (p *OutputDir) lastFlag(names string) *Flag {
	for i := len(p.Flags) - 1; i >= 0; i-- {
		for name := range strings.SplitSeq(names, "|") {
			if hasName(name, &p.Flags[i]) {
				return &p.Flags[i]
			}
		}
	}
	return nil
}

// Value returns the value of the last option with one of the names, which are separated by |, or "".
func (p *OutputDir) Value(names string) string {
	f := p.lastFlag(names)
	switch {
	case f == nil:
		return ""
	case f.Set:
		return f.Value
	}
	return f.Next // the row does not list the option, so the next word may be its value
}

// Values returns the values of all options with one of the names, which are separated by |.
func (p *OutputDir) Values(names string) (values []string) {
	for i := range p.Flags {
		one := OutputDir{Reading: Reading{Flags: p.Flags[i : i+1]}}
		if v := one.Value(names); v != "" {
			values = append(values, v)
		}
	}
	return values
}

// keyedValue returns the value of key in the value of an option with one of the names, as in
// type=local,dest=out. It returns "" if there is none.
func (p *OutputDir) keyedValue(names, key string) (text string) {
	for i := range p.Flags {
		f := &p.Flags[i]
		if !slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool { return hasName(name, f) }) {
			continue
		}
		for one := range strings.SplitSeq(f.Value, ",") {
			if have, v, ok := strings.Cut(one, "="); ok && strings.TrimSpace(have) == key {
				text = strings.Trim(strings.TrimSpace(v), `"'`)
			}
		}
	}
	return text
}

// setDir sets the names and the directory by then, the result part of a clause. The directory is the
// first source that is set. It reports false if none is.
func (p *OutputDir) setDir(then string, value func(string) string) bool {
	var sources string
	p.Names, sources, _ = strings.Cut(then, " ")
	for source := range strings.FieldsSeq(sources) {
		p.MayBeFile = source[0] == '-' && strings.HasSuffix(source, "/")
		if p.MayBeFile {
			source = source[:len(source)-1]
		}
		if p.Dir, p.Chosen = p.resolveSource(source, value); p.Dir != "" {
			return true
		}
	}
	return false
}

// resolveSource returns the directory that source names, or "" if it is not set, and reports whether
// the call itself names it.
func (p *OutputDir) resolveSource(source string, value func(string) string) (dir string, chosen bool) {
	switch source[0] {
	case '<':
		if n := len(p.Words); n > 0 {
			dir = p.Words[n-1].Text
		}
		return dir, true
	case '>':
		if len(p.Words) > 0 {
			dir = p.Words[0].Text
		}
		return dir, true
	case '%':
		if strings.Contains(p.Call.Path, "/") {
			dir = path.Dir(p.Call.Path)
		}
		return dir, false
	case '-':
		names, below, _ := strings.Cut(source, "/")
		if options, key, keyed := strings.Cut(names, "="); keyed {
			return joinSubdir(p.keyedValue(options, key), below), true
		}
		return joinSubdir(p.Value(names), below), true
	case '$':
		name, below, _ := strings.Cut(source, "/")
		if first, second, two := strings.Cut(name[1:], "$"); two { // as in $DESTDIR$PREFIX
			a, _ := p.lookupVariable(first, value)
			b, chosen := p.lookupVariable(second, value)
			return joinSubdir(a+b, below), chosen || a != ""
		}
		dir, chosen = p.lookupVariable(name[1:], value)
		return joinSubdir(dir, below), chosen
	case '@':
		file, key, _ := strings.Cut(source, ":")
		key, below, _ := strings.Cut(key, "/")
		return joinSubdir(value(file+":"+key), below), false
	case '=':
		return value(source), false
	}
	return source, false
}

// joinSubdir returns the directory below in dir, or dir if one of them is empty.
func joinSubdir(dir, below string) string {
	if dir == "" || below == "" {
		return dir
	}
	return strings.TrimRight(dir, "/") + "/" + below
}

// URLFileName returns the last element of the path in text, which is a URL or a path on another
// machine.
func URLFileName(text string) string {
	text, _, _ = strings.Cut(text, "#")
	if i := strings.IndexByte(text, '?'); i > 0 {
		text = text[:i]
	}
	name := text[strings.LastIndexAny(text, "/:")+1:]
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

// lookupVariable returns the value of the variable or setting name, from the words of the call, its
// assignments or the environment. It reports whether the call itself sets it.
func (p *OutputDir) lookupVariable(name string, value func(string) string) (text string, chosen bool) {
	for i := range p.Words {
		w := p.Words[i].Text
		if v, ok := strings.CutPrefix(w, name+"="); ok {
			return v, true
		}
		if w == name && i+1 < len(p.Words) {
			return p.Words[i+1].Text, true
		}
	}
	for i := len(p.Call.Env) - 1; i >= 0; i-- {
		if p.Call.Env[i].Name == name {
			return p.Call.Env[i].Value.Text, true
		}
	}
	return value("$" + name), false
}

// IsOutputVar reports whether the environment variable names the directory that program writes files
// into, or a file that any program may write.
func IsOutputVar(program, variable string) bool {
	for i := range outputVariables {
		if v := &outputVariables[i]; v.options == "" && v.matches(variable) {
			return true
		}
	}
	row, kids, _, _ := lookupProgram(program)
	if strings.Contains(row.Puts, "$"+variable) {
		return true
	}
	for i := range kids {
		if !strings.HasPrefix(kids[i].Name, row.Name+" ") {
			break
		}
		if strings.Contains(kids[i].Puts, "$"+variable) {
			return true
		}
	}
	return false
}

// An outputVariable is an environment variable that names files that programs write.
type outputVariable struct {
	name    string // a trailing * matches any suffix
	options string // the program whose options the value contains; "" if the value is the file
}

var outputVariables = [...]outputVariable{
	{name: "COVERAGE_FILE"}, {name: "GIT_TRACE*"}, {name: "HISTFILE"}, {name: "LESSHISTFILE"}, {name: "LLVM_PROFILE_FILE"},
	{name: "MALLOC_TRACE"}, {name: "MYSQL_HISTFILE"}, {name: "NODE_REDIRECT_WARNINGS"}, {name: "NODE_REPL_HISTORY"},
	{name: "PIP_LOG"}, {name: "PIP_LOG_FILE"}, {name: "PSQL_HISTORY"}, {name: "PYTHON_HISTORY"}, {name: "SQLITE_HISTORY"},
	{name: "SSLKEYLOGFILE"},
	{"GOFLAGS", "go test"}, {"NODE_OPTIONS", "node"}, {"PYTEST_ADDOPTS", "pytest"}, {"TAR_OPTIONS", "tar"},
}

// matches reports whether v describes the variable name.
func (v *outputVariable) matches(name string) bool {
	begin, more := strings.CutSuffix(v.name, "*")
	return name == v.name || more && strings.HasPrefix(name, begin)
}

// FilesWrittenByVar returns the files that programs write if the environment variable name is set to
// value.
func FilesWrittenByVar(name, value string) (paths []string) {
	for i := range outputVariables {
		v := &outputVariables[i]
		if !v.matches(name) {
			continue
		}
		if v.options == "" {
			return []string{value}
		}
		words := strings.Fields(v.options + " " + value)
		c := &shell.Call{Name: words[0]}
		for _, w := range words[1:] {
			c.Args = append(c.Args, shell.Word{Text: strings.Trim(w, `'"`)})
		}
		for _, p := range Parts(c) {
			if p.Role == shell.Writes || p.Role == shell.Appends || p.Role == shell.Replaces {
				paths = append(paths, p.Word.Text)
			}
		}
	}
	return paths
}
