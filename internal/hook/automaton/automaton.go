// Package automaton decides questions about sets of strings: whether a string exists that is in some
// sets and not in others, and which is the shortest.
//
// A set is given by a regular expression, as Go's package regexp reads it. Its deterministic automaton
// is built only as far as a search needs it, and a search stops at a limit, so that no question takes
// long: the answer is then [Unknown]. Strings are valid UTF-8.
package automaton

import (
	"encoding/binary"
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
)

// A Lang is a set of strings: those in which a regular expression finds a match. It is not safe for
// concurrent use.
type Lang struct {
	src    string
	prog   *syntax.Prog
	states []state
	index  map[string]int32
	test   func() *regexp.Regexp
}

// A state is a state of the deterministic automaton.
type state struct {
	threads []uint32 // instructions that wait for a character or for what follows
	prev    rune     // stands for the character before: -1 at the beginning, '\n', 'a' in a word, or ' '
	matched bool     // a match was found, so that every continuation is in the set
	ends    bool     // the string that ends here is in the set
	points  []rune   // the characters at which the next state may change, sorted
	next    []int32  // by interval between points; -1 = not yet known
}

// maxStates limits the states of one automaton.
const maxStates = 3000

// Compile returns the set of the strings in which expr finds a match.
func Compile(expr string) (*Lang, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	l := &Lang{src: expr, prog: prog, index: map[string]int32{}}
	l.test = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }) // it was parsed above
	l.addState([]uint32{uint32(prog.Start)}, -1)
	return l, nil
}

// MustCompile is like Compile for expressions that are known to be valid.
func MustCompile(expr string) *Lang {
	l, err := Compile(expr)
	if err != nil {
		panic(err)
	}
	return l
}

// Contains reports whether s is in the set.
func (l *Lang) Contains(s string) bool { return l.test().MatchString(s) }

// String returns the expression.
func (l *Lang) String() string { return l.src }

// addState returns the state in which the threads at pcs wait after the character prev.
func (l *Lang) addState(pcs []uint32, prev rune) int32 {
	s := state{prev: prev}
	var seen []uint32
	for _, pc := range pcs {
		s.matched = l.follow(pc, 0, prev, false, &seen) || s.matched
	}
	if s.matched {
		seen = nil
	}
	for _, pc := range seen {
		switch l.prog.Inst[pc].Op {
		case syntax.InstAlt, syntax.InstAltMatch, syntax.InstCapture, syntax.InstNop, syntax.InstFail:
		default:
			s.threads = append(s.threads, pc)
		}
	}
	slices.Sort(s.threads)
	s.threads = slices.Compact(s.threads)
	if !slices.ContainsFunc(s.threads, func(pc uint32) bool { return l.prog.Inst[pc].Op == syntax.InstEmptyWidth }) && prev != -1 {
		s.prev = ' ' // what came before no longer matters to these threads
		if l.restartsDiffer() {
			s.prev = prev
		}
	}
	key := binary.AppendVarint(nil, int64(s.prev))
	if s.matched {
		key = []byte{1}
	}
	for _, pc := range s.threads {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	if i, ok := l.index[string(key)]; ok {
		return i
	}
	var ends []uint32
	s.ends = s.matched
	for _, pc := range s.threads {
		s.ends = s.ends || l.follow(pc, syntax.EmptyOpContext(s.prev, -1), s.prev, true, &ends)
	}
	s.points = l.pointsOf(s.threads)
	s.next = slices.Repeat([]int32{-1}, len(s.points)+1)
	l.states = append(l.states, s)
	l.index[string(key)] = int32(len(l.states) - 1)
	return int32(len(l.states) - 1)
}

// restartsDiffer reports whether a match that begins later depends on the character before it.
func (l *Lang) restartsDiffer() bool { return l.prog.StartCond() != 0 || l.hasEmptyWidth() }

// hasEmptyWidth reports whether the program has conditions on the characters around a position.
func (l *Lang) hasEmptyWidth() bool {
	return slices.ContainsFunc(l.prog.Inst, func(i syntax.Inst) bool { return i.Op == syntax.InstEmptyWidth })
}

// beforeOnly are the conditions that depend only on the character before the position.
const beforeOnly = syntax.EmptyBeginLine | syntax.EmptyBeginText

// follow adds to seen the instructions that pc reaches without a character, and reports whether one of
// them is a match. If known is set, flags are the conditions that hold at this position. Otherwise
// only those are decided that depend on the character before it, prev.
func (l *Lang) follow(pc uint32, flags syntax.EmptyOp, prev rune, known bool, seen *[]uint32) bool {
	if slices.Contains(*seen, pc) {
		return false
	}
	in := &l.prog.Inst[pc]
	if in.Op == syntax.InstEmptyWidth {
		want := syntax.EmptyOp(in.Arg)
		switch {
		case known && want&^flags != 0:
			return false
		case !known && want&beforeOnly&^syntax.EmptyOpContext(prev, 'a') != 0:
			return false
		case !known && want&^beforeOnly != 0:
			*seen = append(*seen, pc)
			return false
		}
	}
	*seen = append(*seen, pc)
	switch in.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstAlt, syntax.InstAltMatch:
		one := l.follow(in.Out, flags, prev, known, seen)
		return l.follow(in.Arg, flags, prev, known, seen) || one
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		return l.follow(in.Out, flags, prev, known, seen)
	}
	return false
}

// pointsOf returns the characters at which an interval begins in which all characters have the same
// effect on threads.
func (l *Lang) pointsOf(threads []uint32) []rune {
	var out []rune
	var seen, next []uint32
	for _, pc := range threads { // conditions lead to further instructions
		l.follow(pc, 1<<8-1, 0, true, &seen)
	}
	if len(threads) > 0 || !l.isAnchored() {
		l.follow(uint32(l.prog.Start), 1<<8-1, 0, true, &seen)
	}
	for _, pc := range seen { // a condition that comes next depends on the character, too
		switch l.prog.Inst[pc].Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			l.follow(l.prog.Inst[pc].Out, 1<<8-1, 0, true, &next)
		}
	}
	for _, pc := range next {
		if l.prog.Inst[pc].Op == syntax.InstEmptyWidth {
			seen = append(seen, pc)
			break
		}
	}
	for _, pc := range seen {
		in := &l.prog.Inst[pc]
		switch in.Op {
		case syntax.InstEmptyWidth:
			out = append(out, '\n', '\n'+1, '0', '9'+1, 'A', 'Z'+1, '_', '_'+1, 'a', 'z'+1)
		case syntax.InstRuneAnyNotNL:
			out = append(out, '\n', '\n'+1)
		case syntax.InstRune, syntax.InstRune1:
			for i, r := range in.Rune {
				out = append(out, r+rune(i%2))
			}
			if len(in.Rune) == 1 {
				out = append(out, in.Rune[0]+1)
				if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
					for r := unicode.SimpleFold(in.Rune[0]); r != in.Rune[0]; r = unicode.SimpleFold(r) {
						out = append(out, r, r+1)
					}
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isAnchored reports whether a match can begin only at the beginning of the text.
func (l *Lang) isAnchored() bool { return l.prog.StartCond()&syntax.EmptyBeginText != 0 }

// step returns the state after the character r in state i, or -1 if there are too many states.
func (l *Lang) step(i int32, r rune) int32 {
	s := &l.states[i]
	if s.matched || len(s.threads) == 0 && l.isAnchored() {
		return i
	}
	class, exact := slices.BinarySearch(s.points, r)
	if exact {
		class++
	}
	if to := s.next[class]; to >= 0 {
		return to
	}
	if len(l.states) >= maxStates {
		return -1
	}
	flags := syntax.EmptyOpContext(s.prev, r)
	var seen, out []uint32
	matched := false
	for _, pc := range s.threads {
		matched = l.follow(pc, flags, s.prev, true, &seen) || matched
	}
	for _, pc := range seen {
		in := &l.prog.Inst[pc]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if in.MatchRune(r) {
				out = append(out, in.Out)
			}
		}
	}
	var to int32
	if matched {
		to = l.matchedState()
	} else {
		if !l.isAnchored() {
			out = append(out, uint32(l.prog.Start))
		}
		to = l.addState(out, kindOf(r))
	}
	l.states[i].next[class] = to
	return to
}

// matchedState returns the state after a match.
func (l *Lang) matchedState() int32 {
	if i, ok := l.index["\x01"]; ok {
		return i
	}
	l.states = append(l.states, state{matched: true, ends: true, next: []int32{-1}})
	l.index["\x01"] = int32(len(l.states) - 1)
	return l.index["\x01"]
}

// kindOf returns the character that stands for all those that have the same effect on conditions as r.
func kindOf(r rune) rune {
	switch {
	case r == '\n':
		return r
	case syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}

// isDead reports whether no continuation of state i is in the set.
func (l *Lang) isDead(i int32) bool {
	s := &l.states[i]
	return !s.matched && len(s.threads) == 0 && l.isAnchored()
}
