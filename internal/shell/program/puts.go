package program

import (
	"net/url"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A Put is a folder that a call writes files into, of names that follow from other
// words than a path; see [Row.Puts].
type Put struct {
	Names  string // how the names follow: a word of the package comment, or the options whose value is the name
	Dir    string // may begin with ~/; relative to where the call runs
	Dashed bool   // Dir is only a folder if one lies there, or if it ends with a slash
	Chosen bool   // the call itself names the folder
	Reading
}

// Puts returns the folder that a call writes into, by the first clause of its row that
// fits. value looks up a source that the row names: $NAME is a variable, @FILE:KEY a
// setting in a file, =PROGRAM the folder of a program; "" = it is not set.
func Puts(c *shell.Call, value func(source string) string) (p Put, ok bool) {
	if c = moduleOf(c); c == nil {
		return Put{}, false
	}
	p.Reading = Of(c)
	for _, row := range [...]*Row{p.Sub3, p.Sub2, p.Sub, p.Row} {
		if row == nil || row.Puts == "" {
			continue
		}
		for clause := range strings.SplitSeq(row.Puts, "; ") {
			when, then, conditional := strings.Cut(clause, ": ")
			if !conditional {
				when, then = "", clause
			}
			if p.meets(when) {
				return p, p.choose(then, value)
			}
		}
	}
	return Put{}, false
}

// moduleOf returns c, or for python -m MODULE … the call of that module.
func moduleOf(c *shell.Call) *shell.Call {
	if !strings.HasPrefix(c.Name, "python") {
		return c
	}
	for i := range c.Args {
		if c.Args[i].Text != "-m" || i+1 == len(c.Args) {
			continue
		}
		module := *c
		module.Name, module.Args = c.Args[i+1].Text, c.Args[i+2:]
		return &module
	}
	return nil
}

// meets reports whether a call has the words and options that a clause asks for. The
// words are its first ones, assignments aside.
func (p *Put) meets(when string) bool {
	at := 0
	for want := range strings.FieldsSeq(when) {
		if want[0] == '-' {
			if p.flag(want) == nil {
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

func inAlternatives(list, word string) bool {
	for one := range strings.SplitSeq(list, "|") {
		if one == word {
			return true
		}
	}
	return false
}

// flag returns the last flag of a call that has one of the names.
func (p *Put) flag(names string) *Flag {
	for i := len(p.Flags) - 1; i >= 0; i-- {
		for name := range strings.SplitSeq(names, "|") {
			if isFlag(name, &p.Flags[i]) {
				return &p.Flags[i]
			}
		}
	}
	return nil
}

// Value returns the value of the option with one of the names.
func (p *Put) Value(names string) string {
	f := p.flag(names)
	switch {
	case f == nil:
		return ""
	case f.Set:
		return f.Value
	}
	return f.Next // of an option that no row lists
}

// valueOfKey returns VALUE of KEY=VALUE in the value of an option with one of the names:
// type=local,dest=out.
func (p *Put) valueOfKey(names, key string) (text string) {
	for i := range p.Flags {
		f := &p.Flags[i]
		if !slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool { return isFlag(name, f) }) {
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

// choose sets the folder to the first source of a clause that is set.
func (p *Put) choose(then string, value func(string) string) bool {
	var sources string
	p.Names, sources, _ = strings.Cut(then, " ")
	for source := range strings.FieldsSeq(sources) {
		p.Dashed = source[0] == '-' && strings.HasSuffix(source, "/")
		if p.Dashed {
			source = source[:len(source)-1]
		}
		if p.Dir, p.Chosen = p.folderOf(source, value); p.Dir != "" {
			return true
		}
	}
	return false
}

// folderOf returns the folder that a source names, "" if it is not set, and whether the
// call itself sets it.
func (p *Put) folderOf(source string, value func(string) string) (dir string, chosen bool) {
	switch source[0] {
	case '<':
		if n := len(p.Words); n > 0 {
			dir = p.Words[n-1].Text
		}
		return dir, true
	case '-':
		names, below, _ := strings.Cut(source, "/")
		if options, key, keyed := strings.Cut(names, "="); keyed {
			return joinBelow(p.valueOfKey(options, key), below), true
		}
		return joinBelow(p.Value(names), below), true
	case '$':
		name, below, _ := strings.Cut(source, "/")
		if first, second, two := strings.Cut(name[1:], "$"); two { // $DESTDIR$PREFIX
			a, _ := p.variable(first, value)
			b, chosen := p.variable(second, value)
			return joinBelow(a+b, below), chosen || a != ""
		}
		dir, chosen = p.variable(name[1:], value)
		return joinBelow(dir, below), chosen
	case '@':
		file, key, _ := strings.Cut(source, ":")
		key, below, _ := strings.Cut(key, "/")
		return joinBelow(value(file+":"+key), below), false
	case '=':
		return value(source), false
	}
	return source, false
}

func joinBelow(dir, below string) string {
	if dir == "" || below == "" {
		return dir
	}
	return strings.TrimRight(dir, "/") + "/" + below
}

// NameOfURL returns the last part of the path of an address, or of a path on another
// machine.
func NameOfURL(text string) string {
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

// variable returns the value of a variable or setting that the call's words, its own
// assignments or the environment give, and whether the call itself does.
func (p *Put) variable(name string, value func(string) string) (text string, chosen bool) {
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

// PutsBy reports whether a variable names the folder that a program puts files into.
func PutsBy(program, variable string) bool {
	row, kids, _, _ := lookup(program)
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
