package value

import "strings"

//go:generate go run ../../shell/argv/gen

// A value without a recognisable form is judged by its place and by how it looks: the
// less the place suggests a secret, the more the value must look like one. A threshold
// lists the requirements for a kind of place, and the first row that matches decides. The
// rows are in tables/thresholds.txt.

// A Row is one reason to take a value for a secret, or not to. It matches if the value's place has all
// bits of at and none of off, its bytes have all kinds in has and none in lacks, and it has all traits
// in is and none in isnt.
type Row struct {
	at, off    Place
	has, lacks kinds
	is, isnt   trait
	Yes        bool // the value is a secret
	why        string
}

// A Threshold is a list of rows, of which the first that matches decides whether a value is a secret.
// The last row matches every value, except in FirstRows.
type Threshold []Row

// traitThreshold returns the threshold that a value with the trait t reaches, and the place for which
// it is checked.
func traitThreshold(t trait) (Threshold, Place) {
	switch t {
	case AsTyped:
		return typedRows, 0
	case AsChosen:
		return chosenRows, 0
	case AsArgument:
		return argumentRows, 0
	case AsMade:
		return madeRows, 0
	case asKey:
		return chanceRows, 0
	case AsSaid:
		return saidRows, 0
	}
	return saidRows, Last // asSaidLast
}

// Reason returns why r decides about val, with the reasons of the thresholds that r refers to. A nil
// row means that no row matched.
func (r *Row) Reason(val string) string {
	if r == nil {
		return "no row matches; later thresholds decide"
	}
	said := r.why
	if r.Yes {
		said = "a secret: " + said
	}
	for t := firstBar; t <= asSaidLast; t <<= 1 {
		if (r.is|r.isnt)&t == 0 {
			continue
		}
		l := LookAt(val)
		rows, at := traitThreshold(t)
		if inner := rows.Match(at, &l); inner == nil || !inner.Yes {
			said += " (" + strings.TrimPrefix(inner.Reason(val), "a secret: ") + ")"
		}
	}
	return said
}

// IsSecret reports whether l, found at p, is a secret. It panics if no row matches.
func (t Threshold) IsSecret(p Place, l *Look) bool { return t.Match(p, l).Yes }

// Match returns the first row that matches l at p, or nil if there is none.
func (t Threshold) Match(p Place, l *Look) *Row {
	for i := range t {
		r := &t[i]
		if p&r.at == r.at && p&r.off == 0 && l.Has&r.has == r.has && l.Has&r.lacks == 0 && (r.is == 0 || l.Is(r.is)) && (r.isnt == 0 || !l.IsAny(r.isnt)) {
			return r
		}
	}
	return nil
}
