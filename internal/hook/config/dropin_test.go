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
		tr.write("user/hooks.d/"+n, ruleFile("h"+n[:1]))
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
	tr.write("user/hooks.d/z.yaml", ruleFile("z"))
	c := tr.load()
	wantErr(t, c.Err(), "")
	wantNames(t, c, "user z")
}

// TestDropInsMalformed checks that a malformed drop-in does not affect the others, closes gates and is
// reported.
func TestDropInsMalformed(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/hooks.d/1.yaml", ruleFile("one"))
	bad := tr.write("user/hooks.d/2.yaml", "version: 1\nhooks: {\n")
	tr.write("user/hooks.d/3.yaml", "version: 1\nhooks:\n  on_thing: []\n  stop: [{name: kept, command: x}]\n")
	tr.write("user/hooks.d/4.yaml", ruleFile("four"))
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
	if c.Files[0].Dialect != "docker-agent" || !strings.HasPrefix(formatHooks(c.Hooks), "user theirs") {
		t.Errorf("got %s in %s", formatHooks(c.Hooks), c.Files[0].Dialect)
	}
}

// TestDropInsUnreadable checks that a missing directory has no drop-ins, whereas an unreadable one may
// have contained gates.
func TestDropInsUnreadable(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", ruleFile("own"))
	wantErr(t, tr.load().Err(), "")
	tr.write("user/hooks.d", "a file in its place")
	c := tr.load()
	wantErr(t, c.Err(), tr.path("user/hooks.d"))
	wantNames(t, c, "user own, user configuration!")
	if err := os.Remove(tr.path("user/hooks.d")); err != nil {
		t.Fatal(err)
	}
	tr.write("user/hooks.d/a.yaml", ruleFile("a"))
	if os.Geteuid() == 0 {
		return // permissions do not restrict root
	}
	if err := os.Chmod(tr.path("user/hooks.d"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(tr.path("user/hooks.d"), 0o700) })
	wantNames(t, tr.load(), "user own, user configuration!")
}
