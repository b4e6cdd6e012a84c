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
	// or are alternatives if the model has no tool for call.
	or []mockmodel.Call
	// before is called when the model is about to make the call. It returns a function to call once the
	// host has reported the result; both may be nil.
	before func() (after func())
}

// A player is a script of steps for an agent and a sub-agent. Hosts also have conversations of their
// own with the model, which get a short answer. A request is assigned to the conversation whose last
// result it contains.
type player struct {
	main, sub []step
	subMark   string // in the prompt of the sub-agent
	onStep    func(step string)

	mu      sync.Mutex
	answers map[int]mockmodel.Turn // answers so far, by turn
	turns   map[string]int         // the turn of each step that was made
	missing map[string]string      // steps without an offered tool, and why
	inMain  progress
	inSub   progress
}

// A progress is how far a conversation has come.
type progress struct {
	next int // index of the next step
	last int // the turn of the previous step; -1 means none
	// after is called when that step is done. A sub-agent may run at the same time.
	after func()
}

// finishStep calls what is left to do after the last step.
func (t *progress) finishStep() {
	if t.after != nil {
		t.after()
		t.after = nil
	}
}

const final = "all is well"

func newPlayer(main, sub []step, subMark string, said func(string)) *player {
	return &player{
		main: main, sub: sub, subMark: subMark, onStep: said,
		answers: map[int]mockmodel.Turn{}, turns: map[string]int{}, missing: map[string]string{},
		inMain: progress{last: -1}, inSub: progress{last: -1},
	}
}

func (p *player) script() mockmodel.Script {
	return mockmodel.Script{Choose: p.choose, Final: final}
}

// choose answers a request. A repeated request gets the same answer.
func (p *player) choose(q mockmodel.Request) mockmodel.Turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.answers[q.Turn]; ok {
		return t
	}
	var t mockmodel.Turn
	switch {
	case p.inSub.hasResult(q), p.inSub.last < 0 && p.inMain.last >= 0 && !p.inMain.hasResult(q) && containsMark(q, p.subMark):
		t = p.nextStep(q, p.sub, &p.inSub)
	case p.inMain.hasResult(q), p.inMain.last < 0 && p.inMain.next == 0:
		t = p.nextStep(q, p.main, &p.inMain)
	}
	p.answers[q.Turn] = t
	return t
}

// hasResult reports whether a request contains the result of the last step.
func (t *progress) hasResult(q mockmodel.Request) bool {
	if t.last < 0 {
		return false
	}
	_, ok := q.Result(t.last, 0)
	return ok
}

// nextStep makes the next step whose tool is offered.
func (p *player) nextStep(q mockmodel.Request, steps []step, at *progress) mockmodel.Turn {
	at.finishStep()
	for at.next < len(steps) {
		s := steps[at.next]
		at.next++
		call, err := s.offeredCall(q)
		if err != nil {
			p.missing[s.name] = err.Error()
			continue
		}
		p.onStep(s.name)
		if s.before != nil {
			at.after = s.before()
		}
		at.last = q.Turn
		p.turns[s.name] = q.Turn
		return mockmodel.Turn{Calls: []mockmodel.Call{call}}
	}
	return mockmodel.Turn{}
}

// offeredCall returns the call that the model can make.
func (s *step) offeredCall(q mockmodel.Request) (mockmodel.Call, error) {
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

// finish calls what is left to do after the last step.
func (p *player) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inMain.finishStep()
	p.inSub.finishStep()
}

// containsMark reports whether a text of the conversation contains mark.
func containsMark(q mockmodel.Request, mark string) bool {
	for _, m := range q.Messages {
		for _, t := range m.Texts {
			if mark != "" && strings.Contains(t, mark) {
				return true
			}
		}
	}
	return false
}
