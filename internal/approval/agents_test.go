package approval

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// Two agents of one file have separate approvals. Neither makes those of the other look changed or
// vanished.
func TestAgentsOfOneFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := ledger.SealedDir(state.NewDir(filepath.Join(root, "state")))
	hook := func(agent, command string) checkrein.Hook {
		return checkrein.Hook{ID: "#1", On: checkrein.PreToolUse, Run: "command", With: []byte(`{"command":"` + command + `"}`), Dialect: "docker-agent",
			From: checkrein.Origin{Scope: checkrein.ScopeProject, File: filepath.Join(root, "agent.yaml"), Line: 1, Agent: agent, Approval: true}}
	}
	all := map[string]checkrein.Hook{"": hook("", "true"), "helper": hook("helper", "false")}
	for _, agent := range []string{"", "helper"} {
		if _, err := Approve(dir, placeAt(root), time.Now(), []checkrein.Hook{all[agent]}, func(*checkrein.Hook) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	for _, agent := range []string{"", "helper"} {
		s, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		h := all[agent]
		s.SetPlace(placeAt(root))
		s.Bind([]checkrein.Hook{h})
		if state, why, _ := s.Check(&h); state != Approved {
			t.Errorf("agent %q: %v, %s", agent, state, why)
		}
		if gone := s.VanishedApprovals(ConfigRead{Read: []string{h.From.File}}); len(gone) != 0 {
			t.Errorf("agent %q: %v", agent, gone)
		}
		// The same hook in the other agent's hands is another one.
		h.From.Agent = map[string]string{"": "helper", "helper": ""}[agent]
		s.Bind([]checkrein.Hook{h})
		if state, _, _ := s.Check(&h); state == Approved {
			t.Errorf("what agent %q may run, another one runs", agent)
		}
	}
}
