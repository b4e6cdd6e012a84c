// Package manual shows the documentation pages of this build on a terminal.
package manual

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/docs"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A Topic is a documentation page.
type Topic struct {
	Name  string // the name that users type
	Part  string // its folder: "", guides, reference or hosts
	About string // its description in the index, or else its first sentence
	path  string
}

// parts lists the folders of pages with their titles, in the order of the list.
var parts = []struct{ folder, title string }{
	{"guides", "Guides"}, {"", "Subjects"}, {"reference", "Reference"}, {"hosts", "Agents"},
}

// Topics returns all pages with their descriptions, grouped by part.
func Topics() []Topic {
	out := pages()
	about := descriptions()
	for i := range out {
		if out[i].About = about[out[i].path]; out[i].About == "" {
			out[i].About = out[i].firstLine()
		}
	}
	return out
}

// pages returns all topics, without descriptions.
func pages() []Topic {
	var out []Topic
	for _, part := range parts {
		folder := part.folder
		if folder == "" {
			folder = "."
		}
		list, err := fs.ReadDir(docs.Pages, folder)
		if err != nil {
			panic(err) // cannot happen: the pages are embedded
		}
		for _, e := range list {
			name, page := strings.CutSuffix(e.Name(), ".md")
			if !page || name == "README" && part.folder != "hosts" {
				continue // the index is for readers of the files
			}
			if name == "README" {
				name = part.folder
			}
			out = append(out, Topic{Name: name, Part: part.folder, path: path.Join(folder, e.Name())})
		}
	}
	return out
}

// Text returns the text of the page, without the HTML comments, which are for tests.
func (t Topic) Text() string {
	data, err := fs.ReadFile(docs.Pages, t.path)
	if err != nil {
		panic(err) // cannot happen: the page is embedded
	}
	return comment.ReplaceAllString(string(data), "")
}

var (
	comment = regexp.MustCompile(`(?ms)^<!--.*?-->\n`)
	entry   = regexp.MustCompile(`(?m)^[-*] \[([^\]]+)\]\(([^)]+)\)(?:: (.*))?`)
)

// descriptions returns the descriptions of pages that the index has, by the path of the page.
func descriptions() map[string]string {
	out := map[string]string{}
	for _, m := range entry.FindAllStringSubmatch((Topic{path: "README.md"}).Text(), -1) {
		out[m[2]] = m[3]
		if strings.HasPrefix(m[2], "guides/") { // the titles of guides are descriptions
			out[m[2]] = m[1]
		}
	}
	return out
}

// firstLine returns the first line of the page that is not a heading, or "" if there is none.
func (t Topic) firstLine() string {
	for line := range strings.Lines(t.Text()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// Find returns the topic called name. It also accepts the path of its file. The error has a
// suggestion.
func Find(name string) (Topic, error) {
	all := pages()
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
	return Topic{}, fmt.Errorf("unknown topic %q%s: 'checkrein docs' lists all topics", name, hint)
}

// PrintTopics prints the list of topics.
func PrintTopics(s *term.Screen) {
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
				s.TruncatedLine(term.P("  "), term.T(term.Name, t.Name), term.P(strings.Repeat(" ", width+2-len(t.Name))), term.P(t.About))
			}
		}
		s.Blank()
	}
	s.Text(0, 0, term.P("To read one: "), term.Command("checkrein docs TOPIC"))
}
