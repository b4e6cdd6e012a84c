package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxSQL bounds the text that is read for statements, and maxInner the text in which a
// statement is searched at every word. Longer text counts as unknown.
const (
	maxSQL   = 1 << 18
	maxInner = 1 << 13
)

// matchSQL reports whether a statement of the call begins with one of the patterns. Statements come in
// words, in values of flags, through a pipe, in a here-document or a here-string.
func (r *reading) matchSQL(patterns string) truth {
	best := no
	budget := maxSQL
	look := func(text string) {
		if best == yes || text == "" {
			return
		}
		if len(text) > budget {
			text, best, r.truncated = text[:budget], max(best, maybe), true
		}
		budget -= len(text)
		best = max(best, matchStatements(text, patterns))
	}
	if isInMemory(r.Call) {
		return no
	}
	told := false
	for i := range r.Flags {
		isSQL := isSQLOption(r.Flags[i].Raw) || r.Flags[i].Short && strings.Contains("ceqQ", r.Flags[i].Name)
		told = told || isSQL && r.Flags[i].Set
		if isSQL || !strings.Contains(r.Flags[i].Value, placeholder) {
			look(r.Flags[i].Value)
		}
	}
	for i := range r.Words {
		// A single word is a name: of a subcommand, a host, a database.
		if t := r.Words[i].Text; strings.ContainsAny(t, " \t\n/") || !told && i == len(r.Words)-1 && program.IsUnknown(t) {
			look(t)
		}
	}
	eachInput(r.Call, look)
	for i := range r.Call.Files {
		look(r.Call.Files[i].Text)
	}
	return best
}

// matchStatements matches each statement of a text against the patterns.
func matchStatements(text, patterns string) truth {
	best := no
	for text != "" && best != yes {
		one, rest := cutStatement(text)
		best = max(best, matchStatement(one, patterns))
		text = rest
	}
	return best
}

// cutStatement splits a text after its first statement: at a semicolon outside strings, names and
// comments.
func cutStatement(text string) (one, rest string) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ';':
			return text[:i], text[i+1:]
		case '\'', '"', '`':
			if end := strings.IndexByte(text[i+1:], c); end >= 0 {
				i += end + 1
			}
		case '$':
			i += max(dollarQuoteLen(text[i:])-1, 0)
		case '-', '/', '#':
			i += max(commentLen(text[i:])-1, 0)
		}
	}
	return text, ""
}

// dollarQuoteLen returns the length of the dollar-quoted string that text begins with, $$…$$ or
// $x$…$x$, or 0.
func dollarQuoteLen(text string) int {
	n := 1
	for n < len(text) && n < 32 && (text[n] == '_' || text[n] >= '0' && text[n] <= '9' || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	if n >= len(text) || text[n] != '$' {
		return 0
	}
	if end := strings.Index(text[n+1:], text[:n+1]); end >= 0 {
		return n + 1 + end + n + 1
	}
	return 0
}

// commentLen returns the length of the comment that text begins with, or 0.
func commentLen(text string) int {
	switch {
	case strings.HasPrefix(text, "--"), strings.HasPrefix(text, "# "):
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			return end + 1
		}
		return len(text)
	case strings.HasPrefix(text, "/*!"): // MySQL runs its content
		return 0
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text, "*/"); end >= 0 {
			return end + 2
		}
		return len(text)
	}
	return 0
}

// nextWord returns the next word of a statement and the text after it. Marks such as ( are words of
// their own.
func nextWord(text string) (word, rest string) {
	for text != "" {
		if n := commentLen(text); n > 0 {
			text = text[n:]
			continue
		}
		if n := hintMarkLen(text); n > 0 {
			text = text[n:]
			continue
		}
		if text[0] > ' ' {
			break
		}
		text = text[1:]
	}
	n := 0
	for n < len(text) && text[n] > ' ' && strings.IndexByte("(),;*", text[n]) < 0 && !(text[n] == '/' && strings.HasPrefix(text[n:], "/*")) && !(n > 0 && text[n] == '-' && strings.HasPrefix(text[n:], "--")) {
		n++
	}
	if n == 0 && text != "" {
		n = 1
	}
	return text[:n], text[n:]
}

// hintMarkLen returns the length of the mark that text begins with around code that only MySQL runs,
// /*!50000 or */, or 0.
func hintMarkLen(text string) int {
	if strings.HasPrefix(text, "*/") {
		return 2
	}
	if !strings.HasPrefix(text, "/*!") {
		return 0
	}
	n := 3
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// matchStatement matches one statement against the patterns.
func matchStatement(text, patterns string) truth {
	word, _ := nextWord(text)
	if word == "" {
		return no
	}
	if program.IsUnknown(word) {
		return maybe
	}
	// The main verb of such a statement may come later.
	nested := strings.EqualFold(word, "with") || strings.EqualFold(word, "do") || strings.EqualFold(word, "begin") ||
		strings.EqualFold(word, "explain") && containsSQLWord(text, "analyze")
	best := no
	if nested && len(text) > maxInner {
		text, best = text[:maxInner], maybe
	}
	for patterns != "" && best != yes {
		var one string
		one, patterns, _ = strings.Cut(patterns, "|")
		if nested {
			best = max(best, matchAnywhere(text, one))
		} else {
			best = max(best, matchPrefix(text, one))
		}
	}
	return best
}

// matchAnywhere matches a pattern at each word of a statement.
func matchAnywhere(text, pattern string) truth {
	for text != "" {
		if t := matchPrefix(text, pattern); t != no {
			return t
		}
		_, text = nextWord(text)
	}
	return no
}

// matchPrefix reports whether a statement begins with the words of a pattern.
func matchPrefix(text, pattern string) truth {
	for pattern != "" {
		var want string
		want, pattern, _ = strings.Cut(pattern, " ")
		switch {
		case want == "":
		case want == "*":
			rest, _ := nextWord(pattern)
			return matchAfter(text, rest, pattern)
		case want[0] == '!':
			if hasWordSQL(text, want[1:]) {
				return no
			}
		default:
			var got string
			got, text = nextWord(text)
			if strings.ContainsRune(got, shell.Placeholder) {
				return maybe
			}
			if !strings.EqualFold(got, want) {
				return no
			}
		}
	}
	return yes
}

// matchAfter finds word anywhere in text and matches the pattern there.
func matchAfter(text, word, pattern string) truth {
	if word == "" {
		return yes
	}
	for text != "" {
		got, rest := nextWord(text)
		if strings.EqualFold(got, word) {
			return matchPrefix(text, pattern)
		}
		text = rest
	}
	return no
}

// hasWordSQL reports whether a statement contains word, ignoring case.
func hasWordSQL(text, word string) bool {
	for text != "" {
		var got string
		if got, text = nextWord(text); strings.EqualFold(got, word) {
			return true
		}
	}
	return false
}

// containsSQLWord is hasWordSQL.
func containsSQLWord(text, word string) bool { return hasWordSQL(text, word) }
