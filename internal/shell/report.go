package shell

// A Report is everything that a command does, made by [NewReport].
type Report struct {
	Label    Label
	Category string // of the effect that decides; "" = there is none
	Radius   Radius // of the effect that decides
	Reason   string // of the effect that decides
	Gaps     Gaps   // what the effects leave open, those that had no room included
	Effects  []Effect
}

// Why is what is missing of a report that is unknown; NoGap = its effects are known,
// and whether something is lost is not.
func (r *Report) Why() Gap {
	if r.Label != Unknown {
		return NoGap
	}
	return r.Gaps.Worst()
}

// NewReport lets the worst effect decide; of equals the first. It is the only place
// that calls a command safe: every effect is, and nothing is missing. gaps are what
// is missing beside the effects.
func NewReport(effects []Effect, gaps Gaps) Report {
	r := Report{Label: Safe, Effects: effects, Reason: "no lasting effects", Gaps: gaps}
	for i := range effects {
		e := &effects[i]
		r.Gaps.Add(e.Gap())
		if i > 0 && !Worse(e.Label, e.Radius, r.Label, r.Radius) {
			continue
		}
		r.Label, r.Category, r.Radius, r.Reason = e.Label, e.Row().Name, e.Radius, e.Reason
	}
	if r.Label == Safe && !r.Gaps.Complete() {
		r.Label, r.Category, r.Radius, r.Reason = Unknown, TooMuch.Row().Name, RadiusUnknown, "part of the command was not checked"
	}
	return r
}

// OnlyReads reports whether everything that the command does is known, and leaves all
// as it is. A safe command may yet write, build or send.
func (r *Report) OnlyReads() bool {
	return r.Label == Safe && r.Gaps.Complete() && len(r.Effects) < MaxEffects && r.Acts() == nil
}

// Acts is the first effect that may do more than read; nil = there is none.
func (r *Report) Acts() *Effect {
	for i := range r.Effects {
		if e := &r.Effects[i]; !e.Reads() {
			return e
		}
	}
	return nil
}
