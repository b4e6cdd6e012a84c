package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxSQL bounds the text that is read for statements, maxInner that in which a
// statement is looked for at every word. What is longer may hold anything.
const (
	maxSQL   = 1 << 18
	maxInner = 1 << 13
)

// sql reports whether a statement that the call is given begins as one of the
// patterns says. Statements come in words, in flags' values, through a pipe, in a
// here-document or a here-string.
func (r *reading) sql(patterns string) truth {
	best := no
	budget := maxSQL
	look := func(text string) {
		if best == yes || text == "" {
			return
		}
		if len(text) > budget {
			text, best, r.cut = text[:budget], max(best, maybe), true
		}
		budget -= len(text)
		best = max(best, statements(text, patterns))
	}
	if inMemory(r.Call) {
		return no
	}
	told := false
	for i := range r.Flags {
		isSQL := sqlOption(r.Flags[i].Raw) || r.Flags[i].Short && strings.Contains("ceqQ", r.Flags[i].Name)
		told = told || isSQL && r.Flags[i].Set
		if isSQL || !strings.Contains(r.Flags[i].Value, hole) {
			look(r.Flags[i].Value)
		}
	}
	for i := range r.Words {
		// A single word is a name: of a subcommand, a host, a database.
		if t := r.Words[i].Text; strings.ContainsAny(t, " \t\n/") || !told && i == len(r.Words)-1 && program.AllHoles(t) {
			look(t)
		}
	}
	eachInput(r.Call, look)
	for i := range r.Call.Files {
		look(r.Call.Files[i].Text)
	}
	return best
}

// statements holds each statement of a text against the patterns.
func statements(text, patterns string) truth {
	best := no
	for text != "" && best != yes {
		one, rest := cutStatement(text)
		best = max(best, statement(one, patterns))
		text = rest
	}
	return best
}

// cutStatement splits a text after its first statement: at a semicolon that is
// in no string, name or comment.
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
			i += max(dollar(text[i:])-1, 0)
		case '-', '/', '#':
			i += max(comment(text[i:])-1, 0)
		}
	}
	return text, ""
}

// dollar returns how long the text is that stands between $$ and $$, or $x$ and
// $x$; 0 = there is none.
func dollar(text string) int {
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

// comment returns how long the comment at the beginning of a text is; 0 = there
// is none.
func comment(text string) int {
	switch {
	case strings.HasPrefix(text, "--"), strings.HasPrefix(text, "# "):
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			return end + 1
		}
		return len(text)
	case strings.HasPrefix(text, "/*!"): // MySQL runs what is in it
		return 0
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text, "*/"); end >= 0 {
			return end + 2
		}
		return len(text)
	}
	return 0
}

// nextWord returns a statement's next word in the place where it stands. Marks
// such as ( are words of their own.
func nextWord(text string) (word, rest string) {
	for text != "" {
		if n := comment(text); n > 0 {
			text = text[n:]
			continue
		}
		if n := hint(text); n > 0 {
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

// hint returns the length of the marks around what MySQL runs: /*!50000 and */.
func hint(text string) int {
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

// statement holds one statement against the patterns.
func statement(text, patterns string) truth {
	word, _ := nextWord(text)
	if word == "" {
		return no
	}
	if program.AllHoles(word) {
		return maybe
	}
	// Nothing that begins such a statement changes data before its main verb.
	nested := strings.EqualFold(word, "with") || strings.EqualFold(word, "do") || strings.EqualFold(word, "begin") ||
		strings.EqualFold(word, "explain") && containsFold(text, "analyze")
	best := no
	if nested && len(text) > maxInner {
		text, best = text[:maxInner], maybe
	}
	for patterns != "" && best != yes {
		var one string
		one, patterns, _ = strings.Cut(patterns, "|")
		if nested {
			best = max(best, anywhere(text, one))
		} else {
			best = max(best, beginsSQL(text, one))
		}
	}
	return best
}

// anywhere tries a pattern at each word of a statement.
func anywhere(text, pattern string) truth {
	for text != "" {
		if t := beginsSQL(text, pattern); t != no {
			return t
		}
		_, text = nextWord(text)
	}
	return no
}

// beginsSQL reports whether a statement begins with the words of a pattern.
func beginsSQL(text, pattern string) truth {
	for pattern != "" {
		var want string
		want, pattern, _ = strings.Cut(pattern, " ")
		switch {
		case want == "":
		case want == "*":
			rest, _ := nextWord(pattern)
			return sqlAfter(text, rest, pattern)
		case want[0] == '!':
			if hasWordSQL(text, want[1:]) {
				return no
			}
		default:
			var got string
			got, text = nextWord(text)
			if strings.ContainsRune(got, shell.Hole) {
				return maybe
			}
			if !strings.EqualFold(got, want) {
				return no
			}
		}
	}
	return yes
}

// sqlAfter looks for the words of a pattern anywhere in the rest of a statement.
func sqlAfter(text, word, pattern string) truth {
	if word == "" {
		return yes
	}
	for text != "" {
		got, rest := nextWord(text)
		if strings.EqualFold(got, word) {
			return beginsSQL(text, pattern)
		}
		text = rest
	}
	return no
}

func hasWordSQL(text, word string) bool {
	for text != "" {
		var got string
		if got, text = nextWord(text); strings.EqualFold(got, word) {
			return true
		}
	}
	return false
}

func containsFold(text, word string) bool { return hasWordSQL(text, word) }
