package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxSQL is the largest size of SQL text, in bytes, that is read for one call, and maxInner the
// largest size of a statement in which a pattern is searched at every word. Longer text is unknown.
const (
	maxSQL   = 1 << 18
	maxInner = 1 << 13
)

// matchSQL reports whether a statement of the call begins with one of the patterns, which are
// separated by |. Statements are read from words, values of flags, piped input, here-documents and
// here-strings, and from files that the same command wrote.
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
	if usesMemoryDatabase(r.Call) {
		return no
	}
	hasSQLFlag := false
	for i := range r.Flags {
		isSQL := isSQLOption(r.Flags[i].Raw) || r.Flags[i].Short && strings.Contains("ceqQ", r.Flags[i].Name)
		hasSQLFlag = hasSQLFlag || isSQL && r.Flags[i].Set
		if isSQL || !strings.Contains(r.Flags[i].Value, placeholder) {
			look(r.Flags[i].Value)
		}
	}
	for i := range r.Words {
		// A single word is a name, such as that of a subcommand, a host or a database.
		if t := r.Words[i].Text; strings.ContainsAny(t, " \t\n/") || !hasSQLFlag && i == len(r.Words)-1 && program.IsUnknown(t) {
			look(t)
		}
	}
	eachInput(r.Call, look)
	for i := range r.Call.Files {
		look(r.Call.Files[i].Text)
	}
	return best
}

// matchStatements reports whether one of the statements in text matches one of the patterns.
func matchStatements(text, patterns string) truth {
	best := no
	for text != "" && best != yes {
		one, rest := cutStatement(text)
		best = max(best, matchStatement(one, patterns))
		text = rest
	}
	return best
}

// cutStatement splits text after its first statement, at a semicolon outside strings, quoted names and
// comments. If there is none, it returns text and "".
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
// $x$…$x$. It returns 0 if there is none.
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

// commentLen returns the length of the SQL comment that text begins with, or 0 if there is none.
func commentLen(text string) int {
	switch {
	case strings.HasPrefix(text, "--"), strings.HasPrefix(text, "# "):
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			return end + 1
		}
		return len(text)
	case strings.HasPrefix(text, "/*!"): // MySQL runs the content of such a comment
		return 0
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text, "*/"); end >= 0 {
			return end + 2
		}
		return len(text)
	}
	return 0
}

// nextSQLWord returns the first word of text, part of a statement, and the text after it. It skips
// comments. A punctuation mark such as ( is a word.
func nextSQLWord(text string) (word, rest string) {
	for text != "" {
		if n := commentLen(text); n > 0 {
			text = text[n:]
			continue
		}
		if n := mysqlMarkLen(text); n > 0 {
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

// mysqlMarkLen returns the length of the mark that text begins with, if it encloses code that only
// MySQL runs: /*!50000 or */. It returns 0 if there is none.
func mysqlMarkLen(text string) int {
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

// matchStatement reports whether the statement text matches one of the patterns.
func matchStatement(text, patterns string) truth {
	word, _ := nextSQLWord(text)
	if word == "" {
		return no
	}
	if program.IsUnknown(word) {
		return maybe
	}
	// The decisive verb of such a statement may come later.
	nested := strings.EqualFold(word, "with") || strings.EqualFold(word, "do") || strings.EqualFold(word, "begin") ||
		strings.EqualFold(word, "explain") && hasSQLWord(text, "analyze")
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

// matchAnywhere reports whether pattern matches the statement text at any word.
func matchAnywhere(text, pattern string) truth {
	for text != "" {
		if t := matchPrefix(text, pattern); t != no {
			return t
		}
		_, text = nextSQLWord(text)
	}
	return no
}

// matchPrefix reports whether text begins with the words of pattern.
func matchPrefix(text, pattern string) truth {
	for pattern != "" {
		var want string
		want, pattern, _ = strings.Cut(pattern, " ")
		switch {
		case want == "":
		case want == "*":
			rest, _ := nextSQLWord(pattern)
			return matchFromWord(text, rest, pattern)
		case want[0] == '!':
			if hasSQLWord(text, want[1:]) {
				return no
			}
		default:
			var got string
			got, text = nextSQLWord(text)
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

// matchFromWord reports whether text matches pattern from the first occurrence of word on. It returns
// yes if word is empty.
func matchFromWord(text, word, pattern string) truth {
	if word == "" {
		return yes
	}
	for text != "" {
		got, rest := nextSQLWord(text)
		if strings.EqualFold(got, word) {
			return matchPrefix(text, pattern)
		}
		text = rest
	}
	return no
}

// hasSQLWord reports whether the statement text contains word, ignoring case.
func hasSQLWord(text, word string) bool {
	for text != "" {
		var got string
		if got, text = nextSQLWord(text); strings.EqualFold(got, word) {
			return true
		}
	}
	return false
}
