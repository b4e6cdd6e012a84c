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

// keySenders lists programs that send keys to another terminal or window, or start something there.
// They send keys only with one of the words verbs, if there are any; with one of the words unread, the
// keys are not part of the command.
var keySenders = [...]struct{ name, verbs, unread string }{
	{"tmux", "", ""}, // see tmuxUnread
	{"screen", "stuff paste register readbuf readreg", "paste readbuf readreg"},
	{"zellij", "write write-chars", "write"},
	{"kitty", "send-text send-key", "--stdin --from-file"},
	{"@", "send-text send-key", "--stdin --from-file"}, // kitty @ does the same as kitten @
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

// typedFinding is the finding for typing a checkrein command that only the user may run.
var typedFinding = finding{decision: checkrein.Deny, rule: "self/typed", final: true, what: "a decision that only the user may make in a terminal",
	advice: "agents may not type this command either; you can run it in a terminal outside the agent"}

// unreadKeysFinding returns the finding for sending keys that are not part of the command.
func (k *guard) unreadKeysFinding() finding {
	return k.askFinding("protect/keys", "unreadable text typed into another terminal", "it may be a command that only the user may run")
}

// checkTyping returns the finding for keys that a command sends to another terminal, where a program
// cannot distinguish them from the user's.
func (k *guard) checkTyping(p *tools.Part, as *study.Study) finding {
	var worst finding
	texts := as.ReadCalls // includes the calls of scripts
	if texts == nil {
		texts = as.Calls
	}
	if sendsKeys(p.Text) && (p.Role == tools.Code || slices.ContainsFunc(texts, k.anyCallSendsKeys)) {
		worst.merge(k.unreadKeysFinding())
		if hasUserCommand(p.Text) {
			return typedFinding
		}
	}
	for _, t := range texts {
		for _, c := range t.Calls {
			if c.Remote == "" {
				worst.merge(k.checkKeyCall(c))
			}
		}
	}
	return worst
}

// sendsKeys reports whether code uses the ioctl that puts keys into a terminal's input.
func sendsKeys(code string) bool {
	return strings.Contains(code, "ioctl") && (strings.Contains(code, "TIOCSTI") || strings.Contains(code, "0x5412"))
}

// anyCallSendsKeys reports whether a call in t runs code that sends keys, rather than only mentioning
// it.
func (k *guard) anyCallSendsKeys(t study.Text) bool {
	return slices.ContainsFunc(t.Calls, func(c *shell.Call) bool {
		return !k.isUnderstood(c) && c.Name != "git" && slices.ContainsFunc(c.Args, func(w shell.Word) bool { return sendsKeys(w.Text) })
	})
}

// checkKeyCall returns the finding for c if it sends keys.
func (k *guard) checkKeyCall(c *shell.Call) finding {
	for i := range c.Redir {
		to := c.Redir[i].Target.Text
		if (strings.HasPrefix(to, "/dev/pts/") || strings.HasPrefix(to, "/dev/tty") && to != "/dev/tty") && strings.Contains(c.Redir[i].Op, ">") && hasUserCommand(joinWords(c.Args)) {
			return typedFinding
		}
	}
	i := slices.IndexFunc(keySenders[:], func(row struct{ name, verbs, unread string }) bool { return row.name == c.Name })
	if i < 0 {
		return finding{}
	}
	row := &keySenders[i]
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
	if hasUserCommand(joinWords(c.Args)) {
		return typedFinding
	}
	if c.Name == "tmux" {
		return k.checkTmux(c)
	}
	if row.verbs != "" && slices.ContainsFunc(c.Args, func(w shell.Word) bool { return !w.IsKnown() || len(w.From) > 0 }) || has(row.unread) {
		return k.unreadKeysFinding()
	}
	return finding{}
}

// tmuxUnread lists tmux commands, by prefixes of their names, whose keys or commands are not all in
// their arguments, and the option or key that makes them so: "" means always, "?" means if an argument
// is unknown.
var tmuxUnread = [...]struct{ verb, with string }{
	{"send", "-H"}, {"send", "C-r"}, {"send", "C-p"}, {"send", "Up"}, {"send", "?"}, {"set-b", "?"}, {"setb", "?"}, {"set-h", "?"}, {"bind", "?"}, {"confirm", "?"}, {"command-p", "?"}, {"if", "?"},
	{"load", ""}, {"paste", ""}, {"sour", ""}, {"pipe", "-I"}, {"-C", ""}, {"set-e", "PROMPT_COMMAND"}, {"set-e", "BASH_ENV"}, {"set-e", "ENV"}, {"set-e", "ZDOTDIR"}, {"set-e", "INPUTRC"}, {"set-e", "LD_PRELOAD"}, {"set-e", "PATH"}, {"setenv", "PROMPT_COMMAND"}, {"setenv", "BASH_ENV"}, {"setenv", "ENV"}, {"setenv", "ZDOTDIR"}, {"setenv", "INPUTRC"}, {"setenv", "LD_PRELOAD"}, {"setenv", "PATH"},
}

// checkTmux returns the finding for c, a call of tmux that does not itself contain a command for the
// user only.
func (k *guard) checkTmux(c *shell.Call) finding {
	if slices.ContainsFunc(program.Parts(c), func(p shell.Part) bool { return p.Opt == "-f" && p.Word.Text != "/dev/null" }) {
		return k.unreadKeysFinding() // the file holds tmux commands
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
	// An attached tmux treats what comes through a pipe as the user's keys.
	if verb := args[0].Text; c.In != nil && (strings.HasPrefix(verb, "a") || strings.HasPrefix(verb, "new")) {
		return k.unreadKeysFinding()
	}
	for _, row := range tmuxUnread {
		if strings.HasPrefix(args[0].Text, row.verb) && (row.with == "" || slices.ContainsFunc(args[1:], func(w shell.Word) bool {
			return w.Text == row.with || row.with == "-I" && strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "I") || row.with == "?" && (!w.IsKnown() || len(w.From) > 0)
		})) {
			return k.unreadKeysFinding()
		}
	}
	return finding{}
}

// joinWords returns the texts of words, each followed by a space.
func joinWords(words []shell.Word) string {
	var b strings.Builder
	for i := range words {
		b.WriteString(words[i].Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// hasUserCommand reports whether text contains a checkrein command that only the user may run,
// ignoring spaces and quotes.
func hasUserCommand(text string) bool {
	text = strings.NewReplacer(" ", "", "\t", "", "\n", "", "'", "", `"`, "", `\`, "", ",", "", "Space", "").Replace(text)
	for {
		_, rest, ok := strings.Cut(text, "checkrein")
		if !ok {
			return false
		}
		if files.IsForPeople(rest) || files.IsForPeople(strings.TrimPrefix(rest, "d")) {
			return true
		}
		text = rest
	}
}

// typingToolWords lists words in the names of tools that send keys to another terminal or window.
var typingToolWords = [...]string{"keys", "key", "type", "typing", "keyboard", "press", "paste", "stdin", "terminal", "tmux", "screen", "pty", "tty", "console", "iterm", "iterm2", "computer", "desktop", "applescript", "osascript"}

// checkTypingTool returns the finding for the texts in the arguments of t, an unknown tool, if it may
// type them.
func (k *guard) checkTypingTool(t *checkrein.Tool) finding {
	words := strings.FieldsFunc(strings.ToLower(t.Name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(typingToolWords[:], w) }) {
		return finding{}
	}
	var all strings.Builder
	rawjson.EachStringValue(t.Input, func(s string) bool {
		all.WriteString(s)
		return all.Len() < maxMentions
	})
	if hasUserCommand(all.String()) {
		return typedFinding
	}
	return finding{}
}
