package manual

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/text/markdown"
	"github.com/checkrein/checkrein/internal/text/term"
)

// Show prints a page.
func Show(s *term.Screen, t Topic) {
	names := map[string]string{}
	for _, other := range files() {
		names[other.path] = other.Name
	}
	links := func(target string) string { return names[path.Join(path.Dir(t.path), target)] }
	begun, tight := false, false // whether something was printed; whether an item follows an item
	for _, b := range t.blocks() {
		if b.Kind == markdown.Comment {
			continue
		}
		if begun && !(tight && b.Kind == markdown.Item) {
			s.Blank()
		}
		begun, tight = true, b.Kind == markdown.Item
		show(s, b, links)
	}
}

func show(s *term.Screen, b markdown.Block, links func(string) string) {
	switch b.Kind {
	case markdown.Heading:
		title := plain(b.Text)
		if b.Level == 1 {
			title = strings.ToUpper(title)
		}
		s.Text(0, 0, term.T(term.Title, title))
	case markdown.Item:
		hang := b.Level + 2
		mark := b.Mark
		if mark == "*" || mark == "-" {
			mark = "•"
		}
		indent := hang - 1 - term.Columns(mark)
		s.Text(indent, hang, append([]term.Span{term.P(mark + " ")}, spans(b.Text, links)...)...)
	case markdown.Table:
		table(s, b.Rows, links)
	case markdown.Fence, markdown.Indented:
		for line := range strings.Lines(b.Text) {
			line = strings.TrimRight(line, "\n")
			style := term.Plain
			if b.Info == "sh" || b.Info == "console" && (strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "> ")) {
				style = term.Name
			}
			s.Line(term.P("    "), term.T(style, term.Tabs(line)))
		}
	default:
		indent := 0
		if b.Level > 0 {
			indent = b.Level + 2
		}
		s.Text(indent, indent, spans(b.Text, links)...)
	}
}

// widest is the width up to which a table is one where the screen has no limit.
const widest = 160

// table prints rows side by side where they fit, else one below the other: cut, they
// would tell nothing.
func table(s *term.Screen, rows [][]string, links func(string) string) {
	if len(rows) == 0 {
		return
	}
	t := &term.Table{}
	for _, title := range rows[0] {
		t.Columns = append(t.Columns, term.Column{Title: plain(title)})
	}
	total := 2 + 2*(len(t.Columns)-1)
	for i := range t.Columns {
		n := 0
		for _, row := range rows {
			if i < len(row) {
				n = max(n, term.Columns(plain(row[i])))
			}
		}
		total += n
	}
	limit := s.Width()
	if limit == 0 {
		limit = widest
	}
	if total <= limit {
		for _, row := range rows[1:] {
			var cells [][]term.Span
			for _, cell := range row {
				cells = append(cells, spans(cell, nil))
			}
			t.Row(cells...)
		}
		s.Table(2, t)
		return
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if cell == "" {
				continue
			}
			if i == 0 {
				s.Text(2, 4, strong(spans(cell, links))...)
				continue
			}
			text := spans(cell, links)
			if title := t.Columns[min(i, len(t.Columns)-1)].Title; title != "" && len(row) > 2 {
				text = append([]term.Span{term.T(term.Faint, title+": ")}, text...)
			}
			s.Text(6, 8, text...)
		}
	}
}

func strong(list []term.Span) []term.Span {
	for i := range list {
		if list[i].Style == term.Plain {
			list[i].Style = term.Strong
		}
	}
	return list
}

// spans reads running text: code, weight and links. links names the topic of a file, ""
// if it has none.
func spans(text string, links func(string) string) []term.Span {
	var out []term.Span
	var run strings.Builder
	style := term.Plain
	flush := func() {
		if run.Len() > 0 {
			out = append(out, term.T(style, run.String()))
			run.Reset()
		}
	}
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case rest[0] == '\\' && len(rest) > 1 && strings.IndexByte("\\`*_|<>[]", rest[1]) >= 0:
			run.WriteByte(rest[1])
			i++
		case strings.HasPrefix(rest, "**"):
			flush()
			style = term.Strong - style // from plain to strong, and back
			i++
		case rest[0] == '`':
			marks := len(rest) - len(strings.TrimLeft(rest, "`"))
			code, _, ok := strings.Cut(rest[marks:], rest[:marks])
			if !ok {
				run.WriteByte('`')
				continue
			}
			flush()
			out = append(out, term.Command(strings.TrimSpace(code)))
			i += 2*marks + len(code) - 1
		case rest[0] == '[':
			label, target, n, ok := link(rest)
			if !ok {
				run.WriteByte('[')
				continue
			}
			flush()
			out = append(out, pointed(label, target, links)...)
			i += n - 1
		case strings.HasPrefix(rest, "&lt;"):
			run.WriteByte('<')
			i += 3
		case strings.HasPrefix(rest, "<br>"):
			run.WriteString(", ")
			i += 3
		default:
			run.WriteByte(rest[0])
		}
	}
	flush()
	return out
}

// link reads [label](target).
func link(text string) (label, target string, n int, ok bool) {
	label, rest, ok := strings.Cut(text[1:], "](")
	if !ok || strings.Contains(label, "[") {
		return "", "", 0, false
	}
	target, _, ok = strings.Cut(rest, ")")
	return label, target, len(label) + len(target) + 4, ok
}

// pointed is a link as a terminal has it: with the command that opens the page.
func pointed(label, target string, links func(string) string) []term.Span {
	file, _, _ := strings.Cut(target, "#")
	out := spans(label, nil)
	if links == nil || file == "" {
		return out
	}
	if strings.Contains(file, "://") {
		return append(out, term.T(term.Faint, " ("+file+")"))
	}
	topic := links(file)
	switch {
	case topic == "":
		return out
	case strings.HasSuffix(label, ".md"):
		return []term.Span{term.Command("checkrein docs " + topic)}
	}
	return append(out, term.P(" ("), term.Command("checkrein docs "+topic), term.P(")"))
}
