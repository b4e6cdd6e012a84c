package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A page links only to files that are there, and to headings that they have.
func TestLinks(t *testing.T) {
	t.Parallel()
	const root = ".."
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
		for _, b := range parseMarkdown(string(text)) {
			if b.Kind == isFence || b.Kind == isComment {
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
	for _, b := range parseMarkdown(string(text)) {
		if b.Kind == isHeading {
			name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(b.Text), "")
			if strings.ReplaceAll(name, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}

func TestParseMarkdown(t *testing.T) {
	t.Parallel()
	page := strings.ReplaceAll(`<!-- one
two -->
# Title

Running text
over two lines.

- first
  goes on
  - nested

  more of the first
- second

  '''sh
  echo '# no heading'
  '''

| a | b |
|---|---|
| 1 \| 2 | x |

    code without a fence

'''
    indented code
'''
1. counted
`, "'''", "```")
	want := []mdBlock{
		{Kind: isComment, Line: 1, Text: "one\ntwo"},
		{Kind: isHeading, Line: 3, Level: 1, Text: "Title"},
		{Kind: isParagraph, Line: 5, Text: "Running text over two lines."},
		{Kind: isItem, Line: 8, Level: 2, Mark: "-", Text: "first goes on"},
		{Kind: isItem, Line: 10, Level: 4, Mark: "-", Text: "nested"},
		{Kind: isParagraph, Line: 12, Level: 2, Text: "more of the first"},
		{Kind: isItem, Line: 13, Level: 2, Mark: "-", Text: "second"},
		{Kind: isFence, Line: 15, Level: 2, Info: "sh", Text: "echo '# no heading'\n"},
		{Kind: isTable, Line: 19, Rows: [][]string{{"a", "b"}, {"1 | 2", "x"}}},
		{Kind: isIndented, Line: 23, Text: "code without a fence\n"},
		{Kind: isFence, Line: 25, Text: "    indented code\n"},
		{Kind: isItem, Line: 28, Level: 3, Mark: "1.", Text: "counted"},
	}
	if diff := cmp.Diff(want, parseMarkdown(page)); diff != "" {
		t.Error(diff)
	}
}
