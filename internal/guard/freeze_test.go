package guard

import (
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/conduct"
)

func TestFreeze(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	now := m.env.Now()
	for _, tt := range []struct {
		name string
		end  time.Duration
		kind checkrein.Kind
		want checkrein.Decision
	}{
		{"before its end", time.Second, checkrein.PreToolUse, checkrein.Deny},
		{"a permission", time.Hour, checkrein.PermissionRequest, checkrein.Deny},
		{"at its end", 0, checkrein.PreToolUse, checkrein.NoOpinion},
		{"after its end", -time.Hour, checkrein.PreToolUse, checkrein.NoOpinion},
		{"no tool", time.Hour, checkrein.PostToolUse, checkrein.NoOpinion},
	} {
		end := now.Add(tt.end).UTC().Format(time.RFC3339Nano)
		got, err := m.handle(checkrein.Event{Kind: tt.kind}, "freeze", "until="+end, "by=ada", "reason=an incident")
		if err != nil || got.Decision != tt.want {
			t.Errorf("%s: %v, %v", tt.name, got.Decision, err)
		}
		if tt.want == checkrein.Deny && (!strings.Contains(got.Reason, "by ada: an incident") || !strings.Contains(got.Reason, "until 20")) {
			t.Errorf("%s: the reason is %q", tt.name, got.Reason)
		}
	}
	for _, args := range [][]string{nil, {"by=ada"}, {"until=tomorrow"}, {"2030-01-31T18:00:00Z"}} {
		if _, err := conduct.NewFreeze(args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
