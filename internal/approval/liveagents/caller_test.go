package liveagents

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/sys/process"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pid  int
		args string // separated by |
		want Kind
	}{
		{9, "claude", Program},
		{9, "node|/usr/lib/cli.js|-c|x", Program},
		{9, "/opt/host/bin/codex|exec", Program},

		{9, "sh|-c|checkrein hook claude", Helper},
		{9, "/bin/bash|-lc|checkrein hook claude", Helper},
		{9, "bash|-o|pipefail|-c|x", Helper},
		{9, "zsh|agent.sh", Helper},
		{9, "bash|--norc|--|agent.sh", Helper},
		{9, "fish|--command=x", Helper},
		{9, "pwsh|-NoProfile|-Command|x", Helper},
		{9, "timeout|10|checkrein|hook|claude", Helper},
		{1, "sh|-c|agent", Helper},

		{9, "bash", Person},
		{9, "-zsh", Person},
		{9, "/bin/bash|-l|-i", Person},
		{9, "bash|--init-file|/usr/share/code/shell.sh", Person},
		{9, "bash|-O|extglob|+o|posix", Person},
		{9, "fish|-C|set x", Person},
		{9, "pwsh|-NoLogo", Person},
		{9, "bash|--", Person},
		{9, "sh|-", Person},
		{1, "bash", Person},

		{9, "sshd: ann@pts/0", Starter},
		{9, "tmux: server", Starter},
		{9, "tmux|new|-s|x", Starter},
		{9, "/usr/sbin/cron|-f", Starter},
		{9, "", Starter},

		{1, "/sbin/init", Adopter},
		{1, "node|server.js", Adopter},
		{9, "/usr/lib/systemd/systemd|--user", Adopter},
	}
	for _, tt := range tests {
		a := process.Ancestor{ID: process.ID{PID: tt.pid}}
		if tt.args != "" {
			a.Args = strings.Split(tt.args, "|")
		}
		if got := KindOf(&a); got != tt.want {
			t.Errorf("%d %s: %d, want %d", tt.pid, tt.args, got, tt.want)
		}
	}
}

// A process directly below a checkrein that runs hooks is a hook; one below its agent or its other
// commands is not.
func TestRunsHooks(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		"checkrein|hook|claude": true, "/opt/bin/checkrein|hook|claude|--within|5": true, "checkrein|eval": true,
		"checkrein|git|pre-push": true, "checkrein|_async": true, "/opt/checkreind|doctor": true, "checkreind|hooks|doctor": true,
		"checkrein": false, "checkrein|scan|-": false, "checkreind|run|agent.yaml": false, "checkreind|status": false,
		"node|hook|claude": false, "sh|-c|checkrein hook claude": false, "": false,
	} {
		if got := runsHooks(&process.Ancestor{Args: strings.Split(args, "|")}); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}
