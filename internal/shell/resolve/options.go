package resolve

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// options walks what the options, variables and settings of a program make it run or load.
type options struct{ *walker }

// maxValues bounds how deep values that run have values that run.
const maxValues = 3

// values walks what a call runs because a variable of it says so: EDITOR, CC,
// RUSTC_WRAPPER, MAKEFLAGS. own are the variables that were set for this call
// alone; within a value only they count, for the others were walked already.
func (w options) values(c *command, call *shell.Call, own []shell.Variable) {
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
		case argv.RunsProgram(v.Name):
			w.value(c, v.Value)
		case argv.IsToolchain(v.Name) && argv.Builds(call):
			w.value(c, v.Value)
		default:
			w.variableFlags(c, call.Name, v)
		}
	}
}

// variableFlags walks a variable that holds options for the program that is called.
func (w options) variableFlags(c *command, name string, v *shell.Variable) {
	row := argv.FlaggedBy(v.Name)
	if row == nil || !row.Reads(name) || !strings.Contains(v.Value.Text, "-") && row.Programs != "make" {
		return
	}
	words := argv.Split(v.Value)
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

// value walks one text that a program runs because a variable or an option says so.
func (w options) value(c *command, text shell.Word) {
	text.Text = strings.TrimLeft(text.Text, "|!- \t") // LESSOPEN begins with a pipe
	if text.Text == "" {
		return
	}
	known := text.Known()
	switch {
	case w.runsOpenFile(argv.Split(text)):
	case argv.IsHarmless(text.Text):
		return
	case known && (argv.HandsSecret(text.Text) || facts.Shell(argv.ProgramName(text.Text))):
		return
	case !known && strings.Trim(text.Text, placeholder+" \t\n\"'") == "" && (len(text.From) == 0 || argv.OnlyLocate(text.From)):
		return // the person's own variable, or where a program is
	}
	w.valueDepth++
	inner := *c
	inner.redir, inner.hops, inner.dataOnly, inner.env = nil, c.hops+1, true, nil
	if strings.HasPrefix(text.Text, "/dev/fd/") {
		if flow := w.pathFlow(text.Text); flow != nil {
			text = shell.Word{Text: flowText(flow), From: flow.From}
		}
	}
	w.nested(text, nil, &inner)
	w.valueDepth--
}

// handedAs walks a value that a program hands to another one: code for ruby, a
// command in words of its own.
func (w options) handedAs(c *command, as string, text shell.Word) {
	var words []shell.Word
	for word := range strings.FieldsSeq(as) {
		words = append(words, shell.Word{Text: word})
	}
	inner := *c
	inner.env = nil
	w.inner(&inner, append(words, text))
}

// parses reports whether a text is a shell's.
func (w wrappers) parses(text string) bool {
	_, err := w.parse(text, syntax.LangBash)
	return err == nil
}
