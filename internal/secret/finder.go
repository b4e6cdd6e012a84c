package secret

import (
	"slices"
	"unsafe"

	"github.com/checkrein/checkrein/internal/secret/value"
)

// Searches is told each text that is searched from its beginning to its end: tests
// count them. It is nil in programs.
var Searches func(text string)

// findAll runs everything that can find one of the wanted kinds.
func findAll(f *Finder) {
	if Searches != nil && !f.Inner {
		Searches(f.Text)
	}
	Scan(f.Text, func(state uint32, end int) { lookAtHits(f, state, end) })
	if f.Want&Secrets != 0 {
		findLongRuns(f)
		findSeeds(f)
		FindKeyArrays(f)
		FindForeign(f)
		findWithoutMargins(f)
		findRepeated(f)
	}
	if f.Want&Personal != 0 {
		FindNumbers(f)
	}
	if !f.Inner {
		findEscaped(f)
		if f.Want&Secrets != 0 {
			findRespelt(f)
		}
	}
}

func lookAtHits(f *Finder, state uint32, end int) {
	for _, h := range Hits(state) {
		if r := &Table[h.Rule]; r.Kind&f.Want != 0 {
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
func lend(f *Finder) *Finder {
	hidden := *(*uintptr)(unsafe.Pointer(&f))
	return *(**Finder)(unsafe.Pointer(&hidden))
}

// appendFindings appends what was found to dst, settled.
func appendFindings(f *Finder, dst []Finding) []Finding {
	for _, n := range settle(f) {
		r := &Table[n.Rule]
		dst = append(dst, Finding{r.ID, r.Kind, n.Start, n.End})
	}
	return dst
}

// settle sorts and merges what was found.
func settle(f *Finder) []Found {
	slices.SortFunc(f.Found, func(a, b Found) int {
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
	if x, y := readers[Table[a].By].rank, readers[Table[b].By].rank; x != y {
		if x > y {
			return a
		}
		return b
	}
	return max(a, b)
}
