package expand

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A value is the value of a parameter.
type value struct {
	words      []shell.Word
	one        [1]shell.Word // room for the common case
	many       bool          // each word is an argument of its own, as in "$@"
	star       bool          // the words are joined if quoted, as in "$*"
	is         presence
	mayBeUnset bool // it may be unset as well
}

// A presence records whether a parameter is set.
type presence uint8

const (
	foreign presence = iota // the text does not set it, but the environment may
	absent                  // it is known to be unset
	present
)

// setScalar makes word the only word of the value.
func (v *value) setScalar(word shell.Word, is presence) {
	v.one[0] = word
	v.words = v.one[:]
	v.is = is
}

// joinWords returns the value as one word.
func (v *value) joinWords() shell.Word {
	switch len(v.words) {
	case 0:
		return shell.Word{}
	case 1:
		return v.words[0]
	}
	return Join(v.words, " ")
}

// isAllArgs reports whether an expansion is $@ or ${a[@]}.
func isAllArgs(pe *syntax.ParamExp) bool {
	if pe.Param == nil || pe.Exp != nil || pe.Length {
		return false
	}
	if pe.Param.Value == "@" {
		return true
	}
	word, ok := pe.Index.(*syntax.Word)
	return ok && word.Lit() == "@"
}

// addParam adds the value of a parameter expansion.
func (f *fieldBuilder) addParam(pe *syntax.ParamExp, quoted bool) {
	w := f.w
	if !w.Env.SpendStep() {
		f.addUnknown(nil)
		return
	}
	if w.isUnknownArgs(pe) {
		// As a word of its own it is unknown; as a part of another word it is only
		// there to obfuscate that word.
		if f.singlePart {
			f.addUnknown(nil)
		}
		return
	}
	var v value
	w.loadParam(pe, &v)
	if pe.Length {
		f.addLength(&v)
		return
	}
	if pe.Exp != nil && f.addFallback(pe.Exp, &v, pe, quoted) {
		return
	}
	w.applyExpansion(pe, &v)
	f.addValues(&v, quoted)
}

// isUnknownArgs reports whether an expansion is that of all arguments, and these are unknown.
func (w *Expander) isUnknownArgs(pe *syntax.ParamExp) bool {
	return !w.Env.Parameters().ArgsKnown && len(w.Env.Parameters().Args) == 0 && pe.Param != nil && (pe.Param.Value == "@" || pe.Param.Value == "*") &&
		pe.Exp == nil && pe.Repl == nil && !pe.Length && !pe.Excl
}

// addValues adds the words of a value.
func (f *fieldBuilder) addValues(v *value, quoted bool) {
	if v.is == foreign {
		f.addUnknown(nil)
		return
	}
	if quoted && v.star || f.noSplit {
		sep := " "
		if ifs := f.w.IFS(); v.star && ifs != " \t\n" {
			sep = ifs[:min(1, len(ifs))]
		}
		if len(v.words) == 1 {
			f.addValue(v.words[0], quoted)
		} else if len(v.words) > 1 {
			f.addValue(Join(v.words, sep), quoted)
		}
		return
	}
	for i := range v.words {
		if i > 0 {
			f.endWord()
		}
		if !f.w.Env.SpendBytes(wordCost) {
			f.addUnknown(nil)
			return
		}
		if quoted && v.many {
			f.started, f.quoted = true, true
		}
		f.addValue(v.words[i], quoted)
	}
}

// loadParam sets v to the value of the parameter that an expansion names.
func (w *Expander) loadParam(pe *syntax.ParamExp, v *value) {
	if pe.Param == nil {
		if pe.NestedParam != nil {
			f := fieldBuilder{w: w, noSplit: true}
			f.addPart(pe.NestedParam, true)
			v.setScalar(f.currentWord(), present)
		}
		return
	}
	name := pe.Param.Value
	if pe.Excl && pe.Names == 0 {
		if pe.Index != nil {
			return // the keys of an array
		}
		w.lookup(name, v)
		target := v.joinWords()
		*v = value{}
		if target.Text == "" || !target.IsKnown() {
			return
		}
		name = target.Text
		w.WalkSubscripts(name)
	}
	if pe.Names != 0 {
		return
	}
	if pe.Index != nil {
		w.loadElement(name, pe.Index, v)
		return
	}
	w.lookup(name, v)
}

// lookup sets v to the value of a parameter.
func (w *Expander) lookup(name string, v *value) {
	for i := 0; ; i++ {
		found := w.Env.Variable(name)
		if found == nil {
			break
		}
		if i > maxDepth {
			v.setScalar(TruncatedWord(), present)
			return
		}
		if found.Ref && found.Word.Text != "" {
			name = found.Word.Text
			w.WalkSubscripts(name)
			continue
		}
		w.loadVariable(found, v)
		return
	}
	if name == "" {
		return
	}
	if c := name[0]; c >= '0' && c <= '9' || len(name) == 1 && strings.IndexByte("@*#?$!-_", c) >= 0 {
		w.loadSpecial(name, v)
		return
	}
	w.loadEnvironment(name, v)
}

// loadVariable sets v to the value of a variable that the text sets. Of several values it is the
// current choice.
func (w *Expander) loadVariable(found *Variable, v *value) {
	switch {
	case found.Gone:
		v.setScalar(shell.Word{}, absent)
	case found.Array && len(found.List) > 0:
		v.setScalar(found.List[0], present)
	case found.Array:
		v.setScalar(shell.Word{}, absent)
	default:
		v.setScalar(found.Word, present)
	}
	if n := len(found.Alts); n > 0 {
		w.Alts = max(w.Alts, n)
		if w.Env.Choice() > 0 && w.Env.Choice() <= n {
			v.one[0] = found.Alts[w.Env.Choice()-1]
		}
	}
}

// loadSpecial sets v to the value of a special or positional parameter.
func (w *Expander) loadSpecial(name string, v *value) {
	switch name {
	case "@", "*":
		v.words, v.many, v.star, v.is = w.Env.Parameters().Args, true, name == "*", present
	case "0":
		v.setScalar(shell.Word{Text: "bash"}, present)
		if w.Env.Parameters().Zero != "" {
			v.one[0].Text = w.Env.Parameters().Zero
		}
	case "#":
		if w.Env.Parameters().ArgsKnown || len(w.Env.Parameters().Args) > 0 {
			v.setScalar(shell.Word{Text: string(appendInt(nil, int64(len(w.Env.Parameters().Args))))}, present)
		}
	case "!":
		v.setScalar(shell.Word{Text: lastJob}, present)
	case "_":
		v.setScalar(shell.Word{Text: placeholder, From: []*shell.Call{OpaqueSource}}, present)
		if w.Env.Parameters().Last != nil {
			v.one[0] = *w.Env.Parameters().Last
		}
	case "?", "$", "-":
		v.setScalar(shell.Word{Text: placeholder}, present)
	default:
		n := ParseSmall(name)
		if n == 0 {
			w.loadSpecial("0", v)
		} else if n <= len(w.Env.Parameters().Args) {
			v.setScalar(w.Env.Parameters().Args[n-1], present)
		} else if w.Env.Parameters().ArgsKnown || n >= manyArgs {
			v.setScalar(shell.Word{}, absent)
		}
	}
}

// lastJob stands for the number of the process that was started last. It is the text's own process,
// which is all that matters when it is killed.
const lastJob = "%!"

// manyArgs is more arguments than a piece of a script would have. A command line has none, and $9 in
// it only hides a space.
const manyArgs = 5

// loadEnvironment sets v to the value of a variable that the text does not set.
func (w *Expander) loadEnvironment(variable string, v *value) {
	text := placeholder
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
		v.setScalar(shell.Word{Text: placeholder, From: []*shell.Call{parentSource}}, present)
		return
	case "PATH", "USER", "LOGNAME", "UID", "EUID", "HOSTNAME", "RANDOM", "SECONDS", "LINENO", "BASHPID", "BASH_VERSION", "OSTYPE", "TERM", "EPOCHSECONDS":
	default:
		if isShellResult(variable) {
			v.setScalar(shell.Word{Text: placeholder, From: []*shell.Call{OpaqueSource}}, present)
			return
		}
		if dir := w.Env.EnvDir(variable); dir != "" {
			v.setScalar(shell.Word{Text: dir}, present)
			v.mayBeUnset = true
			return
		}
		if !facts.IsSecretName(variable) {
			v.is = foreign
			return
		}
		v.setScalar(shell.Word{Text: placeholder, From: []*shell.Call{{Name: "printenv", Path: "printenv", Args: []shell.Word{{Text: variable}}}}}, present)
		v.mayBeUnset = true
		return
	}
	v.setScalar(shell.Word{Text: text}, present)
}

// isShellResult reports whether a shell sets a variable as a result of what the text does.
func isShellResult(variable string) bool {
	switch variable {
	case "BASH_REMATCH", "BASH_COMMAND", "BASH_EXECUTION_STRING", "BASH_ARGV", "OPTARG", "REPLY", "MAPFILE", "READLINE_LINE", "COMP_WORDS", "COMP_LINE", "MATCH", "match":
		return true
	}
	return false
}

// loadElement sets v to ${a[i]}.
func (w *Expander) loadElement(name string, index syntax.ArithmExpr, v *value) {
	found := w.Env.Variable(name)
	for i := 0; found != nil && found.Ref && i < maxDepth; i++ {
		found = w.Env.Variable(found.Word.Text)
	}
	key := ""
	if word, ok := index.(*syntax.Word); ok {
		key = word.Lit()
	}
	if found == nil {
		w.EvalNumber(index)
		if isShellResult(name) {
			w.loadEnvironment(name, v)
		}
		return
	}
	list := found.List
	if !found.Array {
		var whole value
		w.loadVariable(found, &whole)
		list = whole.words
	}
	if key == "@" || key == "*" {
		v.words, v.many, v.star, v.is = list, true, key == "*", present
		return
	}
	n, _, ok := w.EvalNumber(index)
	if n < 0 {
		n += int64(len(list))
	}
	switch {
	case !ok:
		v.setScalar(AnyOf(list), present)
	case n >= 0 && n < int64(len(list)):
		v.setScalar(list[n], present)
		if found.More {
			v.one[0].From = AnyOf(list).From
		}
	case found.More:
		v.setScalar(AnyOf(list), present)
	default:
		v.setScalar(shell.Word{}, absent)
	}
	w.addListSource(list, v)
}

// addListSource adds OpaqueSource to a value that is an unknown element of a list of the text: to run
// it is to run something unknown.
func (w *Expander) addListSource(list []shell.Word, v *value) {
	if v.is == present && v.words[0].Text == placeholder && slices.ContainsFunc(list, func(x shell.Word) bool { return x.IsKnown() && x.Text != "" }) {
		v.words[0].From = AddCall(v.words[0].From[:len(v.words[0].From):len(v.words[0].From)], OpaqueSource)
	}
}
