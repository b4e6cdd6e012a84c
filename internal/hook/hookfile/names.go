package hookfile

import "github.com/checkrein/checkrein"

// KindOf returns the kind whose canonical name is name or, if there is none, the kind that another
// system calls name. It returns false if there is neither.
func KindOf(name string) (checkrein.Kind, bool) {
	rows := checkrein.Contracts()
	for i := 1; i < len(rows); i++ {
		if rows[i].Name == name {
			return checkrein.Kind(i), true
		}
	}
	for i := 1; i < len(rows); i++ {
		for _, a := range rows[i].Aliases {
			if a.Name == name {
				return checkrein.Kind(i), true
			}
		}
	}
	return checkrein.Other, false
}

// ParseDecision returns the decision whose String is s, or false if there is none.
func ParseDecision(s string) (checkrein.Decision, bool) {
	for d := checkrein.NoOpinion; d <= checkrein.Deny; d++ {
		if d.String() == s {
			return d, true
		}
	}
	return checkrein.NoOpinion, false
}
