package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A LoadRule describes options with which a program loads code from files that are not among its
// operands.
type LoadRule struct {
	Name string
	Keys string // the options, separated by spaces; "-r+" also matches -rVALUE, "*" any word
	Pre  string // a prefix of the value, in any case, which is removed
	How  Load
	As   string // the command that runs a known file; "=" if it is read anyway, "" if it is not read
}

// loadRuleFor returns the name under which the load rules of program are listed.
func loadRuleFor(program string) string {
	if of := resolveAlias(loadAliases[:], program); of != program {
		return of
	}
	switch facts.LanguageOf(program) {
	case facts.Node:
		return "node"
	case facts.Ruby:
		return "ruby"
	case facts.Groovy, facts.JShell:
		return "java"
	}
	if strings.HasPrefix(program, "ld-linux") || strings.HasPrefix(program, "ld-musl") {
		return "ld-linux"
	}
	return resolveAlias(nestedAliases[:], program)
}

// LoadRulesOf returns the load rules of the program with the given name, including those that it
// shares with another program.
func LoadRulesOf(name string) []LoadRule { return rowsNamed(loadRules[:], loadRuleFor(name)) }

// EachOptionValue calls fn with each option in keys that args contain, and its value. It accepts the
// many forms that programs do: a separate word, --key=value, -kvalue, abbreviations and definitions
// such as -DKEY=value. See [LoadRule.Keys] for the form of keys.
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

// optionValue returns the value of the option key if the word text holds both. Next is true if text is
// the option and its value is the next word.
func optionValue(text, key string) (rest string, next bool) {
	key, joined := strings.CutSuffix(key, "+")
	if key == "" { // +COMMAND
		if text[0] == '+' {
			return text[1:], false
		}
		return "", false
	}
	name, val, hasValue := strings.Cut(text, "=")
	if strings.HasPrefix(name, "-D") {
		name, _, _ = strings.Cut(name, ":") // -DNAME:FILEPATH=
	}
	switch {
	case name == key && hasValue:
		return val, false
	case text == key:
		return "", true
	case strings.HasPrefix(key, "--") && len(name) > 6 && len(name) < len(key) && strings.HasPrefix(key, name): // abbreviated
		return val, !hasValue
	case joined && strings.HasPrefix(text, key):
		return text[len(key):], false
	case joined && len(key) == 2 && text[0] == '-' && text[1] != '-':
		// The letter follows others, as in -wI/tmp/lib or -ave COMMAND.
		if at := strings.IndexByte(text[1:], key[1]); at > 0 && facts.IsLetter(text[1]) {
			if tail := text[at+2:]; tail == "" || tail[0] == '/' || tail[0] == '.' {
				return tail, tail == ""
			}
		}
	}
	return "", false
}

// A Load is the kind of thing that an option makes a program load.
type Load uint8

const (
	LoadsFile    Load = iota // a file
	LoadsFrom                // code from the directories in the value
	LoadsProgram             // a command, which the program runs
	LoadsBy                  // a command in the program's own language, which may read files
)

// EachLoad calls fn with each option in args that makes the program with the given name load code. How
// is the kind of load, and val the value of the option.
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
