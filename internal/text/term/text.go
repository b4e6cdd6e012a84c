package term

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// Columns returns the width of text on a terminal, as it is printed.
func Columns(text string) int { return displaywidth.String(visible.Line(text)) }

func columnsOf(spans []Span) int {
	n := 0
	for _, sp := range spans {
		n += Columns(sp.Text)
	}
	return n
}

// Truncate shortens spans to width columns and ends them with an ellipsis.
func Truncate(spans []Span, width int) []Span {
	if columnsOf(spans) <= width {
		return spans
	}
	var out []Span
	for _, sp := range spans {
		n := Columns(sp.Text)
		if n < width {
			out, width = append(out, sp), width-n
			continue
		}
		sp.Text = displaywidth.TruncateString(visible.Line(sp.Text), max(width-1, 0), "") + "…"
		return append(out, sp)
	}
	return out
}

// A word is a piece of a span that stays on one line.
type word struct {
	Span
	glued bool // no space before it
}

func splitWords(spans []Span) []word {
	var out []word
	glue := true
	for _, sp := range spans {
		if sp.Whole {
			out = append(out, word{sp, glue})
			glue = true
			continue
		}
		for i, field := range fields(sp.Text) {
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

// fields splits text at its spaces, but for those between backquotes, where code is.
func fields(text string) []string {
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

// split breaks spans where their own lines end.
func split(spans []Span) [][]Span {
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

// wrap breaks spans into lines of at most width columns, indents included; 0 breaks
// nothing. Words that are wider than a line have one for themselves.
func wrap(spans []Span, width, indent, hang int) [][]Span {
	if width <= 0 || indent+columnsOf(spans) <= width {
		return [][]Span{spans}
	}
	var lines [][]Span
	var line []Span
	used := indent
	words := splitWords(spans)
	for i := 0; i < len(words); {
		end := i + 1 // glued words go together
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
			line = join(line, w.Span, j == 0 && space > 0)
		}
		used += space + n
		i = end
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// join adds a word to a line, in one span with what is before it if both mean the same.
func join(line []Span, w Span, space bool) []Span {
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
