//go:build linux

package endtoend

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDeploy has the programs themselves check the files in deploy.
func TestDeploy(t *testing.T) {
	requireFleet(t)
	bin, err := programs()
	must(t, err)
	deploy, err := filepath.Abs("../../../deploy")
	must(t, err)
	cmd := exec.Command(bin+"/nats-server", "-t", "-c", deploy+"/nats.conf", "-n", "n1")
	cmd.Env = append(os.Environ(), "NATS_PASSWORD=secret")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("nats.conf: %v\n%s", err, out)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skipf("the unit is not checked: %v", err)
	}
	unit, err := os.ReadFile(deploy + "/checkrein-hub.service")
	must(t, err)
	file := filepath.Join(t.TempDir(), "checkrein-hub.service")
	must(t, os.WriteFile(file, bytes.ReplaceAll(unit, []byte("/usr/bin/checkrein-hub"), []byte(bin+"/checkrein-hub")), 0o600))
	if out, err := exec.Command("systemd-analyze", "verify", file).CombinedOutput(); err != nil {
		t.Errorf("checkrein-hub.service: %v\n%s", err, out)
	}
}
