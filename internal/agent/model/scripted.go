package model

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/agent/team"
)

// Ended is the answer of a scripted model that has no step left, which ends the run.
const Ended = "(script ended)"

// Scripts holds the scripts being played. The zero value is ready to use. It is safe for concurrent
// use.
type Scripts struct {
	mu    sync.Mutex
	files map[string]*script
	plays map[string]*play
}

// A play is a part of a script with its next step.
type play struct {
	part
	mu   sync.Mutex
	next int
}

// openPlay returns the play of agent: its own part, or the script's steps, which all agents without a
// part share.
func (s *Scripts) openPlay(dir, file, agent string) (*play, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files, s.plays = map[string]*script{}, map[string]*play{}
	}
	path := filepath.Join(dir, file)
	sc := s.files[path]
	if sc == nil {
		var err error
		if sc, err = readScript(dir, file); err != nil {
			return nil, err
		}
		s.files[path] = sc
	}
	key, steps := path, sc.part
	if own, ok := sc.Agents[agent]; ok {
		key, steps = path+"\x00"+agent, own
	} else if sc.Steps == nil {
		return nil, fmt.Errorf("script %q has no steps for the agent %q", file, agent)
	}
	if s.plays[key] == nil {
		s.plays[key] = &play{part: steps}
	}
	return s.plays[key], nil
}

// scripted is a model that plays a script.
//
// The next step must be the same after the process was killed and the session resumed. Therefore it is
// determined from the conversation if that is further than this process: from the number of answers,
// and from the IDs of tool calls, which contain the number of their step. A resumed session loses only
// steps whose answers were compacted and that no later tool call follows, and those of other agents
// that share the steps.
type scripted struct {
	name  string
	agent string
	limit int // of the agent file; the script's takes precedence
	play  *play
}

// openScripted returns the scripted model m, or the demo model.
func openScripted(c Config, m team.Model) (Model, error) {
	if m.Model == "demo" {
		return &demo{limit: m.Context}, nil
	}
	scripts := c.Scripts
	if scripts == nil {
		scripts = &Scripts{}
	}
	p, err := scripts.openPlay(c.Dir, m.Model, c.Agent)
	if err != nil {
		return nil, err
	}
	return &scripted{name: m.Model, agent: c.Agent, limit: m.Context, play: p}, nil
}

func (s *scripted) ID() string { return "scripted/" + s.name }

func (s *scripted) Endpoint() Endpoint { return Endpoint{Provider: "scripted", Model: s.name} }

// ContextLimit returns the latest limit in the script up to the next step.
func (s *scripted) ContextLimit() int {
	s.play.mu.Lock()
	defer s.play.mu.Unlock()
	limit := s.play.Limit
	for i, st := range s.play.Steps {
		if i <= s.play.next && st.Limit > 0 {
			limit = st.Limit
		}
	}
	if limit == 0 {
		return s.limit
	}
	return int(limit)
}

func (s *scripted) Call(ctx context.Context, req Request, delta func(string)) (Answer, error) {
	st, n, ok := s.play.nextStep(req.Messages, s.agent)
	if !ok {
		st = step{Text: Ended}
	}
	if err := pause(ctx, time.Duration(st.Delay)*time.Millisecond); err != nil {
		return Answer{}, err
	}
	sendChunks(st.Text, delta)
	switch st.Fault {
	case "":
	case "overflow":
		return Answer{}, fmt.Errorf("step %d of the script: %w", n+1, ErrOverflow)
	case "hang":
		<-ctx.Done()
		return Answer{}, context.Cause(ctx)
	default:
		return Answer{}, errors.New(st.Fault)
	}
	a := Answer{Text: st.Text, Usage: st.Usage, Cost: st.Cost}
	for i, f := range st.Calls {
		a.ToolCalls = append(a.ToolCalls, ToolCall{ID: stepID(n, i), Type: "function", Function: f.toFunction()})
	}
	return a, nil
}

// stepID returns the ID of the tool call with this number in a step.
func stepID(step, call int) string { return fmt.Sprintf("call_s%d_%d", step, call) }

// stepOf returns the step in id, which stepID returned. It reports false if id is another ID.
func stepOf(id string) (step int, ok bool) {
	rest, ok := strings.CutPrefix(id, "call_s")
	num, _, found := strings.Cut(rest, "_")
	n, err := strconv.Atoi(num)
	return n, ok && found && err == nil && n >= 0
}

// nextStep returns the next step and its number, and advances p. ok is false if there is none.
func (p *play) nextStep(messages []Message, agent string) (st step, n int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = max(p.next, p.stepAfter(messages, agent))
	if n >= len(p.Steps) {
		p.next = len(p.Steps)
		return step{}, n, false
	}
	p.next = n + 1
	return p.Steps[n], n, true
}

// stepAfter returns the number of the step that follows messages: after as many answering steps as
// agent has answers there, and after the last step that a tool call names.
func (p *play) stepAfter(messages []Message, agent string) int {
	answers, after := 0, 0
	for _, m := range messages {
		if m.Role != Assistant || agent != "" && m.Agent != "" && m.Agent != agent {
			continue
		}
		answers++
		for _, c := range m.ToolCalls {
			if n, ok := stepOf(c.ID); ok && n < len(p.Steps) {
				after = max(after, n+1)
			}
		}
	}
	for i, st := range p.Steps {
		if answers == 0 {
			break
		}
		if st.Fault == "" {
			answers--
			after = max(after, i+1)
		}
	}
	if answers > 0 { // the script has no more steps
		return len(p.Steps)
	}
	return after
}

// pause waits for d. If ctx ends before that, it returns the cause.
func pause(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// chunkSize is the size of a piece of text.
const chunkSize = 16

// sendChunks calls delta, unless it is nil, with text in small pieces that do not split characters.
func sendChunks(text string, delta func(string)) {
	if delta == nil {
		return
	}
	for len(text) > 0 {
		n := min(chunkSize, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		delta(text[:n])
		text = text[n:]
	}
}
