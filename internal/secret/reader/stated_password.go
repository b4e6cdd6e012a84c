package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords that prose states: "the password for the build server is X",
// "pw for staging?" with the answer on the next line.

const SentenceReach = 120 // maximum bytes from a name to the value that a sentence states

// A sentenceWord is the span of a word in a sentence, without quotes and punctuation around it.
type sentenceWord struct {
	from, to int
	quoted   bool
}

// wordAt returns the word at i, and the offset where it ends including quotes and punctuation.
func wordAt(s string, i int) (w sentenceWord, end int) {
	end = lex.Skip(s, i, min(len(s), i+maxLogin), func(c byte) bool { return !lex.IsSpace(c) })
	w.from, w.to = i, end
	w.skipOpening(s)
	if k := lex.Skip(s, w.from, w.to, func(c byte) bool { return c < 0x80 }); k < w.to && k > w.from {
		w.to = k
	}
	if w.quoted {
		w.to = lex.Skip(s, w.from, w.to, func(c byte) bool { return !lex.IsQuote(c) })
		return w, end
	}
	for n := 1; n > 0; {
		n = closingLen(s[w.from:w.to])
		w.to -= n
	}
	return w, end
}

// skipOpening moves w.from past quotes, brackets and markup before the word.
func (w *sentenceWord) skipOpening(s string) {
	for ; w.from < w.to; w.from++ {
		switch c := s[w.from]; {
		case lex.IsQuote(c):
			w.quoted = true
		case c != '(' && c != '*' && c != '[' && (c != '_' || s[w.to-1] != '_'):
			if n := lex.WideQuoteLen(s, w.from); n > 0 {
				w.from += n
				w.quoted = true
			}
			return
		}
	}
}

// closingLen returns the length of a punctuation mark or of an escape such as \n at the end of word,
// or 0. It leaves at least one byte.
func closingLen(word string) int {
	n := len(word)
	if n < 2 {
		return 0
	}
	c := word[n-1]
	switch c {
	case '"', '\'', '`', ',', ';', ':', '.', ')', ']', '\\':
		return 1
	case '*':
		if word[n-2] == '*' {
			return 1
		}
	case 'n', 'r', 't':
		if n > 2 && word[n-2] == '\\' {
			return 2
		}
	}
	return 0
}

// endsLine reports whether only spaces follow i on its line.
func endsLine(s string, i int) bool {
	i = lex.Skip(s, i, min(len(s), i+8), func(c byte) bool { return lex.IsBlank(c) || c == '\r' })
	return i >= len(s) || s[i] == '\n'
}

// addLastWord adds the word at i if it is a password and the last word of its line. It reports whether
// it did.
func addLastWord(f *search.Finder, rule, i int) bool {
	w, to := wordAt(f.Text, i)
	if !endsLine(f.Text, to) || !value.IsStatedPassword(f.Text[w.from:w.to], true) {
		return false
	}
	f.Add(rule, w.from, w.to)
	return true
}

// addStatedPassword adds the password that the rest of the sentence states for the name that ends at
// i. It reports whether it did.
func addStatedPassword(f *search.Finder, rule, i int) bool {
	return addStatedPasswordFrom(f, rule, i, false)
}

// addStatedPasswordFrom is addStatedPassword, except that the first word at i may be the password if
// given is set.
func addStatedPasswordFrom(f *search.Finder, rule, i int, given bool) bool {
	s := f.Text
	for end := min(len(s), i+SentenceReach); i < end; {
		i = lex.Skip(s, i, end, lex.IsBlank)
		if i >= end || lex.IsSpace(s[i]) {
			return false
		}
		w, to := wordAt(s, i)
		word := s[w.from:w.to]
		if looksLikeCode(s[i:to]) {
			return false
		}
		switch {
		case given && value.IsStatedPassword(word, w.quoted || closesSentence(s, w.to, to)):
			f.Add(rule, w.from, w.to)
			return true
		case introducesValue(word) || s[to-1] == ':':
			given = true
		case !given || !lex.IsOneOf(word, "now either currently still just simply again back temporarily the following set changed reset updated to be jetzt nun derzeit maintenant actuellement ahora agora adesso ora nu teraz"):
			given = false
			if c := s[to-1]; c == '.' || c == '?' || c == ';' || c == '!' {
				return false
			}
		}
		i = to
	}
	return false
}

// looksLikeCode reports whether word has punctuation as in code, which sentences do not have.
func looksLikeCode(word string) bool {
	open := 0
	for i := range len(word) {
		switch word[i] {
		case '{', '}', '<', '[', ';':
			return len(word) > 1
		case '(':
			if open++; i > 0 {
				return true
			}
		case ')':
			if open--; open < -1 || i < len(word)-2 {
				return true
			}
		case '*':
			if i == 0 && len(word) > 1 && word[1] != '*' {
				return true
			}
		case '=', '|', '&':
			if i+1 < len(word) && word[i+1] == word[i] {
				return true
			}
		}
	}
	return false
}

// closesSentence reports whether a word is the last of its sentence or line, or precedes a pause. The
// word ends at w, or at end with its punctuation.
func closesSentence(s string, w, end int) bool {
	if w < end || endsLine(s, end) {
		return true
	}
	i := lex.Skip(s, end, min(len(s), end+4), lex.IsBlank)
	return i < len(s) && (s[i] == '(' || s[i] == ',' || s[i] == '-' || s[i] == '.' || s[i] >= 0x80)
}

// introducesValue reports whether word, such as "is" or "=", introduces a value.
func introducesValue(word string) bool {
	switch word {
	case "=", ":", "-", "->", "=>", "→", "—", "–", ":=", "é", "è", "это", "теперь":
		return true
	}
	return lex.IsOneOf(word, "is was are be becomes to as with ist lautet war wurde auf est sera en por par devient es era ser e jest er hedder is: are: now")
}

// addPromptedPassword adds the password that answers a question or a prompt at i: on the next line, or
// in the send command of an expect script. It reports whether it did.
func addPromptedPassword(f *search.Finder, rule, i int) bool {
	s := f.Text
	end := lex.Skip(s, i, min(len(s), i+SentenceReach), func(c byte) bool { return c != '\n' })
	if k := sendArgumentsStart(s[i:end]); k > 0 && s[i] == ':' && addSentPassword(f, rule, i+k, end) {
		return true
	}
	if end >= len(s) || s[end] != '\n' {
		return false
	}
	asked := strings.Contains(s[i:end], "?")
	posted := s[i] == '"' && endsLine(s, i+1) && lex.ContainsFold(s[max(0, i-24):i], "name=\"")
	prompted := isAtPrompt(f, i)
	if !asked && !posted && !prompted && !endsInColon(s, i, end) {
		return false
	}
	at := lex.Skip(s, end, min(len(s), end+16), func(c byte) bool { return lex.IsSpace(c) || c == '`' })
	to := lex.Skip(s, at, min(len(s), at+SentenceReach), func(c byte) bool { return c != '\n' })
	if k := sendArgumentsStart(s[at:to]); k > 0 {
		return addSentPassword(f, rule, at+k, to)
	}
	if prompted && to-at > 8 && s[to-1] == '"' && s[at] == '$' { // a debugger's $1 = "X"
		at = lex.SkipBack(s, to-1, at, func(c byte) bool { return c != '"' }) - 1
	}
	return addAnswer(f, rule, at, asked, posted)
}

// endsInColon reports whether the line from i to end has a colon before quotes and other closing
// characters.
func endsInColon(s string, i, end int) bool {
	at := lex.SkipBack(s, end, i, func(c byte) bool {
		return lex.IsSpace(c) || lex.IsQuote(c) || c == '*' || c == ')' || c == '}' || c == '{' || c == '$' || c == '\\' || c == ';'
	})
	return s[at-1] == ':'
}

// addAnswer adds the password at i if it answers a question (asked), is a field of a posted form
// (posted), or is alone on its line. It reports whether it did.
func addAnswer(f *search.Finder, rule, i int, asked, posted bool) bool {
	w, next := wordAt(f.Text, i)
	single := endsLine(f.Text, next)
	l := value.LookAt(f.Text[w.from:w.to])
	switch {
	case posted && single && l.Is(value.AsChosen):
	case !asked && (!single || strings.Contains(l.Text, "=")):
		return false
	case !l.IsStatedPassword(single):
		return false
	}
	f.Add(rule, w.from, w.to)
	return true
}

// sendArgumentsStart returns the offset where the arguments of a send command start in line, or 0 if
// there is none.
func sendArgumentsStart(line string) int {
	for i := 0; i+4 < len(line) && i < 40; i++ {
		if lex.ToLower(line[i]) == 's' && lex.HasPrefixFold(line[i:], "send") && (i == 0 || !lex.IsWordByte(line[i-1])) {
			return lex.Skip(line, i, len(line), func(c byte) bool { return lex.IsLetter(c) || c == '_' })
		}
	}
	return 0
}

// addSentPassword adds the first string literal from i to end, without \r and \n at its end, if it is
// a password. It reports whether it did.
func addSentPassword(f *search.Finder, rule, i, end int) bool {
	s := f.Text
	from := lex.Skip(s, i, end, func(c byte) bool { return !lex.IsQuote(c) }) + 1
	if from >= end {
		return false
	}
	to := lex.Skip(s, from, end, func(c byte) bool { return c != s[from-1] })
	if to == end {
		return false
	}
	for to-2 > from && s[to-2] == '\\' && (s[to-1] == 'r' || s[to-1] == 'n') {
		to -= 2
	}
	if !value.IsChosenPassword(s[from:max(from, to)]) {
		return false
	}
	f.Add(rule, from, to)
	return true
}
