package base

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A refusal does not suggest self_approve if it is set, even for an agent whose files are unknown,
// which may approve nothing.
func TestSelfApproveIsNotOfferedTwice(t *testing.T) {
	t.Parallel()
	for set, offered := range map[string]bool{"": true, "self_approve: false\n": true, "self_approve: true\n": false} {
		home := t.TempDir()
		dir := filepath.Join(home, ".config", "checkrein")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "checkrein.yaml"), []byte("version: 1\n"+set), 0o600); err != nil {
			t.Fatal(err)
		}
		env := &console.Env{Dir: home, Environ: []string{"HOME=" + home}, Account: home, Managed: t.TempDir()}
		left, other := leftToAgents(env, ByHandOrLeft, state.NewDir(t.TempDir()), &liveagents.Host{})
		if left || strings.Contains(other, "or set self_approve") != offered || other == "" {
			t.Errorf("%q: %v %q", set, left, other)
		}
	}
}
