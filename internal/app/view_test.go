package app_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
)

// A long-running kit notices what the user does meanwhile in another process: approve, revoke, hooks
// off and hooks on.
func TestLongRunningKitSeesChanges(t *testing.T) {
	t.Parallel()
	home, root := t.TempDir(), t.TempDir()
	config := "version: 1\nhooks:\n  pre_tool_use:\n    - {name: guard, type: rule, decision: deny, reason: 'no'}\n"
	if err := os.WriteFile(filepath.Join(root, "checkrein.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		open := func() *app.Kit {
			k, err := app.Open(app.Options{Dir: root, State: filepath.Join(home, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + home}})
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		long, person := open(), open()
		ev := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", Input: []byte(`{"cmd":"ls"}`)}}
		policy := long.Policy()
		steps := []struct {
			name string
			do   func() error
			want checkrein.Decision
		}{
			{"before", func() error { return nil }, checkrein.NoOpinion},
			{"approve", func() error { _, err := person.Approve(nil); return err }, checkrein.Deny},
			{"off", func() error { return person.SetOn(false) }, checkrein.NoOpinion},
			{"on", func() error { return person.SetOn(true) }, checkrein.Deny},
			{"revoke", func() error {
				_, err := person.Revoke(func(approval.Approval) bool { return true })
				return err
			}, checkrein.NoOpinion},
		}
		for _, s := range steps {
			if err := s.do(); err != nil {
				t.Fatal(err)
			}
			if got := person.Decide(t.Context(), ev).Verdict.Decision; got != s.want {
				t.Errorf("%s: who did it decides %v, want %v", s.name, got, s.want)
			}
			time.Sleep(time.Second) // in the test's synthetic time
			if got := long.Decide(t.Context(), ev).Verdict.Decision; got != s.want {
				t.Errorf("%s: another kit decides %v, want %v", s.name, got, s.want)
			}
			asBefore := s.name == "before" || s.name == "revoke" // approvals and the switch are part of the policy
			if long.IsOn() == (s.name == "off") || (long.Policy() == policy) != asBefore {
				t.Errorf("%s: on %v, policy %s", s.name, long.IsOn(), long.Policy())
			}
		}
		// Approvals that cannot be read close gates, with a notice.
		if err := os.WriteFile(filepath.Join(home, "state", "trust.json"), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if out := long.Decide(t.Context(), ev); out.Verdict.Decision != checkrein.Deny || len(out.Verdict.Notice) == 0 {
			t.Errorf("with damaged approvals: %+v", out.Verdict)
		}
	})
}
