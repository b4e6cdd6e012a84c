package main

import (
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// A section is a part of the contents that each page shows beside its text.
type section struct {
	Title string
	Pages []entry
}

// An entry is a page in the contents.
type entry struct {
	To, Title string // To is its path in the site
	Here      bool   // whether it is the page that shows the contents
}

// contents returns the sections of the index, docs/README.md, with the pages of the site that their lists
// link to first.
func contents(root string) ([]section, error) {
	const index = "docs/README.md"
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(index)))
	if err != nil {
		return nil, err
	}
	pages, _, err := findFiles(root)
	if err != nil {
		return nil, err
	}
	var all []section
	err = ast.Walk(markdown.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if entering && n.Level == 2 {
				all = append(all, section{Title: string(n.Lines().Value(source))})
			}
		case *ast.Link:
			name := path.Join(path.Dir(index), string(n.Destination))
			if entering && len(all) > 0 && slices.Contains(pages, name) {
				last := &all[len(all)-1]
				last.Pages = append(last.Pages, entry{To: target(name), Title: string(n.FirstChild().(*ast.Text).Value(source))})
			}
		}
		return ast.WalkContinue, nil
	})
	return all, err
}

// place puts p into the contents: it marks p there, and sets the pages before and after it.
func (p *page) place(all []section) {
	var order []entry
	for _, s := range all {
		s.Pages = slices.Clone(s.Pages)
		for i := range s.Pages {
			s.Pages[i].Here = s.Pages[i].To == target(p.Name)
		}
		p.Contents = append(p.Contents, s)
		order = append(order, s.Pages...)
	}
	i := slices.IndexFunc(order, func(e entry) bool { return e.Here })
	if i > 0 {
		p.Before = &order[i-1]
	}
	if i >= 0 && i+1 < len(order) {
		p.After = &order[i+1]
	}
}
