package policy

import "strings"

// Mask returns text with a marker in place of each finding that is not allowed and at least as severe
// as least, and the number of findings. Find then finds none of them, and masking the result again
// changes nothing. Text without findings is returned unchanged.
//
// Masking one finding may reveal another next to it, so the text is searched until nothing is found.
func (p *Policy) Mask(path string, text []byte, least Severity) ([]byte, int) {
	return p.maskText(path, text, least, false)
}

// MaskDense is Mask for text that was generated or minified; see [Policy.FindDense].
func (p *Policy) MaskDense(path string, text []byte, least Severity) ([]byte, int) {
	return p.maskText(path, text, least, true)
}

// maskText is MaskDense if dense is set, and Mask otherwise.
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

// findSpans returns the findings in text to mask, with overlapping ones merged.
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

// maxMarkerRounds is the number of rounds after which findings are removed without a marker, because a
// marker forms a finding with the text next to it. Every further round makes the text shorter, so the
// rounds end.
const maxMarkerRounds = 4

// replaceSpans returns text with spans replaced by markers or, after maxMarkerRounds, removed.
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

// markerFor returns the replacement of found, a finding of rule: that of its pattern, or the name of
// the rule in brackets. It returns a shorter marker, or "", if the policy finds something in these.
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

// hasNoFindings reports whether the policy finds nothing in marker.
func (p *Policy) hasNoFindings(marker string) bool {
	return len(p.findIn(nil, "", marker, search{})) == 0
}
