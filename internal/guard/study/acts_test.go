package study

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"testing"
)

// TestActsGap checks that the most important gap of a call is reported.
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
