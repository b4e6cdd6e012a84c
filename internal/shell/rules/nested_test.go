package rules

import (
	"slices"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

func TestNestedCommands(t *testing.T) {
	tests := []struct {
		call shell.Call
		want []string
	}{
		{git("-c", "alias.x=!rm -rf /", "x", "a b"), []string{"rm -rf / 'a b'"}},
		{git("-c", "alias.x=reset --hard", "x", "HEAD~1"), []string{"git reset --hard HEAD~1"}},
		{git("-c", "ALIAS.x=!id", "x"), []string{"id"}},
		{git("-c", "alias.x=!rm -rf /", "status"), nil},
		{git("-c", "core.pager=sh -c id", "log"), []string{"sh -c id"}},
		{git("-c", "core.sshCommand=touch /tmp/x", "fetch"), []string{"touch /tmp/x"}},
		{git("-c", "core.sshCommand=ssh -i key", "fetch"), nil},
		{git("-c", "core.sshCommand=ssh -o ProxyCommand=id", "fetch"), []string{"ssh -o ProxyCommand=id"}},
		{git("-c", "credential.helper=!f() { id; }; f", "fetch"), []string{"f() { id; }; f"}},
		{git("-c", "credential.helper=store", "fetch"), nil},
		{git("-c", "user.name=!id", "commit"), nil},
		{git("-c", "core.hooksPath=/dev/null", "commit"), nil},
		{git("-c", "core.hooksPath=/tmp/h", "commit"), []string{unknownVariable}},
		{git("clone", "-c", "core.fsmonitor=touch x", "u"), []string{"touch x"}},
		{git("clone", "-u", "sh -c id", "u"), []string{"sh -c id"}},
		{git("fetch", "--upload-pack=id", "u"), []string{"id"}},
		{git("fetch", "--upload-p", "id", "u"), []string{"id"}},
		{git("push", "--receive-pack", "id", "u"), []string{"id"}},
		{git("clone", "ext::sh -c id"), []string{"sh -c id"}},
		{git("rebase", "-x", "make test", "main"), []string{"make test"}},
		{git("rebase", "--exec=rm -rf x", "main"), []string{"rm -rf x"}},
		{git("bisect", "run", "rm", "-rf", "a b"), []string{"rm -rf 'a b'"}},
		{git("submodule", "foreach", "--recursive", "git reset --hard"), []string{"git reset --hard"}},
		{git("submodule", "foreach", "git", "clean", "-fd"), []string{"git clean -fd"}},
		{git("filter-branch", "--tree-filter", "rm -f x", "HEAD"), []string{"rm -f x"}},
		{git("grep", "-Oless", "x"), []string{"less"}},
		{git("difftool", "-x", "id"), []string{"id"}},
		{git("rebase", "-x", "rm "+string(shell.Placeholder), "main"), []string{"rm " + unknownVariable}},
		{git("commit", "-m", "rebase -x 'rm -rf /'"), nil},
		{git("log", "--grep", "alias.x=!id"), nil},
		{call("vim", "-c", "wq", "f"), nil},
		{call("psql", "-c", `\! rm -rf x`), []string{"rm -rf x"}},
		{call("sqlite3", "a.db", ".shell rm -rf x"), []string{"rm -rf x"}},
		{call("mysql", "-e", "system id;"), []string{"id"}},
		{call("psql", "-c", "SELECT 1"), nil},
		{call("ls", "-I", "x"), nil},
	}
	for _, tt := range tests {
		if got := NestedCommands(&tt.call); !slices.Equal(got, tt.want) {
			t.Errorf("%v\n\tgot  %q\n\twant %q", tt.call.Args, got, tt.want)
		}
	}
}

func TestNestedInVariables(t *testing.T) {
	tests := []struct {
		name, value string
		want        []string
	}{
		{"GIT_EXEC_PATH", "/tmp", []string{unknownVariable}},
		{"GIT_AUTHOR_NAME", "!id", nil},
	}
	for _, tt := range tests {
		c := git("log")
		c.Env = []shell.Variable{{Name: tt.name, Value: shell.Word{Text: tt.value}}}
		if got := NestedCommands(&c); !slices.Equal(got, tt.want) {
			t.Errorf("%s=%s: got %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
	c := git("x")
	c.Env = []shell.Variable{{Name: "GIT_CONFIG_KEY_0", Value: shell.Word{Text: "alias.x"}}, {Name: "GIT_CONFIG_VALUE_0", Value: shell.Word{Text: "!id"}}}
	if got := NestedCommands(&c); !slices.Equal(got, []string{"id"}) {
		t.Errorf("settings in variables: %q", got)
	}
}

func git(args ...string) shell.Call { return call("git", args...) }

func call(name string, args ...string) shell.Call {
	c := shell.Call{Name: name, Path: name}
	for _, a := range args {
		c.Args = append(c.Args, shell.Word{Text: a})
	}
	return c
}
