package expand

import "strings"

// Limits of what is passed to the parser. It is recursive and builds a node for every token, so
// nesting and tokens are counted first.
const (
	maxNested = 300 // brackets, compound commands and operators
	maxTokens = 40_000
	smallText = 300 // text of at most this length cannot nest deeper than maxNested
)

// ParsableLen returns how many bytes of text can be passed to the parser: all of them, or those of the
// statements before the point where text nests too deeply or has too many tokens. Quotes are tracked
// only roughly, and text that exploits this merely costs more time.
func ParsableLen(text string) int {
	if len(text) <= smallText {
		return len(text)
	}
	m := nestingMeter{start: true}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'':
			if j := strings.IndexByte(text[i+1:], '\''); j >= 0 && m.depth == 0 {
				i += j + 1
			}
			m.tokens++
			m.start = false
		case '(', '{', '[':
			m.depth++
			m.tokens++
			m.arith = m.arith || c == '(' && i > 0 && text[i-1] == '('
			m.start = true
		case ')', '}', ']':
			m.closeBracket()
		case ';', '\n', '&', '|':
			m.tokens++
			m.start = true
			if m.depth == 0 {
				m.safe = i
			}
		case '$', '<', '>', '"', '`', ' ', '\t':
			m.tokens++
		case '~', '?', '=', '*', '-', '+':
			m.addOperator()
		default:
			if m.start {
				i += m.addKeyword(text[i:]) - 1
			} else if c == '!' {
				m.addOperator()
			}
		}
		if m.depth+m.keywords+m.operators > maxNested || m.tokens > maxTokens {
			return m.safe
		}
	}
	return len(text)
}

// A nestingMeter counts the nesting levels and the tokens of text.
type nestingMeter struct {
	depth     int // open brackets
	keywords  int // open compound commands
	operators int // operators in arithmetic, which may all nest
	tokens    int
	safe      int  // end of the last complete statement
	arith     bool // within (( ))
	start     bool // a command may start here
}

// addOperator counts an operator if it is in arithmetic.
func (m *nestingMeter) addOperator() {
	m.start = false
	if m.arith {
		m.operators++
	}
}

// closeBracket counts a closing bracket.
func (m *nestingMeter) closeBracket() {
	m.tokens++
	m.start = false
	if m.depth > 0 {
		m.depth--
	}
	if m.depth == 0 {
		m.operators, m.arith = 0, false
	}
}

// addKeyword counts the first word of rest if it opens or closes a compound command. It returns the
// number of bytes to skip.
func (m *nestingMeter) addKeyword(rest string) int {
	word := rest[:min(len(rest), 9)]
	if i := strings.IndexAny(word[1:], " \t\n;|&()'\"`$"); i >= 0 {
		word = word[:i+1]
	}
	switch word {
	case "if", "while", "until", "case", "for", "select", "time", "coproc", "!":
		m.keywords++
	case "fi", "done", "esac":
		m.keywords = max(m.keywords-1, 0)
		m.start = false
	case "then", "do", "else", "elif":
	default:
		m.start = false
	}
	return len(word)
}
