//go:build unix

package approval

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/checkrein/checkrein"
)

// A pipe in the place of a script does not block the check, although nothing is ever written to it.
func TestPipe(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"./guard", "bash guard", "bash <guard"} {
		p := newProject(t)
		p.write("guard", "#!/bin/sh\n")
		h := commandHook(p.root, "guard", command)
		p.approve(h)
		if err := os.Remove(p.path("guard")); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(p.path("guard"), 0o755); err != nil {
			t.Fatal(err)
		}
		if got, why, _ := p.store(h).Check(&h); got != Changed || why.What != "guard is not a regular file" {
			t.Errorf("%s: got %d %q", command, got, why)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	p := newProject(t)
	p.write("guard.sh", "true")
	h := commandHook(p.root, "guard", "./guard.sh")
	p.approve(h)
	if err := os.Chmod(p.path("guard.sh"), 0o100); err != nil {
		t.Fatal(err)
	}
	p.checkStates([]checkrein.Hook{h}, Changed)
	if _, err := Approve(p.dir, placeAt(p.root), noon(), []checkrein.Hook{h}, nil); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("approve: %v", err)
	}
}

// JSON cannot represent such a path, and an approval that is decoded differently would approve
// nothing.
func TestNotUTF8(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	if err := os.WriteFile(p.path("\xff.sh"), nil, 0o644); err != nil {
		t.Skip("the file system refuses such names:", err)
	}
	h := commandHook(p.root, "guard", "true")
	h.With = []byte("{\"command\":\"sh $'\\xff.sh'\"}")
	if list, err := Approve(p.dir, placeAt(p.root), noon(), []checkrein.Hook{h}, nil); err == nil && len(list) > 0 && len(list[0].Parts) > 0 {
		t.Error("approved")
	}
	h.From.File = p.path("\xff.yaml")
	if _, err := Approve(p.dir, placeAt(p.root), noon(), []checkrein.Hook{h}, nil); err == nil || !strings.Contains(err.Error(), "not UTF-8") {
		t.Errorf("approve: %v", err)
	}
}
