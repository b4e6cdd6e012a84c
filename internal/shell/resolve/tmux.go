package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// The tmux commands by the meaning of their operands, with their short names.
const (
	tmuxRuns = "new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw " +
		"display-popup popup run-shell run"
	tmuxTypes = "send-keys send"
	// tmuxNested are commands whose operands contain tmux commands.
	tmuxNested = "if-shell if pipe-pane pipep set-hook bind-key bind confirm-before confirm command-prompt display-menu menu " +
		"choose-tree choose-client choose-buffer display-panes displayp source-file source set-option set set-window-option setw"
)

// walkTmux walks the commands that tmux starts or types. It reports tmux commands nested in others,
// because they are not read.
func (w wrappers) walkTmux(c *command) {
	f := argv.FlagReader{Args: c.words[1:], Options: &argv.Options{Short: "LSfcT"}}
	rest := f.Operands()
	before := c.words[:len(c.words)-len(rest)]
	given := slices.ContainsFunc(before, func(a shell.Word) bool { return a.Text == "-c" || strings.HasPrefix(a.Text, "-C") })
	argv.EachSimpleOptionValue(before, "-f", func(path shell.Word) { given = given || w.pathFlow(path.Text) != nil })
	if given {
		w.reportOpaque(displayWords(c.words), "sends commands to tmux that checkrein does not read")
	}
	if len(rest) == 0 {
		w.emitCall(c)
	}
	for len(rest) > 0 && w.spendStep() {
		one := rest
		end := slices.IndexFunc(rest, func(a shell.Word) bool { return strings.HasSuffix(a.Text, ";") && !strings.HasSuffix(a.Text, `\;`) })
		if rest = nil; end >= 0 {
			one, rest = slices.Clone(one[:end+1]), one[end+1:]
			one[end].Text = strings.TrimSuffix(one[end].Text, ";")
		}
		inner := *c
		inner.words = append(slices.Clone(before), one...)
		w.walkTmuxCommand(&inner, one)
	}
}

// walkTmuxCommand walks the tmux command words. The words of c are tmux, its options, and words.
func (w wrappers) walkTmuxCommand(c *command, words []shell.Word) {
	verb := words[0].Text
	f := argv.FlagReader{Args: words[1:], Options: &argv.Options{Short: "sntcxyFelpeTN"}}
	rest := f.Operands()
	given := words[1 : len(words)-len(rest)]
	switch {
	case facts.InList(tmuxRuns, verb) && len(rest) > 0 && !argv.HasWord(given, "-C"):
		w.walkShellText(c, expand.Join(rest, " "))
	case facts.InList(tmuxTypes, verb) && !argv.HasWord(given, "-H"):
		w.walkTmuxKeys(c, rest)
	case facts.InList(tmuxNested, verb), strings.Contains(expand.Join(words, " ").Text, "#("), facts.InList(tmuxRuns+" "+tmuxTypes, verb) && len(rest) > 0:
		w.emitCall(c)
		w.reportOpaque(displayWords(c.words), "sends commands to tmux that checkrein does not read")
	default:
		w.emitCall(c)
	}
}

// walkTmuxKeys walks the text that tmux send-keys types as a command. It also adds a call of tmux if
// no Enter key ends the text, if the text is unknown, or if keys recall an earlier command.
func (w wrappers) walkTmuxKeys(c *command, rest []shell.Word) {
	n := len(rest)
	for len(rest) > 0 && facts.InList("Enter ENTER KPEnter C-m C-j C-c", rest[len(rest)-1].Text) {
		rest = rest[:len(rest)-1]
	}
	recalls := slices.ContainsFunc(rest, func(a shell.Word) bool { return facts.InList("C-r C-p Up", a.Text) })
	text := expand.Join(rest, "")
	if len(rest) == 0 || len(rest) == n || !text.IsKnown() || recalls {
		w.emitCall(c)
	}
	if len(rest) > 0 && !recalls {
		text.Text = strings.ReplaceAll(text.Text, "Space", " ")
		w.walkShellText(c, text)
	}
}
