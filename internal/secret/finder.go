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

// OnSearch, if not nil, is called with each text that is searched from beginning to end, so that tests
// can count them.
var OnSearch func(text string)

// findAll adds all findings of the wanted kinds.
func findAll(f *search.Finder) {
	if OnSearch != nil && !f.Inner {
		OnSearch(f.Text)
	}
	rules.Scan(f.Text, func(state uint32, end int) { readHits(f, state, end) })
	if f.Want&rules.Secrets != 0 {
		findLongRuns(f)
		findSeeds(f)
		reader.FindKeyArrays(f)
		reader.FindForeignPasswords(f)
		findWithoutMargins(f)
		findRepeated(f)
	}
	if f.Want&rules.Personal != 0 {
		pii.FindNumbers(f)
	}
	if !f.Inner {
		findEscaped(f)
		if f.Want&rules.Secrets != 0 {
			findDecoded(f)
		}
	}
}

// readHits calls the readers of the rules whose anchors end at end.
func readHits(f *search.Finder, state uint32, end int) {
	for _, h := range rules.Hits(state) {
		if r := &rules.Table[h.Rule]; r.Kind&f.Want != 0 {
			readers[r.By].find(hideEscape(f), int(h.Rule), end-int(h.Len), end)
		}
	}
	if end > f.LineTo && !f.Inner {
		markLineWithMargin(f, end)
	}
}

// hideEscape returns f, hidden from the compiler's escape analysis. Readers do not keep it, but the
// compiler cannot know which function a row has, and would allocate each finder on the heap.
func hideEscape(f *search.Finder) *search.Finder {
	hidden := *(*uintptr)(unsafe.Pointer(&f))
	return *(**search.Finder)(unsafe.Pointer(&hidden))
}

// appendFindings appends the merged findings of f to dst.
func appendFindings(f *search.Finder, dst []Finding) []Finding {
	for _, n := range mergeFound(f) {
		r := &rules.Table[n.Rule]
		dst = append(dst, Finding{r.ID, r.Kind, n.Start, n.End})
	}
	return dst
}

// mergeFound sorts and merges the findings of f, and drops published example values.
func mergeFound(f *search.Finder) []search.Found {
	slices.SortFunc(f.Found, func(a, b search.Found) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	out := f.Found[:0]
	for _, n := range f.Found {
		if value.IsPublishedExample(f.Text[n.Start:n.End]) {
			continue
		}
		if len(out) == 0 || n.Start >= out[len(out)-1].End {
			out = append(out, n)
			continue
		}
		last := &out[len(out)-1]
		last.Rule = preferRule(last.Rule, n.Rule)
		last.End = max(last.End, n.End)
	}
	f.Found = out
	return out
}

// preferRule returns which of two rules describes the same finding better. Among equals it is the
// later.
func preferRule(a, b int) int {
	if x, y := readers[rules.Table[a].By].rank, readers[rules.Table[b].By].rank; x != y {
		if x > y {
			return a
		}
		return b
	}
	return max(a, b)
}
