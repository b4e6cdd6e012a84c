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

// A Proof is what is known of the build of a host that is on this machine.
type Proof struct {
	State     State            `json:"state"`
	Time      *time.Time       `json:"time,omitempty"`
	Version   string           `json:"version,omitempty"`   // of the build that was proven
	Mode      string           `json:"mode,omitempty"`      // how it was run
	Checkrein string           `json:"checkrein,omitempty"` // the build that proved it
	Why       string           `json:"why,omitempty"`       // why the shipped rows count
	Stale     bool             `json:"stale,omitempty"`     // another build was proven
	Broken    *message.Message `json:"broken,omitempty"`    // why what was proven does not count
	SHA256    string           `json:"sha256,omitempty"`    // of the program that was proven
	Lost      *message.Message `json:"lost,omitempty"`      // that what was proven is not kept any more
	// Rows are the results, by row, of all modes together.
	Rows map[capability.Row]capability.Result `json:"rows,omitempty"`
	// Not are the rows that this build was seen not to honour although others do.
	Not []Unhonoured `json:"not_honoured,omitempty"`
}

// An Unhonoured is something that a build was seen not to do.
type Unhonoured struct {
	Row  capability.Row `json:"row"`
	What string         `json:"what"` // what it did instead, behind the host's name
	When time.Time      `json:"when"`
	Work bool           `json:"work,omitempty"` // it was seen in real work
	Gate bool           `json:"gate,omitempty"` // it ran what was refused
}

// Says puts it in a sentence, for people.
func (u *Unhonoured) Says(title, version string) string {
	if version != "" {
		title += " " + version
	}
	how := "as checkrein prove showed on "
	if u.Work {
		how = "as was seen at work on "
	}
	return title + " " + u.What + ", " + how + u.When.Local().Format(time.DateOnly)
}

// Ignores reports whether the host was seen to run what was refused.
func (p *Proof) Ignores() bool {
	return slices.ContainsFunc(p.Not, func(u Unhonoured) bool { return u.Gate })
}

// HostProgram is the host's own program in the person's PATH, "" if it is not there.
func (m *Machine) HostProgram(name string) string {
	if s, _, err := m.spec(name); err == nil {
		return m.program(s)
	}
	return ""
}

func (m *Machine) program(s *Spec) string {
	for _, p := range s.Programs {
		if path := m.lookPath(p); path != "" {
			return path
		}
	}
	return ""
}

// NoteProgram keeps which build of a host there is, so that the start of a session can
// tell an update.
func (m *Machine) NoteProgram(name string) error {
	path := m.HostProgram(name)
	if path == "" {
		return nil
	}
	now, err := capability.Look(path)
	if err != nil {
		return err
	}
	known, err := m.Caps.Load(name)
	if err != nil || known.Program.Path == path && known.Program.Same(&now) {
		return err
	}
	return m.Caps.Change(name, func(l *capability.Ledger) { l.Program = now })
}

// Standing is what is known of the build of a host that is on this machine. An error is
// why what was kept of it does not count.
func (m *Machine) Standing(name string) (capability.Standing, error) {
	known, err := m.Caps.Load(name)
	return m.standing(name, &known), err
}

func (m *Machine) standing(name string, known *capability.Ledger) capability.Standing {
	path := m.HostProgram(name)
	if path == "" {
		path = known.Program.Path
	}
	var now capability.Program
	if path != "" {
		now, _ = capability.Look(path) // one that is gone is another
	}
	return known.Of(now)
}

// proof is what was proven of a host.
func (m *Machine) proof(s *Spec, h *wire.Host) Proof {
	known, err := m.Caps.Load(s.Name)
	at := m.standing(s.Name, &known)
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
	for _, d := range at.Doubted() {
		f, _ := capability.FactOf(d.Row)
		if d.Effect != 0 && !claims(h, f) {
			continue // which the shipped rows say too
		}
		p.Not = append(p.Not, Unhonoured{Row: d.Row, What: d.Why, When: d.When, Work: d.Work, Gate: d.Effect&checkrein.CanDeny != 0 && checkrein.ContractOf(f.Kind).Closed})
	}
	return p
}

// claims reports whether a host is said to honour what a row is about.
func claims(h *wire.Host, f *capability.Fact) bool {
	for i := range h.Events {
		for _, r := range h.Events[i].Rows {
			if r.Kind == f.Kind && r.Honours&f.Effect != 0 {
				return true
			}
		}
	}
	return false
}
