package config

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// includeFile returns a native file that includes files.
func includeFile(files ...string) string {
	return fmt.Sprintf("version: 1\ninclude: ['%s']\n", strings.Join(files, "', '"))
}

func TestIncludeRelative(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	abs := tr.write("elsewhere/abs.yaml", ruleFile("abs"))
	tr.write("user/checkrein.yaml", includeFile("more/a.yaml", abs)+"hooks:\n  stop: {name: own, command: x}\n")
	tr.write("user/more/a.yaml", includeFile("../b.yaml")+"hooks:\n  stop: {name: a, command: x}\n")
	tr.write("user/b.yaml", ruleFile("b"))
	wantNames(t, tr.load(), "user own, user a, user b, user abs")
}

func TestIncludeOneText(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", "version: 1\ninclude: a.yaml\n")
	tr.write("user/a.yaml", ruleFile("a"))
	wantNames(t, tr.load(), "user a")
}

// TestIncludeScope checks that an included file gets the less trusted of its own scope and its
// includer's.
func TestIncludeScope(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, includer, file, want string }{
		{"the person's own", "user/checkrein.yaml", "user/x.yaml", "user x"},
		{"the person's, elsewhere", "user/checkrein.yaml", "elsewhere/x.yaml", "user x"},
		{"a repository's, by the person", "user/checkrein.yaml", "project/x.yaml", "project x"},
		{"the person's, by a repository", "project/checkrein.yaml", "user/x.yaml", "project x"},
		{"elsewhere, by a repository", "project/checkrein.yaml", "elsewhere/x.yaml", "project x"},
		{"managed, by a repository", "project/checkrein.yaml", "managed/x.yaml", "project x"},
		{"managed, by the person", "user/checkrein.yaml", "managed/x.yaml", "user x"},
		{"managed, by managed", "managed/checkrein.yaml", "managed/x.yaml", "managed x"},
		{"the person's, by managed", "managed/checkrein.yaml", "user/x.yaml", "user x"},
		{"a repository's, by managed", "managed/checkrein.yaml", "project/x.yaml", "project x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			tr.write("project/.git/HEAD", "")
			tr.write(tt.includer, includeFile(tr.write(tt.file, ruleFile("x"))))
			c := tr.load()
			wantNames(t, c, tt.want)
			if got, want := c.Hooks[0].From.Approval, strings.HasPrefix(tt.want, "project"); got != want {
				t.Errorf("needs approval %v, want %v", got, want)
			}
		})
	}
}

// TestIncludeBelowAPlainDirectory checks that the user's gates count wherever a session starts, even
// if the directory is not a project.
func TestIncludeBelowAPlainDirectory(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", includeFile(tr.write("project/x.yaml", ruleFile("x"))))
	tr.write("managed/checkrein.yaml", includeFile(tr.write("project/y.yaml", ruleFile("y"))))
	wantNames(t, tr.load(), "managed y, user x")
}

// TestIncludeThroughSymlink checks that a file in a repository belongs to the project, through
// whatever symlink it is included.
func TestIncludeThroughSymlink(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("project/.git/HEAD", "")
	tr.write("project/x.yaml", ruleFile("x"))
	tr.write("user/checkrein.yaml", includeFile("link.yaml", "dir/x.yaml"))
	for link, to := range map[string]string{"user/link.yaml": "project/x.yaml", "user/dir": "project"} {
		if err := os.Symlink(tr.path(to), tr.path(link)); err != nil {
			t.Skip(err)
		}
	}
	wantNames(t, tr.load(), "project x, project x")
}

// TestIncludeOfANamedFile checks that the user vouches for a file that they name and for everything
// that it includes.
func TestIncludeOfANamedFile(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("project/x.yaml", ruleFile("x"))
	file := tr.write("project/named.yaml", includeFile("x.yaml"))
	wantNames(t, tr.load(func(o *Options) { o.Files = []string{file} }), "user x")
	tr.write("project/.git/HEAD", "")
	wantNames(t, tr.load(func(o *Options) { o.Files = []string{file} }), "user x")
	wantNames(t, tr.load(func(o *Options) { o.Files, o.ByPlace = []string{file}, true }), "project x")
	mine := tr.write("mine.yaml", includeFile("project/x.yaml"))
	wantNames(t, tr.load(func(o *Options) { o.Files, o.ByPlace = []string{mine}, true }), "project x")
}

func TestIncludeErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string
		err   string
	}{
		{"itself", map[string]string{"checkrein.yaml": includeFile("checkrein.yaml")}, "checkrein.yaml:2: include checkrein.yaml: the file includes itself: remove this include"},
		{"a circle", map[string]string{"checkrein.yaml": includeFile("a.yaml"), "a.yaml": includeFile("b.yaml"), "b.yaml": includeFile("./checkrein.yaml")}, "b.yaml:2: include ./checkrein.yaml: the file includes itself: remove this include"},
		{"missing", map[string]string{"checkrein.yaml": includeFile("no.yaml")}, "no.yaml: no such file"},
		{"a directory", map[string]string{"checkrein.yaml": includeFile("dir"), "dir/x": ""}, "not a regular file"},
		{"malformed", map[string]string{"checkrein.yaml": includeFile("a.yaml"), "a.yaml": "version: 1\nhooks: {\n"}, "a.yaml:2"},
		{"no dialect", map[string]string{"checkrein.yaml": includeFile("a.yaml"), "a.yaml": "x: 1\n"}, "a.yaml:1: cannot tell which program this file is for"},
		{"an empty name", map[string]string{"checkrein.yaml": "version: 1\ninclude: ['']\n"}, "checkrein.yaml:2: include holds a string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			for name, text := range tt.files {
				tr.write("user/"+name, text)
			}
			tr.write("user/hooks.d/z.yaml", ruleFile("z"))
			c := tr.load()
			wantErr(t, c.Err(), tt.err)
			wantNames(t, c, "user configuration!, user z")
		})
	}
}

func TestIncludeDepth(t *testing.T) {
	t.Parallel()
	chain := func(n int) *Config {
		tr := newTree(t)
		tr.write("user/checkrein.yaml", includeFile("f1.yaml"))
		for i := 1; i < n; i++ {
			tr.write(fmt.Sprintf("user/f%d.yaml", i), includeFile(fmt.Sprintf("f%d.yaml", i+1)))
		}
		tr.write(fmt.Sprintf("user/f%d.yaml", n), ruleFile("last"))
		return tr.load()
	}
	wantNames(t, chain(maxIncludes), "user last")
	c := chain(maxIncludes + 1)
	wantNames(t, c, "user configuration!")
	wantErr(t, c.Err(), "more than 8 deep")
}

// TestIncludeBomb checks that loading ends if files include each other many times.
func TestIncludeBomb(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	many := strings.Split(strings.Repeat("f.yaml ", 50), " ")[:50]
	read := 0
	for i := range 8 {
		dir := "project/" + strings.Repeat("d/", i)
		next := make([]string, len(many))
		for k := range many {
			next[k] = "d/checkrein.yaml"
		}
		tr.write(dir+"checkrein.yaml", includeFile(next...))
	}
	tr.write("project/"+strings.Repeat("d/", 8)+"checkrein.yaml", ruleFile("deep"))
	c := tr.load(func(o *Options) {
		real := o.Dialect
		o.Dialect = func(src hookfile.Source) (*hookfile.Dialect, bool) {
			if src.Data != nil { // Dialect is also called with names only
				read++
			}
			return real(src)
		}
	})
	if read > maxIncluded+1 {
		t.Errorf("%d files were read", read)
	}
	wantErr(t, c.Err(), "more than 100 files are included")
}

// TestIncludeLimitIsPerFile checks that one file cannot use up the limit of another.
func TestIncludeLimitIsPerFile(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/x.yaml", "version: 1\n")
	for i := range 3 {
		tr.write(fmt.Sprintf("user/hooks.d/%d.yaml", i), includeFile(strings.Split(strings.Repeat("../x.yaml ", 90), " ")[:90]...))
	}
	wantErr(t, tr.load().Err(), "")
}
