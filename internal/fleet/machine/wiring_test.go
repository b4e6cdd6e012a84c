package machine

import (
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

func TestFollowAgents(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 5, 1, 0, 0, 0, 0, time.UTC)
	type state = protocol.AgentState
	for _, tt := range []struct {
		name         string
		before, now  state // without an agent: there is none
		wantVanished bool
		wantRestored time.Time
	}{
		{"wired", state{Agent: "a", Wired: true}, state{Agent: "a", Wired: true}, false, time.Time{}},
		{"removed with its record", state{Agent: "a", Wired: true}, state{Agent: "a"}, true, time.Time{}},
		{"no trace of it", state{Agent: "a", Wired: true}, state{}, true, time.Time{}},
		{"still missing", state{Agent: "a", Vanished: true}, state{Agent: "a"}, true, time.Time{}},
		{"wired again", state{Agent: "a", Vanished: true}, state{Agent: "a", Wired: true}, false, time.Time{}},
		{"never wired", state{Agent: "a"}, state{Agent: "a"}, false, time.Time{}},
		{"put back lately", state{Agent: "a", Wired: true, Restored: now.Add(-time.Hour)}, state{Agent: "a", Wired: true}, false, now.Add(-time.Hour)},
		{"put back long ago", state{Agent: "a", Wired: true, Restored: now.Add(-30 * 24 * time.Hour)}, state{Agent: "a", Wired: true}, false, time.Time{}},
	} {
		var list []state
		if tt.now.Agent != "" {
			list = append(list, tt.now)
		}
		got := followAgents([]state{tt.before}, list, now)
		if len(got) != 1 || got[0].Vanished != tt.wantVanished || !got[0].Restored.Equal(tt.wantRestored) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	if got := followAgents([]state{{User: "x", Agent: "a", Wired: true}}, []state{{User: "y", Agent: "a", Wired: true}}, now); len(got) != 2 || got[0].Vanished || !got[1].Vanished {
		t.Errorf("agents of two users: %+v", got)
	}
}
