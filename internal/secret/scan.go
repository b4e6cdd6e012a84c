package secret

import "slices"

// Windows: how far from its anchor a rule looks. What a rule finds depends on
// nothing else, so a stream need not hold more than this.
const (
	lookBack  = 1024
	window    = 2048
	longReach = 16 << 10 // of rules that are long
	keyReach  = 64 << 10 // of blocks of keys
)

// hit is a rule to ask at a state of the automaton, and how long the anchor is
// that just ended.
type hit struct {
	rule uint16
	len  uint8
}

// found is a finding before it is merged with others.
type found struct {
	rule       int // an index into rules
	start, end int
}

// finder looks through one text.
type finder struct {
	text  string
	want  Kind
	inner bool // the text was spelt otherwise in another: no further level is decoded
	found []found

	noEnd   int   // no end of a key block starts before this
	named   value // the value of the name that ends at namedAt
	namedAt int
	namedOK bool
	token   int  // the end of a run without spaces; see tokenEnd
	fixed   bool // the value is known and need not be read
	tableTo int  // up to here tables were read
	// What standsIn knows: a part that stands for a secret, and a text without any.
	partFrom, partTo, clearFrom, clearTo int

	pending int // from here on, more text might change what is found
}

// all runs everything that can find one of the wanted kinds.
func (f *finder) all() {
	f.namedAt = -1
	f.pending = len(f.text)
	f.anchored()
	if f.want&Secrets != 0 {
		f.longRuns()
		f.seeds()
		f.keyArrays()
		f.foreign()
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

// anchored runs the automaton over the text.
func (f *finder) anchored() {
	text := f.text
	state := uint32(0)
	for i := 0; i < len(text); i++ {
		state = uint32(rows[state<<rowShift|uint32(byteClass[text[i]])])
		if state >= firstHit {
			f.hits(state, i+1)
		}
	}
}

func (f *finder) hits(state uint32, end int) {
	at := hitsAt[state-firstHit : state-firstHit+2]
	for _, h := range hitList[at[0]:at[1]] {
		if rules[h.rule].kind&f.want != 0 {
			f.look(int(h.rule), end-int(h.len), end)
		}
	}
}

// add notes a finding.
func (f *finder) add(rule, start, end int) {
	if Guesses(rules[rule].id) && encodesStandIn(f.text[start:end]) {
		return
	}
	f.found = append(f.found, found{rule, start, end})
}

// pend notes that what starts at i ran into the end of the text.
func (f *finder) pend(i int) { f.pending = min(f.pending, max(i, 0)) }

// covered reports whether the last finding reaches over i. It spares rules
// that read far from doing so again and again within one find.
func (f *finder) covered(i int) bool {
	n := len(f.found)
	return n > 0 && f.found[n-1].start <= i && i < f.found[n-1].end
}

// appendTo appends what was found to dst, settled.
func (f *finder) appendTo(dst []Finding) []Finding {
	for _, n := range f.settled() {
		dst = append(dst, n.finding())
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
		if isPublished(f.text[n.start:n.end]) {
			continue
		}
		if len(out) == 0 || n.start >= out[len(out)-1].end {
			out = append(out, n)
			continue
		}
		last := &out[len(out)-1]
		if rules[n.rule].rank() > rules[last.rule].rank() || rules[n.rule].rank() == rules[last.rule].rank() && n.rule > last.rule {
			last.rule = n.rule
		}
		last.end = max(last.end, n.end)
	}
	f.found = out
	return out
}

func (n found) finding() Finding {
	r := &rules[n.rule]
	return Finding{r.id, r.kind, n.start, n.end}
}
