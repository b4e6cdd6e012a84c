package install

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/message"
)

// A Proof describes what is proven about the build of a host on this machine.
type Proof struct {
	State     State            `json:"state"`
	Time      *time.Time       `json:"time,omitempty"`
	Version   string           `json:"version,omitempty"`   // the host's version at the proof
	Mode      string           `json:"mode,omitempty"`      // how it was run
	Checkrein string           `json:"checkrein,omitempty"` // the build of checkrein that made the proof
	Why       string           `json:"why,omitempty"`       // why the shipped rows apply
	Stale     bool             `json:"stale,omitempty"`     // another build was proven
	Broken    *message.Message `json:"broken,omitempty"`    // why the proof does not count
	SHA256    string           `json:"sha256,omitempty"`    // of the host's program at the proof
	Lost      *message.Message `json:"lost,omitempty"`      // set if an earlier proof is no longer stored
	// Rows holds the results of all modes.
	Rows map[capability.Row]capability.Result `json:"rows,omitempty"`
	// Unhonoured lists the rows that this build was seen to ignore although others honour them.
	Unhonoured []UnhonouredRow `json:"not_honoured,omitempty"`
}

// An UnhonouredRow is an effect that a build was seen to ignore.
type UnhonouredRow struct {
	Row  capability.Row `json:"row"`
	What string         `json:"what"` // what it did instead; completes a sentence that begins with the host's name
	When time.Time      `json:"when"`
	Work bool           `json:"work,omitempty"` // observed in real work, not by a proof
	Gate bool           `json:"gate,omitempty"` // it ran what was denied
}

// Sentence returns a description of the row for users. version may be "".
func (u *UnhonouredRow) Sentence(title, version string) string {
	if version != "" {
		title += " " + version
	}
	how := "as checkrein prove showed on "
	if u.Work {
		how = "as was observed in real work on "
	}
	return title + " " + u.What + ", " + how + u.When.Local().Format(time.DateOnly)
}

// IgnoresDenials reports whether the host was seen to run a call that was denied.
func (p *Proof) IgnoresDenials() bool {
	return slices.ContainsFunc(p.Unhonoured, func(u UnhonouredRow) bool { return u.Gate })
}

// HostProgram returns the path of the program of the host called name in the user's PATH, or "" if it
// is not there.
func (m *Machine) HostProgram(name string) string {
	if s, _, err := m.findSpec(name); err == nil {
		return m.specProgram(s)
	}
	return ""
}

// specProgram returns the path of the first of s.Programs that is in the user's PATH, or "" if none
// is.
func (m *Machine) specProgram(s *Spec) string {
	for _, p := range s.Programs {
		if path := m.lookPath(p); path != "" {
			return path
		}
	}
	return ""
}

// NoteHostProgram records which build of a host is on this machine, so that an update can be
// detected when a session starts.
func (m *Machine) NoteHostProgram(host string) error {
	path := m.HostProgram(host)
	if path == "" {
		return nil
	}
	now, err := capability.InspectProgram(path)
	if err != nil {
		return err
	}
	known, err := m.Caps.Load(host)
	if err != nil || known.Program.Path == path && known.Program.SameBuild(&now) {
		return err
	}
	return m.Caps.Change(host, func(l *capability.Ledger) { l.Program = now })
}

// LoadStanding returns what is known about the build of a host on this machine. The error explains why
// the stored proofs do not count.
func (m *Machine) LoadStanding(name string) (capability.Standing, error) {
	known, err := m.Caps.Load(name)
	return m.standingFrom(name, &known), err
}

// standingFrom returns what known, the host's stored proofs, implies for the build on this machine.
func (m *Machine) standingFrom(name string, known *capability.Ledger) capability.Standing {
	path := m.HostProgram(name)
	if path == "" {
		path = known.Program.Path
	}
	var now capability.Program
	if path != "" {
		now, _ = capability.InspectProgram(path) // a missing program counts as another build
	}
	return known.StandingOf(now)
}

// loadProof returns what is proven about a host.
func (m *Machine) loadProof(s *Spec, h *wire.Host) Proof {
	known, err := m.Caps.Load(s.Name)
	at := m.standingFrom(s.Name, &known)
	p := Proof{State: No, Why: at.Why, Stale: at.State == capability.Stale, Rows: at.Rows(), Lost: m.Caps.LostProof(&known)}
	if err != nil {
		if !errors.Is(err, capability.ErrBroken) {
			err = fmt.Errorf("the proofs about %s cannot be read: %w", h.Title, err)
		}
		broken := message.FromError(err)
		p.Broken = &broken
	}
	if at.State == capability.Proven {
		p.State = Yes
	}
	if b := at.Last; b != nil {
		when := b.Proven
		p.Time, p.Version, p.Mode, p.Checkrein = &when, b.Version, b.Mode, b.Checkrein
		p.SHA256 = b.Program.SHA256
	}
	for _, d := range at.AllDoubts() {
		f, _ := capability.FactOf(d.Row)
		if d.Effect != 0 && !claimsEffect(h, f) {
			continue // the shipped rows do not claim it either
		}
		p.Unhonoured = append(p.Unhonoured, UnhonouredRow{Row: d.Row, What: d.Why, When: d.When, Work: d.Work, Gate: d.Effect&checkrein.CanDeny != 0 && checkrein.ContractOf(f.Kind).Closed})
	}
	return p
}

// claimsEffect reports whether the host's shipped rows claim that it honours the effect of f.
func claimsEffect(h *wire.Host, f *capability.Fact) bool {
	for i := range h.Events {
		for _, r := range h.Events[i].Rows {
			if r.Kind == f.Kind && r.Honours&f.Effect != 0 {
				return true
			}
		}
	}
	return false
}
