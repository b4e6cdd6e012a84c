//go:build unix

package guard

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe without a writer, which a call names, holds nothing up.
func TestBindReadsPipe(t *testing.T) {
	t.Parallel()
	home := realTemp(t)
	if err := syscall.Mkfifo(filepath.Join(home, "x.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	ev := shellEvent("Bash", "command", "kubectl delete -f x.yaml")
	if b := Bind(&ev, Ground{Dir: home, Home: home}); len(b.Deeds) != 1 {
		t.Errorf("%+v", b)
	}
	if text, ok := readNow(filepath.Join(home, "x.yaml"), 1); ok {
		t.Errorf("a pipe holds %q", text)
	}
}
