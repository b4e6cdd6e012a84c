package secret

import (
	"slices"
	"unsafe"

	"github.com/checkrein/checkrein/internal/secret/pii"
	"github.com/checkrein/checkrein/internal/secret/reader"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Searches is told each text that is searched from its beginning to its end: tests
// count them. It is nil in programs.
var Searches func(text string)

// findAll runs everything that can find one of the wanted kinds.
func findAll(f *search.Finder) {
	if Searches != nil && !f.Inner {
		Searches(f.Text)
	}
	rules.Scan(f.Text, func(state uint32, end int) { lookAtHits(f, state, end) })
	if f.Want&rules.Secrets != 0 {
		findLongRuns(f)
		findSeeds(f)
		reader.FindKeyArrays(f)
		reader.FindForeign(f)
		findWithoutMargins(f)
		findRepeated(f)
	}
	if f.Want&rules.Personal != 0 {
		pii.FindNumbers(f)
	}
	if !f.Inner {
		findEscaped(f)
		if f.Want&rules.Secrets != 0 {
			findRespelt(f)
		}
	}
}

func lookAtHits(f *search.Finder, state uint32, end int) {
	for _, h := range rules.Hits(state) {
		if r := &rules.Table[h.Rule]; r.Kind&f.Want != 0 {
			readers[r.By].look(lend(f), int(h.Rule), end-int(h.Len), end)
		}
	}
	if end > f.LineTo && !f.Inner {
		noteMargin(f, end)
	}
}

// lend returns f without the compiler's knowledge that it is f, for readers: they
// keep nothing of it. Else each finder would be on the heap, as the compiler does
// not know which function a row has.
func lend(f *search.Finder) *search.Finder {
	hidden := *(*uintptr)(unsafe.Pointer(&f))
	return *(**search.Finder)(unsafe.Pointer(&hidden))
}

// appendFindings appends what was found to dst, settled.
func appendFindings(f *search.Finder, dst []Finding) []Finding {
	for _, n := range settle(f) {
		r := &rules.Table[n.Rule]
		dst = append(dst, Finding{r.ID, r.Kind, n.Start, n.End})
	}
	return dst
}

// settle sorts and merges what was found.
func settle(f *search.Finder) []search.Found {
	slices.SortFunc(f.Found, func(a, b search.Found) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	out := f.Found[:0]
	for _, n := range f.Found {
		if value.IsPublished(f.Text[n.Start:n.End]) {
			continue
		}
		if len(out) == 0 || n.Start >= out[len(out)-1].End {
			out = append(out, n)
			continue
		}
		last := &out[len(out)-1]
		last.Rule = better(last.Rule, n.Rule)
		last.End = max(last.End, n.End)
	}
	f.Found = out
	return out
}

// better returns which of two rules knows better what both see. Of equals it is
// the later.
func better(a, b int) int {
	if x, y := readers[rules.Table[a].By].rank, readers[rules.Table[b].By].rank; x != y {
		if x > y {
			return a
		}
		return b
	}
	return max(a, b)
}
