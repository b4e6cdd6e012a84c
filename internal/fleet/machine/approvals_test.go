package machine

import (
	"os"
	"path/filepath"
	"testing"
)

// TestVersionFollowsFreeze checks that what waits is reported again when a freeze begins and when it ends,
// since the calls that it denied cease to wait.
func TestVersionFollowsFreeze(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	freeze := filepath.Join(dir, "freeze.yaml")
	before := versionOf(dir, freeze)
	if err := os.WriteFile(freeze, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	frozen := versionOf(dir, freeze)
	if err := os.Remove(freeze); err != nil {
		t.Fatal(err)
	}
	if after := versionOf(dir, freeze); frozen == before || after == frozen {
		t.Errorf("before %q, frozen %q, after %q", before, frozen, after)
	}
}
