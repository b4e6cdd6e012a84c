package expand

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A value is what a parameter holds.
type value struct {
	words []shell.Word
	one   [1]shell.Word // room for the common case
	many  bool          // each is a word of its own, as in "$@"
	star  bool          // they are joined when quoted, as in "$*"
	is    presence
	maybe bool // it may as well be unset
}

type presence uint8

const (
	foreign presence = iota // the text does not set it; the environment may
	absent                  // it is known to be unset
	present
)

func (v *value) scalar(word shell.Word, is presence) {
	v.one[0] = word
	v.words = v.one[:]
	v.is = is
}

// text is the value as one word.
func (v *value) text() shell.Word {
	switch len(v.words) {
	case 0:
		return shell.Word{}
	case 1:
		return v.words[0]
	}
	return Join(v.words, " ")
}

func isAt(pe *syntax.ParamExp) bool {
	if pe.Param == nil || pe.Exp != nil || pe.Length {
		return false
	}
	if pe.Param.Value == "@" {
		return true
	}
	word, ok := pe.Index.(*syntax.Word)
	return ok && word.Lit() == "@"
}

// param adds the value of a parameter expansion.
func (f *fields) param(pe *syntax.ParamExp, quoted bool) {
	w := f.w
	if !w.Env.Step() {
		f.unknown(nil)
		return
	}
	if w.noArgs(pe) {
		// Of a word on its own it is not known what it becomes; within another one
		// it only hides that one.
		if f.sole {
			f.unknown(nil)
		}
		return
	}
	var v value
	w.fetch(pe, &v)
	if pe.Length {
		f.length(&v)
		return
	}
	if pe.Exp != nil && f.fallback(pe.Exp, &v, pe, quoted) {
		return
	}
	w.modify(pe, &v)
	f.values(&v, quoted)
}

// noArgs reports whether an expansion is that of all arguments, when the text does
// not say what they are.
func (w *Expander) noArgs(pe *syntax.ParamExp) bool {
	return !w.Env.Parameters().Given && len(w.Env.Parameters().Args) == 0 && pe.Param != nil && (pe.Param.Value == "@" || pe.Param.Value == "*") &&
		pe.Exp == nil && pe.Repl == nil && !pe.Length && !pe.Excl
}

func (f *fields) values(v *value, quoted bool) {
	if v.is == foreign {
		f.unknown(nil)
		return
	}
	if quoted && v.star || f.whole {
		sep := " "
		if ifs := f.w.IFS(); v.star && ifs != " \t\n" {
			sep = ifs[:min(1, len(ifs))]
		}
		if len(v.words) == 1 {
			f.value(v.words[0], quoted)
		} else if len(v.words) > 1 {
			f.value(Join(v.words, sep), quoted)
		}
		return
	}
	for i := range v.words {
		if i > 0 {
			f.close()
		}
		if !f.w.Env.Pay(wordCost) {
			f.unknown(nil)
			return
		}
		if quoted && v.many {
			f.open, f.quoted = true, true
		}
		f.value(v.words[i], quoted)
	}
}

// fetch looks a parameter up.
func (w *Expander) fetch(pe *syntax.ParamExp, v *value) {
	if pe.Param == nil {
		if pe.NestedParam != nil {
			f := fields{w: w, whole: true}
			f.part(pe.NestedParam, true)
			v.scalar(f.word(), present)
		}
		return
	}
	name := pe.Param.Value
	if pe.Excl && pe.Names == 0 {
		if pe.Index != nil {
			return // the keys of an array
		}
		w.lookup(name, v)
		target := v.text()
		*v = value{}
		if target.Text == "" || !target.IsKnown() {
			return
		}
		name = target.Text
		w.Evaluate(name)
	}
	if pe.Names != 0 {
		return
	}
	if pe.Index != nil {
		w.element(name, pe.Index, v)
		return
	}
	w.lookup(name, v)
}

// lookup finds a parameter by its name.
func (w *Expander) lookup(name string, v *value) {
	for i := 0; ; i++ {
		found := w.Env.Variable(name)
		if found == nil {
			break
		}
		if i > maxDepth {
			v.scalar(Truncated(), present)
			return
		}
		if found.Ref && found.Word.Text != "" {
			name = found.Word.Text
			w.Evaluate(name)
			continue
		}
		w.take(found, v)
		return
	}
	if name == "" {
		return
	}
	if c := name[0]; c >= '0' && c <= '9' || len(name) == 1 && strings.IndexByte("@*#?$!-_", c) >= 0 {
		w.special(name, v)
		return
	}
	w.environment(name, v)
}

// take is what a variable of the text holds. Of several values it is the one
// whose turn it is.
func (w *Expander) take(found *Variable, v *value) {
	switch {
	case found.Gone:
		v.scalar(shell.Word{}, absent)
	case found.Array && len(found.List) > 0:
		v.scalar(found.List[0], present)
	case found.Array:
		v.scalar(shell.Word{}, absent)
	default:
		v.scalar(found.Word, present)
	}
	if n := len(found.Alts); n > 0 {
		w.Alts = max(w.Alts, n)
		if w.Env.Choice() > 0 && w.Env.Choice() <= n {
			v.one[0] = found.Alts[w.Env.Choice()-1]
		}
	}
}

func (w *Expander) special(name string, v *value) {
	switch name {
	case "@", "*":
		v.words, v.many, v.star, v.is = w.Env.Parameters().Args, true, name == "*", present
	case "0":
		v.scalar(shell.Word{Text: "bash"}, present)
		if w.Env.Parameters().Zero != "" {
			v.one[0].Text = w.Env.Parameters().Zero
		}
	case "#":
		if w.Env.Parameters().Given || len(w.Env.Parameters().Args) > 0 {
			v.scalar(shell.Word{Text: string(appendInt(nil, int64(len(w.Env.Parameters().Args))))}, present)
		}
	case "!":
		v.scalar(shell.Word{Text: lastJob}, present)
	case "_":
		v.scalar(shell.Word{Text: hole, From: []*shell.Call{Shaped}}, present)
		if w.Env.Parameters().Last != nil {
			v.one[0] = *w.Env.Parameters().Last
		}
	case "?", "$", "-":
		v.scalar(shell.Word{Text: hole}, present)
	default:
		n := SmallNumber(name)
		if n == 0 {
			w.special("0", v)
		} else if n <= len(w.Env.Parameters().Args) {
			v.scalar(w.Env.Parameters().Args[n-1], present)
		} else if w.Env.Parameters().Given || n >= manyArgs {
			v.scalar(shell.Word{}, absent)
		}
	}
}

// lastJob stands for the number of the process that was started last: it is one's
// own, which is all that matters to who ends it.
const lastJob = "%!"

// manyArgs is more arguments than a piece of a script would have: a command line
// has none, and $9 in it only hides a space.
const manyArgs = 5

// environment is what a variable holds that the text does not set.
func (w *Expander) environment(variable string, v *value) {
	text := hole
	switch variable {
	case "HOME":
		text = w.Env.Home()
	case "PWD":
		text = w.Env.Dir()
	case "OLDPWD":
		text = w.Env.OldDir()
	case "TMPDIR":
		text = "/tmp"
	case "NVM_DIR":
		text = w.Env.Home() + "/.nvm"
	case "CARGO_HOME":
		text = w.Env.Home() + "/.cargo"
	case "PYENV_ROOT":
		text = w.Env.Home() + "/.pyenv"
	case "IFS":
		text = " \t\n"
	case "SHELL", "BASH":
		text = "/bin/bash"
	case "PPID":
		v.scalar(shell.Word{Text: hole, From: []*shell.Call{parent}}, present)
		return
	case "PATH", "USER", "LOGNAME", "UID", "EUID", "HOSTNAME", "RANDOM", "SECONDS", "LINENO", "BASHPID", "BASH_VERSION", "OSTYPE", "TERM", "EPOCHSECONDS":
	default:
		if setByShell(variable) {
			v.scalar(shell.Word{Text: hole, From: []*shell.Call{Shaped}}, present)
			return
		}
		if dir := w.Env.Directory(variable); dir != "" {
			v.scalar(shell.Word{Text: dir}, present)
			v.maybe = true
			return
		}
		if !facts.SecretName(variable) {
			v.is = foreign
			return
		}
		v.scalar(shell.Word{Text: hole, From: []*shell.Call{{Name: "printenv", Path: "printenv", Args: []shell.Word{{Text: variable}}}}}, present)
		v.maybe = true
		return
	}
	v.scalar(shell.Word{Text: text}, present)
}

// setByShell reports whether a shell sets a variable by what the text does.
func setByShell(variable string) bool {
	switch variable {
	case "BASH_REMATCH", "BASH_COMMAND", "BASH_EXECUTION_STRING", "BASH_ARGV", "OPTARG", "REPLY", "MAPFILE", "READLINE_LINE", "COMP_WORDS", "COMP_LINE", "MATCH", "match":
		return true
	}
	return false
}

// element is ${a[i]}.
func (w *Expander) element(name string, index syntax.ArithmExpr, v *value) {
	found := w.Env.Variable(name)
	for i := 0; found != nil && found.Ref && i < maxDepth; i++ {
		found = w.Env.Variable(found.Word.Text)
	}
	key := ""
	if word, ok := index.(*syntax.Word); ok {
		key = word.Lit()
	}
	if found == nil {
		w.Number(index)
		if setByShell(name) {
			w.environment(name, v)
		}
		return
	}
	list := found.List
	if !found.Array {
		var whole value
		w.take(found, &whole)
		list = whole.words
	}
	if key == "@" || key == "*" {
		v.words, v.many, v.star, v.is = list, true, key == "*", present
		return
	}
	n, _, ok := w.Number(index)
	if n < 0 {
		n += int64(len(list))
	}
	switch {
	case !ok:
		v.scalar(AnyOf(list), present)
	case n >= 0 && n < int64(len(list)):
		v.scalar(list[n], present)
		if found.More {
			v.one[0].From = AnyOf(list).From
		}
	case found.More:
		v.scalar(AnyOf(list), present)
	default:
		v.scalar(shell.Word{}, absent)
	}
	w.oneOf(list, v)
}

// oneOf notes that a value is one of the text's own, of which it is not known which:
// to run it is to run what is not known.
func (w *Expander) oneOf(list []shell.Word, v *value) {
	if v.is == present && v.words[0].Text == hole && slices.ContainsFunc(list, func(x shell.Word) bool { return x.IsKnown() && x.Text != "" }) {
		v.words[0].From = AddCall(v.words[0].From[:len(v.words[0].From):len(v.words[0].From)], Shaped)
	}
}
