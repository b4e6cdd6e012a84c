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

// OnSearch, if not nil, is called with each text that is searched completely. Tests set it to count
// searches.
var OnSearch func(text string)

// findAll adds all findings of the kinds f.Want.
func findAll(f *search.Finder) {
	if OnSearch != nil && !f.Inner {
		OnSearch(f.Text)
	}
	rules.Scan(f.Text, func(state uint32, end int) { readHits(f, state, end) })
	if f.Want&rules.Secrets != 0 {
		findLongRuns(f)
		findSeedPhrases(f)
		reader.FindKeyArrays(f)
		reader.FindForeignPasswords(f)
		findWithoutMargins(f)
		findRepeatedPasswords(f)
	}
	if f.Want&rules.Personal != 0 {
		pii.FindNumbers(f)
	}
	if !f.Inner {
		findInJSONEscapes(f)
		if f.Want&rules.Secrets != 0 {
			findInEscapedParts(f)
		}
	}
}

// readHits calls the readers of the wanted rules whose anchors end in state, at offset end.
func readHits(f *search.Finder, state uint32, end int) {
	for _, h := range rules.HitsAt(state) {
		if r := &rules.Table[h.Rule]; r.Kind&f.Want != 0 {
			readers[r.By].find(noEscape(f), int(h.Rule), end-int(h.Len), end)
		}
	}
	if end > f.LineTo && !f.Inner {
		markLineWithMargin(f, end)
	}
}

// noEscape returns f, hidden from the compiler's escape analysis. Readers do not retain f, but the
// compiler cannot tell which function a row holds, and would allocate each finder on the heap.
func noEscape(f *search.Finder) *search.Finder {
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

// mergeFound sorts f.Found, drops published examples, merges overlapping findings, and returns the
// result.
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

// preferRule returns the index of the rule, a or b, that describes the same finding better. Between
// rules of the same rank it is the later one.
func preferRule(a, b int) int {
	if x, y := readers[rules.Table[a].By].rank, readers[rules.Table[b].By].rank; x != y {
		if x > y {
			return a
		}
		return b
	}
	return max(a, b)
}
