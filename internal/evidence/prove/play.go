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
	// alternatives are tried in order if the model has no tool for call.
	alternatives []mockmodel.Call
	// before, unless it is nil, is called when the model is about to make the call. It returns a
	// function to call once the host has reported the result, or nil.
	before func() (after func())
}

// A player scripts the model's calls for an agent and a sub-agent. Hosts also have other conversations
// with the model, which get a short answer. A request belongs to the conversation whose last result it
// contains.
type player struct {
	main, sub []step
	subMark   string // text that the prompt of the sub-agent contains
	onStep    func(step string)

	mu      sync.Mutex
	answers map[int]mockmodel.Turn // answers so far, by turn
	turns   map[string]int         // the turn of each step that was made
	missing map[string]string      // steps without an offered tool, and why
	inMain  progress
	inSub   progress
}

// A progress describes how far a conversation has come.
type progress struct {
	next int // index of the next step
	last int // the turn of the previous step; -1 means none
	// after is called when that step is done. A sub-agent may run at the same time.
	after func()
}

// finishStep calls the function that the last step left to call, if any.
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

// script returns the player as a script for the mock model.
func (p *player) script() mockmodel.Script {
	return mockmodel.Script{Choose: p.answerRequest, Final: final}
}

// answerRequest returns the answer to q. A repeated request gets the same answer.
func (p *player) answerRequest(q mockmodel.Request) mockmodel.Turn {
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

// hasResult reports whether q contains the result of the last step.
func (t *progress) hasResult(q mockmodel.Request) bool {
	if t.last < 0 {
		return false
	}
	_, ok := q.Result(t.last, 0)
	return ok
}

// nextStep returns the turn with the next of steps whose tool q offers, and advances at. The turn is
// empty if there is none.
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

// offeredCall returns the call of s, or the first alternative, for which q offers a tool. It returns
// an error if there is none.
func (s *step) offeredCall(q mockmodel.Request) (mockmodel.Call, error) {
	err := q.CheckOffers(s.call)
	if err == nil {
		return s.call, nil
	}
	for _, c := range s.alternatives {
		if q.CheckOffers(c) == nil {
			return c, nil
		}
	}
	return s.call, err
}

// finish calls the functions that the last steps left to call.
func (p *player) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inMain.finishStep()
	p.inSub.finishStep()
}

// containsMark reports whether a text in q contains mark. It returns false if mark is "".
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
