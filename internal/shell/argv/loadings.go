package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A LoadRule describes an option by which a program runs code from a file that is none of its
// operands.
type LoadRule struct {
	Name string
	Keys string // "-r+" also as -rVALUE
	Pre  string // prefix of the value, in any case; it is cut off
	How  Load
	As   string // the words that make a command of a known file; "=" = it is read anyway, "" = it is not
}

// loadRuleName returns the name under which the load rules of a program are listed.
func loadRuleName(name string) string {
	if of := resolveAlias(loadAliases[:], name); of != name {
		return of
	}
	switch facts.LanguageOf(name) {
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
	return resolveAlias(nestedAliases[:], name)
}

// LoadRulesOf returns the load rules of a program.
func LoadRulesOf(name string) []LoadRule { return rowsNamed(loadRules[:], loadRuleName(name)) }

// EachOptionValue calls fn with the values of options, in the many forms that programs accept.
func EachOptionValue(args []shell.Word, keys string, fn func(key string, val shell.Word)) {
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

// optionValue returns the value of an option that is in one word with it; next reports whether the
// value is the following word.
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
		if at := strings.IndexByte(text[1:], key[1]); at > 0 && facts.IsLetter(text[1]) {
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
	LoadsFrom                // directories in which code is searched
	LoadsProgram             // a command that is run
	LoadsBy                  // a command of the program's own, which may read files
)

// EachLoad calls fn with everything that the options of a program make it load.
func EachLoad(name string, args []shell.Word, fn func(key string, how Load, val shell.Word)) {
	rows := LoadRulesOf(name)
	for i := range rows {
		row := &rows[i]
		EachOptionValue(args, row.Keys, func(key string, val shell.Word) {
			rest, ok := CutPrefixFold(val.Text, row.Pre)
			if !ok {
				return
			}
			if val.Text = strings.TrimLeft(rest, "= \t"); val.Text != "" {
				fn(key, row.How, val)
			}
		})
	}
}
