package shell

// A Report lists everything that a command does. [NewReport] returns one.
type Report struct {
	Label    Label
	Category string // of the deciding effect; "" = there is none
	Impact   Impact // of the deciding effect
	Reason   string // of the deciding effect
	Gaps     Gaps   // gaps of all effects, including effects that were left out for space
	Effects  []Effect
}

// UnknownGap returns why the report is labelled unknown. NoGap means that it is not, or that its
// effects are known, but not whether something is lost.
func (r *Report) UnknownGap() Gap {
	if r.Label != Unknown {
		return NoGap
	}
	return r.Gaps.Worst()
}

// NewReport returns a report on effects in which the worst effect decides, and of equally bad ones the
// first. It is the only function that labels a command safe: if every effect is safe and nothing is
// missing. gaps are those in addition to the gaps of effects.
func NewReport(effects []Effect, gaps Gaps) Report {
	r := Report{Label: Safe, Effects: effects, Reason: "no lasting effects", Gaps: gaps}
	for i := range effects {
		e := &effects[i]
		r.Gaps.Add(e.Gap())
		if i > 0 && !IsWorse(e.Label, e.Impact, r.Label, r.Impact) {
			continue
		}
		r.Label, r.Category, r.Impact, r.Reason = e.Label, e.Row().Name, e.Impact, e.Reason
	}
	if r.Label == Safe && !r.Gaps.IsEmpty() {
		r.Label, r.Category, r.Impact, r.Reason = Unknown, TooMuch.Row().Name, ImpactUnknown, "part of the command was not checked"
	}
	return r
}

// OnlyReads reports whether everything that the command does is known and changes nothing. A command
// that is labelled safe may still write, build or send something.
func (r *Report) OnlyReads() bool {
	return r.Label == Safe && r.Gaps.IsEmpty() && len(r.Effects) < MaxEffects && r.FirstAction() == nil
}

// FirstAction returns the first effect that may do more than read, or nil if there is none.
func (r *Report) FirstAction() *Effect {
	for i := range r.Effects {
		if e := &r.Effects[i]; !e.IsReadOnly() {
			return e
		}
	}
	return nil
}
