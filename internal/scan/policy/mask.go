package policy

import "strings"

// Mask returns a text in which a marker stands in place of every finding that
// counts and is at least as severe, and how many were taken out; nothing of them
// is left for Find. A text without any is returned as it is. To mask twice is to
// mask once.
//
// What is taken out can be what hid something beside it, so it is looked again
// until nothing is found.
func (p *Policy) Mask(path string, text []byte, least Severity) ([]byte, int) {
	return p.mask(path, text, least, false)
}

// MaskDense is Mask for a text that was generated or minified, see [Policy.FindDense].
func (p *Policy) MaskDense(path string, text []byte, least Severity) ([]byte, int) {
	return p.mask(path, text, least, true)
}

func (p *Policy) mask(path string, text []byte, least Severity, dense bool) ([]byte, int) {
	n := 0
	s := string(text)
	for round := 0; ; round++ {
		spans := p.spans(path, s, max(least, Info), dense)
		if len(spans) == 0 {
			break
		}
		n += len(spans)
		s = p.replaced(s, spans, round)
	}
	if n == 0 {
		return text, 0
	}
	return []byte(s), n
}

// spans are what is to be taken out, without overlaps.
func (p *Policy) spans(path, text string, least Severity, dense bool) []Finding {
	list := p.find(nil, path, text, look{dense: dense})
	out := list[:0]
	for _, f := range list {
		switch {
		case !f.Counts() || f.Severity < least || f.Rule == IgnoreRule:
		case len(out) > 0 && f.Start < out[len(out)-1].End:
			last := &out[len(out)-1]
			last.End = max(last.End, f.End)
		default:
			out = append(out, f)
		}
	}
	return out
}

// patience is after how many rounds findings are cut without a marker: then a
// marker and what is beside it make a finding together. Every further round makes
// the text shorter, so there is an end.
const patience = 4

func (p *Policy) replaced(text string, spans []Finding, round int) string {
	var b strings.Builder
	at := 0
	for i := range spans {
		f := &spans[i]
		b.WriteString(text[at:f.Start])
		if round < patience {
			b.WriteString(p.marker(f.Rule, text[f.Start:f.End]))
		}
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// marker is what is written in place of a finding: what a pattern says, else the
// rule's name in brackets, unless the policy objects to that too.
func (p *Policy) marker(rule, found string) string {
	if pt := p.patternNamed(rule); pt != nil && pt.replace != "" {
		if m := pt.compiled().ReplaceAllString(found, pt.replace); p.silent(m) {
			return m
		}
	}
	for _, m := range [...]string{"[REDACTED:" + rule + "]", "[REDACTED]", "[…]"} {
		if p.silent(m) {
			return m
		}
	}
	return ""
}

// silent reports whether there is nothing to find in a marker.
func (p *Policy) silent(marker string) bool { return len(p.find(nil, "", marker, look{})) == 0 }
