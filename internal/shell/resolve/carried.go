package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A carried is a program with an option, or a subcommand, that carries a command.
type carried struct {
	name string
	sub  string // a word that must be there; "" = none
	text string // options whose value is a text for a shell
	tail string // options behind which the command's words stand; "*" = behind sub, "flags" = behind the flags
	pre  string // what the value must begin with, and what is cut off: "exec="
	far  bool   // it runs on another machine
}

// carriedBy are sorted by name; a name may have several rows.
var carriedBy = [...]carried{
	{name: "adb", sub: "shell", tail: "*", far: true},
	{name: "ansible", text: "-a --args", far: true},
	{name: "az", sub: "run-command", text: "--scripts", far: true},
	{name: "bsdtar", text: "--to-command --use-compress-program"},
	{name: "capsh", tail: "--"},
	{name: "docker-machine", sub: "ssh", tail: "*", far: true},
	{name: "entr", tail: "flags"},
	{name: "ex", text: "-c --cmd", pre: "!"},
	{name: "fly", sub: "ssh", text: "-C --command", far: true},
	{name: "flyctl", sub: "ssh", text: "-C --command", far: true},
	{name: "gcloud", sub: "ssh", text: "--command", far: true},
	{name: "heroku", sub: "run", tail: "*", far: true},
	{name: "nix", text: "", tail: "-c --command"},
	{name: "nix-shell", text: "--run --command"},
	{name: "nodemon", text: "-x --exec"},
	{name: "npm", sub: "exec", text: "-c --call"},
	{name: "npx", text: "-c --call"},
	{name: "nvim", text: "-c --cmd", pre: "!"},
	{name: "pdsh", tail: "flags", far: true},
	{name: "rsync", text: "-e --rsh"},
	{name: "salt", sub: "cmd.run", tail: "*", far: true},
	{name: "split", text: "--filter"},
	{name: "tar", text: "--checkpoint-action", pre: "exec="},
	{name: "tar", text: "--to-command"},
	{name: "vagrant", sub: "ssh", text: "-c --command", far: true},
	{name: "vi", text: "-c --cmd", pre: "!"},
	{name: "vim", text: "-c --cmd", pre: "!"},
	{name: "watchexec", tail: "flags"},
}

func findCarried(name string) *carried {
	for i := range carriedBy {
		if n := carriedBy[i].name; n == name {
			return &carriedBy[i]
		} else if n > name {
			return nil
		}
	}
	return nil
}

// carried walks the commands in the options of a program.
func (w *walker) carried(c *command, o *carried) {
	w.emit(c)
	args := c.words[1:]
	for i := range carriedBy {
		row := &carriedBy[i]
		if row.name != o.name || row.sub != "" && !hasWord(args, row.sub) {
			continue
		}
		inner := *c
		inner.redir, inner.hidden = nil, nil
		if row.far {
			inner = w.elsewhere(c, target(args, row.sub))
		}
		if row.text != "" {
			w.optionTexts(&inner, args, row)
		}
		if row.tail != "" {
			w.optionTail(&inner, args, row)
		}
	}
}

func hasWord(args []shell.Word, word string) bool {
	for _, a := range args {
		if a.Text == word {
			return true
		}
	}
	return false
}

// target is the machine that a command goes to: the word behind the subcommand.
func target(args []shell.Word, sub string) string {
	if sub == "" && len(args) > 0 {
		return args[0].Text
	}
	for i, a := range args {
		if a.Text == sub && i+1 < len(args) && !strings.HasPrefix(args[i+1].Text, "-") {
			return args[i+1].Text
		}
	}
	return "?"
}

// optionTexts walks each option's value as a text.
func (w *walker) optionTexts(c *command, args []shell.Word, row *carried) {
	for i := 0; i < len(args); i++ {
		name, val, given := strings.Cut(args[i].Text, "=")
		if !inList(row.text, name) {
			continue
		}
		text := args[i]
		text.Text = val
		if !given {
			if i++; i >= len(args) {
				return
			}
			text = args[i]
		}
		if row.pre != "" {
			cut, ok := strings.CutPrefix(strings.TrimPrefix(text.Text, ":"), row.pre)
			if !ok {
				continue
			}
			text.Text = cut
		}
		if row.name == "rsync" && isRemoteShell(text.Text) {
			continue
		}
		w.handed(c, text)
	}
}

func isRemoteShell(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return programName(first) == "ssh" || programName(first) == "rsh"
}

// optionTail walks the words behind an option as a command.
func (w *walker) optionTail(c *command, args []shell.Word, row *carried) {
	switch row.tail {
	case "flags":
		f := flags{args: args, wr: &wrapper{name: row.name, short: "wxlufe", long: "--watch --exts --filter --ignore --signal --debounce"}}
		if rest := f.read(); len(rest) > 0 {
			w.inner(c, rest)
		}
		return
	case "*":
		for i, a := range args {
			if a.Text != row.sub {
				continue
			}
			rest := args[i+1:]
			if row.name == "docker-machine" && len(rest) > 0 {
				rest = rest[1:]
			}
			for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
				rest = rest[1:]
			}
			if len(rest) > 0 {
				w.handed(c, joined(rest, " "))
			}
			return
		}
		return
	}
	for i, a := range args {
		if inList(row.tail, a.Text) {
			rest := args[i+1:]
			if row.tail == "--" {
				rest = append([]shell.Word{{Text: "bash"}}, rest...)
			}
			w.inner(c, rest)
			return
		}
	}
}

// eachText walks programs whose every word is a text for a shell.
func (w *walker) eachText(c *command) {
	w.emit(c)
	args := c.words[1:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		if strings.HasPrefix(a.Text, "-") {
			if len(a.Text) == 2 && strings.Contains("wrmMPDnsc", a.Text[1:]) || inList("--warmup --runs --min-runs --max-runs --export-json --export-markdown --export-csv --shell --command-name --names --prefix --prefix-colors --kill-others-on-fail --parameter-list", a.Text) {
				i++
			}
			if a.Text == "--prepare" || a.Text == "-p" || a.Text == "--cleanup" || a.Text == "--setup" {
				continue // its value is a text as well
			}
			continue
		}
		w.handed(c, a)
	}
}

// tmux walks the commands that tmux starts or types.
func (w *walker) tmux(c *command) {
	w.emit(c)
	args := c.words[1:]
	for i, a := range args {
		switch a.Text {
		case "new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawnp", "run-shell", "run", "popup", "display-popup":
			f := flags{args: args[i+1:], wr: &wrapper{name: "tmux", short: "sntcxyFelpd"}}
			if a.Text == "new-session" || a.Text == "new" || a.Text == "new-window" || a.Text == "neww" {
				f.wr = &wrapper{name: "tmux", short: "sntcxyFe"}
			}
			if rest := f.read(); len(rest) > 0 {
				w.handed(c, joined(rest, " "))
			}
			return
		case "send-keys", "send":
			f := flags{args: args[i+1:], wr: &wrapper{name: "tmux", short: "tN"}}
			rest := f.read()
			for len(rest) > 0 && isKey(rest[len(rest)-1].Text) {
				rest = rest[:len(rest)-1]
			}
			if len(rest) > 0 {
				w.handed(c, joined(rest, ""))
			}
			return
		}
	}
}

func isKey(s string) bool {
	return s == "Enter" || s == "C-m" || s == "KPEnter" || s == "C-j" || s == "ENTER" || s == "C-c"
}

// git walks the commands that git itself runs.
func (w *walker) git(c *command) {
	w.emit(c)
	args := c.words[1:]
	for i, a := range args {
		if i+1 >= len(args) {
			return
		}
		next := args[i+1]
		switch a.Text {
		case "-c":
			key, val, _ := strings.Cut(next.Text, "=")
			if text, ok := gitSetting(strings.ToLower(key), val); ok {
				w.handed(c, shell.Word{Text: text, From: next.From})
			}
		case "foreach":
			rest := args[i+1:]
			for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
				rest = rest[1:]
			}
			if i > 0 && args[i-1].Text == "submodule" || hasWord(args[:i], "submodule") {
				w.handed(c, joined(rest, " "))
			}
			return
		case "run":
			if hasWord(args[:i], "bisect") {
				w.inner(c, args[i+1:])
				return
			}
		case "-x", "--exec":
			if hasWord(args[:i], "rebase") {
				w.handed(c, next)
			}
		case "--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter", "--tag-name-filter", "--parent-filter":
			w.handed(c, next)
		default:
			if text, ok := strings.CutPrefix(a.Text, "--exec="); ok && hasWord(args[:i], "rebase") {
				w.handed(c, shell.Word{Text: text, From: a.From})
			}
		}
	}
}

// gitSetting is the command in a setting that git runs.
func gitSetting(key, val string) (string, bool) {
	if strings.HasPrefix(key, "alias.") {
		return strings.CutPrefix(val, "!")
	}
	switch key {
	case "core.sshcommand", "core.fsmonitor", "diff.external", "core.editor", "sequence.editor", "core.pager", "core.gitproxy", "gpg.program":
		switch val {
		case "", "true", "false", "cat", "less", ":", "vim", "nano", "delta", "ssh", "gpg", "gpg2":
			return "", false
		}
		return val, !isRemoteShell(val)
	}
	return "", false
}
