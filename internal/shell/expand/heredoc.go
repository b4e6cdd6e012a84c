package expand

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// HeredocText returns the text of the here-document of r, expanded unless its delimiter is quoted.
func (w *Expander) HeredocText(r *syntax.Redirect) shell.Word {
	if r.Hdoc == nil {
		return shell.Word{Quoted: true}
	}
	raw := hasQuotes(r.Word)
	f := fieldBuilder{w: w, noSplit: true, started: true, quoted: true}
	start := true
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			start = false
			f.addPart(p, true)
			continue
		}
		text := lit.Value
		if r.Op == syntax.DashHdoc {
			text = stripTabs(text, start)
		}
		if text != "" {
			start = text[len(text)-1] == '\n'
			f.addPlaceholderSources(text)
		}
		if raw {
			f.buf = append(f.buf, text...)
		} else {
			f.buf = appendUnescaped(f.buf, text, "$`\\\n")
		}
	}
	return shell.Word{Text: string(f.buf), Quoted: true, From: f.from}
}

// stripTabs returns text without the tabs at the beginning of lines. Start is true if text begins at
// the beginning of a line.
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

// hasQuotes reports whether any part of word, the delimiter of a here-document, is quoted. If so, the
// document is not expanded.
func hasQuotes(word *syntax.Word) bool {
	for _, p := range word.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, "\\") {
			return true
		}
	}
	return false
}
