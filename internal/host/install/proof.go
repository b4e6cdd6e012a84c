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

// A Proof reports what is known of the build of a host on this machine.
type Proof struct {
	State     State            `json:"state"`
	Time      *time.Time       `json:"time,omitempty"`
	Version   string           `json:"version,omitempty"`   // of the build that was proven
	Mode      string           `json:"mode,omitempty"`      // how it was run
	Checkrein string           `json:"checkrein,omitempty"` // the build that proved it
	Why       string           `json:"why,omitempty"`       // why the shipped rows apply
	Stale     bool             `json:"stale,omitempty"`     // another build was proven
	Broken    *message.Message `json:"broken,omitempty"`    // why the proof does not count
	SHA256    string           `json:"sha256,omitempty"`    // of the program that was proven
	Lost      *message.Message `json:"lost,omitempty"`      // set if an earlier proof is no longer stored
	// Rows are the results of all modes together.
	Rows map[capability.Row]capability.Result `json:"rows,omitempty"`
	// Unhonoured are the rows that this build was seen not to honour although others do.
	Unhonoured []UnhonouredRow `json:"not_honoured,omitempty"`
}

// An UnhonouredRow is an effect that a build was seen not to honour.
type UnhonouredRow struct {
	Row  capability.Row `json:"row"`
	What string         `json:"what"` // what it did instead; completes a sentence that begins with the host's name
	When time.Time      `json:"when"`
	Work bool           `json:"work,omitempty"` // observed in real work, not by a proof
	Gate bool           `json:"gate,omitempty"` // it ran what was denied
}

// Sentence describes the row for users.
func (u *UnhonouredRow) Sentence(title, version string) string {
	if version != "" {
		title += " " + version
	}
	how := "as checkrein prove showed on "
	if u.Work {
		how = "as was seen at work on "
	}
	return title + " " + u.What + ", " + how + u.When.Local().Format(time.DateOnly)
}

// IgnoresDenials reports whether the host was seen to run what was denied.
func (p *Proof) IgnoresDenials() bool {
	return slices.ContainsFunc(p.Unhonoured, func(u UnhonouredRow) bool { return u.Gate })
}

// HostProgram returns the path of the host's own program in the user's PATH, "" if it is not there.
func (m *Machine) HostProgram(name string) string {
	if s, _, err := m.findSpec(name); err == nil {
		return m.specProgram(s)
	}
	return ""
}

func (m *Machine) specProgram(s *Spec) string {
	for _, p := range s.Programs {
		if path := m.lookPath(p); path != "" {
			return path
		}
	}
	return ""
}

// NoteProgram records which build of a host is installed, so that the start of a session can detect an
// update.
func (m *Machine) NoteProgram(name string) error {
	path := m.HostProgram(name)
	if path == "" {
		return nil
	}
	now, err := capability.InspectProgram(path)
	if err != nil {
		return err
	}
	known, err := m.Caps.Load(name)
	if err != nil || known.Program.Path == path && known.Program.SameBuild(&now) {
		return err
	}
	return m.Caps.Change(name, func(l *capability.Ledger) { l.Program = now })
}

// LoadStanding returns what is known of the build of a host on this machine. The error is why stored
// proofs do not count.
func (m *Machine) LoadStanding(name string) (capability.Standing, error) {
	known, err := m.Caps.Load(name)
	return m.standingOf(name, &known), err
}

func (m *Machine) standingOf(name string, known *capability.Ledger) capability.Standing {
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

// proofOf returns what was proven of a host.
func (m *Machine) proofOf(s *Spec, h *wire.Host) Proof {
	known, err := m.Caps.Load(s.Name)
	at := m.standingOf(s.Name, &known)
	p := Proof{State: No, Why: at.Why, Stale: at.State == capability.Stale, Rows: at.Rows(), Lost: m.Caps.LostProof(&known)}
	if err != nil {
		if !errors.Is(err, capability.ErrBroken) {
			err = fmt.Errorf("what was proven of %s cannot be read: %w", h.Title, err)
		}
		broken := message.Of(err)
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

// claimsEffect reports whether the shipped rows of a host claim that it honours the effect of f.
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
