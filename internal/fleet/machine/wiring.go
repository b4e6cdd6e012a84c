package machine

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// restoredFor is how long it is reported that wiring was put back.
const restoredFor = 7 * 24 * time.Hour

// checkWiring checks which agents ask checkrein. What it finds is in the next report.
func (a *Agent) checkWiring(ctx context.Context) error {
	now := a.Wiring(ctx)
	return a.saveStatus(func(s *Status) {
		now.Agents = followAgents(s.Agents, now.Agents, time.Now())
		if !reflect.DeepEqual(s.Wiring, now) {
			wake(a.reportNow)
		}
		s.Wiring = now
	})
}

// followAgents returns the states now with what is known from those before: an agent that was wired and is
// not any more has vanished, whoever removed it, until it is wired again.
func followAgents(before, now []protocol.AgentState, at time.Time) []protocol.AgentState {
	same := func(a *protocol.AgentState) func(protocol.AgentState) bool {
		return func(b protocol.AgentState) bool { return a.User == b.User && a.Agent == b.Agent }
	}
	for i := range before {
		b := &before[i]
		n := slices.IndexFunc(now, same(b))
		if n < 0 {
			n = len(now)
			now = append(now, protocol.AgentState{User: b.User, Agent: b.Agent, LastSeen: b.LastSeen, Proven: b.Proven})
		}
		a := &now[n]
		a.Vanished = a.Vanished || !a.Wired && (b.Wired || b.Vanished)
		if a.Restored.IsZero() && at.Sub(b.Restored) < restoredFor {
			a.Restored = b.Restored
		}
	}
	return now
}
