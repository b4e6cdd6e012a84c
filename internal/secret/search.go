package secret

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// found is a finding before it is merged with others.
type found struct {
	rule       int // an index into rules
	start, end int
}

// finder looks through one text.
type finder struct {
	text  string
	want  Kind
	inner bool // the text was spelt otherwise in another: no further level is decoded
	found []found

	noEnd    int         // no end of a key block starts before this
	named    named.Value // the value of the name that ends at namedAt
	namedAt  int
	namedOK  bool
	look     value.Look // how the value from lookFrom on looks
	lookFrom int
	token    int   // the end of a run without spaces; see tokenEnd
	fixed    bool  // the value is known and need not be read
	tableTo  int   // up to here tables were read
	lineTo   int   // up to here lines were asked for their margins
	marked   []int // lines with a hit and a margin
	// What standsIn knows: a part that stands for a secret, and a text without any.
	partFrom, partTo, clearFrom, clearTo int

	pending int // from here on, more text might change what is found

	told func(val string, r *value.Row) // hears what decided about values without a shape; nil but in tests
}

func newFinder(text string, want Kind) finder {
	return finder{text: text, want: want, namedAt: -1, lookFrom: -1, pending: len(text)}
}

// within returns a finder for what a part of the text means.
func (f *finder) within(text string, want Kind) finder {
	return finder{text: text, want: want, namedAt: -1, lookFrom: -1, pending: len(text), inner: true}
}

// add notes a finding.
func (f *finder) add(rule, start, end int) {
	if Guesses(rules[rule].id) && value.EncodesStandIn(f.text[start:end]) || rules[rule].kind == Secrets && value.InDigest(f.text, start, end) {
		return
	}
	f.found = append(f.found, found{rule, start, end})
}

// pend notes that what starts at i ran into the end of the text.
func (f *finder) pend(i int) { f.pending = min(f.pending, max(i, 0)) }

// covered reports whether the last finding reaches over i. It spares rules
// that read far from doing so again and again within one find.
func (f *finder) covered(i int) bool {
	n := len(f.found)
	return n > 0 && f.found[n-1].start <= i && i < f.found[n-1].end
}

// valueOf returns the value of the name in which the bytes from start to end
// are a part.
func (f *finder) valueOf(start, end int) (named.Value, bool) {
	if f.namedAt != end && !f.fixed {
		f.namedAt = end
		f.named, f.namedOK = named.ReadValue(f.text, start, end)
	}
	return f.named, f.namedOK
}

// fix has v be the value of whatever name is asked for.
func (f *finder) fix(v named.Value) {
	f.named, f.namedOK, f.fixed = v, true, true
}

// whole returns where a value ends that is longer than was read: with the run
// that it is in.
func (f *finder) whole(v named.Value) int {
	if v.To-v.From < lex.MaxValue || v.To >= len(f.text) || !lex.IsToken(f.text[v.To]) {
		return v.To
	}
	return min(f.tokenEnd(v.To), v.From+lex.Reach/2)
}

// tokenEnd returns the end of the run of bytes without spaces or quotes that i
// is in. Each run is walked through once.
func (f *finder) tokenEnd(i int) int {
	if i >= f.token {
		f.token = lex.Skip(f.text, i, len(f.text), lex.IsToken)
	}
	return f.token
}

// lookOf returns how a value looks, which the words of one name ask again and again.
func (f *finder) lookOf(v named.Value) *value.Look {
	if f.lookFrom != v.From || len(f.look.Text) != v.To-v.From {
		f.look, f.lookFrom = value.LookAt(f.text[v.From:v.To]), v.From
		f.look.Know(value.StandIn, f.standsIn(v.From, v.To))
	}
	return &f.look
}

// standsIn is IsStandIn for the text from i to end. Values without a space
// between them overlap, and what was read of one is not read again.
func (f *finder) standsIn(i, end int) bool {
	if i <= f.partFrom && f.partTo <= end && f.partTo > 0 {
		return true
	}
	from := i
	if f.clearFrom <= i && i < f.clearTo && f.clearTo <= end {
		from = max(i, f.clearTo-value.LongestPart)
	}
	at, to := value.PartIn(f.text[from:end])
	if at >= 0 {
		f.partFrom, f.partTo = from+at, from+to
		return true
	}
	f.clearFrom, f.clearTo = i, end
	return false
}
