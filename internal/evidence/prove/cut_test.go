package prove

import (
	"fmt"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
)

// A run that was stopped shows nothing about what would have followed. On a slow machine, no host is
// blamed for what it had no time to do.
func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	known, _ := host.Find("claude")
	began := []string{"shell", "deny-shell", "protect-write", "protect-shell", "protect-command"}
	for _, tt := range []struct {
		name        string
		told, stops int
		want        map[capability.Row]capability.Result
	}{
		{"before the last call came back", 0, 0, map[capability.Row]capability.Result{
			capability.DenyShell: capability.NotShown, capability.ContextSession: capability.NotShown, capability.ContextResult: capability.NotShown,
			capability.StopBlocked: capability.NotShown, capability.StopCap: capability.NotShown, capability.SelfProtection: capability.NotShown,
		}},
		{"while it was kept going", 2, 2, map[capability.Row]capability.Result{capability.StopBlocked: capability.Honoured, capability.StopCap: capability.NotShown}},
		{"after it was let stop", 3, 4, map[capability.Row]capability.Result{capability.StopBlocked: capability.Honoured, capability.StopCap: capability.NotShown}},
		{"after it went on for long", 3, 40, map[capability.Row]capability.Result{capability.StopBlocked: capability.Honoured, capability.StopCap: capability.NotHonoured}},
	} {
		o := &observation{w: &testSpace{Space: &hostlab.Space{Host: &hostlab.Host{}, Project: t.TempDir()}, known: known}}
		o.work.play = newPlayer(nil, nil, "", nil)
		for i, s := range began {
			o.work.play.turns[s] = i
		}
		o.work.res.TimedOut = true
		q := mockmodel.Request{Protocol: "test"}
		for i := range tt.told {
			q.Body = fmt.Appendf(q.Body, "%s\n(attempt %d of 3)\n", goOn, i+1)
		}
		o.work.res.Record = mockmodel.Record{q}
		for range tt.stops {
			o.work.records = append(o.work.records, record.Record{Event: "stop", Decision: "deny"})
		}
		for _, row := range proofRows {
			want, ok := tt.want[row.id]
			if !ok {
				continue
			}
			if got := row.check(o); got.Result != want {
				t.Errorf("%s: %s: %s (%s), want %s", tt.name, row.id, got.Result, got.Said, want)
			}
		}
	}
}
