package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// options walks what the options, variables and settings of a program make it run or load.
type options struct{ *walker }

// maxValues bounds how deep values that run have values that run.
const maxValues = 3

// values walks what a call runs because a variable of it says so: EDITOR, CC,
// RUSTC_WRAPPER, MAKEFLAGS. own are the variables that were set for this call
// alone; within a value only they count, for the others were walked already.
func (w options) values(c *command, call *shell.Call, own []shell.Variable) {
	if w.valued >= maxValues {
		return
	}
	env := call.Env
	if w.valued > 0 {
		env = own
	}
	for i := range env {
		v := &env[i]
		switch {
		case v.Value.Text == "":
		case runsProgram(v.Name):
			w.value(c, v.Value)
		case isToolchain(v.Name) && builds(call):
			w.value(c, v.Value)
		default:
			w.variableFlags(c, call.Name, v)
		}
	}
}

// variableFlags walks a variable that holds options for the program that is called.
func (w options) variableFlags(c *command, name string, v *shell.Variable) {
	row := findFlagged(v.Name)
	if row == nil || !row.reads(name) || !strings.Contains(v.Value.Text, "-") && row.programs != "make" {
		return
	}
	words := splitFlags(v.Value)
	if len(words) == 0 {
		return
	}
	inner := *c
	inner.env, inner.redir, inner.hidden, inner.plain = nil, nil, nil, true
	at := 1
	if row.behind {
		for at < len(c.words) && strings.HasPrefix(c.words[at].Text, "-") {
			at++
		}
		at = min(at+1, len(c.words))
	}
	inner.words = append(append(append([]shell.Word{}, c.words[:at]...), words...), c.words[at:]...)
	inner.hops++
	w.valued++
	w.run(inner)
	w.valued--
}

// splitFlags are the words of a variable that holds options, split as a shell would.
func splitFlags(text shell.Word) []shell.Word {
	var out []shell.Word
	var b strings.Builder
	quote, open := byte(0), false
	for i := 0; i < len(text.Text) && len(out) < maxWords; i++ {
		ch := text.Text[i]
		switch {
		case ch == '\\' && quote != '\'' && i+1 < len(text.Text):
			i++
			b.WriteByte(text.Text[i])
			open = true
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '\'' || ch == '"'):
			quote, open = ch, true
		case quote == 0 && (ch == ' ' || ch == '\t' || ch == '\n'):
			if open {
				out = append(out, shell.Word{Text: b.String(), From: text.From})
			}
			b.Reset()
			open = false
		default:
			b.WriteByte(ch)
			open = true
		}
	}
	if open {
		out = append(out, shell.Word{Text: b.String(), From: text.From})
	}
	return out
}

// value walks one text that a program runs because a variable or an option says so.
func (w options) value(c *command, text shell.Word) {
	text.Text = strings.TrimLeft(text.Text, "|!- \t") // LESSOPEN begins with a pipe
	if text.Text == "" {
		return
	}
	known := text.Known()
	switch {
	case w.plantedCommand(splitFlags(text)):
	case isHarmless(text.Text):
		return
	case known && (handsSecret(text.Text) || facts.Shell(programName(text.Text))):
		return
	case !known && strings.Trim(text.Text, hole+" \t\n\"'") == "" && (len(text.From) == 0 || finds(text.From)):
		return // the person's own variable, or where a program is
	}
	w.valued++
	inner := *c
	inner.redir, inner.hops, inner.data, inner.env = nil, c.hops+1, true, nil
	if strings.HasPrefix(text.Text, "/dev/fd/") {
		if flow := w.opened(text.Text); flow != nil {
			text = shell.Word{Text: flowText(flow), From: flow.From}
		}
	}
	w.nested(text, nil, &inner)
	w.valued--
}

// Hands reports whether a variable of a call names a program that the call runs, beside
// the usual ones that only show text.
func Hands(c *shell.Call) bool {
	for i := range c.Env {
		if text := c.Env[i].Value.Text; text != "" && runsProgram(c.Env[i].Name) && !isHarmless(text) {
			return true
		}
	}
	return false
}

// handsSecret reports whether a text is a plain call of a program that keeps secrets:
// what asks for it uses it.
func handsSecret(text string) bool {
	if strings.ContainsAny(text, ";&|`$<>()\n") {
		return false
	}
	first, _, _ := strings.Cut(text, " ")
	switch programName(first) {
	case "pass", "gopass", "op", "bw", "rbw", "lpass", "secret-tool", "security", "keyring", "cat", "gpg", "age", "sops", "vault":
		return true
	}
	return false
}

// finds reports whether calls only print where a program is.
func finds(from []*shell.Call) bool {
	return !slices.ContainsFunc(from, func(c *shell.Call) bool { return !locatesProgram(c) })
}

// locatesProgram reports whether a call prints where a program is.
func locatesProgram(c *shell.Call) bool {
	switch c.Name {
	case "which", "command", "type", "xcrun", "brew", "readlink", "realpath", "whereis", "rustup", "pyenv", "asdf", "mise", "git":
		return true
	}
	return false
}

// isLocated reports whether a word is the path of a program of which only the name is
// known: $(which rm).
func isLocated(w shell.Word) bool {
	return !strings.Contains(w.Text, "/") && slices.ContainsFunc(w.From, locatesProgram)
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
