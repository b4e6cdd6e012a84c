package config

import (
	"os"
	"strings"
	"testing"
)

func TestDropInsByName(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	for _, n := range []string{"20-b.yaml", "10-a.yml", "9-c.yaml", "A.yaml"} {
		tr.write("user/hooks.d/"+n, says("h"+n[:1]))
	}
	wantNames(t, tr.load(), "user h1, user h2, user h9, user hA")
}

func TestDropInsIgnoreTheRest(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	for _, n := range []string{"a.json", "b.yaml.bak", "c", "README.md", "d.YAML", "sub/e.yaml", ".yaml/f"} {
		tr.write("user/hooks.d/"+n, "not: [yaml")
	}
	tr.write("user/hooks.d/dir.yaml/x", "")
	tr.write("user/hooks.d/z.yaml", says("z"))
	c := tr.load()
	wantErr(t, c.Err(), "")
	wantNames(t, c, "user z")
}

// A malformed one does not stop the others; it closes gates and is told.
func TestDropInsMalformed(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/hooks.d/1.yaml", says("one"))
	bad := tr.write("user/hooks.d/2.yaml", "version: 1\nhooks: {\n")
	tr.write("user/hooks.d/3.yaml", "version: 1\nhooks:\n  on_thing: []\n  stop: [{name: kept, command: x}]\n")
	tr.write("user/hooks.d/4.yaml", says("four"))
	c := tr.load()
	wantNames(t, c, "user one, user configuration!, user kept, user configuration!, user four")
	wantErr(t, c.Err(), bad+":")
	wantErr(t, c.Err(), `unknown event "on_thing"`)
}

func TestDropInsOfAnotherDialect(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/hooks.d/agent.yaml", "agents:\n  root:\n    hooks:\n      stop: {type: command, command: x, name: theirs}\n")
	c := tr.load()
	if c.Files[0].Dialect != "docker-agent" || !strings.HasPrefix(names(c.Hooks), "user theirs") {
		t.Errorf("got %s in %s", names(c.Hooks), c.Files[0].Dialect)
	}
}

// A directory that is not there has no files; one that cannot be read may have
// held gates.
func TestDropInsUnreadable(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", says("own"))
	wantErr(t, tr.load().Err(), "")
	tr.write("user/hooks.d", "a file in its place")
	c := tr.load()
	wantErr(t, c.Err(), tr.path("user/hooks.d"))
	wantNames(t, c, "user own, user configuration!")
	if err := os.Remove(tr.path("user/hooks.d")); err != nil {
		t.Fatal(err)
	}
	tr.write("user/hooks.d/a.yaml", says("a"))
	if os.Geteuid() == 0 {
		return // whom no permission stops
	}
	if err := os.Chmod(tr.path("user/hooks.d"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(tr.path("user/hooks.d"), 0o700) })
	wantNames(t, tr.load(), "user own, user configuration!")
}
