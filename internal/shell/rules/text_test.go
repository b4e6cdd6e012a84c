package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestWrittenFiles checks clients that run files which the same command line wrote.
func TestWrittenFiles(t *testing.T) {
	tests := []struct {
		name, args, text string
		sure, input      bool
		want             shell.Label
	}{
		{"psql", "-f a.sql", "drop table x;", true, false, shell.Destructive},
		{"psql", "app -f a.sql", "truncate x", true, false, shell.Destructive},
		{"psql", "-f a.sql", "select 1;", true, false, shell.Safe},
		{"psql", "-f a.sql", "select 1;", false, false, shell.Unknown},
		{"psql", "--file=a.sql", "begin; delete from x; rollback;", true, false, shell.Destructive},
		{"mysql", "app", "delete from x", true, true, shell.Destructive},
		{"mysql", "app", "select 1", true, true, shell.Safe},
		{"mysql", "app", "select 1", false, true, shell.Unknown},
		{"redis-cli", "-h x", "FLUSHALL", true, true, shell.Destructive},
		{"redis-cli", "-h x", "GET a", true, true, shell.Safe},
	}
	for _, tt := range tests {
		c := newCall(tt.name, strings.Fields(tt.args)...)
		c.Files = []shell.File{{Path: "a.sql", Text: tt.text, Complete: tt.sure}}
		if tt.input {
			c.Redir = []shell.Redirect{{Op: "<", Target: shell.Word{Text: "a.sql"}}}
		}
		effects, _ := Effects(&c, nil)
		if len(effects) == 0 || effects[0].Label != tt.want {
			t.Errorf("%s %s with %q (complete: %v): %+v, want %v", tt.name, tt.args, tt.text, tt.sure, effects, tt.want)
		}
	}
}

// TestNestedOutputs checks that there is a nested redirection for each file that a client writes
// outside the project.
func TestNestedOutputs(t *testing.T) {
	tests := []struct{ command, want string }{
		{"psql -c '\\o /etc/x'", "echo x > /etc/x"},
		{"psql -c \"\\copy a to '/etc/x' csv\"", "echo x > /etc/x"},
		{"psql -c \"\\copy a from '/etc/x' csv\"", ""},
		{"sqlite3 a.db '.output /etc/x' 'select 1'", "echo x > /etc/x"},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range resolveCalls(t, tt.command) {
			if c.Name != "cd" {
				got = append(got, NestedCommands(c)...)
			}
		}
		if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.command, got, tt.want)
		}
	}
}

// TestTaskNames checks the effects of project tasks by their names.
func TestTaskNames(t *testing.T) {
	tests := []struct {
		names string
		want  shell.Label
	}{
		{"db:drop drop-db dropDb wipe-db destroy-prod nuke db:reset reset_db db:fresh migrate:reset purge delete-all truncate:prod teardown", shell.Destructive},
		{"deploy deploy:prod release publish:beta rollback prune down reset migrate:prod seed:prod clean-all-data uninstall", shell.Unknown},
		{"build build:prod test start:prod reset-cache cache:purge test-delete deploy:preview distclean mrproper clean clean:all dropdown lint:fix db:migrate db:seed stop restart dropzone", shell.Safe},
	}
	for _, tt := range tests {
		for _, name := range strings.Fields(tt.names) {
			if got := taskNameEffect(name); got.Label != tt.want {
				t.Errorf("%s: %v, want %v", name, got.Label, tt.want)
			}
		}
	}
}
