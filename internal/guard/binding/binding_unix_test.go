//go:build unix

package binding

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/study"
	"path/filepath"
	"syscall"
	"testing"
)

// TestForCallDoesNotBlockOnPipe checks that a pipe without a writer, which a call names, does not
// block.
func TestForCallDoesNotBlockOnPipe(t *testing.T) {
	t.Parallel()
	home := guardtest.TempDir(t)
	if err := syscall.Mkfifo(filepath.Join(home, "x.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	ev := guardtest.ShellEvent("Bash", "command", "kubectl delete -f x.yaml")
	if b := ForCall(&ev, study.CallEnv{Dir: home, Home: home}); len(b.Deeds) != 1 {
		t.Errorf("%+v", b)
	}
	if text, ok := readRegular(filepath.Join(home, "x.yaml"), 1); ok {
		t.Errorf("a pipe holds %q", text)
	}
}
