package selfprotect

import (
	"testing"

	"github.com/checkrein/checkrein"
)

// TestProtectPathsOfFleet checks that what a fleet keeps in the administrator's directory is protected.
func TestProtectPathsOfFleet(t *testing.T) {
	t.Parallel()
	f := newProtectedHome(t)
	const fleet = "/etc/checkrein/fleet"
	for _, command := range []string{
		"rm " + fleet + "/freeze.yaml", "ln -sfn bundles/old " + fleet + "/active", "rm -r " + fleet + "/bundles", "mv " + fleet + " /tmp/x",
		"echo x > " + fleet + "/machine.json", "cp k " + fleet + "/machine.key", "sudo rm " + fleet + "/trial", "tar -xf a.tar -C " + fleet + "/tuf",
		"cd " + fleet + " && sed -i s/deny/allow/ active/checkrein.yaml",
	} {
		if v := f.judge("Bash", map[string]any{"command": command}); v.Decision != checkrein.Deny {
			t.Errorf("%s: %s %s", command, v.Decision, v.Reason)
		}
	}
	if v := f.judge("Write", map[string]any{"file_path": fleet + "/active/hooks/x/run.sh", "content": "exit 0"}); v.Decision != checkrein.Deny {
		t.Errorf("Write: %s", v.Decision)
	}
}
