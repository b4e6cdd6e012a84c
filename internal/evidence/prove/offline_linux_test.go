package prove_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// offline runs the command in its words in a network that has loopback alone.
const offline = `ip link set lo up && exec "$@"`

// TestOffline proves a host on a machine without a network. All rows are shown.
func TestOffline(t *testing.T) {
	alone := func(args ...string) *exec.Cmd {
		return exec.Command("unshare", append([]string{"-rn", "sh", "-c", offline, "sh"}, args...)...)
	}
	routes, err := alone("ip", "route").CombinedOutput()
	if err != nil {
		t.Skipf("SKIPPED: this machine cannot take the network from a program (it needs unshare, ip and user namespaces), so a proof without one was not tried: %v: %s", err, routes)
	}
	if len(routes) > 0 {
		t.Fatalf("there is a way out all the same:\n%s", routes)
	}
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	home, tmp, bin := t.TempDir(), t.TempDir(), t.TempDir()
	faketest.Put(t, program, filepath.Join(bin, "claude"), fakehost.Build{})
	cmd, out := alone(filepath.Join(programs, "checkreind"), "prove", "claude"), new(bytes.Buffer)
	cmd.Dir, cmd.Stdout, cmd.Stderr = home, out, out
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + tmp, "PATH=" + bin + ":" + os.Getenv("PATH")}
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "25 of 25 rows are honoured") {
		t.Errorf("%v\n%s", err, out)
	}
}
