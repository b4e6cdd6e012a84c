// Command site renders README.md, CHANGELOG.md, SECURITY.md and the pages of docs as a static site with
// search. It needs no server, and the site asks none.
//
//	go run ./internal/lab/site OUT
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

var (
	//go:embed page.html
	pageText string
	//go:embed site.css
	style []byte
	//go:embed search.js
	script []byte

	layout = template.Must(template.New("page").Parse(pageText))
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: site OUT")
		os.Exit(2)
	}
	if err := build(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// A page is a page of the site.
type page struct {
	Name  string // its path in the repository
	Title string
	Root  string // the way from it to the root of the site
	Body  template.HTML
	Heads string // its headings
	Plain string // all of its text

	Contents      []section
	Before, After *entry // its neighbours in the contents, or nil
}

// build writes the site of the repository at root to the directory out.
func build(root, out string) error {
	names, pictures, err := findFiles(root)
	if err != nil {
		return err
	}
	all, err := contents(root)
	if err != nil {
		return err
	}
	files := map[string][]byte{"site.css": style, "search.js": script}
	var index []map[string]string
	for _, name := range names {
		p, err := render(root, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p.place(all)
		var b bytes.Buffer
		if err := layout.Execute(&b, p); err != nil {
			return err
		}
		to := target(name)
		files[to] = b.Bytes()
		index = append(index, map[string]string{"to": to, "title": p.Title, "heads": p.Heads, "text": p.Plain})
	}
	words, err := json.Marshal(index)
	if err != nil {
		return err
	}
	files["index.js"] = slices.Concat([]byte("const pages = "), words, []byte(";\n"))
	for _, name := range pictures {
		if files[name], err = os.ReadFile(filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for name, text := range files {
		to := filepath.Join(out, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// findFiles returns the pages of the site and the files that they show, by their paths below root.
func findFiles(root string) (pages, pictures []string, err error) {
	pages = []string{"README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "examples/README.md"}
	err = fs.WalkDir(os.DirFS(root), "docs", func(name string, d fs.DirEntry, err error) error {
		switch path.Ext(name) {
		case ".md":
			pages = append(pages, name)
		case ".png", ".svg":
			pictures = append(pictures, name)
		}
		return err
	})
	return pages, pictures, err
}

// target returns the path in the site of the page with this path in the repository.
func target(name string) string {
	dir, file := path.Split(name)
	if file == "README.md" {
		return dir + "index.html"
	}
	return dir + strings.TrimSuffix(file, ".md") + ".html"
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()), // the pages are ours; comments in them direct tests
)

// render returns the page name of the repository at root.
func render(root, name string) (*page, error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	source = comment.ReplaceAll(source, nil)
	tree := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	p := &page{Name: name, Root: strings.Repeat("../", strings.Count(name, "/"))}
	var plain strings.Builder
	err = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if !entering {
				break
			}
			if text := string(n.Lines().Value(source)); n.Level == 1 && p.Title == "" {
				p.Title = text
			} else {
				p.Heads += text + "\n"
			}
		case *ast.Link:
			if entering {
				n.Destination = []byte(siteLink(root, name, string(n.Destination)))
			}
		}
		if entering && n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			plain.Write(n.Lines().Value(source))
			plain.WriteByte('\n')
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	p.Plain = strings.Join(strings.Fields(plain.String()), " ")
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, tree); err != nil {
		return nil, err
	}
	p.Body = template.HTML(b.String())
	return p, nil
}

// anchors has the anchors of a page's headings. They are those of GitHub, where the pages are read too.
type anchors map[string]int

// Generate returns the anchor of the heading text.
func (a anchors) Generate(text []byte, _ ast.NodeKind) []byte {
	anchor := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(text)))
	n := a[anchor]
	if a[anchor]++; n > 0 {
		anchor += fmt.Sprintf("-%d", n)
	}
	return []byte(anchor)
}

// Put notes an anchor that a page itself sets.
func (a anchors) Put(anchor []byte) { a[string(anchor)]++ }

var comment = regexp.MustCompile(`(?s)<!--.*?-->\n?`)

// sourceURL is where files of the repository are that are not in the site.
const sourceURL = "https://github.com/checkrein/checkrein/blob/main/"

// siteLink returns link, in the page name, as it is in the site.
func siteLink(root, name, link string) string {
	to, anchor, _ := strings.Cut(link, "#")
	if to == "" || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return link
	}
	file := path.Join(path.Dir(name), to)
	if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err == nil && info.IsDir() {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file), "README.md")); err != nil {
			return sourceURL + file
		}
		to = strings.TrimSuffix(to, "/") + "/README.md"
	}
	pages, pictures, err := findFiles(root)
	if file = path.Join(path.Dir(name), to); err == nil && !slices.Contains(pages, file) && !slices.Contains(pictures, file) {
		return sourceURL + file
	}
	if path.Ext(to) == ".md" {
		to = target(to)
	}
	if anchor != "" {
		to += "#" + anchor
	}
	return to
}
