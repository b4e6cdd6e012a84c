package manual

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/text/markdown"
	"github.com/checkrein/checkrein/internal/text/term"
)

// Every topic has a name of its own and a line in the list; the index has all but the
// pages of single hosts.
func TestTopics(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	told := index()
	for _, topic := range Topics() {
		if other, twice := seen[topic.Name]; twice {
			t.Errorf("%s and %s are both called %s", other, topic.path, topic.Name)
		}
		seen[topic.Name] = topic.path
		if topic.About == "" {
			t.Errorf("nothing says what %s is about", topic.Name)
		}
		if told[topic.path] == "" && (topic.Part != "hosts" || topic.Name == "hosts") {
			t.Errorf("docs/README.md does not have %s", topic.path)
		}
		if got, err := Named(topic.path); err != nil || got.Name != topic.Name {
			t.Errorf("%s: %v %v", topic.path, got, err)
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d topics", len(seen))
	}
}

func TestNamedSuggests(t *testing.T) {
	t.Parallel()
	if _, err := Named("aprovals"); err == nil || !strings.Contains(err.Error(), `did you mean "approvals"?`) {
		t.Error(err)
	}
}

// No line of running text is wider than the screen, and no sign of Markdown is left.
func TestShowFits(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 120} {
		for _, topic := range Topics() {
			var b bytes.Buffer
			Show(term.New(&b, term.Options{Environ: []string{"COLUMNS=" + strconv.Itoa(width)}}), topic)
			if b.Len() < 200 {
				t.Errorf("%s: only %q", topic.Name, b.String())
			}
			for line := range strings.Lines(b.String()) {
				line = strings.TrimRight(line, "\n")
				if term.Columns(line) > width && strings.Count(strings.TrimSpace(line), " ") > 3 && !strings.HasPrefix(line, "    ") {
					t.Errorf("%s at %d: %q", topic.Name, width, line)
				}
				if !strings.HasPrefix(line, "    ") && (strings.Contains(line, "](") || strings.Contains(line, "<!-- not run") || strings.HasPrefix(line, "```")) {
					t.Errorf("%s: %q", topic.Name, line)
				}
			}
		}
	}
}

func TestCodeKeepsItsLayout(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	s := term.New(&b, term.Options{})
	for _, block := range markdown.Parse("```go\nif x {\n\treturn \"\\t\"\n}\n```\n") {
		show(s, block, nil)
	}
	if want := "    if x {\n        return \"\\t\"\n    }\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	links := func(file string) string { return map[string]string{"state.md": "state"}[file] }
	for in, want := range map[string]string{
		"a `b c` **d** e":                  "a |b c| |d| e",
		"see [state.md](state.md#x).":      "see |checkrein docs state|.",
		"see [the state](state.md)":        "see |the state| (|checkrein docs state|)",
		"[here](#below) and [x](other.go)": "here| and |x",
		"[site](https://example.com/)":     "site| (https://example.com/)",
		"a \\| b &lt;c> [d] `` e`f ``":     "a | b <c> [d] |e`f",
	} {
		var got []string
		for _, sp := range spans(in, links) {
			got = append(got, sp.Text)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %q, want %q", in, s, want)
		}
	}
}

// A page links only to files that are there, and to headings that they have.
func TestLinks(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	pages := []string{"README.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range markdown.Parse(string(text)) {
			if b.Kind == markdown.Fence || b.Kind == markdown.Comment {
				continue
			}
			all := b.Text
			for _, row := range b.Rows {
				all += " " + strings.Join(row, " ")
			}
			for _, m := range target.FindAllStringSubmatch(all, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				file, anchor, _ := strings.Cut(m[1], "#")
				at := page
				if file != "" {
					at = path.Join(path.Dir(page), file)
				}
				if !has(t, filepath.Join(root, at), anchor) {
					t.Errorf("%s:%d: there is no %s", page, b.Line, m[1])
				}
			}
		}
	}
}

// has says whether a file is there and has a heading of that anchor.
func has(t *testing.T, file, anchor string) bool {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil || info.IsDir() || anchor == "" {
		return err == nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range markdown.Parse(string(text)) {
		if b.Kind == markdown.Heading {
			name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(plain(b.Text)), "")
			if strings.ReplaceAll(name, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}

var (
	command = regexp.MustCompile(`checkrein docs ([a-z][a-z-]*)`)
	file    = regexp.MustCompile(`\bdocs/[a-z/-]*(\.md|\b)`)
)

// What a program says of the documentation is a command that shows it: readers may not
// have the files, and not those of their build.
func TestMessagesPointToTopics(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	aside := []string{"internal/lab/docgen", "internal/lab/conformance", "internal/lab/evasion", "internal/lab/disguise", "internal/shell/program", "internal/lab/bench", "docs"}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			for _, a := range aside {
				if name == a {
					return fs.SkipDir
				}
			}
			if name != "." && strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if _, imports := n.(*ast.ImportSpec); imports {
				return false
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			for _, m := range command.FindAllStringSubmatch(lit.Value, -1) {
				if _, err := Named(m[1]); err != nil {
					t.Errorf("%s: %s: %v", name, m[0], err)
				}
			}
			if m := file.FindString(lit.Value); m != "" && !strings.Contains(lit.Value, "git checkout") {
				t.Errorf("%s names %s: point to checkrein docs TOPIC", name, m)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
