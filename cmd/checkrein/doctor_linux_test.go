package main

import (
	"strings"
	"testing"
)

// A ledger that cannot be written is found before a decision is lost.
func TestDoctorOnReadOnlyState(t *testing.T) {
	t.Parallel()
	out := onMount(t, guardOnMount+`
say ls
mount -o remount,ro "$HOME"
echo READONLY; cd /; checkrein doctor --no-run || echo EXIT $?
`)
	_, ro, _ := strings.Cut(out, "READONLY")
	if !strings.Contains(ro, "ledger-not-writable") || !strings.Contains(ro, "read-only") || !strings.Contains(ro, "EXIT 1") {
		t.Errorf("on a read-only file system: %s", ro)
	}
}
