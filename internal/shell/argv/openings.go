package argv

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// An Opening is a way by which an ordinary program runs, writes or reads what a
// part of its call says: the value of an option, a variable, a line that it is fed,
// a file of settings. What is found there is judged as the command that it is.
type Opening struct {
	Name string
	In   Site
	Keys string // options or variables: "-o+" also as -oVALUE, "--x=" only so, "*" any word
	Pre  string // what the text begins with, in any case; it is cut off
	Mid  string // what stands before the text somewhere in it, in any case
	Has  string // what must be in the text as well
	As   string // the words before the text that make a command of it; "" = a shell reads it
	Sub  string // a word that must be among those of the call
	Far  bool   // it runs on another machine
}

// A Site is where an opening is.
type Site uint8

const (
	InValue    Site = iota // the value of an option, or the word behind a word
	InVariable             // the value of a variable
	InLine                 // a line of standard input
	InConfig               // a line of a file that an option or a word names
	InScript               // a file that is there by a name of its own
	InFolder               // the files of a directory that an option, a word or a variable names
	InTail                 // the words behind an option
	InOption               // the option itself: it runs what is not looked at
)

// Words for opening.as that no program has: how the text becomes a command.
const (
	AsWords  = ","  // a,b,c are words
	AsLast   = ">"  // its last word is a file that is written
	AsFirst  = "1>" // its first word is a file that is written
	AsTeX    = "=>" // what follows = is a file that is written
	AsUnread = "?"  // it names what is run and not looked at
)

// MaxOpened bounds the texts of one call.
const MaxOpened = 32

// NamesShell reports whether a text only says which shell is to be used.
func (row *Opening) NamesShell(text string) bool {
	return strings.Contains(row.Keys, "shell") && row.In == InValue && facts.TongueOf(path.Base(text)).Shell()
}

// Cut cuts a text down to what the row is about, if it is.
func (row *Opening) Cut(text *shell.Word) bool {
	rest, ok := CutFold(text.Text, row.Pre)
	if !ok || row.Has != "" && !strings.Contains(text.Text, row.Has) {
		return false
	}
	if row.Mid != "" {
		if rest, ok = behindFold(rest, row.Mid); !ok {
			return false
		}
	}
	text.Text = strings.TrimSpace(rest)
	return text.Text != ""
}

// ContainsFold reports whether a text has a part in it, in any case.
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

// behindFold is what stands behind a mark: what is in the brackets that the mark
// opens, or the rest. Texts in quotes there are what counts: the words of a call.
func behindFold(text, mark string) (string, bool) {
	at, ok := indexFold(text, mark)
	if !ok {
		return "", false
	}
	rest := text[at+len(mark):]
	bracket := false
	if at := strings.LastIndexAny(mark, "({["); at >= 0 {
		rest = bracketed(rest, mark[at], ")}]"[strings.IndexByte("({[", mark[at])])
		bracket = at == len(mark)-1
	}
	rest = strings.TrimLeft(rest, " \t[({")
	switch {
	case strings.HasSuffix(mark, `"`):
		rest, _, _ = strings.Cut(rest, `"`)
	case rest != "" && strings.ContainsRune("\"'`", rune(rest[0])):
		return quotedTexts(rest, bracket), true
	}
	return rest, true
}

// bracketed is the text up to the bracket that closes.
func bracketed(text string, open, end byte) string {
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

// quotedTexts are the texts in quotes as one command: a single one as it is, more
// of them as words. Options that come as one text stay one.
func quotedTexts(text string, more bool) string {
	var all []string
	for text != "" && len(all) < MaxOpened && (more || len(all) == 0) {
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

// OpeningsOf returns the openings of a program.
func OpeningsOf(name string) []Opening {
	return rowsOf(openings[:], aliasOf(families[:], name))
}
