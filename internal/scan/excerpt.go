package scan

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/scan/policy"
)

// An Excerpt is the text before and after a finding on its line. The finding itself, and everything
// else on the line that the policy finds, is replaced by Mask.
type Excerpt struct{ Before, After string }

// Mask is shown in place of a finding.
const Mask = "••••"

const (
	shownBefore = 48 // characters
	shownAfter  = 24

	mostExcerpts = 1000 // findings in a text with excerpts
)

// newExcerpt returns the line around finding i, or nil if the line cannot be shown safely: masking one
// finding may reveal another to the policy.
func (w *window) newExcerpt(buf []byte, i, from, to int) *Excerpt {
	if len(w.found) > mostExcerpts {
		return nil
	}
	f := &w.found[i]
	before, after := w.maskOthers(buf, i, from, f.Start), w.maskOthers(buf, i, min(f.End, to), to)
	e := &Excerpt{Before: lastRunes(before, shownBefore), After: firstRunes(after, shownAfter)}
	if policyFinds(w.scan.Policy, w.item.Path, e.Before+Mask+e.After) || policyFinds(w.scan.Policy, w.item.Path, e.Before+e.After) {
		return nil
	}
	return e
}

func policyFinds(p *policy.Policy, path, line string) bool {
	return len(p.Find(nil, path, []byte(line))) > 0
}

// maskOthers returns a part of a line with findings other than i masked.
func (w *window) maskOthers(buf []byte, i, from, to int) string {
	var b strings.Builder
	for j := range w.found {
		g := &w.found[j]
		if j == i || g.End <= from || g.Start >= to {
			continue
		}
		if from < g.Start {
			b.Write(buf[from:g.Start])
		}
		b.WriteString(Mask)
		from = min(max(from, g.End), to)
	}
	if from < to {
		b.Write(buf[from:to])
	}
	return string(bytes.ToValidUTF8([]byte(b.String()), []byte("�")))
}

func lastRunes(s string, n int) string {
	s = strings.TrimLeft(s, " \t")
	if over := utf8.RuneCountInString(s) - n; over > 0 {
		return "…" + string([]rune(s)[over:])
	}
	return s
}

func firstRunes(s string, n int) string {
	s = strings.TrimRight(s, " \t\r")
	if utf8.RuneCountInString(s) > n {
		return string([]rune(s)[:n]) + "…"
	}
	return s
}
