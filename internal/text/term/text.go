package term

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// Columns returns the width of text in columns when it is printed.
func Columns(text string) int { return displaywidth.String(visible.EscapeLine(text)) }

// spansWidth returns the total width of spans in columns.
func spansWidth(spans []Span) int {
	n := 0
	for _, sp := range spans {
		n += Columns(sp.Text)
	}
	return n
}

// Truncate returns spans truncated to width columns. If something is left out, they end with an
// ellipsis.
func Truncate(spans []Span, width int) []Span {
	if spansWidth(spans) <= width {
		return spans
	}
	var out []Span
	for _, sp := range spans {
		n := Columns(sp.Text)
		if n < width {
			out, width = append(out, sp), width-n
			continue
		}
		sp.Text = displaywidth.TruncateString(visible.EscapeLine(sp.Text), max(width-1, 0), "") + "…"
		return append(out, sp)
	}
	return out
}

// A word is a part of a span that stays on one line.
type word struct {
	Span
	glued bool // no space before it
}

// splitWords splits spans at their spaces.
func splitWords(spans []Span) []word {
	var out []word
	glue := true
	for _, sp := range spans {
		if sp.Whole {
			out = append(out, word{sp, glue})
			glue = true
			continue
		}
		for i, field := range splitAtSpaces(sp.Text) {
			if i > 0 {
				glue = false
			}
			if field != "" {
				out = append(out, word{Span{Style: sp.Style, Text: field}, glue})
				glue = true
			}
		}
	}
	return out
}

// splitAtSpaces splits text at spaces, except for those between backquotes, which enclose code.
func splitAtSpaces(text string) []string {
	if strings.Count(text, "`") < 2 {
		return strings.Split(text, " ")
	}
	var out []string
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ':
			out, from = append(out, text[from:i]), i+1
		case '`':
			i += max(strings.IndexByte(text[i+1:], '`')+1, 0)
		}
	}
	return append(out, text[from:])
}

// splitLines splits spans at the line breaks that they keep.
func splitLines(spans []Span) [][]Span {
	out := [][]Span{nil}
	for _, sp := range spans {
		text := []string{sp.Text}
		if sp.Lines {
			text = strings.Split(sp.Text, "\n")
		}
		for i, line := range text {
			if i > 0 {
				out = append(out, nil)
			}
			sp.Text = strings.TrimRight(line, "\r")
			out[len(out)-1] = append(out[len(out)-1], sp)
		}
	}
	return out
}

// wrapSpans wraps spans to lines of at most width columns, including the indentation; if width is 0,
// it does not wrap. A word that is wider than a line gets a line of its own.
func wrapSpans(spans []Span, width, indent, hang int) [][]Span {
	if width <= 0 || indent+spansWidth(spans) <= width {
		return [][]Span{spans}
	}
	var lines [][]Span
	var line []Span
	used := indent
	words := splitWords(spans)
	for i := 0; i < len(words); {
		end := i + 1 // glued words stay together
		for end < len(words) && words[end].glued {
			end++
		}
		n := 0
		for _, w := range words[i:end] {
			n += Columns(w.Text)
		}
		space := 0
		if len(line) > 0 && !words[i].glued {
			space = 1
		}
		if len(line) > 0 && used+space+n > width {
			lines, line, used, space = append(lines, line), nil, hang, 0
		}
		for j, w := range words[i:end] {
			line = appendWord(line, w.Span, j == 0 && space > 0)
		}
		used += space + n
		i = end
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// appendWord appends a word to a line. It extends the last span if that has the same style.
func appendWord(line []Span, w Span, space bool) []Span {
	last := len(line) - 1
	if last >= 0 && line[last].Style == w.Style {
		if space {
			line[last].Text += " "
		}
		line[last].Text += w.Text
		return line
	}
	if space {
		line = append(line, P(" "))
	}
	return append(line, w)
}
