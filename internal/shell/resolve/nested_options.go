package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A carried is a program with an option, or a subcommand, that carries a command.
type carried struct {
	name string
	sub  string // a word that must be there; "" = none
	text string // options whose value is a text for a shell; two letters may have it right behind them
	pre  string // what the value must begin with, and what is cut off: "exec="; alternatives separated by spaces
	sep  string // what separates the words of the value
	as   string // the command that the value is an argument of: "ruby -e"
	far  bool   // it runs on another machine
	tame bool   // an ordinary program is what the value is for
	with string // letters without a value that the first option may stand behind in one word
}

// firstCarried is the place of the first row of a program, or where it would be.
func firstCarried(name string) int {
	lo, hi := 0, len(carriedBy)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if carriedBy[m].name < name {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

func findCarried(name string) *carried {
	if i := firstCarried(name); i < len(carriedBy) && carriedBy[i].name == name {
		return &carriedBy[i]
	}
	return nil
}

// carried walks the commands in the options of a program.
func (w *walker) carried(c *command, o *carried) {
	w.emit(c)
	args := c.words[1:]
	for i := firstCarried(o.name); i < len(carriedBy) && carriedBy[i].name == o.name; i++ {
		row := &carriedBy[i]
		if row.sub != "" && !hasWord(args, row.sub) {
			continue
		}
		inner := *c
		inner.redir, inner.hidden = nil, nil
		if row.far {
			inner = w.elsewhere(c, target(args, row.sub))
		}
		w.optionTexts(&inner, args, row)
	}
	if o.name == "aws" && hasWord(args, "send-command") {
		w.systemsManager(c)
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
		text := args[i]
		text.Text = val
		switch {
		case row.bundles(args[i].Text):
			at := strings.IndexByte(args[i].Text, row.text[1])
			if text.Text = args[i].Text[at+1:]; text.Text == "" {
				if i+1 >= len(args) {
					return
				}
				text = args[i+1]
			}
		case facts.InList(row.text, name) && given:
		case facts.InList(row.text, name):
			if i+1 >= len(args) {
				return
			}
			text = args[i+1]
		case len(name) > 2 && name[0] == '-' && name[1] != '-' && facts.InList(row.text, name[:2]) && (row.pre != "" || row.tame):
			text.Text = args[i].Text[2:]
		default:
			continue
		}
		if row.pre != "" {
			cut, ok := cutAny(strings.TrimPrefix(text.Text, ":"), row.pre)
			if !ok {
				continue
			}
			text.Text = cut
		}
		if row.sep != "" {
			text.Text = quotedList(text.Text, row.sep)
		}
		if row.name == "rsync" && isRemoteShell(text.Text) {
			continue
		}
		if row.as != "" {
			w.handedAs(c, row.as, text)
			continue
		}
		if row.tame {
			if row.name == "go" && strings.Contains(text.Text, " ") {
				text.Text += " ./x.test" // what it builds follows
			}
			w.value(c, text)
			continue
		}
		if row.name == "nodemon" && i+1 < len(args) && !strings.HasPrefix(args[i+1].Text, "-") {
			text.Text += " " + quote(args[i+1].Text) // what it watches it also runs
		}
		w.handed(c, text)
	}
}

// bundles reports whether a word has the first of the options behind letters that
// take no value, or with its value in the same word: rsync -ave 'x'.
func (row *carried) bundles(word string) bool {
	if row.with == "" || len(word) < 3 || word[0] != '-' || word[1] == '-' {
		return false
	}
	at := strings.IndexByte(word, row.text[1])
	return at > 0 && strings.Trim(word[1:at], row.with) == ""
}

// quotedList is a list as the text of a command.
func quotedList(list, sep string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(list, sep) {
		b.WriteString(quote(word) + " ")
	}
	return strings.TrimSuffix(b.String(), " ")
}

// cutAny cuts off the first of several beginnings that a text has, in any case.
func cutAny(text, list string) (rest string, ok bool) {
	for one := range strings.SplitSeq(list, " ") {
		if len(text) >= len(one) && strings.EqualFold(text[:len(one)], one) {
			return text[len(one):], true
		}
	}
	return text, false
}

func isRemoteShell(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return programName(first) == "ssh" || programName(first) == "rsh"
}

// eachText walks programs whose every word is a text for a shell.
func (w *walker) eachText(c *command) {
	w.emit(c)
	args := c.words[1:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		if strings.HasPrefix(a.Text, "-") {
			if len(a.Text) == 2 && strings.Contains("wrmMPDnsc", a.Text[1:]) || facts.InList("--warmup --runs --min-runs --max-runs --export-json --export-markdown --export-csv --shell --command-name --names --prefix --prefix-colors --kill-others-on-fail --parameter-list", a.Text) {
				i++
			}
			// The values of --prepare and its kin are texts as well.
			if name, text, ok := strings.Cut(a.Text, "="); ok && facts.InList("--prepare --cleanup --setup --conclude", name) {
				a.Text = text
				w.handed(c, a)
			}
			continue
		}
		if tool, script, ok := strings.Cut(a.Text, ":"); ok && facts.InList("npm yarn pnpm bun node deno", tool) {
			a.Text, a.Glob = tool+" run "+strings.Trim(script, "*"), false // npm:watch-*
		}
		w.handed(c, a)
	}
}
