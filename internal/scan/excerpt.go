package scan

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/scan/policy"
)

// An Excerpt is the text before and after a finding on its line. What was found there,
// and all else on the line that the policy finds, is a Mask.
type Excerpt struct{ Before, After string }

// Mask is shown in place of what was found.
const Mask = "••••"

const (
	shownBefore = 48 // characters
	shownAfter  = 24

	mostExcerpts = 1000 // findings in a text whose lines are shown
)

// excerpt is the line around finding i, nil if it cannot be shown without what the policy
// finds: something may come to light when what hid it is gone.
func (w *window) excerpt(buf []byte, i, from, to int) *Excerpt {
	if len(w.found) > mostExcerpts {
		return nil
	}
	f := &w.found[i]
	before, after := w.masked(buf, i, from, f.Start), w.masked(buf, i, min(f.End, to), to)
	e := &Excerpt{Before: lastOf(before, shownBefore), After: firstOf(after, shownAfter)}
	if policyFinds(w.scan.Policy, w.item.Path, e.Before+Mask+e.After) || policyFinds(w.scan.Policy, w.item.Path, e.Before+e.After) {
		return nil
	}
	return e
}

func policyFinds(p *policy.Policy, path, line string) bool {
	return len(p.Find(nil, path, []byte(line))) > 0
}

// masked is a part of a line without findings other than i.
func (w *window) masked(buf []byte, i, from, to int) string {
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

func lastOf(s string, n int) string {
	s = strings.TrimLeft(s, " \t")
	if over := utf8.RuneCountInString(s) - n; over > 0 {
		return "…" + string([]rune(s)[over:])
	}
	return s
}

func firstOf(s string, n int) string {
	s = strings.TrimRight(s, " \t\r")
	if utf8.RuneCountInString(s) > n {
		return string([]rune(s)[:n]) + "…"
	}
	return s
}
