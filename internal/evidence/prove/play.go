package prove

import (
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/host/mockmodel"
)

// A step is one call that the model makes.
type step struct {
	name string
	call mockmodel.Call
	// or are calls to make instead where the model is not offered a tool for call.
	or []mockmodel.Call
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
}

// A talk is how far a conversation is.
type talk struct {
	next int // the step that comes
	last int // the turn of the step before; -1 = none was made
	// after is left to do for that step. A sub-agent may be at work at the same time.
	after func()
}

// settle does what is left to do after the last step.
func (t *talk) settle() {
	if t.after != nil {
		t.after()
		t.after = nil
	}
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
	at.settle()
	for at.next < len(steps) {
		s := steps[at.next]
		at.next++
		call, err := s.offered(q)
		if err != nil {
			p.missing[s.name] = err.Error()
			continue
		}
		p.said(s.name)
		if s.before != nil {
			at.after = s.before()
		}
		at.last = q.Turn
		p.turns[s.name] = q.Turn
		return mockmodel.Turn{Calls: []mockmodel.Call{call}}
	}
	return mockmodel.Turn{}
}

// offered is the call that the model can make.
func (s *step) offered(q mockmodel.Request) (mockmodel.Call, error) {
	err := q.CheckOffers(s.call)
	if err == nil {
		return s.call, nil
	}
	for _, c := range s.or {
		if q.CheckOffers(c) == nil {
			return c, nil
		}
	}
	return s.call, err
}

// end does what is left to do after the last step.
func (p *player) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inMain.settle()
	p.inSub.settle()
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
