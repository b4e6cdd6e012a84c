package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// assign walks x=value, x+=value, x=(a b) and x[i]=value.
func (w *walker) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	if v := w.st.find(name); v != nil && v.ref && v.word.Text != "" {
		name = v.word.Text
	}
	switch {
	case a.Array != nil:
		w.assignArray(name, a)
	case a.Index != nil:
		w.assignElement(name, a)
	default:
		w.assignWord(name, a)
	}
	w.hooked(name)
}

// assignWord sets a variable. When the value has variables with several values,
// so has this one.
func (w *walker) assignWord(name string, a *syntax.Assign) {
	alts, choice := w.alts, w.choice
	w.alts, w.choice = 0, 0
	v := variable{name: name, word: w.worth(name, a)}
	if old := w.st.find(name); old != nil && old.integer {
		v.integer = true
		w.evaluated(v.word.Text)
	}
	if w.capture > 0 {
		// The choice is made by whoever wants the output.
		w.choice = choice
		v.word = w.worth(name, a)
		w.alts = max(alts, w.alts)
		w.put(v)
		return
	}
	for n := w.alts; w.choice < min(n, maxAlts); {
		w.choice++
		v.alt(w.worth(name, a))
	}
	w.alts, w.choice = alts, choice
	w.put(v)
}

func (w *walker) assignArray(name string, a *syntax.Assign) {
	v := variable{name: name, array: true}
	if old := w.st.find(name); old != nil {
		if a.Append {
			v.list, v.more = slices.Clone(old.list), old.more
		}
	}
	for _, e := range a.Array.Elems {
		if len(v.list) > maxWords || !w.step() {
			w.tooMuch()
			break
		}
		if e.Index == nil {
			if e.Value != nil {
				n := len(v.list)
				v.list = w.words(v.list, []*syntax.Word{e.Value})
				v.more = v.more || several(v.list[n:])
			}
			continue
		}
		word := w.one(e.Value)
		w.putElement(&v, e.Index, word)
	}
	w.put(v)
}

func (w *walker) assignElement(name string, a *syntax.Assign) {
	if name == "BASH_ALIASES" || name == "BASH_CMDS" {
		w.opaque(name, "changes what the name of a command runs")
	}
	v := w.arrayNamed(name)
	w.putElement(&v, a.Index, w.one(a.Value))
	w.put(v)
}

// arrayNamed is a variable as an array, ready to be changed.
func (w *walker) arrayNamed(name string) variable {
	old := w.st.find(name)
	if old == nil {
		return variable{name: name, array: true}
	}
	v := *old
	v.list = slices.Clone(old.list)
	if !old.array {
		v.array, v.list = true, []shell.Word{old.word}
	}
	return v
}

// several reports whether one of the words may be more than one.
func several(words []shell.Word) bool {
	for i := range words {
		if !words[i].Quoted && !words[i].Known() {
			return true
		}
	}
	return false
}

// setAt sets an element of an array.
func (v *variable) setAt(n int, word shell.Word) {
	for len(v.list) <= n {
		v.list = append(v.list, shell.Word{})
	}
	v.list[n] = word
}

func (w *walker) putElement(v *variable, index syntax.ArithmExpr, word shell.Word) {
	word.Glob, word.Quoted = false, false
	n, _, ok := w.number(index)
	if !ok || n < 0 || n > maxWords {
		v.list, v.more = append(v.list, word), true // others are not where they seem to be
		return
	}
	v.setAt(int(n), word)
}

// declare walks export, declare, local, readonly and typeset.
func (w *walker) declare(c *syntax.DeclClause) {
	kind := c.Variant.Value
	var d declaration
	d.local = kind == "local" || kind != "export" && kind != "readonly" && len(w.frames) > 0
	d.export = kind == "export"
	named := false
	for _, a := range c.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			named = w.declareWords(&d, a.Value) || named
		case a.Naked:
			named = true
			d.name(w, a.Name.Value)
			d.mark(w, a.Name.Value)
		default:
			named = true
			d.name(w, a.Name.Value)
			w.assign(a)
			d.mark(w, a.Name.Value)
		}
	}
	if !named || d.prints {
		w.printed(kind, c)
	}
}

// A declaration is the options of declare and its kin.
type declaration struct {
	local, array, ref, integer, export bool
	prints                             bool // -f, -p
}

// declareWords walks options, or words that only expansion makes assignments.
func (w *walker) declareWords(d *declaration, word *syntax.Word) bool {
	named := false
	for _, x := range w.words(nil, []*syntax.Word{word}) {
		named = d.word(w, x) || named
	}
	return named
}

// word takes an option or an assignment that is already expanded. It reports
// whether it named a variable.
func (d *declaration) word(w *walker, x shell.Word) bool {
	if len(x.Text) > 1 && (x.Text[0] == '-' || x.Text[0] == '+') {
		d.array = d.array || strings.ContainsAny(x.Text, "aA")
		d.ref = d.ref || strings.Contains(x.Text, "n")
		d.integer = d.integer || x.Text[0] == '-' && strings.Contains(x.Text, "i")
		d.local = d.local && !strings.Contains(x.Text, "g")
		d.export = d.export || x.Text[0] == '-' && strings.Contains(x.Text, "x")
		d.prints = d.prints || x.Text[0] == '-' && strings.ContainsAny(x.Text, "fFp") && !d.export
		return false
	}
	name, val, ok := strings.Cut(x.Text, "=")
	if !syntax.ValidName(name) {
		w.loose = w.loose || d.export && strings.Contains(name, hole)
		w.evaluated(x.Text)
		return true
	}
	d.name(w, name)
	if !ok {
		d.mark(w, name)
	} else {
		w.set(name, shell.Word{Text: val, From: x.From})
		if d.array && strings.HasPrefix(val, "(") {
			w.expandAgain(val) // declare -a 'a=($(x))'
		}
		d.mark(w, name)
		w.hooked(name)
	}
	return true
}

// name makes a variable local, when it is to be.
func (d *declaration) name(w *walker, name string) {
	if d.export && !slices.Contains(w.exports, name) {
		if len(w.exports) >= maxVars {
			w.tooMuch()
			return
		}
		w.exports = append(w.exports, name)
	}
	if n := len(w.frames); d.local && n > 0 {
		if len(w.frames[n-1].locals) >= maxVars {
			w.tooMuch()
			return
		}
		f := &w.frames[n-1]
		f.locals = append(f.locals, w.hide(name))
	}
	if d.array {
		if v := w.st.find(name); v == nil || !v.array {
			w.put(variable{name: name, array: true})
		}
	}
	if d.integer && w.st.find(name) == nil {
		w.put(variable{name: name, word: shell.Word{}, integer: true})
	}
}

func (d *declaration) mark(w *walker, name string) {
	if !d.ref && !d.integer {
		return
	}
	if v := w.st.find(name); v != nil {
		w.own()
		v = w.st.find(name)
		v.ref, v.integer = v.ref || d.ref, v.integer || d.integer
		if v.integer {
			w.evaluated(v.word.Text)
		}
	}
}

// printed is a call of declare and its kin that only prints variables.
func (w *walker) printed(kind string, c *syntax.DeclClause) {
	cmd := w.newCommand()
	cmd.words = []shell.Word{{Text: kind}}
	for _, a := range c.Args {
		if a.Name != nil && a.Naked {
			cmd.words = append(cmd.words, shell.Word{Text: a.Name.Value})
		} else if a.Value != nil {
			cmd.words = append(cmd.words, w.one(a.Value))
		}
	}
	w.emit(&cmd)
}
