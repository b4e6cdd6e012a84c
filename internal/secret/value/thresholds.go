package value

import "strings"

//go:generate go run ../../shell/argv/gen

// A value without a form of its own is judged by its place and by how it looks: the less
// the place suggests, the more the value must. A threshold lists what is required at a
// kind of place, and the first row that matches decides. The rows are in
// tables/thresholds.txt.

// A Row is one reason to take a value for a secret, or not to. It matches a value that is at all
// places of at and none of off, has all kinds of has and none of lacks, and has all traits of is and
// none of isnt.
type Row struct {
	at, off    Place
	has, lacks kinds
	is, isnt   trait
	Yes        bool // it is a secret
	why        string
}

// A Threshold lists what a value must be. Its last row matches every value.
type Threshold []Row

// traitThreshold returns the threshold that a trait stands for, and the place for it.
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

// Reason returns why the row decides about a value, with the reasons of the thresholds that it
// requires.
func (r *Row) Reason(val string) string {
	if r == nil {
		return "its place has to tell"
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

// Decide reports whether the value, found at p, is a secret.
func (t Threshold) Decide(p Place, l *Look) bool { return t.Match(p, l).Yes }

// Match returns the row that decides; nil if no row matches.
func (t Threshold) Match(p Place, l *Look) *Row {
	for i := range t {
		r := &t[i]
		if p&r.at == r.at && p&r.off == 0 && l.Has&r.has == r.has && l.Has&r.lacks == 0 && (r.is == 0 || l.Is(r.is)) && (r.isnt == 0 || !l.IsAny(r.isnt)) {
			return r
		}
	}
	return nil
}
