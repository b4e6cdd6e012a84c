package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// walkAssign walks x=value, x+=value, x=(a b) and x[i]=value.
func (w *walker) walkAssign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	if v := w.st.lookupVariable(name); v != nil && v.Ref && v.Word.Text != "" {
		name = v.Word.Text
	}
	switch {
	case a.Array != nil:
		w.assignArray(name, a)
	case a.Index != nil:
		w.assignElement(name, a)
	default:
		w.assignWord(name, a)
	}
	w.walkSpecialVariable(name)
}

// assignWord sets the variable name to the value of a. If the value uses variables with several
// values, name gets several values too.
func (w *walker) assignWord(name string, a *syntax.Assign) {
	alts, choice := w.Alts, w.choice
	w.Alts, w.choice = 0, 0
	v := expand.Variable{Name: name, Word: w.AssignedValue(name, a)}
	if old := w.st.lookupVariable(name); old != nil && old.Integer {
		v.Integer = true
		w.WalkSubscripts(v.Word.Text)
	}
	if w.capture > 0 {
		// The statement that uses the output chooses one value at a time.
		w.choice = choice
		v.Word = w.AssignedValue(name, a)
		w.Alts = max(alts, w.Alts)
		w.setVariable(v)
		return
	}
	for n := w.Alts; w.choice < min(n, expand.MaxAlts); {
		w.choice++
		v.AddAlt(w.AssignedValue(name, a))
	}
	w.Alts, w.choice = alts, choice
	w.setVariable(v)
}

// assignArray walks name=(…) and name+=(…).
func (w *walker) assignArray(name string, a *syntax.Assign) {
	v := expand.Variable{Name: name, Array: true}
	if old := w.st.lookupVariable(name); old != nil {
		if a.Append {
			v.List, v.More = slices.Clone(old.List), old.More
		}
	}
	for _, e := range a.Array.Elems {
		if len(v.List) > maxWords || !w.spendStep() {
			w.reportLimit()
			break
		}
		if e.Index == nil {
			if e.Value != nil {
				n := len(v.List)
				v.List = w.ExpandWords(v.List, []*syntax.Word{e.Value})
				v.More = v.More || mayExpandToSeveral(v.List[n:])
			}
			continue
		}
		word := w.ExpandWord(e.Value)
		w.assignIndex(&v, e.Index, word)
	}
	w.setVariable(v)
}

// assignElement walks name[i]=value.
func (w *walker) assignElement(name string, a *syntax.Assign) {
	if name == "BASH_ALIASES" || name == "BASH_CMDS" {
		w.reportOpaque(name, "changes which program a command name runs")
	}
	v := w.arrayVariable(name)
	w.assignIndex(&v, a.Index, w.ExpandWord(a.Value))
	w.setVariable(v)
}

// arrayVariable returns a copy of the variable name that is an array and can be changed. A single
// value becomes the first element.
func (w *walker) arrayVariable(name string) expand.Variable {
	old := w.st.lookupVariable(name)
	if old == nil {
		return expand.Variable{Name: name, Array: true}
	}
	v := *old
	v.List = slices.Clone(old.List)
	if !old.Array {
		v.Array, v.List = true, []shell.Word{old.Word}
	}
	return v
}

// mayExpandToSeveral reports whether one of words may expand to more than one word.
func mayExpandToSeveral(words []shell.Word) bool {
	for i := range words {
		if !words[i].Quoted && !words[i].IsKnown() {
			return true
		}
	}
	return false
}

// setElement sets element n of the array v, and adds empty elements before it if needed.
func setElement(v *expand.Variable, n int, word shell.Word) {
	for len(v.List) <= n {
		v.List = append(v.List, shell.Word{})
	}
	v.List[n] = word
}

// assignIndex sets the element of the array v at index to word. If the index is unknown or out of
// range, it appends word.
func (w *walker) assignIndex(v *expand.Variable, index syntax.ArithmExpr, word shell.Word) {
	word.Glob, word.Quoted = false, false
	n, _, ok := w.EvalNumber(index)
	if !ok || n < 0 || n > maxWords {
		v.List, v.More = append(v.List, word), true // the positions of the others are no longer known
		return
	}
	setElement(v, int(n), word)
}

// walkDeclare walks export, declare, local, readonly and typeset as the parser returns them.
func (w *walker) walkDeclare(c *syntax.DeclClause) {
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
			d.declareName(w, a.Name.Value)
			d.applyAttributes(w, a.Name.Value)
		default:
			named = true
			d.declareName(w, a.Name.Value)
			w.walkAssign(a)
			d.applyAttributes(w, a.Name.Value)
		}
	}
	if !named || d.prints {
		w.emitPrintingDeclare(kind, c)
	}
}

// A declaration holds the options of declare, export and similar builtins.
type declaration struct {
	local, array, ref, integer, export bool
	prints                             bool // -f or -p: it prints functions or variables
}

// declareWords applies word, which may expand to options or to assignments, to d. It reports whether
// one of the expanded words names a variable.
func (w *walker) declareWords(d *declaration, word *syntax.Word) bool {
	named := false
	for _, x := range w.ExpandWords(nil, []*syntax.Word{word}) {
		named = d.applyWord(w, x) || named
	}
	return named
}

// applyWord applies x, an expanded word that is an option, a name or an assignment. It reports whether
// x is an operand, not an option.
func (d *declaration) applyWord(w *walker, x shell.Word) bool {
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
		w.unknownExports = w.unknownExports || d.export && strings.Contains(name, placeholder)
		w.WalkSubscripts(x.Text)
		return true
	}
	d.declareName(w, name)
	if !ok {
		d.applyAttributes(w, name)
	} else {
		w.setVariableWord(name, shell.Word{Text: val, From: x.From})
		if d.array && strings.HasPrefix(val, "(") {
			w.walkReexpanded(val) // declare -a 'a=($(x))'
		}
		d.applyAttributes(w, name)
		w.walkSpecialVariable(name)
	}
	return true
}

// declareName exports the variable name, makes it local, or makes it an array or an integer, as the
// options require.
func (d *declaration) declareName(w *walker, name string) {
	if d.export && !slices.Contains(w.exports, name) {
		if len(w.exports) >= maxVars {
			w.reportLimit()
			return
		}
		w.exports = append(w.exports, name)
	}
	if n := len(w.frames); d.local && n > 0 {
		if len(w.frames[n-1].locals) >= maxVars {
			w.reportLimit()
			return
		}
		f := &w.frames[n-1]
		f.locals = append(f.locals, w.variableCopy(name))
	}
	if d.array {
		if v := w.st.lookupVariable(name); v == nil || !v.Array {
			w.setVariable(expand.Variable{Name: name, Array: true})
		}
	}
	if d.integer && w.st.lookupVariable(name) == nil {
		w.setVariable(expand.Variable{Name: name, Word: shell.Word{}, Integer: true})
	}
}

// applyAttributes applies -n and -i to the variable name if it exists.
func (d *declaration) applyAttributes(w *walker, name string) {
	if !d.ref && !d.integer {
		return
	}
	if v := w.st.lookupVariable(name); v != nil {
		w.unshareState()
		v = w.st.lookupVariable(name)
		v.Ref, v.Integer = v.Ref || d.ref, v.Integer || d.integer
		if v.Integer {
			w.WalkSubscripts(v.Word.Text)
		}
	}
}

// emitPrintingDeclare adds a call of the builtin kind, which only prints variables or functions.
func (w *walker) emitPrintingDeclare(kind string, c *syntax.DeclClause) {
	cmd := w.newCommand()
	cmd.words = []shell.Word{{Text: kind}}
	for _, a := range c.Args {
		if a.Name != nil && a.Naked {
			cmd.words = append(cmd.words, shell.Word{Text: a.Name.Value})
		} else if a.Value != nil {
			cmd.words = append(cmd.words, w.ExpandWord(a.Value))
		}
	}
	w.emitCall(&cmd)
}
