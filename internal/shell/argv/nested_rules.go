package argv

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// A NestedRule describes how a program runs, writes or reads what a part of its call contains: the
// value of an option, a variable, a line of its input or a configuration file. The text is judged as
// the command that the program makes of it.
type NestedRule struct {
	Name string
	In   Site
	Keys string // options, variables or files; "-o+" also matches -oVALUE, "--x=" only --x=VALUE, "*" any word
	Pre  string // a prefix that the text must have, in any case, and that is removed
	Mid  string // text directly before the command, in any case, that is removed with everything before it
	Has  string // further text that must occur
	As   string // the command that gets the text as an argument; "" if a shell runs it, or one of the As constants
	Sub  string // a word that the call must have
	Far  bool   // the command runs on another machine
}

// A Site is the part of a call that a nested rule applies to.
type Site uint8

const (
	InValue    Site = iota // the value of an option, or the word after another word
	InVariable             // the value of a variable
	InLine                 // a line of standard input
	InConfig               // a line of a file that an option, a word or a variable names
	InScript               // a file with a fixed name
	InFolder               // the files of a directory that an option, a word or a variable names
	InTail                 // the words after an option
	InOption               // the option itself, which runs code that is not read
)

// Values of NestedRule.As that are not commands.
const (
	AsWords  = ","  // the text is a command whose words are separated by commas
	AsLast   = ">"  // the last word of the text is a file to write
	AsFirst  = "1>" // the first word of the text is a file to write
	AsTeX    = "=>" // the word after = is a file to write
	AsUnread = "?"  // the text names code that runs and is not read
)

// MaxNestedTexts is the maximum number of nested texts of one call that are followed.
const MaxNestedTexts = 32

// NamesShell reports whether text, the value of an option for the shell to use, is only the path of a
// shell.
func (row *NestedRule) NamesShell(text string) bool {
	return strings.Contains(row.Keys, "shell") && row.In == InValue && facts.LanguageOf(path.Base(text)).IsShell()
}

// Extract reduces text to the part that the rule applies to. It reports false if there is none.
func (row *NestedRule) Extract(text *shell.Word) bool {
	rest, ok := CutPrefixFold(text.Text, row.Pre)
	if !ok || row.Has != "" && !strings.Contains(text.Text, row.Has) {
		return false
	}
	if row.Mid != "" {
		if rest, ok = textAfterFold(rest, row.Mid); !ok {
			return false
		}
	}
	text.Text = strings.TrimSpace(rest)
	return text.Text != ""
}

// ContainsFold reports whether text contains part, which must not be empty, ignoring case.
func ContainsFold(text, part string) bool {
	_, ok := indexFold(text, part)
	return ok
}

// indexFold returns the index of the first occurrence of part in text, ignoring case. It reports false
// if there is none.
func indexFold(text, part string) (index int, ok bool) {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i]|0x20 == part[0]|0x20 && strings.EqualFold(text[i:i+len(part)], part) {
			return i, true
		}
	}
	return 0, false
}

// textAfterFold returns the text after the first occurrence of mark, ignoring case. If mark contains
// an opening bracket, the result ends at the closing one. If the result would begin with a quote, it
// consists of the quoted strings instead, as the words of a command. It reports false if text does not
// contain mark.
func textAfterFold(text, mark string) (string, bool) {
	at, ok := indexFold(text, mark)
	if !ok {
		return "", false
	}
	rest := text[at+len(mark):]
	bracket := false
	if at := strings.LastIndexAny(mark, "({["); at >= 0 {
		rest = textUntilClosing(rest, mark[at], ")}]"[strings.IndexByte("({[", mark[at])])
		bracket = at == len(mark)-1
	}
	rest = strings.TrimLeft(rest, " \t[({")
	switch {
	case strings.HasSuffix(mark, `"`):
		rest, _, _ = strings.Cut(rest, `"`)
	case rest != "" && strings.ContainsRune("\"'`", rune(rest[0])):
		return joinQuoted(rest, bracket), true
	}
	return rest, true
}

// textUntilClosing returns text up to the bracket end that closes a bracket open before text, or all
// of text if there is none.
func textUntilClosing(text string, open, end byte) string {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}

// joinQuoted returns the quoted strings in text as one command: a single one unchanged, or several as
// shell words. It quotes the words except for options. Unless joinAll is set, only the first string
// counts.
func joinQuoted(text string, joinAll bool) string {
	var all []string
	for text != "" && len(all) < MaxNestedTexts && (joinAll || len(all) == 0) {
		at := strings.IndexAny(text, "\"'`")
		if at < 0 {
			break
		}
		q, b := text[at], strings.Builder{}
		if text = text[at+1:]; q == '`' && strings.Contains(text, "'") && !strings.Contains(text, "`") {
			q = '\'' // m4 quotes `like this'
		}
		i := 0
		for ; i < len(text) && text[i] != q; i++ {
			if text[i] == '\\' && i+1 < len(text) {
				i++
			}
			b.WriteByte(text[i])
		}
		all = append(all, b.String())
		text = text[min(i+1, len(text)):]
	}
	if len(all) == 1 {
		return all[0]
	}
	for i, t := range all {
		if !strings.HasPrefix(t, "-") {
			all[i] = expand.Quote(t)
		}
	}
	return strings.Join(all, " ")
}

// NestedRulesOf returns the nested rules of the program with the given name, including those that it
// shares with another program.
func NestedRulesOf(name string) []NestedRule {
	return rowsNamed(nestedRules[:], resolveAlias(nestedAliases[:], name))
}
