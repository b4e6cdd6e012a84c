package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A tmuxForm is what the operands of a command of tmux are.
type tmuxForm uint8

const (
	tmuxOther    tmuxForm = iota
	tmuxRuns              // a command for a shell
	tmuxTypes             // keys
	tmuxCommands          // commands of tmux, or words before them
	tmuxTests             // a command for a shell, then commands of tmux
	tmuxFiles             // files with commands of tmux
	tmuxSets              // a setting and its value
)

// tmuxVerbs are its commands that carry others, with their short names and the
// options that take a word.
var tmuxVerbs = [...]struct {
	name, alias, takes string
	form               tmuxForm
}{
	{"new-session", "new", "sntcxyFe", tmuxRuns}, {"new-window", "neww", "sntcxyFe", tmuxRuns}, {"split-window", "splitw", "sntcxyFelp", tmuxRuns},
	{"respawn-pane", "respawnp", "tce", tmuxRuns}, {"respawn-window", "respawnw", "tce", tmuxRuns}, {"display-popup", "popup", "bcdehsStTwxy", tmuxRuns}, {"popup", "popup", "bcdehsStTwxy", tmuxRuns},
	{"run-shell", "run", "tdc", tmuxRuns}, {"pipe-pane", "pipep", "t", tmuxRuns},
	{"send-keys", "send", "tNc", tmuxTypes},
	{"if-shell", "if", "t", tmuxTests},
	{"set-hook", "set-hook", "t", tmuxCommands}, {"bind-key", "bind", "TN", tmuxCommands}, {"confirm-before", "confirm", "cpt", tmuxCommands}, {"command-prompt", "command-prompt", "IptTF", tmuxCommands},
	{"display-menu", "menu", "bcCHsStTxy", tmuxCommands}, {"choose-tree", "choose-tree", "FfKOt", tmuxCommands}, {"choose-client", "choose-client", "FfKOt", tmuxCommands}, {"choose-buffer", "choose-buffer", "FfKOt", tmuxCommands}, {"display-panes", "displayp", "dt", tmuxCommands},
	{"source-file", "source", "t", tmuxFiles},
	{"set-option", "set", "t", tmuxSets}, {"set-window-option", "setw", "t", tmuxSets},
	{"set-buffer", "setb", "bnt", tmuxOther}, {"load-buffer", "loadb", "bt", tmuxOther}, {"paste-buffer", "pasteb", "bst", tmuxOther}, {"set-environment", "setenv", "t", tmuxOther},
}

// tmuxVerb finds a command by its name, its short name or the beginning of its name;
// -1 = it is not among those that carry others.
func tmuxVerb(word string) int {
	found := -1
	for i := range tmuxVerbs {
		if v := &tmuxVerbs[i]; v.name == word || v.alias == word {
			return i
		} else if found < 0 && len(word) > 3 && strings.HasPrefix(v.name, word) {
			found = i
		}
	}
	return found
}

// maxTmux bounds how many commands of tmux are read, maxTmuxDepth how deep.
const (
	maxTmux      = 64
	maxTmuxDepth = 4
)

// tmux walks the commands that tmux starts or types, one after the other.
func (w *walker) tmux(c *command) {
	args := c.words[1:]
	control := false
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		a := args[0].Text
		n := 1
		if a == "-C" || a == "-CC" {
			control = true
		} else if i := strings.IndexAny(a, "LSfcT"); i == len(a)-1 && len(args) > 1 {
			n = 2
			switch a[i] {
			case 'c':
				w.handed(c, args[1])
			case 'f':
				w.tmuxFile(c, args[1], 0)
			}
		}
		args = args[n:]
	}
	if control {
		// What it then reads are commands.
		if text, from, sure := w.input(c, nil); sure {
			w.tmuxText(c, shell.Word{Text: text, From: from}, 0)
			return
		}
		w.emit(c)
		return
	}
	if len(args) == 0 {
		w.emit(c)
		return
	}
	w.tmuxSequence(c, c.words[:len(c.words)-len(args)], args, 0)
}

// tmuxSequence walks commands with a ; between them.
func (w *walker) tmuxSequence(c *command, before, args []shell.Word, depth int) {
	for n := 0; len(args) > 0; n++ {
		if n >= maxTmux || !w.step() {
			w.tooMuch()
			return
		}
		end := slices.IndexFunc(args, func(a shell.Word) bool { return strings.HasSuffix(a.Text, ";") && !strings.HasSuffix(a.Text, `\;`) })
		one := args
		if args = nil; end >= 0 {
			one, args = slices.Clone(one[:end+1]), one[end+1:]
			if one[end].Text = strings.TrimSuffix(one[end].Text, ";"); one[end].Text == "" {
				one = one[:end]
			}
		}
		if len(one) > 0 {
			inner := *c
			inner.words = append(slices.Clone(before), one...)
			w.tmuxCommand(&inner, one, depth)
		}
	}
}

// tmuxCommand walks one command; c has it behind the name of tmux.
func (w *walker) tmuxCommand(c *command, words []shell.Word, depth int) {
	for _, a := range words[1:] {
		w.tmuxFormats(c, a)
	}
	i := tmuxVerb(words[0].Text)
	if i < 0 {
		w.emit(c)
		return
	}
	row := &tmuxVerbs[i]
	f := flags{args: words[1:], wr: &wrapper{short: row.takes}}
	rest := f.read()
	given := words[1 : len(words)-len(rest)]
	has := func(flag string) bool {
		return slices.ContainsFunc(given, func(a shell.Word) bool { return len(a.Text) > 1 && a.Text[0] == '-' && strings.Contains(a.Text, flag) })
	}
	switch {
	case row.name == "run-shell" && has("C"):
		w.tmuxCarried(c, rest, depth)
	case row.name == "pipe-pane" && has("I"):
		w.emit(c) // what the command prints is typed
		w.handed(c, joined(rest, " "))
	case row.form == tmuxRuns:
		if len(rest) == 0 {
			w.emit(c)
			return
		}
		w.handed(c, joined(rest, " "))
	case row.form == tmuxTypes && has("H"):
		w.emit(c) // numbers
	case row.form == tmuxTypes:
		w.tmuxKeys(c, rest)
	case row.form == tmuxTests:
		w.tmuxTest(c, rest, depth)
	case row.form == tmuxCommands:
		w.emit(c)
		w.tmuxCarried(c, rest, depth)
	case row.form == tmuxFiles:
		for _, file := range rest {
			w.tmuxFile(c, file, depth)
		}
	case row.form == tmuxSets:
		w.emit(c)
		w.tmuxSetting(c, rest, depth)
	default:
		w.emit(c)
	}
}

// tmuxFormats walks #(x), which runs x wherever a text is shown.
func (w *walker) tmuxFormats(c *command, a shell.Word) {
	rest := a.Text
	for {
		_, after, ok := strings.Cut(rest, "#(")
		if !ok || !w.step() {
			return
		}
		end := closingParen(after)
		w.handed(c, shell.Word{Text: after[:end], From: a.From})
		rest = after[end:]
	}
}

// tmuxTest walks if-shell. A text that begins with no command of tmux is taken for
// one of a shell.
func (w *walker) tmuxTest(c *command, rest []shell.Word, depth int) {
	if len(rest) == 0 {
		w.emit(c)
	}
	for i, a := range rest {
		first, _, _ := strings.Cut(strings.TrimLeft(a.Text, " {"), " ")
		if i > 0 && tmuxVerb(first) >= 0 {
			w.tmuxText(c, a, depth)
		} else {
			w.handed(c, a)
		}
	}
}

// tmuxCarried walks the commands of tmux among the operands of another: as one text,
// or as words.
func (w *walker) tmuxCarried(c *command, rest []shell.Word, depth int) {
	for i, a := range rest {
		first, more, _ := strings.Cut(strings.TrimLeft(a.Text, " {\n"), " ")
		switch {
		case tmuxVerb(first) < 0:
		case more == "":
			if depth >= maxTmuxDepth {
				w.tooMuch()
				return
			}
			w.tmuxSequence(c, c.words[:1], rest[i:], depth+1)
			return
		default:
			w.tmuxText(c, a, depth)
		}
	}
}

// tmuxSetting walks what a setting has run.
func (w *walker) tmuxSetting(c *command, rest []shell.Word, depth int) {
	if len(rest) < 2 {
		return
	}
	value := joined(rest[1:], " ")
	switch name, _, _ := strings.Cut(rest[0].Text, "["); name {
	case "command-alias":
		_, text, _ := strings.Cut(value.Text, "=")
		w.tmuxText(c, shell.Word{Text: text, From: value.From}, depth)
	case "default-command", "lock-command", "copy-command", "editor":
		w.handed(c, value)
	}
}

// tmuxFile walks the commands in a file; without its text the call says that it is
// read.
func (w *walker) tmuxFile(c *command, file shell.Word, depth int) {
	if file.Text == "-" {
		if text, from, sure := w.input(c, nil); sure {
			w.tmuxText(c, shell.Word{Text: text, From: from}, depth)
			return
		}
	} else if f := w.fileAt(file.Text, &c.context); f != nil {
		if text, ok := f.code(); ok && !f.old {
			if w.enterFile(f.path, c) { // else it reads itself again
				w.tmuxText(c, text, depth)
				w.leaveFile()
			}
			return
		}
	}
	inner := *c
	inner.words = []shell.Word{c.words[0], {Text: "source-file"}, file}
	w.emit(&inner)
}

// tmuxText walks a text of commands of tmux.
func (w *walker) tmuxText(c *command, text shell.Word, depth int) {
	if depth >= maxTmuxDepth {
		w.tooMuch()
		w.emit(c)
		return
	}
	for i, words := range tmuxLines(text) {
		if i >= maxTmux {
			w.tooMuch()
			w.emit(c)
			return
		}
		inner := *c
		inner.words = append([]shell.Word{c.words[0]}, words...)
		w.tmuxCommand(&inner, words, depth+1)
	}
}

// tmuxLines takes a text apart into commands and their words. A block in braces is
// one word.
func tmuxLines(text shell.Word) [][]shell.Word {
	var out [][]shell.Word
	var line []shell.Word
	var word strings.Builder
	open := false
	endWord := func() {
		if open || word.Len() > 0 {
			line = append(line, shell.Word{Text: word.String(), From: text.From})
		}
		word.Reset()
		open = false
	}
	endLine := func() {
		if endWord(); len(line) > 0 {
			out = append(out, line)
		}
		line = nil
	}
	s := text.Text
	quote, braces := byte(0), 0
	for i := 0; i < len(s); i++ {
		b := s[i]
		switch {
		case braces > 0:
			if b == '{' {
				braces++
			} else if b == '}' {
				braces--
			}
			if braces > 0 {
				word.WriteByte(b)
			}
		case quote != 0 && b == quote:
			quote = 0
		case b == '\\' && quote != '\'' && i+1 < len(s):
			if i++; s[i] != '\n' {
				word.WriteByte(s[i])
			}
		case quote != 0:
			word.WriteByte(b)
		case b == '\'' || b == '"':
			quote, open = b, true
		case b == '{' && word.Len() == 0 && !open:
			braces, open = 1, true
		case b == '#' && word.Len() == 0 && !open:
			for i+1 < len(s) && s[i+1] != '\n' {
				i++
			}
		case b == '\n' || b == '\r' || b == ';':
			endLine()
		case b == ' ' || b == '\t':
			endWord()
		default:
			word.WriteByte(b)
		}
	}
	endLine()
	return out
}

// tmuxKeys walks what tmux types, which is a command when a key ends it.
func (w *walker) tmuxKeys(c *command, rest []shell.Word) {
	n := len(rest)
	for len(rest) > 0 && isKey(rest[len(rest)-1].Text) {
		rest = rest[:len(rest)-1]
	}
	recalls := slices.ContainsFunc(rest, func(a shell.Word) bool { return a.Text == "C-r" || a.Text == "C-p" || a.Text == "Up" })
	whole := len(rest) > 0 && len(rest) < n && joined(rest, "").Known() && !recalls
	if !whole {
		w.emit(c)
	}
	if len(rest) == 0 || recalls {
		return
	}
	rest = slices.Clone(rest)
	for i := range rest {
		if rest[i].Text == "Space" {
			rest[i].Text = " "
		}
	}
	w.handed(c, joined(rest, ""))
}

func isKey(s string) bool {
	return s == "Enter" || s == "C-m" || s == "KPEnter" || s == "C-j" || s == "ENTER" || s == "C-c"
}
