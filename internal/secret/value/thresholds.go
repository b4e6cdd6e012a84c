package value

import "strings"

//go:generate go run ../../shell/resolve/gen

// A value without a shape is judged by where it was met and how it looks: the less
// the place says, the more the value has to. What has to be so at a kind of place
// is a threshold, and the first row that fits decides. The rows are in tables/thresholds.txt.

// Row is one reason to take a value for a secret, or not to. It fits a value that
// is at all of its places and off the others, has all of its kinds and lacks the
// others, and is all of its traits and none of the others.
type Row struct {
	at, off    Place
	has, lacks kinds
	is, isnt   trait
	Yes        bool // it is a secret
	why        string
}

// Threshold is what a value has to be. Its last row fits every value.
type Threshold []Row

// thresholdOf returns the threshold that a trait stands for, and where it is.
func thresholdOf(t trait) (Threshold, Place) {
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

// Reason returns why the row decides about a value, and what decided about the
// threshold that it asks for.
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
		rows, at := thresholdOf(t)
		if inner := rows.Fit(at, &l); inner == nil || !inner.Yes {
			said += " (" + strings.TrimPrefix(inner.Reason(val), "a secret: ") + ")"
		}
	}
	return said
}

// Decide reports whether the value, met at p, is a secret.
func (t Threshold) Decide(p Place, l *Look) bool { return t.Fit(p, l).Yes }

// Fit returns the row that decides; nil if FirstRows have none.
func (t Threshold) Fit(p Place, l *Look) *Row {
	for i := range t {
		r := &t[i]
		if p&r.at == r.at && p&r.off == 0 && l.Has&r.has == r.has && l.Has&r.lacks == 0 && (r.is == 0 || l.Is(r.is)) && (r.isnt == 0 || !l.IsAny(r.isnt)) {
			return r
		}
	}
	return nil
}
