package rules

// A long text is scanned in pieces, and each piece in interleaved lanes. The automaton
// waits for memory at every byte, and the waits of the lanes overlap.
const (
	lanes    = 4
	laneSize = 512
	// laneRun is the number of bytes before a lane that are scanned first, because an anchor
	// that ends in the lane may begin there. No anchor is longer, so the state at the start
	// of the lane is the same as after scanning everything.
	laneRun = 40
)

// A laneHit is a state with hits, and the offset from the start of its lane where it is reached.
type laneHit struct{ state, end uint16 }

// Scan runs the automaton over text. It calls hit with each state in which anchors end, and the offset
// where they end.
func Scan(text string, hit func(state uint32, end int)) {
	state := uint32(0)
	at := 0
	if len(text) >= lanes*laneSize {
		at, state = scanPieces(text, hit)
	}
	for i := at; i < len(text); i++ {
		if state = NextState(state, text[i]); state >= FirstHit {
			hit(state, i+1)
		}
	}
}

// scanPieces runs the automaton over all whole pieces of text. It returns the offset where they end,
// and the state there.
func scanPieces(text string, hit func(state uint32, end int)) (at int, state uint32) {
	var seen [lanes][laneSize]laneHit
	for ; at+lanes*laneSize <= len(text); at += lanes * laneSize {
		var n [lanes]int
		n, state = scanLanes(text[at:at+lanes*laneSize], state, &seen)
		for l := range seen {
			for _, h := range seen[l][:n[l]] {
				hit(uint32(h.state), at+l*laneSize+int(h.end))
			}
		}
	}
	return at, state
}

// scanLanes runs the automaton over piece from the state a, and stores the hits in seen. It returns
// the number of hits of each lane, and the state at the end.
func scanLanes(piece string, a uint32, seen *[lanes][laneSize]laneHit) (n [lanes]int, end uint32) {
	b, c, d := uint32(0), uint32(0), uint32(0)
	ta, tb, tc, td := piece[:laneSize], piece[laneSize:][:laneSize], piece[2*laneSize:][:laneSize], piece[3*laneSize:][:laneSize]
	for i := laneSize - laneRun; i < laneSize; i++ {
		b, c, d = NextState(b, ta[i]), NextState(c, tb[i]), NextState(d, tc[i])
	}
	for i := range laneSize {
		a, b, c, d = NextState(a, ta[i]), NextState(b, tb[i]), NextState(c, tc[i]), NextState(d, td[i])
		if max(a, b, c, d) < FirstHit {
			continue
		}
		for l, state := range [lanes]uint32{a, b, c, d} {
			if state >= FirstHit {
				seen[l][n[l]] = laneHit{uint16(state), uint16(i + 1)}
				n[l]++
			}
		}
	}
	return n, d
}

// HitsAt returns the rules whose anchors end in state, which must be at least FirstHit.
func HitsAt(state uint32) []hit {
	at := hitsAt[state-FirstHit : state-FirstHit+2]
	return hitList[at[0]:at[1]]
}

// NextState returns the state of the automaton after state and the byte c.
func NextState(state uint32, c byte) uint32 {
	return uint32(rows[state<<rowShift|uint32(byteClass[c])])
}
