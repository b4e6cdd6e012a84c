// Package doctor finds what would keep hooks from doing what their authors
// meant, before it matters: it looks at what is configured, runs each hook once
// with a harmless payload, and looks at the machine around them.
//
// What it can find is a table, [Checks]. Each finding names its row, what was
// found and what to do about it.
package doctor

import (
	"reflect"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A Level describes how bad a finding is. The zero Level is the usual one of its row.
type Level uint8

// The levels.
const (
	Usual Level = iota
	Info        // to know
	Warn        // probably not meant
	Error       // something does not work, or a gate would not protect
)

// String returns info, warn or error.
func (l Level) String() string { return [...]string{"", "info", "warn", "error"}[l] }

// MarshalText writes the level as String does.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// A Check is a row of the table.
type Check struct {
	ID       string
	Area     string           // what it looks at: hooks, configuration, hosts, …
	Level    Level            // unless the finding says another
	What     string           // what it finds
	Remedies []message.Remedy // unless the finding says another
}

// A Finding is something that a check found. Its message may quote files:
// whoever prints it makes them visible.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	Area   string `json:"area"`
	Hook   string `json:"hook,omitempty"`
	Event  string `json:"event,omitempty"`
	Origin string `json:"origin,omitempty"` // file:line
	message.Message
}

// A Ran is a hook that was run.
type Ran struct {
	Hook   string        `json:"hook"`
	Event  string        `json:"event"`
	Origin string        `json:"origin"`
	Shows  string        `json:"shows"`
	Took   time.Duration `json:"took_ns"`
	Said   string        `json:"said"` // its decision, or that it failed
	// Aside is set if the hook would not be asked about this harmless event: that it ran
	// shows that it can, and what it decided says nothing.
	Aside bool `json:"aside,omitempty"`
}

// A Report is what was found. It is for one goroutine.
type Report struct {
	Ran         []Ran     `json:"ran"`
	Findings    []Finding `json:"findings"`
	Interrupted bool      `json:"interrupted,omitempty"` // the caller gave up: hooks were left out
}

// NewReport has lists that are empty in JSON as well.
func NewReport() *Report { return &Report{Ran: []Ran{}, Findings: []Finding{}} }

// Find adds a finding of a row. What f leaves out is taken from the row.
func (r *Report) Find(id string, f Finding) {
	row := named(id)
	f.Check, f.Area = row.ID, row.Area
	if f.Level == Usual {
		f.Level = row.Level
	}
	if f.What == "" {
		f.What = row.What
	}
	if len(f.Remedies) == 0 {
		f.Remedies = row.Remedies
	}
	if !slices.ContainsFunc(r.Findings, func(g Finding) bool { return reflect.DeepEqual(f, g) }) {
		r.Findings = append(r.Findings, f)
	}
}

// Count returns how many errors and warnings there are.
func (r *Report) Count() (errors, warnings int) {
	for i := range r.Findings {
		switch r.Findings[i].Level {
		case Error:
			errors++
		case Warn:
			warnings++
		}
	}
	return errors, warnings
}

// Verdict is the report in a few words: healthy, or how many errors and warnings
// there are.
func (r *Report) Verdict() string {
	errors, warnings := r.Count()
	switch {
	case r.Interrupted:
		return "interrupted"
	case errors == 0 && warnings == 0:
		return "healthy"
	case errors == 0:
		return term.Count(warnings, "warning")
	case warnings == 0:
		return term.Count(errors, "error")
	}
	return term.Count(errors, "error") + ", " + term.Count(warnings, "warning")
}

// Sort puts the worst findings first; those of one level stay as they were found.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return int(b.Level) - int(a.Level) })
}

const rewriting = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages

// guards reports whether a hook may stand between an agent and harm: it can
// refuse something, or clean it.
func guards(h *checkrein.Hook) bool {
	return !h.Async && (h.Gate || checkrein.ContractOf(h.On).Effects&(checkrein.CanDeny|rewriting) != 0)
}

// byGuard is the level of what keeps a hook from its work.
func byGuard(h *checkrein.Hook) Level {
	if guards(h) {
		return Error
	}
	return Warn
}

// hooksOf lists the hooks that people wrote: not those that stand for a broken
// file, nor what nobody asked for.
func hooksOf(k *app.Kit) []*checkrein.Hook {
	var out []*checkrein.Hook
	all := k.Hooks()
	for i := range all {
		if h := &all[i]; !h.Implied && !(h.Run == "" && h.ID == lostFile) {
			out = append(out, h)
		}
	}
	return out
}

// lostFile is what a hook is called that stands for a broken file.
const lostFile = "configuration"
