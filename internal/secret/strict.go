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

// A Redactor masks secrets in text that is stored: records, the log, notices. It uses the strict
// level, which prefers masking too much: the values of names such as "password" whatever they look
// like, and long random runs. It keeps values that an audit needs to distinguish things: paths, commit
// hashes, UUIDs, image digests.
//
// Masking a result again changes nothing. A Redactor is safe for concurrent use.
type Redactor struct {
	Memory *Memory // caches earlier searches; it may be nil
}

// strictRounds is the maximum number of times that a value is masked until nothing changes. One round
// is usually enough; a marker that makes the text next to it suspicious takes more. A value that needs
// even more rounds was designed to, and is masked as a whole.
const strictRounds = 8

// MaskText returns s with a marker in place of each suspicious span, or s itself if there is none. It
// keeps valid UTF-8 valid.
func (r Redactor) MaskText(s string) string { return r.mask(s, asText) }

// MaskName is MaskText for ids, paths and other names that connect records. It masks only values with
// the form of a known secret.
func (r Redactor) MaskName(s string) string {
	if cleanNames.has("", s) {
		return s
	}
	masked := r.mask(s, asName)
	if masked == s {
		cleanNames.add("", s)
	}
	return masked
}

// A maskLevel determines how a text is masked.
type maskLevel uint8

const (
	asText maskLevel = iota
	asName
	asSearched // text from which the findings of the normal level were removed
)

// mask returns s masked at the given level.
func (r Redactor) mask(s string, level maskLevel) string {
	return r.Memory.cacheMasked(s, level, func() string {
		c := r.cleaner()
		c.searched = level == asSearched
		if level == asName {
			c.Keep = func(rule, _ string) bool { return rules.ReliesOnName(rule) }
		}
		for range strictRounds {
			out := s
			if level != asName { // names must stay the same in all records
				out = r.Memory.HideFound(s)
			}
			if out, _ = c.RedactText(out); out == s {
				return s
			}
			s = out
		}
		return Marker
	})
}

// cleaner returns a strict cleaner that preserves the ids of markers.
func (r Redactor) cleaner() *Cleaner {
	mark := func(text string, f Finding) string { return MarkerFor(text[f.Start:f.End]) }
	return &Cleaner{Want: rules.Secrets, Strict: true, Mark: mark, Memory: r.Memory}
}

// MaskJSON returns val as compact JSON, with each string and key masked as text, and the values of
// members whose keys name a secret masked as a whole. If val is not JSON, the result is a JSON string
// with its masked text.
func (r Redactor) MaskJSON(val []byte) []byte {
	if rawjson.Check(val) != nil {
		return rawjson.Quote(r.MaskText(strings.ToValidUTF8(string(val), "\ufffd")))
	}
	c := r.cleaner()
	for range strictRounds {
		out, n := c.RedactJSON(val)
		if n == 0 {
			return rawjson.Compact(nil, out)
		}
		val = out
	}
	return rawjson.Quote(Marker)
}

// MaskHead returns the first n bytes of val as masked text, cut at a character boundary. JSON that was
// searched before is not searched again at the normal level.
func (r Redactor) MaskHead(val []byte, n int) string {
	val, level := r.redactSearched(val)
	n = min(n, len(val))
	for n > 0 && n < len(val) && !utf8.RuneStart(val[n]) {
		n--
	}
	return r.mask(strings.ToValidUTF8(string(val[:n]), "\ufffd"), level)
}

// MaskTail is MaskHead for the last n bytes of val.
func (r Redactor) MaskTail(val []byte, n int) string {
	val, level := r.redactSearched(val)
	from := max(0, len(val)-n)
	for from > 0 && from < len(val) && !utf8.RuneStart(val[from]) {
		from--
	}
	return r.mask(strings.ToValidUTF8(string(val[from:]), "\ufffd"), level)
}

// redactSearched returns val without its earlier findings if it is RedactJSON that was searched before,
// otherwise val itself, and the level at which to mask the result.
func (r Redactor) redactSearched(val []byte) ([]byte, maskLevel) {
	if !r.Memory.HasSearched(val) {
		return val, asText
	}
	c := Cleaner{Want: rules.Secrets, Memory: r.Memory}
	val, _ = c.RedactJSON(val)
	return val, asSearched
}

// findStrict adds the findings of the strict level only: values of names that suggest secrets, values
// that start like a token, and random runs.
func findStrict(f *search.Finder) {
	rules.Scan(f.Text, func(state uint32, end int) { readStrictHits(f, state, end) })
	findRandomRuns(f)
}

// findDecodedStrict adds the findings of findAll and findStrict in the decoded text. The text is
// decoded in two ways, because \n is n in a shell and a newline in most other languages.
func findDecodedStrict(f *search.Finder) {
	for _, ways := range [...]decode.Encoding{decode.Escapes | decode.Hex | decode.Base64 | decode.Split, decode.InShell} {
		decode.EachDecodedPart(f.Text, ways, func(r *decode.Part) { findInDecoded(f, r) })
	}
}

// findInDecoded adds the findings in the decoded part r, with the whole span of the source that
// encodes them.
func findInDecoded(f *search.Finder, r *decode.Part) {
	in := f.NewInner(r.Text, rules.Secrets)
	findAll(&in)
	findStrict(&in)
	for _, n := range mergeFound(&in) {
		from, to := r.SourceSpan(n.Start, n.End)
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

// readStrictHits calls the strict readers of the rules whose anchors end in state, at offset end.
func readStrictHits(f *search.Finder, state uint32, end int) {
	for _, h := range rules.HitsAt(state) {
		rule, start := int(h.Rule), end-int(h.Len)
		switch rules.Table[rule].By {
		case rules.ByPassword, rules.ByGeneric:
			reader.FindStrictValue(f, rule, start, end)
		case rules.ByShape, rules.ByAWSID:
			reader.FindStrictToken(f, rule, start, end)
		case rules.ByHeader, rules.ByCookie, rules.ByBasic:
			reader.FindStrictHeader(f, rule, start, end)
		case rules.ByURL:
			reader.FindStrictURLPassword(f, rule, start, end)
		}
	}
}
