package resolve

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
	return joined(v.words, " ")
}

func joined(words []shell.Word, sep string) shell.Word {
	var b strings.Builder
	var out shell.Word
	for i, w := range words {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(w.Text)
		out.Glob = out.Glob || w.Glob
		out.From = addFrom(out.From, w.From)
	}
	out.Text = b.String()
	return out
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
	if !w.step() {
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
func (w *expander) noArgs(pe *syntax.ParamExp) bool {
	return !w.st.given && len(w.st.args) == 0 && pe.Param != nil && (pe.Param.Value == "@" || pe.Param.Value == "*") &&
		pe.Exp == nil && pe.Repl == nil && !pe.Length && !pe.Excl
}

func (f *fields) values(v *value, quoted bool) {
	if v.is == foreign {
		f.unknown(nil)
		return
	}
	if quoted && v.star || f.whole {
		sep := " "
		if ifs := f.w.ifs(); v.star && ifs != " \t\n" {
			sep = ifs[:min(1, len(ifs))]
		}
		if len(v.words) == 1 {
			f.value(v.words[0], quoted)
		} else if len(v.words) > 1 {
			f.value(joined(v.words, sep), quoted)
		}
		return
	}
	for i := range v.words {
		if i > 0 {
			f.close()
		}
		if !f.w.pay(wordCost) {
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
func (w *expander) fetch(pe *syntax.ParamExp, v *value) {
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
		if target.Text == "" || !target.Known() {
			return
		}
		name = target.Text
		w.evaluated(name)
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
func (w *expander) lookup(name string, v *value) {
	for i := 0; ; i++ {
		found := w.st.find(name)
		if found == nil {
			break
		}
		if i > maxDepth {
			v.scalar(cut(), present)
			return
		}
		if found.ref && found.word.Text != "" {
			name = found.word.Text
			w.evaluated(name)
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
func (w *expander) take(found *variable, v *value) {
	switch {
	case found.gone:
		v.scalar(shell.Word{}, absent)
	case found.array && len(found.list) > 0:
		v.scalar(found.list[0], present)
	case found.array:
		v.scalar(shell.Word{}, absent)
	default:
		v.scalar(found.word, present)
	}
	if n := len(found.alts); n > 0 {
		w.alts = max(w.alts, n)
		if w.choice > 0 && w.choice <= n {
			v.one[0] = found.alts[w.choice-1]
		}
	}
}

func (w *expander) special(name string, v *value) {
	switch name {
	case "@", "*":
		v.words, v.many, v.star, v.is = w.st.args, true, name == "*", present
	case "0":
		v.scalar(shell.Word{Text: "bash"}, present)
		if w.st.zero != "" {
			v.one[0].Text = w.st.zero
		}
	case "#":
		if w.st.given || len(w.st.args) > 0 {
			v.scalar(shell.Word{Text: string(appendInt(nil, int64(len(w.st.args))))}, present)
		}
	case "!":
		v.scalar(shell.Word{Text: lastJob}, present)
	case "_":
		v.scalar(shell.Word{Text: hole, From: []*shell.Call{shaped}}, present)
		if w.st.last != nil {
			v.one[0] = *w.st.last
		}
	case "?", "$", "-":
		v.scalar(shell.Word{Text: hole}, present)
	default:
		n := number(name)
		if n == 0 {
			w.special("0", v)
		} else if n <= len(w.st.args) {
			v.scalar(w.st.args[n-1], present)
		} else if w.st.given || n >= manyArgs {
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
func (w *expander) environment(name string, v *value) {
	text := hole
	switch name {
	case "HOME":
		text = w.home()
	case "PWD":
		text = w.cwd()
	case "OLDPWD":
		text = w.oldDir()
	case "TMPDIR":
		text = "/tmp"
	case "NVM_DIR":
		text = w.home() + "/.nvm"
	case "CARGO_HOME":
		text = w.home() + "/.cargo"
	case "PYENV_ROOT":
		text = w.home() + "/.pyenv"
	case "IFS":
		text = " \t\n"
	case "SHELL", "BASH":
		text = "/bin/bash"
	case "PPID":
		v.scalar(shell.Word{Text: hole, From: []*shell.Call{parent}}, present)
		return
	case "PATH", "USER", "LOGNAME", "UID", "EUID", "HOSTNAME", "RANDOM", "SECONDS", "LINENO", "BASHPID", "BASH_VERSION", "OSTYPE", "TERM", "EPOCHSECONDS":
	default:
		if setByShell(name) {
			v.scalar(shell.Word{Text: hole, From: []*shell.Call{shaped}}, present)
			return
		}
		if dir := w.place.Directory(name); dir != "" && w.st.remote == "" {
			v.scalar(shell.Word{Text: dir}, present)
			v.maybe = true
			return
		}
		if !facts.SecretName(name) {
			v.is = foreign
			return
		}
		v.scalar(shell.Word{Text: hole, From: []*shell.Call{{Name: "printenv", Path: "printenv", Args: []shell.Word{{Text: name}}}}}, present)
		v.maybe = true
		return
	}
	v.scalar(shell.Word{Text: text}, present)
}

// setByShell reports whether a shell sets a variable by what the text does.
func setByShell(name string) bool {
	switch name {
	case "BASH_REMATCH", "BASH_COMMAND", "BASH_EXECUTION_STRING", "BASH_ARGV", "OPTARG", "REPLY", "MAPFILE", "READLINE_LINE", "COMP_WORDS", "COMP_LINE", "MATCH", "match":
		return true
	}
	return false
}

// element is ${a[i]}.
func (w *expander) element(name string, index syntax.ArithmExpr, v *value) {
	found := w.st.find(name)
	for i := 0; found != nil && found.ref && i < maxDepth; i++ {
		found = w.st.find(found.word.Text)
	}
	key := ""
	if word, ok := index.(*syntax.Word); ok {
		key = word.Lit()
	}
	if found == nil {
		w.number(index)
		if setByShell(name) {
			w.environment(name, v)
		}
		return
	}
	list := found.list
	if !found.array {
		var whole value
		w.take(found, &whole)
		list = whole.words
	}
	if key == "@" || key == "*" {
		v.words, v.many, v.star, v.is = list, true, key == "*", present
		return
	}
	n, _, ok := w.number(index)
	if n < 0 {
		n += int64(len(list))
	}
	switch {
	case !ok:
		v.scalar(anyOf(list), present)
	case n >= 0 && n < int64(len(list)):
		v.scalar(list[n], present)
		if found.more {
			v.one[0].From = anyOf(list).From
		}
	case found.more:
		v.scalar(anyOf(list), present)
	default:
		v.scalar(shell.Word{}, absent)
	}
	w.oneOf(list, v)
}

// oneOf notes that a value is one of the text's own, of which it is not known which:
// to run it is to run what is not known.
func (w *expander) oneOf(list []shell.Word, v *value) {
	if v.is == present && v.words[0].Text == hole && slices.ContainsFunc(list, func(x shell.Word) bool { return x.Known() && x.Text != "" }) {
		v.words[0].From = addCall(v.words[0].From[:len(v.words[0].From):len(v.words[0].From)], shaped)
	}
}

// anyOf stands for a word of a list when it is not known which.
func anyOf(list []shell.Word) shell.Word {
	word := shell.Word{Text: hole}
	for i := range list {
		word.From = addFrom(word.From, list[i].From)
	}
	return word
}
