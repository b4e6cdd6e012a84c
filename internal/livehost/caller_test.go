package livehost

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/process"
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
