package secret

import (
	"slices"
	"unsafe"

	"github.com/checkrein/checkrein/internal/secret/value"
)

// Searches is told each text that is searched from its beginning to its end: tests
// count them. It is nil in programs.
var Searches func(text string)

// all runs everything that can find one of the wanted kinds.
func (f *finder) all() {
	if Searches != nil && !f.inner {
		Searches(f.text)
	}
	scan(f.text, func(state uint32, end int) { f.hits(state, end) })
	if f.want&Secrets != 0 {
		f.longRuns()
		f.seeds()
		f.keyArrays()
		f.foreign()
		f.withoutMargins()
		f.repeated()
	}
	if f.want&Personal != 0 {
		f.numbers()
	}
	if !f.inner {
		f.escaped()
		if f.want&Secrets != 0 {
			f.respelt()
		}
	}
}

func (f *finder) hits(state uint32, end int) {
	for _, h := range hitsOf(state) {
		if r := &rules[h.rule]; r.kind&f.want != 0 {
			readers[r.by].look(f.lent(), int(h.rule), end-int(h.len), end)
		}
	}
	if end > f.lineTo && !f.inner {
		f.noteMargin(end)
	}
}

// lent returns f without the compiler's knowledge that it is f, for readers: they
// keep nothing of it. Else each finder would be on the heap, as the compiler does
// not know which function a row has.
func (f *finder) lent() *finder {
	hidden := *(*uintptr)(unsafe.Pointer(&f))
	return *(**finder)(unsafe.Pointer(&hidden))
}

// appendTo appends what was found to dst, settled.
func (f *finder) appendTo(dst []Finding) []Finding {
	for _, n := range f.settled() {
		r := &rules[n.rule]
		dst = append(dst, Finding{r.id, r.kind, n.start, n.end})
	}
	return dst
}

// settled sorts and merges what was found.
func (f *finder) settled() []found {
	slices.SortFunc(f.found, func(a, b found) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	out := f.found[:0]
	for _, n := range f.found {
		if value.IsPublished(f.text[n.start:n.end]) {
			continue
		}
		if len(out) == 0 || n.start >= out[len(out)-1].end {
			out = append(out, n)
			continue
		}
		last := &out[len(out)-1]
		last.rule = better(last.rule, n.rule)
		last.end = max(last.end, n.end)
	}
	f.found = out
	return out
}

// better returns which of two rules knows better what both see. Of equals it is
// the later.
func better(a, b int) int {
	if x, y := readers[rules[a].by].rank, readers[rules[b].by].rank; x != y {
		if x > y {
			return a
		}
		return b
	}
	return max(a, b)
}
