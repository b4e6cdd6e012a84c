package manual

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/text/markdown"
	"github.com/checkrein/checkrein/internal/text/screen"
)

// Show prints a page.
func Show(s *screen.Screen, t Topic) {
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

func show(s *screen.Screen, b markdown.Block, links func(string) string) {
	switch b.Kind {
	case markdown.Heading:
		title := plain(b.Text)
		if b.Level == 1 {
			title = strings.ToUpper(title)
		}
		s.Text(0, 0, screen.T(screen.Title, title))
	case markdown.Item:
		hang := b.Level + 2
		mark := b.Mark
		if mark == "*" || mark == "-" {
			mark = "•"
		}
		indent := hang - 1 - screen.Columns(mark)
		s.Text(indent, hang, append([]screen.Span{screen.P(mark + " ")}, spans(b.Text, links)...)...)
	case markdown.Table:
		table(s, b.Rows, links)
	case markdown.Fence, markdown.Indented:
		for line := range strings.Lines(b.Text) {
			line = strings.TrimRight(line, "\n")
			style := screen.Plain
			if b.Info == "sh" || b.Info == "console" && (strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "> ")) {
				style = screen.Name
			}
			s.Line(screen.P("    "), screen.T(style, screen.Tabs(line)))
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
func table(s *screen.Screen, rows [][]string, links func(string) string) {
	if len(rows) == 0 {
		return
	}
	t := &screen.Table{}
	for _, title := range rows[0] {
		t.Columns = append(t.Columns, screen.Column{Title: plain(title)})
	}
	total := 2 + 2*(len(t.Columns)-1)
	for i := range t.Columns {
		n := 0
		for _, row := range rows {
			if i < len(row) {
				n = max(n, screen.Columns(plain(row[i])))
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
			var cells [][]screen.Span
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
				text = append([]screen.Span{screen.T(screen.Faint, title+": ")}, text...)
			}
			s.Text(6, 8, text...)
		}
	}
}

func strong(list []screen.Span) []screen.Span {
	for i := range list {
		if list[i].Style == screen.Plain {
			list[i].Style = screen.Strong
		}
	}
	return list
}

// spans reads running text: code, weight and links. links names the topic of a file, ""
// if it has none.
func spans(text string, links func(string) string) []screen.Span {
	var out []screen.Span
	var run strings.Builder
	style := screen.Plain
	flush := func() {
		if run.Len() > 0 {
			out = append(out, screen.T(style, run.String()))
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
			style = screen.Strong - style // from plain to strong, and back
			i++
		case rest[0] == '`':
			marks := len(rest) - len(strings.TrimLeft(rest, "`"))
			code, _, ok := strings.Cut(rest[marks:], rest[:marks])
			if !ok {
				run.WriteByte('`')
				continue
			}
			flush()
			out = append(out, screen.Command(strings.TrimSpace(code)))
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
func pointed(label, target string, links func(string) string) []screen.Span {
	file, _, _ := strings.Cut(target, "#")
	out := spans(label, nil)
	if links == nil || file == "" {
		return out
	}
	if strings.Contains(file, "://") {
		return append(out, screen.T(screen.Faint, " ("+file+")"))
	}
	topic := links(file)
	switch {
	case topic == "":
		return out
	case strings.HasSuffix(label, ".md"):
		return []screen.Span{screen.Command("checkrein docs " + topic)}
	}
	return append(out, screen.P(" ("), screen.Command("checkrein docs "+topic), screen.P(")"))
}
