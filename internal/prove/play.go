package prove

import (
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/mockmodel"
)

// A step is one call that the model makes.
type step struct {
	name string
	call mockmodel.Call
	// before is done when the model is about to make the call, and returns what is
	// done when the host has told what came of it; nil = nothing.
	before func() (after func())
}

// A player is a script of steps that a sub-agent may take part in. Hosts also hold
// conversations of their own with the model; these get a short answer. So a
// conversation counts as the one that it goes on from: by the result of its last step.
type player struct {
	main, sub []step
	subMark   string // in the prompt of the sub-agent
	said      func(step string)

	mu      sync.Mutex
	given   map[int]mockmodel.Turn // what was answered, by turn
	turns   map[string]int         // the turn of each step that was made
	missing map[string]string      // steps whose tool is not offered, and why
	inMain  talk
	inSub   talk
	after   func()
}

// A talk is how far a conversation is.
type talk struct {
	next int // the step that comes
	last int // the turn of the step before; -1 = none was made
}

const final = "all is well"

func newPlayer(main, sub []step, subMark string, said func(string)) *player {
	return &player{
		main: main, sub: sub, subMark: subMark, said: said,
		given: map[int]mockmodel.Turn{}, turns: map[string]int{}, missing: map[string]string{},
		inMain: talk{last: -1}, inSub: talk{last: -1},
	}
}

func (p *player) script() mockmodel.Script {
	return mockmodel.Script{Choose: p.choose, Final: final}
}

// choose answers a request. One that comes again gets the same answer.
func (p *player) choose(q mockmodel.Request) mockmodel.Turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.given[q.Turn]; ok {
		return t
	}
	var t mockmodel.Turn
	switch {
	case p.inSub.goesOn(q), p.inSub.last < 0 && p.inMain.last >= 0 && !p.inMain.goesOn(q) && said(q, p.subMark):
		t = p.make(q, p.sub, &p.inSub)
	case p.inMain.goesOn(q), p.inMain.last < 0 && p.inMain.next == 0:
		t = p.make(q, p.main, &p.inMain)
	}
	p.given[q.Turn] = t
	return t
}

// goesOn reports whether a request tells what came of the last step.
func (t *talk) goesOn(q mockmodel.Request) bool {
	if t.last < 0 {
		return false
	}
	_, ok := q.Result(t.last, 0)
	return ok
}

// make makes the next step whose tool is offered.
func (p *player) make(q mockmodel.Request, steps []step, at *talk) mockmodel.Turn {
	if p.after != nil {
		p.after()
		p.after = nil
	}
	for at.next < len(steps) {
		s := steps[at.next]
		at.next++
		if err := q.Offers(s.call); err != nil {
			p.missing[s.name] = err.Error()
			continue
		}
		p.said(s.name)
		if s.before != nil {
			p.after = s.before()
		}
		at.last = q.Turn
		p.turns[s.name] = q.Turn
		return mockmodel.Turn{Calls: []mockmodel.Call{s.call}}
	}
	return mockmodel.Turn{}
}

// end does what is left to do after the last step.
func (p *player) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.after != nil {
		p.after()
		p.after = nil
	}
}

// said reports whether a text of the conversation has a mark.
func said(q mockmodel.Request, mark string) bool {
	for _, m := range q.Messages {
		for _, t := range m.Texts {
			if mark != "" && strings.Contains(t, mark) {
				return true
			}
		}
	}
	return false
}
