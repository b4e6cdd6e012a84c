package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// Explain returns for each hook that pick selects whether it would handle ev, and for each of its
// conditions why it holds or does not. If pick is nil, it selects the hooks on the kind of ev. Values
// are for display: secrets are redacted, and long values are shortened.
func (k *Kit) Explain(ev checkrein.Event, pick func(*checkrein.Hook) bool) []engine.Why {
	out := k.view().engine.Explain(k.withSession(ev), pick)
	for i := range out {
		w := &out[i]
		if w.Off == "" && k.NeedsApproval(w.Hook) {
			if is, _, _ := (approvalChecker{k, k.view().approvals}).check(w.Hook); is.State != engine.Approved {
				w.Off = "not approved: " + is.Why
			}
		}
		for j := range w.Parts {
			maskPart(&ev, &w.Parts[j])
		}
	}
	return out
}

// Limits on what Explain shows of a condition's values.
const (
	maxValueRunes = 240 // characters of a value
	maxValues     = 16  // values
)

// maskPart redacts and shortens the values of p and of its parts.
func maskPart(ev *checkrein.Event, p *engine.Part) {
	if n := len(p.Seen); n > maxValues {
		at := max(p.Hit-maxValues, 0) // keep the value that matched
		p.Seen = p.Seen[at : at+maxValues]
		p.Hit -= min(at, p.Hit)
	}
	for _, list := range [...]*[]string{&p.Want, &p.Seen} {
		clean := make([]string, len(*list))
		for i, s := range *list {
			s = redactorFor(ev).MaskText(s)
			if r := []rune(s); len(r) > maxValueRunes {
				s = string(r[:maxValueRunes-1]) + "…"
			}
			clean[i] = s
		}
		*list = clean
	}
	p.Fix = redactorFor(ev).MaskText(p.Fix)
	for i := range p.Parts {
		maskPart(ev, &p.Parts[i])
	}
}
