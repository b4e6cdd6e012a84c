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

// Ended is what a scripted model says when its script has no step left, so that
// the run comes to its end.
const Ended = "(script ended)"

// Scripts are the scripts that are being played. The zero Scripts is ready, and
// safe for concurrent use.
type Scripts struct {
	mu    sync.Mutex
	files map[string]*script
	plays map[string]*play
}

// A play is how far a script was played.
type play struct {
	part
	mu   sync.Mutex
	next int
}

// part finds what an agent plays: its own part, which is its alone, or the
// script's steps, which all others play together.
func (s *Scripts) part(dir, file, agent string) (*play, error) {
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
// Which step comes next must be the same after the process was killed and the
// session resumed. So it is read off the conversation where that is further
// than what was played in this process: the answers that are in it, and the ids
// of tool calls, which carry the number of their step. Lost on a resume are only
// steps whose answers a compaction took out of the conversation and behind which
// no tool call is left, and those of other agents that play the same steps.
type scripted struct {
	name  string
	agent string
	limit int // by the agent file; the script's goes first
	play  *play
}

func openScripted(c Config, m team.Model) (Model, error) {
	if m.Model == "demo" {
		return &demo{limit: m.Context}, nil
	}
	scripts := c.Scripts
	if scripts == nil {
		scripts = &Scripts{}
	}
	p, err := scripts.part(c.Dir, m.Model, c.Agent)
	if err != nil {
		return nil, err
	}
	return &scripted{name: m.Model, agent: c.Agent, limit: m.Context, play: p}, nil
}

func (s *scripted) ID() string { return "scripted/" + s.name }

func (s *scripted) Endpoint() Endpoint { return Endpoint{Provider: "scripted", Model: s.name} }

// ContextLimit is what the script says last, up to the step that comes next.
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
	st, n, ok := s.play.take(req.Messages, s.agent)
	if !ok {
		st = step{Text: Ended}
	}
	if err := pause(ctx, time.Duration(st.Delay)*time.Millisecond); err != nil {
		return Answer{}, err
	}
	say(st.Text, delta)
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
		a.ToolCalls = append(a.ToolCalls, ToolCall{ID: stepID(n, i), Type: "function", Function: f.function()})
	}
	return a, nil
}

// stepID names a tool call by its step.
func stepID(step, call int) string { return fmt.Sprintf("call_s%d_%d", step, call) }

// stepOf is the step in a tool call's id.
func stepOf(id string) (int, bool) {
	rest, ok := strings.CutPrefix(id, "call_s")
	num, _, found := strings.Cut(rest, "_")
	n, err := strconv.Atoi(num)
	return n, ok && found && err == nil && n >= 0
}

// take gives out the next step.
func (p *play) take(messages []Message, agent string) (st step, n int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = max(p.next, p.reached(messages, agent))
	if n >= len(p.Steps) {
		p.next = len(p.Steps)
		return step{}, n, false
	}
	p.next = n + 1
	return p.Steps[n], n, true
}

// reached is the step that follows what a conversation holds: behind as many
// answering steps as it has answers, and behind the last step that a tool call
// names.
func (p *play) reached(messages []Message, agent string) int {
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
	if answers > 0 { // more than the script has: it is over
		return len(p.Steps)
	}
	return after
}

// pause waits, or returns why it is not to.
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

// saidAtOnce is how much of a text comes at once.
const saidAtOnce = 16

// say gives out a text in small pieces, each of whole characters.
func say(text string, delta func(string)) {
	if delta == nil {
		return
	}
	for len(text) > 0 {
		n := min(saidAtOnce, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		delta(text[:n])
		text = text[n:]
	}
}
