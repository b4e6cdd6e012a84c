package resolve

import (
	"errors"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// longText is the length from which text with syntax errors is not tried in every language.
const longText = 16 << 10 // bytes

// languages lists the shell languages in which text is parsed, in the order in which they are tried.
var languages = [...]syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX, syntax.LangMirBSDKorn, syntax.LangZsh}

// walkText walks text as code that a shell reads.
func (w *walker) walkText(text string) {
	if w.depth >= maxDepth {
		w.reportLimit()
		return
	}
	w.depth++
	if good := expand.ParsableLen(text); good < len(text) {
		w.reportLimit()
		w.walkTail(text[good:])
		text = text[:good]
	}
	text = endCommentsAtNewlines(text)
	stmts, err := w.parse(text, w.detectLanguage(text))
	if err == nil {
		w.walkStmts(stmts)
	} else {
		w.walkBroken(text, stmts, err)
	}
	w.depth--
}

// detectLanguage returns the language in which text is parsed first: POSIX shell if the walker models
// a POSIX shell and text is valid for it, otherwise Bash. A shell may continue after the part that is
// not POSIX.
func (w *walker) detectLanguage(text string) syntax.LangVariant {
	if w.POSIX {
		if _, err := w.parse(text, syntax.LangPOSIX); err == nil {
			return syntax.LangPOSIX
		}
	}
	return syntax.LangBash
}

// endCommentsAtNewlines returns text with a space in place of each backslash that ends a comment line.
// A shell ends the comment at that newline, but the parser would continue it.
func endCommentsAtNewlines(text string) string {
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

// parsers holds Bash parsers for reuse, since a new one costs a quarter of the memory of a typical
// walk.
var parsers = sync.Pool{New: func() any { return syntax.NewParser() }}

// parse returns the statements of text in the language lang. If there is a syntax error, it returns
// the error and the statements before it. It returns nil, nil if the budget is spent.
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
	// The tree is incomplete, so parse again and keep the statements before the error. The
	// loop must run to its end, since the parser panics if the iteration stops early.
	var stmts []*syntax.Stmt
	whole := true
	for s, err := range p.StmtsSeq(strings.NewReader(text)) {
		if whole = whole && err == nil; whole {
			stmts = append(stmts, s)
		}
	}
	return stmts, err
}

// walkBroken walks text that is not valid Bash. If it is valid in another language, it is walked in
// that one; otherwise a problem is added, and the parts that can be parsed are walked. err is the
// syntax error, and stmts are the statements before it.
func (w *walker) walkBroken(text string, stmts []*syntax.Stmt, err error) {
	// A shell accepts the end of the text as the end of a here-document.
	if end := unclosedHeredocDelimiter(err); end != "" {
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
	e := shell.OpaqueEffect(displayText(text), "cannot be parsed as a shell command")
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
	w.walkParsableParts(rest, at)
}

// unclosedHeredocDelimiter returns the word that would end the here-document that err reports as
// unclosed, or "" if err reports something else.
func unclosedHeredocDelimiter(err error) string {
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

// closers lists endings that may complete unfinished text, the likeliest first.
var closers = [...]string{"'", "\"", ")", "\")", "}", "`", "; done", "; fi", "\n}"}

// walkParsableParts walks the parts of text that can be parsed. at is the offset of its syntax error.
// A shell reads line by line, so it runs everything before the error.
func (w *walker) walkParsableParts(text string, at int) {
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

// walkTail walks the last statements of text, which is the part of a command that is too long to be
// parsed.
func (w *walker) walkTail(text string) {
	const last = 8 << 10
	if len(text) > last {
		text = text[len(text)-last:]
		if i := strings.IndexAny(text, ";\n|&"); i >= 0 {
			text = text[i+1:]
		}
	}
	if expand.ParsableLen(text) < len(text) {
		return
	}
	stmts, _ := w.parse(text, syntax.LangBash)
	w.walkStmts(stmts)
}
