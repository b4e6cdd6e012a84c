package secret

import (
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/reader"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Redactor masks secrets in what is written down: records, the log, notices. It is the
// finder at its strict level, which masks rather too much than too little: the values of
// names like "password" whatever they look like, and long random runs. What an audit needs
// to tell things apart stays: paths, commit hashes, UUIDs, image digests.
//
// Masking a result again changes nothing. A Redactor is safe for concurrent use.
type Redactor struct {
	Memory *Memory // of what was searched before; nil = nothing was
}

// strictRounds is how often a value is masked until nothing changes. One round is mostly
// enough; where a marker makes its neighbours suspicious it takes more. What needs so many
// was made to, and is masked whole.
const strictRounds = 8

// Text returns s with a marker in place of each suspicious span, and s itself when there
// is none. It keeps valid UTF-8 valid.
func (r Redactor) Text(s string) string { return r.mask(s, asText) }

// Name is Text for ids, paths and other names that records are joined by: only what has
// the shape of a known secret goes.
func (r Redactor) Name(s string) string { return r.mask(s, asName) }

// maskLevel is how a text is masked.
type maskLevel uint8

const (
	asText maskLevel = iota
	asName
	asSearched // as a text in which nothing is left of what the usual level finds
)

func (r Redactor) mask(s string, level maskLevel) string {
	return r.Memory.masked(s, level, func() string {
		c := r.cleaner()
		c.searched = level == asSearched
		if level == asName {
			c.Keep = func(rule, _ string) bool { return rules.Guesses(rule) }
		}
		for range strictRounds {
			out := s
			if level != asName { // by which records are joined
				out = r.Memory.Hide(s)
			}
			if out, _ = c.Text(out); out == s {
				return s
			}
			s = out
		}
		return Marker
	})
}

func (r Redactor) cleaner() *Cleaner {
	mark := func(text string, f Finding) string { return MarkerFor(text[f.Start:f.End]) }
	return &Cleaner{Want: rules.Secrets, Strict: true, Mark: mark, Memory: r.Memory}
}

// JSON returns val compact, with every string and key masked as a text, and the values of
// members whose keys name a secret masked whole. A val that is not JSON is taken as a
// text; the result is then its string.
func (r Redactor) JSON(val []byte) []byte {
	if rawjson.Check(val) != nil {
		return rawjson.Quote(r.Text(strings.ToValidUTF8(string(val), "\ufffd")))
	}
	c := r.cleaner()
	for range strictRounds {
		out, n := c.JSON(val)
		if n == 0 {
			return rawjson.Compact(nil, out)
		}
		val = out
	}
	return rawjson.Quote(Marker)
}

// Head returns the first n bytes of a value as a text, masked. What was searched as JSON
// before is not searched again at the usual level.
func (r Redactor) Head(val []byte, n int) string {
	val, level := r.known(val)
	n = min(n, len(val))
	for n > 0 && n < len(val) && !utf8.RuneStart(val[n]) {
		n--
	}
	return r.mask(strings.ToValidUTF8(string(val[:n]), "\ufffd"), level)
}

// Tail is Head for the last n bytes.
func (r Redactor) Tail(val []byte, n int) string {
	val, level := r.known(val)
	from := max(0, len(val)-n)
	for from > 0 && from < len(val) && !utf8.RuneStart(val[from]) {
		from--
	}
	return r.mask(strings.ToValidUTF8(string(val[from:]), "\ufffd"), level)
}

// known takes out of JSON what was found in it before, and returns how the rest is masked.
func (r Redactor) known(val []byte) ([]byte, maskLevel) {
	if !r.Memory.Searched(val) {
		return val, asText
	}
	c := Cleaner{Want: rules.Secrets, Memory: r.Memory}
	val, _ = c.JSON(val)
	return val, asSearched
}

// findStrict adds what is a secret at the strict level alone: the values of names that speak
// of secrets, what begins as a token does, and random runs.
func findStrict(f *search.Finder) {
	rules.Scan(f.Text, func(state uint32, end int) { lookStrictly(f, state, end) })
	findRandom(f)
}

// findSpeltStrictly adds what findAll and findStrict find in the text as it is meant. In a
// shell \n is n, and in most other texts a new line, so that a text is read both ways.
func findSpeltStrictly(f *search.Finder) {
	for _, ways := range [...]decode.Encoding{decode.Coded | decode.Hex | decode.Base64 | decode.Split, decode.InShell} {
		decode.EachReading(f.Text, ways, func(r *decode.Reading) { findSpelt(f, r) })
	}
}

// findSpelt adds what is a secret in a part of the text as it is meant. All of what spells
// it goes.
func findSpelt(f *search.Finder, r *decode.Reading) {
	in := f.NewInner(r.Text, rules.Secrets)
	findAll(&in)
	findStrict(&in)
	for _, n := range mergeFound(&in) {
		from, to := r.Source(n.Start, n.End)
		if strings.HasPrefix(f.Text[from:], Marker[:len(Marker)-1]) || value.TouchesDigest(f.Text, from, to) {
			continue
		}
		for from > 0 && !utf8.RuneStart(f.Text[from]) {
			from--
		}
		for to < len(f.Text) && !utf8.RuneStart(f.Text[to]) {
			to++
		}
		f.Found = append(f.Found, search.Found{Rule: n.Rule, Start: from, End: to})
	}
}

func lookStrictly(f *search.Finder, state uint32, end int) {
	for _, h := range rules.Hits(state) {
		rule, start := int(h.Rule), end-int(h.Len)
		switch rules.Table[rule].By {
		case rules.ByPassword, rules.ByGeneric:
			reader.LookStrictName(f, rule, start, end)
		case rules.ByShape, rules.ByAWSID:
			reader.LookStrictShape(f, rule, start, end)
		case rules.ByHeader, rules.ByCookie, rules.ByBasic:
			reader.LookStrictLine(f, rule, start, end)
		case rules.ByURL:
			reader.LookStrictURL(f, rule, start, end)
		}
	}
}
