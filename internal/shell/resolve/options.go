package resolve

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// options walks what the options, variables and settings of a program make that program run or load.
type options struct{ *walker }

// maxValues bounds the nesting of values that are run as commands.
const maxValues = 3

// walkVarValues walks what call runs because of its variables, such as EDITOR, CC, RUSTC_WRAPPER and
// MAKEFLAGS. own are the variables set for this call alone. If the call is itself part of such a
// value, only own is walked, because the other variables were walked already.
func (w options) walkVarValues(c *command, call *shell.Call, own []shell.Variable) {
	if w.valueDepth >= maxValues {
		return
	}
	env := call.Env
	if w.valueDepth > 0 {
		env = own
	}
	for i := range env {
		v := &env[i]
		switch {
		case v.Value.Text == "":
		case argv.IsProgramVar(v.Name):
			w.walkValue(c, v.Value)
		case argv.IsToolchainVar(v.Name) && argv.MayRunToolchain(call):
			w.walkValue(c, v.Value)
		default:
			w.walkVarOptions(c, call.Name, v)
		}
	}
}

// walkVarOptions walks c with the options that the variable v adds to the program name, if v holds
// options for it.
func (w options) walkVarOptions(c *command, name string, v *shell.Variable) {
	row := argv.OptionsVarOf(v.Name)
	if row == nil || !row.AppliesTo(name) || !strings.Contains(v.Value.Text, "-") && row.Programs != "make" {
		return
	}
	words := argv.SplitWords(v.Value)
	if len(words) == 0 {
		return
	}
	inner := *c
	inner.env, inner.redir, inner.savedVars, inner.skipFunctions = nil, nil, nil, true
	at := 1
	if row.Behind {
		for at < len(c.words) && strings.HasPrefix(c.words[at].Text, "-") {
			at++
		}
		at = min(at+1, len(c.words))
	}
	inner.words = append(append(append([]shell.Word{}, c.words[:at]...), words...), c.words[at:]...)
	inner.hops++
	w.valueDepth++
	w.resolveCommand(inner)
	w.valueDepth--
}

// walkValue walks text, the value of a variable or an option, which a program runs as a command. It
// skips harmless tools.
func (w options) walkValue(c *command, text shell.Word) {
	text.Text = strings.TrimLeft(text.Text, "|!- \t") // as in LESSOPEN='|x'
	if text.Text == "" {
		return
	}
	known := text.IsKnown()
	switch {
	case w.runsUntrustedFile(argv.SplitWords(text)):
	case argv.IsHarmlessTool(text.Text):
		return
	case known && (argv.IsSecretReader(text.Text) || facts.IsShell(argv.ProgramName(text.Text))):
		return
	case !known && strings.Trim(text.Text, placeholder+" \t\n\"'") == "" && (len(text.From) == 0 || argv.AllLocatePrograms(text.From)):
		return // it is a variable of the user, or the path of a program
	}
	w.valueDepth++
	inner := *c
	inner.redir, inner.hops, inner.dataOnly, inner.env = nil, c.hops+1, true, nil
	if strings.HasPrefix(text.Text, "/dev/fd/") {
		if flow := w.pathFlow(text.Text); flow != nil {
			text = shell.Word{Text: flowText(flow), From: flow.From}
		}
	}
	w.walkInShell(text, nil, &inner)
	w.valueDepth--
}

// walkWithPrefix walks the command that consists of the words of prefix and text, as one argument.
// text is code for an interpreter, or a command in a program's own language.
func (w options) walkWithPrefix(c *command, prefix string, text shell.Word) {
	var words []shell.Word
	for word := range strings.FieldsSeq(prefix) {
		words = append(words, shell.Word{Text: word})
	}
	inner := *c
	inner.env = nil
	w.walkWords(&inner, append(words, text))
}

// isShellText reports whether text can be parsed as Bash.
func (w wrappers) isShellText(text string) bool {
	_, err := w.parse(text, syntax.LangBash)
	return err == nil
}
