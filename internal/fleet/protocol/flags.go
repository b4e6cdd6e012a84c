package protocol

import (
	"fmt"
	"strings"
	"time"
)

// Kinds of flags.
const (
	FlagGap     = "gap"     // records are missing or were changed, or a ledger is not uploaded
	FlagSilence = "silence" // the machine, or an agent on it, says nothing
	FlagWiring  = "wiring"  // an agent does not ask any more
	FlagGuards  = "guards"  // guards are weaker than by default
	FlagProof   = "proof"   // an agent was updated since it was proven
	FlagBundle  = "bundle"  // the hub's bundle is not active
)

// A Flag is something about a machine that people should look at.
type Flag struct {
	Kind string    `json:"kind"`
	Text string    `json:"text"`
	Time time.Time `json:"time"` // when it was last so
}

// flagFor is how long something that happened is flagged.
const flagFor = 7 * 24 * time.Hour

// Flags returns what people should look at.
func (m *Machine) Flags(now time.Time) (out []Flag) {
	add := func(kind string, at time.Time, format string, args ...any) {
		out = append(out, Flag{kind, fmt.Sprintf(format, args...), at})
	}
	if !m.IsActive() {
		return nil
	}
	seen := m.lastContact()
	if now.Sub(seen) > silentAfter {
		add(FlagSilence, seen, "the machine sends nothing")
	}
	if m.Report.Refused != "" {
		add(FlagBundle, seen, "%s", m.Report.Refused)
	}
	for _, f := range m.Noticed {
		if now.Sub(f.Time) < flagFor {
			out = append(out, f)
		}
	}
	for _, l := range m.Report.Ledgers {
		if l.Fault != "" {
			add(FlagGap, seen, "the ledger of %s is not uploaded: %s", l.User, l.Fault)
		}
	}
	for i := range m.Report.Agents {
		a := &m.Report.Agents[i]
		switch {
		case a.Vanished:
			add(FlagWiring, seen, "%s no longer calls checkrein", a)
		case now.Sub(a.Restored) < flagFor:
			add(FlagWiring, a.Restored, "the wiring of %s had vanished and was restored", a)
		}
		if a.Silent {
			add(FlagSilence, seen, "%s works without asking", a)
		}
		if a.Stale {
			add(FlagProof, a.Proven, "%s was updated since it was proven", a)
		}
	}
	for _, a := range m.Report.Accounts {
		if len(a.Weakened) > 0 {
			add(FlagGuards, seen, "%s: %s", a.User, strings.Join(a.Weakened, "; "))
		}
		if a.Fault != "" {
			add(FlagWiring, seen, "the agents of %s could not be checked: %s", a.User, a.Fault)
		}
	}
	return out
}

// String returns whose agent it is.
func (a *AgentState) String() string {
	if a.User == "" {
		return a.Agent + " for all users"
	}
	return a.Agent + " of " + a.User
}

// lastContact returns when the machine was last heard of.
func (m *Machine) lastContact() time.Time {
	if m.Heard.After(m.Seen) {
		return m.Heard
	}
	return m.Seen
}
