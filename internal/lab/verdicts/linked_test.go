package verdicts

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// TestVerdictsLinkedSettings judges writes to a directory to which a link with the name of an agent's
// settings leads. They count as writes of the settings, and other files there do not.
func TestVerdictsLinkedSettings(t *testing.T) {
	g := guardtest.New(t)
	if err := os.Symlink("cfg", filepath.Join(g.Project, ".claude")); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		command string
		stops   bool
	}{
		{`echo '{"disableAllHooks":true}' > cfg/settings.json`, true},
		{`cp x.json cfg/settings.json`, true},
		{`echo x > cfg/notes.md`, false},
		{`echo x > src/settings.json`, false},
	} {
		if v := g.Decide("", tt.command); guardtest.Stops(v.Decision) != tt.stops {
			t.Errorf("%s: %s %s", tt.command, v.Decision, v.Reason)
		}
	}
}
