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
		want kind
	}{
		{9, "claude", program},
		{9, "node|/usr/lib/cli.js|-c|x", program},
		{9, "/opt/host/bin/codex|exec", program},

		{9, "sh|-c|checkrein hook claude", helper},
		{9, "/bin/bash|-lc|checkrein hook claude", helper},
		{9, "bash|-o|pipefail|-c|x", helper},
		{9, "zsh|agent.sh", helper},
		{9, "bash|--norc|--|agent.sh", helper},
		{9, "fish|--command=x", helper},
		{9, "pwsh|-NoProfile|-Command|x", helper},
		{9, "timeout|10|checkrein|hook|claude", helper},
		{1, "sh|-c|agent", helper},

		{9, "bash", person},
		{9, "-zsh", person},
		{9, "/bin/bash|-l|-i", person},
		{9, "bash|--init-file|/usr/share/code/shell.sh", person},
		{9, "bash|-O|extglob|+o|posix", person},
		{9, "fish|-C|set x", person},
		{9, "pwsh|-NoLogo", person},
		{9, "bash|--", person},
		{9, "sh|-", person},
		{1, "bash", person},

		{9, "sshd: ann@pts/0", starter},
		{9, "tmux: server", starter},
		{9, "tmux|new|-s|x", starter},
		{9, "/usr/sbin/cron|-f", starter},
		{9, "", starter},

		{1, "/sbin/init", adopter},
		{1, "node|server.js", adopter},
		{9, "/usr/lib/systemd/systemd|--user", adopter},
	}
	for _, tt := range tests {
		a := process.Ancestor{ID: process.ID{PID: tt.pid}}
		if tt.args != "" {
			a.Args = strings.Split(tt.args, "|")
		}
		if got := kindOf(&a); got != tt.want {
			t.Errorf("%d %s: %d, want %d", tt.pid, tt.args, got, tt.want)
		}
	}
}
