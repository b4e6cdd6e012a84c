package policy

import "strings"

// Mask returns a text in which every finding that counts and is at least as severe as least is
// replaced by a marker, and the number of findings; Find then finds none of them. A text without
// findings is returned unchanged. Masking is idempotent.
//
// Masking one finding may reveal another next to it, so the text is searched until nothing is found.
func (p *Policy) Mask(path string, text []byte, least Severity) ([]byte, int) {
	return p.maskText(path, text, least, false)
}

// MaskDense is Mask for a text that was generated or minified, see [Policy.FindDense].
func (p *Policy) MaskDense(path string, text []byte, least Severity) ([]byte, int) {
	return p.maskText(path, text, least, true)
}

func (p *Policy) maskText(path string, text []byte, least Severity, dense bool) ([]byte, int) {
	n := 0
	s := string(text)
	for round := 0; ; round++ {
		spans := p.findSpans(path, s, max(least, Info), dense)
		if len(spans) == 0 {
			break
		}
		n += len(spans)
		s = p.replaceSpans(s, spans, round)
	}
	if n == 0 {
		return text, 0
	}
	return []byte(s), n
}

// findSpans returns the findings to mask, without overlaps.
func (p *Policy) findSpans(path, text string, least Severity, dense bool) []Finding {
	list := p.findIn(nil, path, text, search{dense: dense})
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

// maxMarkerRounds is after how many rounds findings are removed without a marker: then a marker forms
// a finding with the text next to it. Every further round makes the text shorter, so that it ends.
const maxMarkerRounds = 4

func (p *Policy) replaceSpans(text string, spans []Finding, round int) string {
	var b strings.Builder
	at := 0
	for i := range spans {
		f := &spans[i]
		b.WriteString(text[at:f.Start])
		if round < maxMarkerRounds {
			b.WriteString(p.markerFor(f.Rule, text[f.Start:f.End]))
		}
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// markerFor returns the replacement of a finding: that of its pattern, or else the rule's name in
// brackets, unless the policy finds something in that too.
func (p *Policy) markerFor(rule, found string) string {
	if pt := p.patternNamed(rule); pt != nil && pt.replace != "" {
		if m := pt.compile().ReplaceAllString(found, pt.replace); p.hasNoFindings(m) {
			return m
		}
	}
	for _, m := range [...]string{"[REDACTED:" + rule + "]", "[REDACTED]", "[…]"} {
		if p.hasNoFindings(m) {
			return m
		}
	}
	return ""
}

// hasNoFindings reports whether the policy finds nothing in a marker.
func (p *Policy) hasNoFindings(marker string) bool {
	return len(p.findIn(nil, "", marker, search{})) == 0
}
