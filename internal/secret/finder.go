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
	f.anchored()
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

// A long text is read in pieces, and each piece in lanes side by side: the automaton
// waits for memory at every byte, and lanes wait together.
const (
	lanes    = 4
	laneSize = 512
	// laneRun is how much before a lane is read, since an anchor that ends in it may
	// begin there: no anchor is longer, so the state is the one of who read everything.
	laneRun = 40
)

// A laneHit is a state with hits and where it is reached, from the start of its lane.
type laneHit struct{ state, end uint16 }

// anchored runs the automaton over the text.
func (f *finder) anchored() {
	text, state := f.text, uint32(0)
	at := 0
	if len(text) >= lanes*laneSize {
		at, state = f.piecewise()
	}
	for i := at; i < len(text); i++ {
		if state = step(state, text[i]); state >= firstHit {
			f.hits(state, i+1)
		}
	}
}

// piecewise runs the automaton over all whole pieces, and returns where they end and
// the state there.
func (f *finder) piecewise() (at int, state uint32) {
	var seen [lanes][laneSize]laneHit
	for ; at+lanes*laneSize <= len(f.text); at += lanes * laneSize {
		var n [lanes]int
		n, state = readLanes(f.text[at:at+lanes*laneSize], state, &seen)
		for l := range seen {
			for _, h := range seen[l][:n[l]] {
				f.hits(uint32(h.state), at+l*laneSize+int(h.end))
			}
		}
	}
	return at, state
}

// readLanes runs the automaton over a piece, from a state on. It returns how many hits
// it noted of each lane, and the state at the end.
func readLanes(piece string, a uint32, seen *[lanes][laneSize]laneHit) (n [lanes]int, end uint32) {
	b, c, d := uint32(0), uint32(0), uint32(0)
	ta, tb, tc, td := piece[:laneSize], piece[laneSize:][:laneSize], piece[2*laneSize:][:laneSize], piece[3*laneSize:][:laneSize]
	for i := laneSize - laneRun; i < laneSize; i++ {
		b, c, d = step(b, ta[i]), step(c, tb[i]), step(d, tc[i])
	}
	for i := range laneSize {
		a, b, c, d = step(a, ta[i]), step(b, tb[i]), step(c, tc[i]), step(d, td[i])
		if max(a, b, c, d) < firstHit {
			continue
		}
		for l, state := range [lanes]uint32{a, b, c, d} {
			if state >= firstHit {
				seen[l][n[l]] = laneHit{uint16(state), uint16(i + 1)}
				n[l]++
			}
		}
	}
	return n, d
}

func (f *finder) hits(state uint32, end int) {
	at := hitsAt[state-firstHit : state-firstHit+2]
	for _, h := range hitList[at[0]:at[1]] {
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
