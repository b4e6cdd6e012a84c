// Package doctor finds what would keep hooks from doing what their authors meant, before it matters.
// It checks the configuration, runs each hook once with a harmless payload, and checks the machine
// around them.
//
// [Checks] is the table of what it can find. Each finding has the id of its check, what was found, and
// what to do about it.
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

// A Level is the severity of a finding. The zero Level stands for that of the finding's check.
type Level uint8

// Levels of findings.
const (
	// Usual is the level of the finding's check.
	Usual Level = iota
	Info        // good to know
	Warn        // probably unintended
	Error       // something does not work, or a gate would not protect
)

// String returns info, warn or error, or "" for the zero Level.
func (l Level) String() string { return [...]string{"", "info", "warn", "error"}[l] }

// MarshalText returns the level as String does.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// A Check is a row of the table of checks.
type Check struct {
	ID       string
	Area     string           // the part of the machine that it checks: hooks, configuration, hosts, …
	Level    Level            // the level of findings that set none
	What     string           // what it finds
	Remedies []message.Remedy // the remedies of findings that have none
}

// A Finding is something that a check found. Its message may quote files, so it must be passed through
// package visible before it is printed.
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
	Said   string        `json:"said"` // its decision, or "failed"
	// Aside is set if the hook's conditions do not match this harmless event. The run then shows only
	// whether the hook can run, and its decision means nothing.
	Aside bool `json:"aside,omitempty"`
}

// A Report holds the runs and findings. It is not safe for concurrent use.
type Report struct {
	Ran         []Run     `json:"ran"`
	Findings    []Finding `json:"findings"`
	Interrupted bool      `json:"interrupted,omitempty"` // the context was cancelled, and some hooks were not run
}

// NewReport returns a report whose lists are empty rather than nil, so that JSON has [].
func NewReport() *Report { return &Report{Ran: []Run{}, Findings: []Finding{}} }

// Add adds a finding of the check id, unless the report has an equal one. The level, text and remedies
// that f leaves out are those of the check.
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

// Verdict returns the report in a few words: healthy, interrupted, or the number of errors and
// warnings.
func (r *Report) Verdict() string {
	errors, warnings := r.Count()
	switch {
	case r.Interrupted:
		return "interrupted"
	case errors == 0 && warnings == 0:
		return "healthy"
	case errors == 0:
		return term.FormatCount(warnings, "warning")
	case warnings == 0:
		return term.FormatCount(errors, "error")
	}
	return term.FormatCount(errors, "error") + ", " + term.FormatCount(warnings, "warning")
}

// Sort sorts the findings by level, worst first. Findings of the same level keep their order.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return int(b.Level) - int(a.Level) })
}

// rewriteEffects is the set of effects that rewrite something.
const rewriteEffects = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages

// isGuard reports whether h may protect against harm because it can refuse something or redact it.
func isGuard(h *checkrein.Hook) bool {
	return !h.Async && (h.Gate || checkrein.ContractOf(h.On).Effects&(checkrein.CanDeny|rewriteEffects) != 0)
}

// breakageLevel returns the level of a finding that keeps h from working: Error for a guard, Warn
// otherwise.
func breakageLevel(h *checkrein.Hook) Level {
	if isGuard(h) {
		return Error
	}
	return Warn
}

// declaredHooks returns the hooks that configuration files declare, without implied hooks and without
// those that stand for a broken file.
func declaredHooks(k *app.Kit) []*checkrein.Hook {
	var out []*checkrein.Hook
	all := k.Hooks()
	for i := range all {
		if h := &all[i]; !h.Implied && !(h.Run == "" && h.ID == brokenFileID) {
			out = append(out, h)
		}
	}
	return out
}

// brokenFileID is the id of hooks that stand for a broken file.
const brokenFileID = "configuration"
