package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A Loading is an option by which a program runs code from a file that is none of
// its operands.
type Loading struct {
	Name string
	Keys string // "-r+" also as -rVALUE
	Pre  string // what the value begins with, in any case; it is cut off
	How  Load
	As   string // the words before a known file that make a command of it; "=" = it is read anyway, "" = it is not
}

// loaderOf returns the name under which a program that loads as others do has its rows.
func loaderOf(name string) string {
	if of := aliasOf(loaders[:], name); of != name {
		return of
	}
	switch facts.TongueOf(name) {
	case facts.Node:
		return "node"
	case facts.Ruby:
		return "ruby"
	case facts.Groovy, facts.JShell:
		return "java"
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		return "ld-linux"
	}
	return aliasOf(families[:], name)
}

// LoadingsOf returns the loadings of a program.
func LoadingsOf(name string) []Loading { return rowsOf(loadings[:], loaderOf(name)) }

// EachValue calls fn with the values of options, by the many ways in which they are
// written.
func EachValue(args []shell.Word, keys string, fn func(key string, val shell.Word)) {
	for i := range args {
		text := args[i].Text
		if keys == "*" {
			fn("", args[i])
			continue
		}
		if len(text) < 2 || text[0] != '-' && text[0] != '+' {
			if i > 0 && args[i-1].Text == "-D" { // cmake -D KEY=VALUE
				text = "-D" + text
			} else {
				continue
			}
		}
		for key := range strings.FieldsSeq(keys) {
			rest, next := optionValue(text, key)
			switch {
			case next && i+1 < len(args):
				fn(key, args[i+1])
			case rest != "":
				fn(strings.TrimSuffix(key, "+"), shell.Word{Text: rest, From: args[i].From})
			}
		}
	}
}

// optionValue is the value of an option in one word with it; next says that it is the
// word behind.
func optionValue(text, key string) (rest string, next bool) {
	key, joined := strings.CutSuffix(key, "+")
	if key == "" { // +COMMAND
		if text[0] == '+' {
			return text[1:], false
		}
		return "", false
	}
	name, val, given := strings.Cut(text, "=")
	if strings.HasPrefix(name, "-D") {
		name, _, _ = strings.Cut(name, ":") // -DNAME:FILEPATH=
	}
	switch {
	case name == key && given:
		return val, false
	case text == key:
		return "", true
	case strings.HasPrefix(key, "--") && len(name) > 6 && len(name) < len(key) && strings.HasPrefix(key, name): // cut short
		return val, !given
	case joined && strings.HasPrefix(text, key):
		return text[len(key):], false
	case joined && len(key) == 2 && text[0] == '-' && text[1] != '-':
		// Among others: -wI/tmp/lib, -ave COMMAND.
		if at := strings.IndexByte(text[1:], key[1]); at > 0 && facts.Letter(text[1]) {
			if tail := text[at+2:]; tail == "" || tail[0] == '/' || tail[0] == '.' {
				return tail, tail == ""
			}
		}
	}
	return "", false
}

// A Load is what an option makes a program load.
type Load uint8

// The loads.
const (
	LoadsFile    Load = iota // a file
	LoadsFrom                // directories in which code is looked for
	LoadsProgram             // a command that is run
	LoadsBy                  // a command of the program's own, which may read files
)

// EachLoad calls fn with what the options of a program make it load.
func EachLoad(name string, args []shell.Word, fn func(key string, how Load, val shell.Word)) {
	rows := LoadingsOf(name)
	for i := range rows {
		row := &rows[i]
		EachValue(args, row.Keys, func(key string, val shell.Word) {
			rest, ok := CutFold(val.Text, row.Pre)
			if !ok {
				return
			}
			if val.Text = strings.TrimLeft(rest, "= \t"); val.Text != "" {
				fn(key, row.How, val)
			}
		})
	}
}
