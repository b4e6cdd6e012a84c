// Package manual shows the pages of the documentation on a terminal: those that belong
// to this build, so that they tell what this build does.
package manual

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/docs"
	"github.com/checkrein/checkrein/internal/text/markdown"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A Topic is a page.
type Topic struct {
	Name  string // what people type
	Part  string // the folder: "" or guides, reference, hosts
	About string // what the index says of it, else its first sentence
	path  string
}

// parts are the folders in the order of the list, with their titles.
var parts = []struct{ folder, title string }{
	{"guides", "Guides"}, {"", "Subjects"}, {"reference", "Reference"}, {"hosts", "Agents"},
}

// Topics lists all pages, those of one part together.
func Topics() []Topic {
	out := files()
	told := index()
	for i := range out {
		if out[i].About = told[out[i].path]; out[i].About == "" {
			out[i].About = about(out[i].blocks())
		}
	}
	return out
}

// files are the topics by name alone.
func files() []Topic {
	var out []Topic
	for _, part := range parts {
		folder := part.folder
		if folder == "" {
			folder = "."
		}
		list, err := fs.ReadDir(docs.Pages, folder)
		if err != nil {
			panic(err) // they are embedded
		}
		for _, e := range list {
			name, page := strings.CutSuffix(e.Name(), ".md")
			if !page || name == "README" && part.folder != "hosts" {
				continue // the index is for those who read the files
			}
			if name == "README" {
				name = part.folder
			}
			out = append(out, Topic{Name: name, Part: part.folder, path: path.Join(folder, e.Name())})
		}
	}
	return out
}

func (t Topic) blocks() []markdown.Block {
	data, err := fs.ReadFile(docs.Pages, t.path)
	if err != nil {
		panic(err) // it is embedded
	}
	return markdown.Parse(string(data))
}

// index is what the pages' own index says of each, by path.
func index() map[string]string {
	out := map[string]string{}
	for _, b := range (Topic{path: "README.md"}).blocks() {
		label, target, n, ok := link(b.Text + " ")
		if !ok || b.Kind != markdown.Item || !strings.HasPrefix(b.Text, "[") {
			continue
		}
		out[target] = plain(strings.TrimPrefix(b.Text[n:], ": "))
		if strings.HasPrefix(target, "guides/") { // whose titles say what a reader wants
			out[target] = plain(label)
		}
	}
	return out
}

// about is the first sentence of a page.
func about(blocks []markdown.Block) string {
	for _, b := range blocks {
		if b.Kind != markdown.Paragraph {
			continue
		}
		var text strings.Builder
		for _, sp := range spans(b.Text, nil) {
			text.WriteString(sp.Text)
		}
		if i := strings.Index(text.String(), ". "); i >= 0 {
			return text.String()[:i+1]
		}
		return strings.TrimSuffix(text.String(), ":")
	}
	return ""
}

// Named finds a topic by its name, or by its file's.
func Named(name string) (Topic, error) {
	all := files()
	want := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(name), "docs/"), ".md")
	for _, t := range all {
		if t.Name == want || strings.ToLower(strings.TrimSuffix(t.path, ".md")) == want {
			return t, nil
		}
	}
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Name
	}
	hint := suggest.Hint(want, names)
	if i := slices.IndexFunc(names, func(n string) bool { return slices.Contains(strings.Split(n, "-"), want) }); hint == "" && i >= 0 {
		hint = suggest.Hint(names[i], names)
	}
	return Topic{}, fmt.Errorf("unknown topic %q%s: 'checkrein docs' lists all topics, 'checkrein docs -s WORD' searches them", name, hint)
}

// List prints the topics.
func List(s *term.Screen) {
	all := Topics()
	width := 0
	for _, t := range all {
		width = max(width, len(t.Name))
	}
	for _, part := range parts {
		if !slices.ContainsFunc(all, func(t Topic) bool { return t.Part == part.folder }) {
			continue
		}
		s.Line(term.T(term.Title, part.title))
		for _, t := range all {
			if t.Part == part.folder {
				s.Fit(term.P("  "), term.T(term.Name, t.Name), term.P(strings.Repeat(" ", width+2-len(t.Name))), term.P(t.About))
			}
		}
		s.Blank()
	}
	s.Text(0, 0, term.P("To read one: "), term.Command("checkrein docs TOPIC"), term.P(". To search all: "), term.Command("checkrein docs -s WORD"))
}

// perTopic is how many places of one page a search shows.
const perTopic = 4

// Search prints where a word occurs, and says in how many topics.
func Search(s *term.Screen, word string) int {
	found := 0
	for _, t := range files() {
		places := t.places(word)
		if len(places) == 0 {
			continue
		}
		found++
		s.Line(term.T(term.Name, t.Name), term.T(term.Faint, "  "+term.Count(len(places), "place")))
		for _, p := range places[:min(len(places), perTopic)] {
			s.Fit(term.P("  "), term.T(term.Strong, p.under), term.P("  "+p.text))
		}
	}
	return found
}

// A place is where a word occurs: below which heading, and in which text.
type place struct{ under, text string }

func (t Topic) places(word string) []place {
	word = strings.ToLower(word)
	var out []place
	under := ""
	add := func(text string) {
		at := strings.Index(strings.ToLower(text), word)
		if at < 0 || at > len(text) {
			return
		}
		if from := strings.LastIndexAny(text[:at], ".:;|"); from >= 0 && at > 30 { // the sentence that has it
			text = strings.TrimSpace(text[from+1:])
		}
		out = append(out, place{under, text})
	}
	for _, b := range t.blocks() {
		switch b.Kind {
		case markdown.Heading:
			under = plain(b.Text)
			add(under)
		case markdown.Table:
			for _, row := range b.Rows {
				add(plain(strings.Join(row, " | ")))
			}
		case markdown.Fence, markdown.Indented:
			for line := range strings.Lines(b.Text) {
				add(strings.TrimSpace(line))
			}
		case markdown.Paragraph, markdown.Item:
			add(plain(b.Text))
		}
	}
	return out
}

func plain(text string) string {
	var b strings.Builder
	for _, sp := range spans(text, nil) {
		b.WriteString(sp.Text)
	}
	return b.String()
}

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
