package selfprotect

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestPatternFindsOwnInBigDirectory checks that a pattern for names next to checkrein's directory
// matches none of its files, however many there are.
func TestPatternFindsOwnInBigDirectory(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	own := filepath.Join(top, ".cache", "checkrein")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range maxOwnFiles + 1 {
		if err := os.WriteFile(filepath.Join(own, strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string]bool{
		"x*": false, "*.txt": false, ".cache/x*": false, ".config/*/*": false,
		"*": true, ".c*": true, ".cache/*": true, ".cache/check*": true, ".cache/checkrein/*": true,
	} {
		if got := patternFindsOwn(top, pattern, own, nil); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}
