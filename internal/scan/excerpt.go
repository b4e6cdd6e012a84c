package scan

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/scan/policy"
)

// An Excerpt is the text before and after a finding on its line. Mask replaces the finding itself, and
// everything else on the line that the policy finds.
type Excerpt struct{ Before, After string }

// Mask is shown in place of a finding.
const Mask = "••••"

const (
	shownBefore = 48 // maximum characters before a finding
	shownAfter  = 24 // maximum characters after a finding

	mostExcerpts = 1000 // maximum findings of a text that gets excerpts
)

// newExcerpt returns the excerpt of finding i, whose line is buf[from:to], or nil if the line cannot
// be shown safely. Masking one finding may make the policy find another.
func (w *window) newExcerpt(buf []byte, i, from, to int) *Excerpt {
	if len(w.found) > mostExcerpts {
		return nil
	}
	f := &w.found[i]
	before, after := w.maskOthers(buf, i, from, f.Start), w.maskOthers(buf, i, min(f.End, to), to)
	e := &Excerpt{Before: lastRunes(before, shownBefore), After: firstRunes(after, shownAfter)}
	if hasFindings(w.scan.Policy, w.item.Path, e.Before+Mask+e.After) || hasFindings(w.scan.Policy, w.item.Path, e.Before+e.After) {
		return nil
	}
	return e
}

// hasFindings reports whether p finds something in line.
func hasFindings(p *policy.Policy, path, line string) bool {
	return len(p.Find(nil, path, []byte(line))) > 0
}

// maskOthers returns buf[from:to] with the findings other than i masked.
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

// lastRunes returns the last n characters of s, after an ellipsis if it has more.
func lastRunes(s string, n int) string {
	s = strings.TrimLeft(s, " \t")
	if over := utf8.RuneCountInString(s) - n; over > 0 {
		return "…" + string([]rune(s)[over:])
	}
	return s
}

// firstRunes returns the first n characters of s, followed by an ellipsis if it has more.
func firstRunes(s string, n int) string {
	s = strings.TrimRight(s, " \t\r")
	if utf8.RuneCountInString(s) > n {
		return string([]rune(s)[:n]) + "…"
	}
	return s
}
