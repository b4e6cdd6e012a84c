package study

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"testing"
)

// What a call leaves open is told, the worst of it.
func TestActsGap(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"ls": "", "rm -rf src": "", "git push": "", "frobnicate": "program",
		`eval "$X"`: "opaque", `frobnicate; eval "$X"`: "opaque", "rm -rf src; frobnicate": "program",
	} {
		ev := guardtest.ShellEvent("Bash", "command", command)
		if acts := Acts(&ev, CallEnv{Dir: "/work", Home: "/home/me"}); acts.Gap != want {
			t.Errorf("%q leaves %q open, want %q", command, acts.Gap, want)
		}
	}
}
