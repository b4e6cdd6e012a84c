package process

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestRunOffline checks that a program gets another network than this process, without any interface
// that is up.
func TestRunOffline(t *testing.T) {
	t.Parallel()
	s := shellSpec("readlink /proc/self/ns/net; grep -c LOCAL /proc/net/fib_trie; id -u; stat -c %u /; sleep 300 >/dev/null 2>&1 & echo $!")
	s.Offline = true
	res, err := Run(t.Context(), s)
	if err != nil {
		t.Skipf("SKIPPED, NOTHING WAS PROVEN: this system gives nobody a network of his own: %v", err)
	}
	lines := strings.Fields(string(res.Stdout))
	ours, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 5 || lines[0] == ours || lines[1] != "0" { // it has no local address
		t.Errorf("got %q, our network is %s", lines, ours)
	}
	own, err := exec.Command("id", "-u").Output()
	if err != nil || lines[2] != strings.TrimSpace(string(own)) {
		t.Errorf("became user %s, was %s, %v", lines[2], own, err)
	}
	if os.Geteuid() == 0 && lines[3] != "0" {
		t.Errorf("root does not know the owner of /: %s", lines[3])
	}
	wantRunning(t, parsePIDs(t, []byte(lines[4]), 1)[0])
}

// TestRunOfflineDeadline checks that a program and its descendants in another user namespace are
// killed.
func TestRunOfflineDeadline(t *testing.T) {
	t.Parallel()
	s := shellSpec("setsid sleep 300 & pid=$!; trap '' TERM; echo up; echo $pid $$; while :; do sleep 1; done")
	s.Offline = true
	if _, err := Run(t.Context(), Spec{Argv: []string{"true"}, Offline: true}); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS PROVEN: this system gives nobody a network of his own: %v", err)
	}
	res, _ := runUntilUp(t, s)
	for _, pid := range parsePIDs(t, res.Stdout, 2) {
		wantGone(t, pid)
	}
}
