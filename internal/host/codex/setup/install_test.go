package setup

import (
	"testing"

	"github.com/checkrein/checkrein/internal/host/install"
)

// TestHookStateHash compares the hash with that of a real Codex 0.166.0.
func TestHookStateHash(t *testing.T) {
	t.Parallel()
	e := install.Entry{Event: "PreToolUse", Command: "/tmp/in-bin/checkrein hook codex --within 590", Timeout: 600}
	if got := HookStateHash(e); got != "sha256:46468db81ee82e2da6f0b93a370bd60a68c9961606e50ce5ff7fb90609aeabf7" {
		t.Errorf("got %s", got)
	}
}
