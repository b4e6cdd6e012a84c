// Package search has the state of one search through a text, which readers get: the
// text, what was found so far, and what was learnt about the value they look at.
package search

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Found is a finding before it is merged with others.
type Found struct {
	Rule       int // an index into rules
	Start, End int
}

// Finder looks through one text.
type Finder struct {
	Text  string
	Want  rules.Kind
	Inner bool // the text was spelt otherwise in another: no further level is decoded
	Found []Found

	NoEnd    int         // no end of a key block starts before this
	named    named.Value // the value of the name that ends at namedAt
	namedAt  int
	namedOK  bool
	look     value.Look // how the value from lookFrom on looks
	lookFrom int
	token    int   // the end of a run without spaces; see tokenEnd
	Fixed    bool  // the value is known and need not be read
	TableTo  int   // up to here tables were read
	LineTo   int   // up to here lines were asked for their margins
	Marked   []int // lines with a hit and a margin
	// What standsIn knows: a part that stands for a secret, and a text without any.
	partFrom, partTo, clearFrom, clearTo int

	Pending int // from here on, more text might change what is found

	Told func(val string, r *value.Row) // hears what decided about values without a shape; nil but in tests
}

func New(text string, want rules.Kind) Finder {
	return Finder{Text: text, Want: want, namedAt: -1, lookFrom: -1, Pending: len(text)}
}

// Within returns a finder for what a part of the text means.
func (f *Finder) Within(text string, want rules.Kind) Finder {
	return Finder{Text: text, Want: want, namedAt: -1, lookFrom: -1, Pending: len(text), Inner: true}
}

// Add notes a finding.
func (f *Finder) Add(rule, start, end int) {
	if rules.Guesses(rules.Table[rule].ID) && value.EncodesStandIn(f.Text[start:end]) || rules.Table[rule].Kind == rules.Secrets && value.InDigest(f.Text, start, end) {
		return
	}
	f.Found = append(f.Found, Found{rule, start, end})
}

// Pend notes that what starts at i ran into the end of the text.
func (f *Finder) Pend(i int) { f.Pending = min(f.Pending, max(i, 0)) }

// Covered reports whether the last finding reaches over i. It spares rules
// that read far from doing so again and again within one find.
func (f *Finder) Covered(i int) bool {
	n := len(f.Found)
	return n > 0 && f.Found[n-1].Start <= i && i < f.Found[n-1].End
}

// ValueOf returns the value of the name in which the bytes from start to end
// are a part.
func (f *Finder) ValueOf(start, end int) (named.Value, bool) {
	if f.namedAt != end && !f.Fixed {
		f.namedAt = end
		f.named, f.namedOK = named.ReadValue(f.Text, start, end)
	}
	return f.named, f.namedOK
}

// Fix has v be the value of whatever name is asked for.
func (f *Finder) Fix(v named.Value) {
	f.named, f.namedOK, f.Fixed = v, true, true
}

// Whole returns where a value ends that is longer than was read: with the run
// that it is in.
func (f *Finder) Whole(v named.Value) int {
	if v.To-v.From < lex.MaxValue || v.To >= len(f.Text) || !lex.IsToken(f.Text[v.To]) {
		return v.To
	}
	return min(f.TokenEnd(v.To), v.From+lex.Reach/2)
}

// TokenEnd returns the end of the run of bytes without spaces or quotes that i
// is in. Each run is walked through once.
func (f *Finder) TokenEnd(i int) int {
	if i >= f.token {
		f.token = lex.Skip(f.Text, i, len(f.Text), lex.IsToken)
	}
	return f.token
}

// LookOf returns how a value looks, which the words of one name ask again and again.
func (f *Finder) LookOf(v named.Value) *value.Look {
	if f.lookFrom != v.From || len(f.look.Text) != v.To-v.From {
		f.look, f.lookFrom = value.LookAt(f.Text[v.From:v.To]), v.From
		f.look.Know(value.StandIn, f.standsIn(v.From, v.To))
	}
	return &f.look
}

// standsIn is IsStandIn for the text from i to end. Values without a space
// between them overlap, and what was read of one is not read again.
func (f *Finder) standsIn(i, end int) bool {
	if i <= f.partFrom && f.partTo <= end && f.partTo > 0 {
		return true
	}
	from := i
	if f.clearFrom <= i && i < f.clearTo && f.clearTo <= end {
		from = max(i, f.clearTo-value.LongestPart)
	}
	at, to := value.PartIn(f.Text[from:end])
	if at >= 0 {
		f.partFrom, f.partTo = from+at, from+to
		return true
	}
	f.clearFrom, f.clearTo = i, end
	return false
}
