package selfprotect

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// typists are the programs that press keys in another terminal or window, or start
// something in one, with the words by which they do, and those after which the keys
// are not in the command.
var typists = [...]struct{ name, verbs, unread string }{
	{"tmux", "", ""}, // which has rows of its own
	{"screen", "stuff paste register readbuf readreg", "paste readbuf readreg"},
	{"zellij", "write write-chars", "write"},
	{"kitty", "send-text send-key", "--stdin --from-file"},
	{"@", "send-text send-key", "--stdin --from-file"}, // what kitty runs by itself
	{"kitten", "send-text send-key", "--stdin --from-file"},
	{"wezterm", "send-text", ""},
	{"xdotool", "type", "--file -"},
	{"ydotool", "type", "--file -f"},
	{"wtype", "", "-"},
	{"dotool", "", ""},
	{"cliclick", "", ""},
	{"ttyecho", "", ""},
	{"osascript", "", ""},
	{"dtach", "", ""},
	{"abduco", "", ""},
}

var typedFinding = finding{decision: checkrein.Deny, rule: "self/typed", final: true, what: "a decision that only the user may make in a terminal",
	advice: "agents may not type this command either; you can run it in a terminal outside the agent"}

// unreadKeys is what a person is asked about.
func (k *guard) unreadKeys() finding {
	return k.askFinding("protect/keys", "unreadable text typed into another terminal", "it may be a command that only the user may run")
}

// typed judges keys that a command presses elsewhere: what checks who gives a
// command cannot tell them from a person's.
func (k *guard) typed(p *tools.Part, as *study.Study) finding {
	var worst finding
	texts := as.ReadCalls // with what programs are given to read
	if texts == nil {
		texts = as.Calls
	}
	if pressesKeys(p.Text) && (p.Role == tools.Code || slices.ContainsFunc(texts, k.codePressesKeys)) {
		worst.add(k.unreadKeys())
		if decidesIn(p.Text) {
			return typedFinding
		}
	}
	for _, t := range texts {
		for _, c := range t.Calls {
			if c.Remote == "" {
				worst.add(k.types(c))
			}
		}
	}
	return worst
}

// pressesKeys reports whether code has the system call by which keys are pressed in a
// terminal.
func pressesKeys(code string) bool {
	return strings.Contains(code, "ioctl") && (strings.Contains(code, "TIOCSTI") || strings.Contains(code, "0x5412"))
}

// codePressesKeys reports whether a call is given code that presses keys, rather than
// words about it.
func (k *guard) codePressesKeys(t study.Text) bool {
	return slices.ContainsFunc(t.Calls, func(c *shell.Call) bool {
		return !k.isUnderstood(c) && c.Name != "git" && slices.ContainsFunc(c.Args, func(w shell.Word) bool { return pressesKeys(w.Text) })
	})
}

// types judges one call.
func (k *guard) types(c *shell.Call) finding {
	for i := range c.Redir {
		to := c.Redir[i].Target.Text
		if (strings.HasPrefix(to, "/dev/pts/") || strings.HasPrefix(to, "/dev/tty") && to != "/dev/tty") && strings.Contains(c.Redir[i].Op, ">") && decidesIn(textOf(c.Args)) {
			return typedFinding
		}
	}
	i := slices.IndexFunc(typists[:], func(row struct{ name, verbs, unread string }) bool { return row.name == c.Name })
	if i < 0 {
		return finding{}
	}
	row := &typists[i]
	has := func(list string) bool {
		for verb := range strings.FieldsSeq(list) {
			if slices.ContainsFunc(c.Args, func(w shell.Word) bool { return w.Text == verb || strings.HasPrefix(w.Text, verb+"=") }) {
				return true
			}
		}
		return false
	}
	if row.verbs != "" && !has(row.verbs) {
		return finding{}
	}
	if decidesIn(textOf(c.Args)) {
		return typedFinding
	}
	if c.Name == "tmux" {
		return k.tmux(c)
	}
	if row.verbs != "" && slices.ContainsFunc(c.Args, func(w shell.Word) bool { return !w.Known() || len(w.From) > 0 }) || has(row.unread) {
		return k.unreadKeys()
	}
	return finding{}
}

// tmuxUnread are the commands of tmux whose keys or commands may be other than the
// words say, by the beginnings of their names, and the option or key with which they
// are; "" = always, "?" = when a word is not known.
var tmuxUnread = [...]struct{ verb, with string }{
	{"send", "-H"}, {"send", "C-r"}, {"send", "C-p"}, {"send", "Up"}, {"send", "?"}, {"set-b", "?"}, {"setb", "?"}, {"set-h", "?"}, {"bind", "?"}, {"confirm", "?"}, {"command-p", "?"}, {"if", "?"},
	{"load", ""}, {"paste", ""}, {"sour", ""}, {"pipe", "-I"}, {"-C", ""}, {"set-e", "PROMPT_COMMAND"}, {"set-e", "BASH_ENV"}, {"set-e", "ENV"}, {"set-e", "ZDOTDIR"}, {"set-e", "INPUTRC"}, {"set-e", "LD_PRELOAD"}, {"set-e", "PATH"}, {"setenv", "PROMPT_COMMAND"}, {"setenv", "BASH_ENV"}, {"setenv", "ENV"}, {"setenv", "ZDOTDIR"}, {"setenv", "INPUTRC"}, {"setenv", "LD_PRELOAD"}, {"setenv", "PATH"},
}

// tmux judges a command of tmux that says none of our commands itself.
func (k *guard) tmux(c *shell.Call) finding {
	if slices.ContainsFunc(program.Parts(c), func(p shell.Part) bool { return p.Opt == "-f" && p.Word.Text != "/dev/null" }) {
		return k.unreadKeys() // the file holds commands of tmux
	}
	args := c.Args
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") && !strings.HasPrefix(args[0].Text, "-C") {
		n := 1
		if strings.ContainsAny(args[0].Text[len(args[0].Text)-1:], "LSfcT") {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	if len(args) == 0 {
		return finding{}
	}
	// Keys that come through a pipe are a person's to what is shown.
	if verb := args[0].Text; c.In != nil && (strings.HasPrefix(verb, "a") || strings.HasPrefix(verb, "new")) {
		return k.unreadKeys()
	}
	for _, row := range tmuxUnread {
		if strings.HasPrefix(args[0].Text, row.verb) && (row.with == "" || slices.ContainsFunc(args[1:], func(w shell.Word) bool {
			return w.Text == row.with || row.with == "-I" && strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "I") || row.with == "?" && (!w.Known() || len(w.From) > 0)
		})) {
			return k.unreadKeys()
		}
	}
	return finding{}
}

func textOf(words []shell.Word) string {
	var b strings.Builder
	for i := range words {
		b.WriteString(words[i].Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// decidesIn reports whether a text, whatever it has between its letters, gives one
// of our commands that are a person's to give.
func decidesIn(text string) bool {
	text = strings.NewReplacer(" ", "", "\t", "", "\n", "", "'", "", `"`, "", `\`, "", ",", "", "Space", "").Replace(text)
	for {
		_, rest, ok := strings.Cut(text, "checkrein")
		if !ok {
			return false
		}
		if files.PersonsText(rest) || files.PersonsText(strings.TrimPrefix(rest, "d")) {
			return true
		}
		text = rest
	}
}

// typingTools are words in the names of tools that press keys elsewhere.
var typingTools = [...]string{"keys", "key", "type", "typing", "keyboard", "press", "paste", "stdin", "terminal", "tmux", "screen", "pty", "tty", "console", "iterm", "iterm2", "computer", "desktop", "applescript", "osascript"}

// typesByTool judges the texts that a tool which is not known types somewhere.
func (k *guard) typesByTool(t *checkrein.Tool) finding {
	words := strings.FieldsFunc(strings.ToLower(t.Name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(typingTools[:], w) }) {
		return finding{}
	}
	var all strings.Builder
	rawjson.Strings(t.Input, func(s string) bool {
		all.WriteString(s)
		return all.Len() < maxMentions
	})
	if decidesIn(all.String()) {
		return typedFinding
	}
	return finding{}
}
