// Package doctor finds what would keep hooks from doing what their authors meant, before it matters:
// it checks the configuration, runs each hook once with a harmless payload, and checks the machine
// around them.
//
// [Checks] is the table of what it can find. Each finding names its row, what was found and what to do
// about it.
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

// A Level is the severity of a finding. The zero Level is that of its row.
type Level uint8

// Levels of findings.
const (
	// the level of the row
	Usual Level = iota
	Info        // good to know
	Warn        // probably unintended
	Error       // something does not work, or a gate would not protect
)

// String returns info, warn or error.
func (l Level) String() string { return [...]string{"", "info", "warn", "error"}[l] }

// MarshalText returns the level as String does.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// A Check is a row of the table.
type Check struct {
	ID       string
	Area     string           // what it checks: hooks, configuration, hosts, …
	Level    Level            // unless the finding sets another
	What     string           // what it finds
	Remedies []message.Remedy // unless the finding has others
}

// A Finding is something that a check found. Its message may quote files; it must be made visible
// before it is printed.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	Area   string `json:"area"`
	Hook   string `json:"hook,omitempty"`
	Event  string `json:"event,omitempty"`
	Origin string `json:"origin,omitempty"` // file:line
	message.Message
}

// A Run is one run of a hook.
type Run struct {
	Hook   string        `json:"hook"`
	Event  string        `json:"event"`
	Origin string        `json:"origin"`
	Shows  string        `json:"shows"`
	Took   time.Duration `json:"took_ns"`
	Said   string        `json:"said"` // its decision, or that it failed
	// Aside is set if the hook does not match this harmless event: the run shows that it can run, and
	// its decision means nothing.
	Aside bool `json:"aside,omitempty"`
}

// A Report has the findings. It is not safe for concurrent use.
type Report struct {
	Ran         []Run     `json:"ran"`
	Findings    []Finding `json:"findings"`
	Interrupted bool      `json:"interrupted,omitempty"` // the caller cancelled: some hooks were not run
}

// NewReport returns a report whose empty lists are empty in JSON too.
func NewReport() *Report { return &Report{Ran: []Run{}, Findings: []Finding{}} }

// Add adds a finding of a row. Fields that f leaves out are taken from the row.
func (r *Report) Add(id string, f Finding) {
	row := checkByID(id)
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

// Count returns the number of errors and warnings.
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

// Verdict returns the report in a few words: healthy, or the number of errors and warnings.
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

// Sort sorts findings by level, worst first; those of one level stay in order.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return int(b.Level) - int(a.Level) })
}

// rewriteEffects are the effects that rewrite something.
const rewriteEffects = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages

// isGuard reports whether a hook may protect against harm: it can refuse something, or redact it.
func isGuard(h *checkrein.Hook) bool {
	return !h.Async && (h.Gate || checkrein.ContractOf(h.On).Effects&(checkrein.CanDeny|rewriteEffects) != 0)
}

// levelFor returns the level of a finding that keeps a hook from working.
func levelFor(h *checkrein.Hook) Level {
	if isGuard(h) {
		return Error
	}
	return Warn
}

// declaredHooks returns the hooks that people wrote: not those that stand for a broken file, and not
// implied ones.
func declaredHooks(k *app.Kit) []*checkrein.Hook {
	var out []*checkrein.Hook
	all := k.Hooks()
	for i := range all {
		if h := &all[i]; !h.Implied && !(h.Run == "" && h.ID == lostFile) {
			out = append(out, h)
		}
	}
	return out
}

// lostFile is the id of a hook that stands for a broken file.
const lostFile = "configuration"
