package expand

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// Heredoc is the text of a here-document.
func (w *Expander) Heredoc(r *syntax.Redirect) shell.Word {
	if r.Hdoc == nil {
		return shell.Word{Quoted: true}
	}
	raw := isQuoted(r.Word)
	f := fields{w: w, whole: true, open: true, quoted: true}
	start := true
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			start = false
			f.part(p, true)
			continue
		}
		text := lit.Value
		if r.Op == syntax.DashHdoc {
			text = stripTabs(text, start)
		}
		if text != "" {
			start = text[len(text)-1] == '\n'
			f.holes(text)
		}
		if raw {
			f.buf = append(f.buf, text...)
		} else {
			f.buf = unescape(f.buf, text, "$`\\\n")
		}
	}
	return shell.Word{Text: string(f.buf), Quoted: true, From: f.from}
}

// stripTabs removes the tabs at the beginning of lines; start says that the text
// begins one.
func stripTabs(text string, start bool) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if start && text[i] == '\t' {
			continue
		}
		start = text[i] == '\n'
		out = append(out, text[i])
	}
	return string(out)
}

// isQuoted reports whether a here-document's delimiter is quoted, so that
// nothing in the document is expanded.
func isQuoted(word *syntax.Word) bool {
	for _, p := range word.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, "\\") {
			return true
		}
	}
	return false
}
