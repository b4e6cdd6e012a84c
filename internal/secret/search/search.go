// Package search holds the state of one search through a text, which readers share: the
// text, the findings so far, and cached facts about the current value.
package search

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// A Found is a finding before overlapping ones are merged.
type Found struct {
	Rule       int // an index into rules.Table
	Start, End int
}

// A Finder is the state of a search through one text.
type Finder struct {
	Text  string
	Want  rules.Kind
	Inner bool // the text was decoded from another one, so it is not decoded again
	Found []Found

	NoEnd    int         // no END line of a key block starts before this offset
	named    named.Value // the value of the name that ends at namedAt
	namedAt  int
	namedOK  bool
	look     value.Look // the look of the value that starts at lookFrom
	lookFrom int
	token    int   // the end of a run without spaces; see TokenEnd
	Fixed    bool  // FixValue set the value of every name
	TableTo  int   // the end of the tables read so far
	LineTo   int   // the end of the lines checked for margins so far
	Marked   []int // the starts of lines that have a hit and a margin
	// The cache of isStandIn: the span of a part that makes a stand-in, and a span without one.
	partFrom, partTo, clearFrom, clearTo int

	Pending int // from this offset, more text might change the findings

	// OnDecision, if not nil, is called with the row that decided about a value. Tests set it.
	OnDecision func(val string, r *value.Row)
}

// New returns a finder for findings of the kinds want in text.
func New(text string, want rules.Kind) Finder {
	return Finder{Text: text, Want: want, namedAt: -1, lookFrom: -1, Pending: len(text)}
}

// NewInner returns a finder for text, which was decoded from a part of f.Text.
func (f *Finder) NewInner(text string, want rules.Kind) Finder {
	return Finder{Text: text, Want: want, namedAt: -1, lookFrom: -1, Pending: len(text), Inner: true}
}

// Add adds the span from start to end as a finding of rule, unless it is in a digest, or is an encoded
// stand-in that only its name suggests to be a secret.
func (f *Finder) Add(rule, start, end int) {
	if rules.ReliesOnName(rules.Table[rule].ID) && value.EncodesStandIn(f.Text[start:end]) || rules.Table[rule].Kind == rules.Secrets && value.InDigest(f.Text, start, end) {
		return
	}
	f.Found = append(f.Found, Found{rule, start, end})
}

// SetPending records that the text from i is uncertain, because something that starts there reaches
// the end of the text.
func (f *Finder) SetPending(i int) { f.Pending = min(f.Pending, max(i, 0)) }

// IsCovered reports whether the last finding contains i. Rules that read far use it to avoid reading
// the same part repeatedly.
func (f *Finder) IsCovered(i int) bool {
	n := len(f.Found)
	return n > 0 && f.Found[n-1].Start <= i && i < f.Found[n-1].End
}

// NamedValue returns the value of the name that contains the bytes from start to end. It reports false
// if there is none. The last result is cached.
func (f *Finder) NamedValue(start, end int) (named.Value, bool) {
	if f.namedAt != end && !f.Fixed {
		f.namedAt = end
		f.named, f.namedOK = named.ReadValue(f.Text, start, end)
	}
	return f.named, f.namedOK
}

// FixValue makes NamedValue return v for every name.
func (f *Finder) FixValue(v named.Value) {
	f.named, f.namedOK, f.Fixed = v, true, true
}

// WholeEnd returns the offset where v ends including the part beyond lex.MaxValue, which was not read.
func (f *Finder) WholeEnd(v named.Value) int {
	if v.To-v.From < lex.MaxValue || v.To >= len(f.Text) || !lex.IsTokenByte(f.Text[v.To]) {
		return v.To
	}
	return min(f.TokenEnd(v.To), v.From+lex.Reach/2)
}

// TokenEnd returns the offset where the run of bytes without spaces or quotes that contains i ends. It
// scans each run once.
func (f *Finder) TokenEnd(i int) int {
	if i >= f.token {
		f.token = lex.Skip(f.Text, i, len(f.Text), lex.IsTokenByte)
	}
	return f.token
}

// Look returns how v looks. It caches the last result, because several anchors of one name need it.
func (f *Finder) Look(v named.Value) *value.Look {
	if f.lookFrom != v.From || len(f.look.Text) != v.To-v.From {
		f.look, f.lookFrom = value.LookAt(f.Text[v.From:v.To]), v.From
		f.look.SetTrait(value.StandIn, f.isStandIn(v.From, v.To))
	}
	return &f.look
}

// isStandIn is [value.IsStandIn] for f.Text[i:end]. Values without a space between them overlap, so it
// caches the part that was read.
func (f *Finder) isStandIn(i, end int) bool {
	if i <= f.partFrom && f.partTo <= end && f.partTo > 0 {
		return true
	}
	from := i
	if f.clearFrom <= i && i < f.clearTo && f.clearTo <= end {
		from = max(i, f.clearTo-value.MaxPart)
	}
	at, to := value.FindStandInPart(f.Text[from:end])
	if at >= 0 {
		f.partFrom, f.partTo = from+at, from+to
		return true
	}
	f.clearFrom, f.clearTo = i, end
	return false
}
