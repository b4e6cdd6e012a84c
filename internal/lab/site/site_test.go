package main

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSite builds the site and checks that every link and picture in it leads somewhere, anchors
// included, and that search and the contents have every page.
func TestSite(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	if err := build("../../..", out); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	err := filepath.WalkDir(out, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(out, name)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	links, pages := 0, 0
	for name, text := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		if pages++; !strings.Contains(files["index.js"], `"to":"`+name+`"`) {
			t.Errorf("search does not know %s", name)
		}
		part := path.Dir(name)
		if part != "docs/hosts" && part != "docs/decisions" && path.Base(name) != "index.html" && !strings.Contains(files["index.html"], `<li><a href="`+name+`"`) {
			t.Errorf("the contents do not have %s", name)
		}
		if !regexp.MustCompile(`<title>[^<·]{3,}`).MatchString(text) {
			t.Errorf("%s has no title", name)
		}
		for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			u, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if u.IsAbs() {
				continue
			}
			links++
			to := name
			if u.Path != "" {
				to = path.Join(path.Dir(name), u.Path)
			}
			page, exists := files[to]
			switch {
			case !exists:
				t.Errorf("%s: %s leads nowhere", name, m[1])
			case u.Fragment != "" && !strings.Contains(page, `id="`+u.Fragment+`"`):
				t.Errorf("%s: %s has no such heading", name, m[1])
			}
		}
	}
	if pages < 60 || links < 800 {
		t.Errorf("only %d pages and %d links", pages, links)
	}
}
