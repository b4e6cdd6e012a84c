package checkrein

import "slices"

// An Obligation is something that must happen together with a decision. Unless it has an ID, whoever
// carries out the verdict must fulfil it before the call runs, or deny the call. It does not change the
// decision itself. In checkrein's own programs the packs return "save", with the ID of the save that they
// made. In package kit nothing that is built in returns obligations yet; guards will.
type Obligation struct {
	// Kind is "save" (keep a copy of what the call would change, so that it can be undone)
	// or "contain" (run the call where it cannot reach further). Other kinds cannot be
	// fulfilled.
	Kind string `json:"kind"`
	// ID names what already fulfils the obligation, such as a save; "" = the caller must fulfil it.
	ID string `json:"id,omitempty"`
	// Detail narrows the kind, such as a path to save; "" = everything that the call touches. With
	// an ID, it says what was done, for the person; "" = nothing worth mentioning.
	Detail string `json:"detail,omitempty"`
}

// addObligations returns the obligations of a, followed by those of b that a does not have.
func addObligations(a, b []Obligation) []Obligation {
	for _, o := range b {
		if !slices.Contains(a, o) {
			a = append(a[:len(a):len(a)], o)
		}
	}
	return a
}
