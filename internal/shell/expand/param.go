package expand

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A value is the value of a parameter. In the zero value, the parameter is foreign.
type value struct {
	words      []shell.Word
	one        [1]shell.Word // backs words in the common case of a single word
	many       bool          // each word is a separate argument, as in "$@"
	star       bool          // the words are joined if quoted, as in "$*"
	is         presence
	mayBeUnset bool // the parameter may also be unset
}

// A presence records whether a parameter is set.
type presence uint8

const (
	foreign presence = iota // the command does not set it, but the environment may
	absent                  // it is unset
	present                 // it is set
)

// setScalar makes word the only word of v.
func (v *value) setScalar(word shell.Word, is presence) {
	v.one[0] = word
	v.words = v.one[:]
	v.is = is
}

// joinWords returns the words of v, joined with spaces, as one word.
func (v *value) joinWords() shell.Word {
	switch len(v.words) {
	case 0:
		return shell.Word{}
	case 1:
		return v.words[0]
	}
	return Join(v.words, " ")
}

// isAllArgs reports whether pe is $@ or ${a[@]}, without further operators.
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

// addParam adds the value of the parameter expansion pe.
func (f *fieldBuilder) addParam(pe *syntax.ParamExp, quoted bool) {
	w := f.w
	if !w.Env.SpendStep() {
		f.addUnknown(nil)
		return
	}
	if w.isUnknownArgs(pe) {
		// A separate word is unknown. Within another word, such an expansion is empty and only
		// serves to obfuscate that word.
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
	if pe.Exp != nil && f.addOperatorWord(pe.Exp, &v, pe, quoted) {
		return
	}
	w.applyExpansion(pe, &v)
	f.addValues(&v, quoted)
}

// isUnknownArgs reports whether pe is $@ or $*, without further operators, and the arguments are not
// known.
func (w *Expander) isUnknownArgs(pe *syntax.ParamExp) bool {
	return !w.Env.Parameters().ArgsKnown && len(w.Env.Parameters().Args) == 0 && pe.Param != nil && (pe.Param.Value == "@" || pe.Param.Value == "*") &&
		pe.Exp == nil && pe.Repl == nil && !pe.Length && !pe.Excl
}

// addValues adds the words of v, as separate words or joined, depending on v and on whether the
// expansion is quoted.
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

// loadParam sets v to the value of the parameter that pe names, before the operators of pe are
// applied. V stays foreign if the value is not known.
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
		w.lookupParam(name, v)
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
	w.lookupParam(name, v)
}

// lookupParam sets v to the value of the parameter name, following variables that refer to others.
func (w *Expander) lookupParam(name string, v *value) {
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

// loadVariable sets v to the value of found, a variable that the command sets. If it has several
// values, that is the current choice.
func (w *Expander) loadVariable(found *Variable, v *value) {
	switch {
	case found.Unset:
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

// loadSpecial sets v to the value of the special or positional parameter name, such as # or 1.
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
		n := ParseSmallNumber(name)
		if n == 0 {
			w.loadSpecial("0", v)
		} else if n <= len(w.Env.Parameters().Args) {
			v.setScalar(w.Env.Parameters().Args[n-1], present)
		} else if w.Env.Parameters().ArgsKnown || n >= manyArgs {
			v.setScalar(shell.Word{}, absent)
		}
	}
}

// lastJob is the value of $!, the process ID of the last background command. That process belongs to
// the command itself, which is all that a check of kill needs.
const lastJob = "%!"

// manyArgs is the number of the first positional parameter that counts as unset if the arguments are
// not known. A command line has no arguments, and parameters such as $9 only serve to obfuscate it.
const manyArgs = 5

// loadEnvironment sets v to the value of the environment variable named variable, which the command
// does not set. Well-known variables such as HOME have a value, secrets are tainted, and others are
// unknown.
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

// isShellResult reports whether the shell sets the variable as a result of running commands, such as
// REPLY.
func isShellResult(variable string) bool {
	switch variable {
	case "BASH_REMATCH", "BASH_COMMAND", "BASH_EXECUTION_STRING", "BASH_ARGV", "OPTARG", "REPLY", "MAPFILE", "READLINE_LINE", "COMP_WORDS", "COMP_LINE", "MATCH", "match":
		return true
	}
	return false
}

// loadElement sets v to the element of the array name at index, as in ${a[i]}, or to all elements if
// index is @ or *.
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
		v.setScalar(UnknownElement(list), present)
	case n >= 0 && n < int64(len(list)):
		v.setScalar(list[n], present)
		if found.More {
			v.one[0].From = UnknownElement(list).From
		}
	case found.More:
		v.setScalar(UnknownElement(list), present)
	default:
		v.setScalar(shell.Word{}, absent)
	}
	w.addListSource(list, v)
}

// addListSource adds OpaqueSource to v if v is an unknown element of list and list has known elements,
// so that running v counts as running something unknown.
func (w *Expander) addListSource(list []shell.Word, v *value) {
	if v.is == present && v.words[0].Text == placeholder && slices.ContainsFunc(list, func(x shell.Word) bool { return x.IsKnown() && x.Text != "" }) {
		v.words[0].From = AddSource(v.words[0].From[:len(v.words[0].From):len(v.words[0].From)], OpaqueSource)
	}
}
