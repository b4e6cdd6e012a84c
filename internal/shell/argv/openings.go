package argv

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// A NestedRule describes how an ordinary program runs, writes or reads what a part of its call
// contains: the value of an option, a variable, a line of its input, a file of settings. The content
// is judged as the command that it is.
type NestedRule struct {
	Name string
	In   Site
	Keys string // options or variables: "-o+" also as -oVALUE, "--x=" only in that form, "*" any word
	Pre  string // prefix of the text, in any case; it is cut off
	Mid  string // what comes before the command somewhere in the text, in any case
	Has  string // what the text must contain as well
	As   string // the words that make a command of the text; "" = a shell reads it
	Sub  string // a word that the call must have
	Far  bool   // it runs on another machine
}

// A Site is the part of a call that a nested rule is about.
type Site uint8

const (
	InValue    Site = iota // the value of an option, or the word after a word
	InVariable             // the value of a variable
	InLine                 // a line of standard input
	InConfig               // a line of a file that an option or a word names
	InScript               // a file with a fixed name
	InFolder               // the files of a directory that an option, a word or a variable names
	InTail                 // the words after an option
	InOption               // the option itself: it runs something that is not read
)

// Values of NestedRule.As that are no programs: how the text becomes a command.
const (
	AsWords  = ","  // a,b,c are words
	AsLast   = ">"  // its last word is a file that is written
	AsFirst  = "1>" // its first word is a file that is written
	AsTeX    = "=>" // what follows = is a file that is written
	AsUnread = "?"  // it names what is run and not read
)

// MaxNestedTexts bounds the texts of one call.
const MaxNestedTexts = 32

// NamesShell reports whether a text only names the shell to use.
func (row *NestedRule) NamesShell(text string) bool {
	return strings.Contains(row.Keys, "shell") && row.In == InValue && facts.LanguageOf(path.Base(text)).IsShell()
}

// Extract reduces text to the part that the rule is about. It reports false if there is none.
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

// ContainsFold reports whether a text contains part, in any case.
func ContainsFold(text, part string) bool {
	_, ok := indexFold(text, part)
	return ok
}

func indexFold(text, part string) (int, bool) {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i]|0x20 == part[0]|0x20 && strings.EqualFold(text[i:i+len(part)], part) {
			return i, true
		}
	}
	return 0, false
}

// textAfterFold returns the text after mark: the contents of the brackets that mark opens, or the
// rest. If it begins with a quote, the result is the quoted texts, which are the words of a call.
func textAfterFold(text, mark string) (string, bool) {
	at, ok := indexFold(text, mark)
	if !ok {
		return "", false
	}
	rest := text[at+len(mark):]
	bracket := false
	if at := strings.LastIndexAny(mark, "({["); at >= 0 {
		rest = untilClosing(rest, mark[at], ")}]"[strings.IndexByte("({[", mark[at])])
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

// untilClosing returns the text up to the closing bracket.
func untilClosing(text string, open, end byte) string {
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

// joinQuoted returns the quoted parts of a text as one command: a single one unchanged, several as
// words. Quoted options are not quoted again.
func joinQuoted(text string, more bool) string {
	var all []string
	for text != "" && len(all) < MaxNestedTexts && (more || len(all) == 0) {
		at := strings.IndexAny(text, "\"'`")
		if at < 0 {
			break
		}
		q, b := text[at], strings.Builder{}
		if text = text[at+1:]; q == '`' && strings.Contains(text, "'") && !strings.Contains(text, "`") {
			q = '\'' // m4
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

// NestedRulesOf returns the nested rules of a program.
func NestedRulesOf(name string) []NestedRule {
	return rowsNamed(nestedRules[:], resolveAlias(nestedAliases[:], name))
}
