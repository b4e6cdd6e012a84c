package resolve

import (
	"errors"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// The parser calls itself for every level of nesting and builds a node for every
// token, so both are counted before it starts.
const (
	maxNesting = 300
	maxTokens  = 40_000
	smallText  = 300      // cannot nest deeper than maxNesting
	longText   = 16 << 10 // is not read in every way when it has mistakes
)

// languages are tried in this order.
var languages = [...]syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX, syntax.LangMirBSDKorn, syntax.LangZsh}

// text walks a text that a shell reads.
func (w *walker) text(text string) {
	if w.depth >= maxDepth {
		w.reportLimit()
		return
	}
	w.depth++
	if len(text) > smallText {
		if good := measure(text); good < len(text) {
			w.reportLimit()
			w.tail(text[good:])
			text = text[:good]
		}
	}
	text = endComments(text)
	stmts, err := w.parse(text, w.language(text))
	if err == nil {
		w.walkStmts(stmts)
	} else {
		w.secondLanguage(text, stmts, err)
	}
	w.depth--
}

// language is what a text is read as. What POSIX does not have is read as Bash in any
// case: a shell may get past it.
func (w *walker) language(text string) syntax.LangVariant {
	if w.POSIX {
		if _, err := w.parse(text, syntax.LangPOSIX); err == nil {
			return syntax.LangPOSIX
		}
	}
	return syntax.LangBash
}

// endComments is a text in which no comment goes on with a backslash at the end of
// its line: a shell ends it there, and the parser does not.
func endComments(text string) string {
	if !strings.Contains(text, "\\\n") || !strings.Contains(text, "#") {
		return text
	}
	out := []byte(text)
	quote := byte(0)
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\\':
			i++
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;&|()`", out[i-1]) >= 0):
			for i < len(out) && out[i] != '\n' {
				i++
			}
			if i < len(out) && out[i-1] == '\\' {
				out[i-1] = ' '
			}
		}
	}
	return string(out)
}

// parsers are kept, since to make one costs a quarter of the memory of a usual walk.
var parsers = sync.Pool{New: func() any { return syntax.NewParser() }}

// parse returns the statements before the first mistake.
func (w *walker) parse(text string, lang syntax.LangVariant) ([]*syntax.Stmt, error) {
	if !w.spendBytes(len(text) / 8) {
		return nil, nil
	}
	p := w.parser
	if lang != syntax.LangBash {
		p = syntax.NewParser(syntax.Variant(lang))
	} else if p == nil {
		p = parsers.Get().(*syntax.Parser)
		w.parser = p
	}
	file, err := p.Parse(strings.NewReader(text), "")
	if err == nil {
		return file.Stmts, nil
	}
	// The tree has holes where the mistake is: read again up to there. The
	// parser must not be stopped, as it goes on by itself and that would panic.
	var stmts []*syntax.Stmt
	whole := true
	for s, err := range p.StmtsSeq(strings.NewReader(text)) {
		if whole = whole && err == nil; whole {
			stmts = append(stmts, s)
		}
	}
	return stmts, err
}

func (w *walker) secondLanguage(text string, stmts []*syntax.Stmt, err error) {
	// A shell takes the end of the text for the end of a here-document.
	if end := openHeredoc(err); end != "" {
		if all, failed := w.parse(text+"\n"+end+"\n", syntax.LangBash); failed == nil {
			w.walkStmts(all)
			return
		}
	}
	for _, lang := range languages[1:] {
		if len(text) > longText {
			break
		}
		if other, failed := w.parse(text, lang); failed == nil {
			w.walkStmts(other)
			return
		}
	}
	e := shell.Evaluates(displayText(text), "cannot be parsed as a shell command")
	e.Rule = shell.RuleSyntax
	w.addProblem(e)
	w.addGap(e.Words, e.Reason)
	w.walkStmts(stmts)
	rest := text
	if n := len(stmts); n > 0 {
		rest = text[min(int(stmts[n-1].End().Offset()), len(text)):]
	}
	at := len(rest)
	var pe syntax.ParseError
	if errors.As(err, &pe) {
		at = int(pe.Pos.Offset()) - (len(text) - len(rest))
	}
	w.secondChance(rest, at)
}

// openHeredoc is the word that would end the here-document that a text leaves
// open; "" = there is none.
func openHeredoc(err error) string {
	var pe syntax.ParseError
	if !errors.As(err, &pe) {
		return ""
	}
	_, word, ok := strings.Cut(pe.Text, "here-document ")
	if !ok {
		return ""
	}
	return strings.Trim(word, "`'\"")
}

// closers end what a text left open, the likeliest first.
var closers = [...]string{"'", "\"", ")", "\")", "}", "`", "; done", "; fi", "\n}"}

// secondChance looks for what is clear in a text that has a mistake at a place:
// a shell reads line by line, and runs what comes before.
func (w *walker) secondChance(text string, at int) {
	for _, c := range closers {
		if len(text) > longText {
			break
		}
		if stmts, err := w.parse(text+c, syntax.LangBash); err == nil {
			w.walkStmts(stmts)
			return
		}
	}
	if at > 0 && at < len(text) {
		if stmts, err := w.parse(text[:at], syntax.LangBash); err == nil || len(stmts) > 0 {
			w.walkStmts(stmts)
		}
	}
	for range maxLoop {
		_, rest, more := strings.Cut(text, "\n")
		if !more || rest == "" {
			return
		}
		text = rest
		line, _, _ := strings.Cut(text, "\n")
		stmts, _ := w.parse(line, syntax.LangBash)
		w.walkStmts(stmts)
	}
}

// tail looks at the end of a text that is too long to be read as a whole.
func (w *walker) tail(text string) {
	const last = 8 << 10
	if len(text) > last {
		text = text[len(text)-last:]
		if i := strings.IndexAny(text, ";\n|&"); i >= 0 {
			text = text[i+1:]
		}
	}
	if measure(text) < len(text) {
		return
	}
	stmts, _ := w.parse(text, syntax.LangBash)
	w.walkStmts(stmts)
}

// measure returns how much of a text the parser can be given: all of it, or the
// statements before the place where it nests too deeply or has too many tokens.
// Quotes are followed roughly; a text that fools it only costs more time.
func measure(text string) int {
	m := meter{start: true}
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
			m.close()
		case ';', '\n', '&', '|':
			m.tokens++
			m.start = true
			if m.depth == 0 {
				m.safe = i
			}
		case '$', '<', '>', '"', '`', ' ', '\t':
			m.tokens++
		case '~', '?', '=', '*', '-', '+':
			m.operator()
		default:
			if m.start {
				i += m.word(text[i:]) - 1
			} else if c == '!' {
				m.operator()
			}
		}
		if m.depth+m.words+m.run > maxNesting || m.tokens > maxTokens {
			return m.safe
		}
	}
	return len(text)
}

type meter struct {
	depth  int // of brackets
	words  int // of keywords that open something
	run    int // operators in arithmetic, which may all be within one another
	tokens int
	safe   int  // behind the last statement that is closed
	arith  bool // within (( ))
	start  bool // a command may start here
}

func (m *meter) operator() {
	m.start = false
	if m.arith {
		m.run++
	}
}

func (m *meter) close() {
	m.tokens++
	m.start = false
	if m.depth > 0 {
		m.depth--
	}
	if m.depth == 0 {
		m.run, m.arith = 0, false
	}
}

// word counts the words that open or close a compound command where a command
// may start, and returns how long the word is.
func (m *meter) word(rest string) int {
	word := rest[:min(len(rest), 9)]
	if i := strings.IndexAny(word[1:], " \t\n;|&()'\"`$"); i >= 0 {
		word = word[:i+1]
	}
	switch word {
	case "if", "while", "until", "case", "for", "select", "time", "coproc", "!":
		m.words++
	case "fi", "done", "esac":
		m.words = max(m.words-1, 0)
		m.start = false
	case "then", "do", "else", "elif":
	default:
		m.start = false
	}
	return len(word)
}
