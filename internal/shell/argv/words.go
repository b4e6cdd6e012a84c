package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// HasWord reports whether args contain word.
func HasWord(args []shell.Word, word string) bool {
	for _, a := range args {
		if a.Text == word {
			return true
		}
	}
	return false
}

// TargetHost returns the machine that a command runs on, which is the word after the subcommand sub,
// or the first word if sub is "". It returns "?" if there is none.
func TargetHost(args []shell.Word, sub string) string {
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

// QuoteList returns the elements of list, which sep separates, as quoted shell words.
func QuoteList(list, sep string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(list, sep) {
		b.WriteString(expand.Quote(word) + " ")
	}
	return strings.TrimSuffix(b.String(), " ")
}

// SplitWords splits text, such as the value of a variable that holds options, into words as a shell
// does. It expands nothing.
func SplitWords(text shell.Word) []shell.Word {
	var out []shell.Word
	var b strings.Builder
	quote, open := byte(0), false
	for i := 0; i < len(text.Text) && len(out) < maxList; i++ {
		ch := text.Text[i]
		switch {
		case ch == '\\' && quote != '\'' && i+1 < len(text.Text):
			i++
			b.WriteByte(text.Text[i])
			open = true
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '\'' || ch == '"'):
			quote, open = ch, true
		case quote == 0 && (ch == ' ' || ch == '\t' || ch == '\n'):
			if open {
				out = append(out, shell.Word{Text: b.String(), From: text.From})
			}
			b.Reset()
			open = false
		default:
			b.WriteByte(ch)
			open = true
		}
	}
	if open {
		out = append(out, shell.Word{Text: b.String(), From: text.From})
	}
	return out
}

// NewWords returns a word for each of texts, with from as its source calls.
func NewWords(texts []string, from []*shell.Call) []shell.Word {
	out := make([]shell.Word, len(texts))
	for i, t := range texts {
		out[i] = shell.Word{Text: t, From: from}
	}
	return out
}

// EachSimpleOptionValue calls fn with each value in args of the options in names, in the forms --x v,
// --x=v and -xv.
func EachSimpleOptionValue(args []shell.Word, names string, fn func(shell.Word)) {
	if names == "" {
		return
	}
	for i := range args {
		t := args[i].Text
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		name, val, given := strings.Cut(t, "=")
		switch {
		case facts.InList(names, t) && i+1 < len(args):
			fn(args[i+1])
		case given && facts.InList(names, name):
			fn(shell.Word{Text: val, From: args[i].From})
		case t[1] != '-' && len(t) > 2 && facts.InList(names, t[:2]):
			fn(shell.Word{Text: t[2:], From: args[i].From})
		}
	}
}

// EachKeyValue calls fn with each value in args of an option or word in keys. See [NestedRule.Keys]
// for the form of keys.
func EachKeyValue(args []shell.Word, keys string, fn func(shell.Word)) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if keys == "*" {
			fn(a)
			continue
		}
		name, val, given := strings.Cut(a.Text, "=")
		switch {
		case given && (facts.InList(keys, name) || facts.InList(keys, name+"=")):
			a.Text = val
			fn(a)
		case !given && facts.InList(keys, name), facts.InList(keys, a.Text+"+"):
			if i+1 < len(args) {
				i++
				fn(args[i])
			}
		case len(a.Text) > 2 && a.Text[0] == '-' && facts.InList(keys, a.Text[:2]+"+"):
			a.Text = a.Text[2:]
			fn(a)
		case len(a.Text) > 2 && a.Text[0] == '-' && a.Text[1] != '-' && facts.InList(keys, "-"+a.Text[len(a.Text)-1:]+"+") && i+1 < len(args):
			i++
			fn(args[i]) // rsync -ave COMMAND
		}
	}
}

// CutPrefixFold is like strings.CutPrefix, but ignores case.
func CutPrefixFold(text, pre string) (string, bool) {
	if len(text) < len(pre) || !strings.EqualFold(text[:len(pre)], pre) {
		return text, false
	}
	return text[len(pre):], true
}
