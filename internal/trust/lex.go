package trust

import "strings"

// A token is a piece of shell text as far as the walker must tell them apart.
type token uint8

const (
	tokEnd     token = iota
	tokWord          // lexer.last
	tokPipe          // the pipeline goes on
	tokBreak         // ; & && || or the end of a line
	tokCase          // ;; and its kin
	tokOpen          // (
	tokClose         // )
	tokInput         // < and the next word is the file
	tokOutput        // > and the next word is the file
	tokLiteral       // <<< and the next word is the input itself
)

// A word is a word of shell text.
type word struct {
	// text is without quotes. A variable is spelt as it was, a command in it,
	// which the walker has seen already, is the spelling of some variable.
	text string
	// A known directory leads the text, or its part after the first "=".
	lead    lead
	at      int  // where in text the lead begins
	rest    int  // where in text it ends
	dynamic bool // something else in it is known to the shell only
	quoted  bool // a part of it was quoted
}

// A lead is a directory that stands at the beginning of a word.
type lead uint8

const (
	leadNone lead = iota
	leadProject
	leadTop // of the repository, as git has it
	leadHere
	leadHome
)

// leadOf says which directory a variable holds. Every host has a variable of
// its own for the project.
func leadOf(name string) lead {
	switch {
	case name == "PWD":
		return leadHere
	case name == "HOME":
		return leadHome
	case strings.HasSuffix(name, "_PROJECT_DIR"), strings.HasSuffix(name, "_PROJECT_ROOT"):
		return leadProject
	}
	return leadNone
}

// A lexer splits shell text into tokens. It reads the text once, from front to
// back; commands inside a word are handed to the walker on the way.
type lexer struct {
	text   string
	i      int
	last   word
	walker *walker
	buf    []byte // the words that are being read, one inside the other
	docs   []heredoc
}

// A heredoc is one whose text begins on the next line.
type heredoc struct {
	end    string
	tabs   bool // leading tabs do not count
	quoted bool // nothing in it is expanded
}

func (l *lexer) peek(ahead int) byte {
	if l.i+ahead < len(l.text) {
		return l.text[l.i+ahead]
	}
	return 0
}

func (l *lexer) startsWith(s string) bool { return strings.HasPrefix(l.text[l.i:], s) }

// next returns the next token.
func (l *lexer) next() token {
	for l.i < len(l.text) {
		switch c := l.text[l.i]; {
		case c == ' ' || c == '\t':
			l.i++
		case l.startsWith("\\\n"):
			l.i += 2
		case c == '#':
			l.skipLine()
		case c == '\n':
			l.i++
			l.heredocs()
			return tokBreak
		case c == '(':
			l.i++
			return tokOpen
		case c == ')':
			l.i++
			return tokClose
		case c == '<' || c == '>' || l.startsWith("&>"):
			if t := l.redirection(); t != tokEnd {
				return t
			}
		case isBreak(c):
			return l.separator()
		default:
			l.last = l.word()
			if !l.isDescriptor() {
				return tokWord
			}
		}
	}
	return tokEnd
}

// isBreak reports whether c ends a word.
func isBreak(c byte) bool {
	switch c {
	case ' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>':
		return true
	}
	return false
}

// isDescriptor reports whether the last word is the number in front of a
// redirection.
func (l *lexer) isDescriptor() bool {
	c := l.peek(0)
	return (c == '<' || c == '>') && !l.last.quoted && strings.Trim(l.last.text, "0123456789") == ""
}

func (l *lexer) skipLine() {
	if n := strings.IndexByte(l.text[l.i:], '\n'); n >= 0 {
		l.i += n
	} else {
		l.i = len(l.text)
	}
}

// separator reads what stands between commands.
func (l *lexer) separator() token {
	first := l.text[l.i]
	l.i++
	second := l.peek(0)
	switch {
	case first == ';' && (second == ';' || second == '&'):
		for c := second; c == ';' || c == '&'; c = l.peek(0) {
			l.i++
		}
		return tokCase
	case first == '|' && second != '|':
		if second == '&' {
			l.i++
		}
		return tokPipe
	case first == second:
		l.i++
	}
	return tokBreak
}

// redirection reads an operator. It returns tokEnd for what needs nothing more.
func (l *lexer) redirection() token {
	switch {
	case l.startsWith("&>"):
		l.i += 2
		if l.peek(0) == '>' {
			l.i++
		}
		return tokOutput
	case l.startsWith("<<<"):
		l.i += 3
		return tokLiteral
	case l.startsWith("<<"):
		l.i += 2
		l.heredoc()
		return tokEnd
	case l.startsWith("<("), l.startsWith(">("):
		l.i += 2
		l.walker.run(l, true)
		return tokEnd
	case l.startsWith("<>"): // to be read as well
		l.i += 2
		return tokInput
	case l.startsWith("<&"), l.startsWith(">&"), l.startsWith(">>"), l.startsWith(">|"):
		l.i += 2
		return tokOutput
	}
	l.i++
	if l.text[l.i-1] == '<' {
		return tokInput
	}
	return tokOutput
}

// heredoc notes a heredoc whose operator was read.
func (l *lexer) heredoc() {
	var doc heredoc
	if l.peek(0) == '-' {
		l.i++
		doc.tabs = true
	}
	for l.peek(0) == ' ' || l.peek(0) == '\t' {
		l.i++
	}
	x := l.word()
	doc.end, doc.quoted = x.text, x.quoted
	l.docs = append(l.docs, doc)
}

// heredocs reads the heredocs of the line that has just ended.
func (l *lexer) heredocs() {
	docs := l.docs
	l.docs = nil
	for _, doc := range docs {
		start, end := l.i, l.i
		for l.i < len(l.text) {
			end = l.i
			l.skipLine()
			line := l.text[end:l.i]
			if doc.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			l.i = min(l.i+1, len(l.text))
			if line == doc.end {
				break
			}
			end = l.i
		}
		l.walker.heredoc(l.text[start:end], doc.quoted)
	}
}
