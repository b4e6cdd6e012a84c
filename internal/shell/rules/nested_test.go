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
		{gitCall("-c", "alias.x=!rm -rf /", "x", "a b"), []string{"rm -rf / 'a b'"}},
		{gitCall("-c", "alias.x=reset --hard", "x", "HEAD~1"), []string{"git reset --hard HEAD~1"}},
		{gitCall("-c", "ALIAS.x=!id", "x"), []string{"id"}},
		{gitCall("-c", "alias.x=!rm -rf /", "status"), nil},
		{gitCall("-c", "core.pager=sh -c id", "log"), []string{"sh -c id"}},
		{gitCall("-c", "core.sshCommand=touch /tmp/x", "fetch"), []string{"touch /tmp/x"}},
		{gitCall("-c", "core.sshCommand=ssh -i key", "fetch"), nil},
		{gitCall("-c", "core.sshCommand=ssh -o ProxyCommand=id", "fetch"), []string{"ssh -o ProxyCommand=id"}},
		{gitCall("-c", "credential.helper=!f() { id; }; f", "fetch"), []string{"f() { id; }; f"}},
		{gitCall("-c", "credential.helper=store", "fetch"), nil},
		{gitCall("-c", "user.name=!id", "commit"), nil},
		{gitCall("-c", "core.hooksPath=/dev/null", "commit"), nil},
		{gitCall("-c", "core.hooksPath=/tmp/h", "commit"), []string{unknownVariable}},
		{gitCall("clone", "-c", "core.fsmonitor=touch x", "u"), []string{"touch x"}},
		{gitCall("clone", "-u", "sh -c id", "u"), []string{"sh -c id"}},
		{gitCall("fetch", "--upload-pack=id", "u"), []string{"id"}},
		{gitCall("fetch", "--upload-p", "id", "u"), []string{"id"}},
		{gitCall("push", "--receive-pack", "id", "u"), []string{"id"}},
		{gitCall("clone", "ext::sh -c id"), []string{"sh -c id"}},
		{gitCall("rebase", "-x", "make test", "main"), []string{"make test"}},
		{gitCall("rebase", "--exec=rm -rf x", "main"), []string{"rm -rf x"}},
		{gitCall("bisect", "run", "rm", "-rf", "a b"), []string{"rm -rf 'a b'"}},
		{gitCall("submodule", "foreach", "--recursive", "git reset --hard"), []string{"git reset --hard"}},
		{gitCall("submodule", "foreach", "git", "clean", "-fd"), []string{"git clean -fd"}},
		{gitCall("filter-branch", "--tree-filter", "rm -f x", "HEAD"), []string{"rm -f x"}},
		{gitCall("grep", "-Oless", "x"), []string{"less"}},
		{gitCall("difftool", "-x", "id"), []string{"id"}},
		{gitCall("rebase", "-x", "rm "+string(shell.Placeholder), "main"), []string{"rm " + unknownVariable}},
		{gitCall("commit", "-m", "rebase -x 'rm -rf /'"), nil},
		{gitCall("log", "--grep", "alias.x=!id"), nil},
		{newCall("vim", "-c", "wq", "f"), nil},
		{newCall("psql", "-c", `\! rm -rf x`), []string{"rm -rf x"}},
		{newCall("sqlite3", "a.db", ".shell rm -rf x"), []string{"rm -rf x"}},
		{newCall("mysql", "-e", "system id;"), []string{"id"}},
		{newCall("psql", "-c", "SELECT 1"), nil},
		{newCall("ls", "-I", "x"), nil},
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
		c := gitCall("log")
		c.Env = []shell.Variable{{Name: tt.name, Value: shell.Word{Text: tt.value}}}
		if got := NestedCommands(&c); !slices.Equal(got, tt.want) {
			t.Errorf("%s=%s: got %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
	c := gitCall("x")
	c.Env = []shell.Variable{{Name: "GIT_CONFIG_KEY_0", Value: shell.Word{Text: "alias.x"}}, {Name: "GIT_CONFIG_VALUE_0", Value: shell.Word{Text: "!id"}}}
	if got := NestedCommands(&c); !slices.Equal(got, []string{"id"}) {
		t.Errorf("settings in variables: %q", got)
	}
}

func gitCall(args ...string) shell.Call { return newCall("git", args...) }

func newCall(name string, args ...string) shell.Call {
	c := shell.Call{Name: name, Path: name}
	for _, a := range args {
		c.Args = append(c.Args, shell.Word{Text: a})
	}
	return c
}
