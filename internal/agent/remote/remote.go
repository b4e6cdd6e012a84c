// Package remote lets a person who is not at the terminal take part in a session of the
// runtime: send messages, and answer what is asked.
//
// A [Desk] stands between the runtime and its UI. What the runtime asks, it asks at the
// terminal, if there is one, and here; the first answer counts.
package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/checkrein/checkrein/internal/agent"
)

// The types of questions, docker-agent's word first.
const (
	Confirmation  = "tool_call_confirmation"
	MaxIterations = "max_iterations_reached"
)

// A Pending is a question that is open.
type Pending struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Question   *agent.Question `json:"tool_call,omitempty"`
	Iterations int             `json:"iterations,omitempty"`
}

// A Desk is the UI of a runtime that is also talked with from elsewhere. It is safe for
// concurrent use.
type Desk struct {
	UI       agent.UI // of the terminal or pipe; set before the runtime starts
	session  string
	terminal bool // a person sits there, who is asked too
	wake     chan struct{}

	mu    sync.Mutex
	agent string // who is at work
	last  int
	open  []*asked
}

// An asked is a question with where its answer goes.
type asked struct {
	Pending
	answer chan agent.Reply
}

// New returns a desk of a session. Terminal says whether a person sits at its UI.
func New(session string, terminal bool) *Desk {
	return &Desk{session: session, terminal: terminal, wake: make(chan struct{}, 1)}
}

// Agent is who is at work, or was last.
func (d *Desk) Agent() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.agent
}

// Wake announces that messages may wait.
func (d *Desk) Wake() <-chan struct{} { return d.wake }

// Notify makes Wake tell it.
func (d *Desk) Notify() {
	select {
	case d.wake <- struct{}{}:
	default: // it does already
	}
}

// Report shows what happened.
func (d *Desk) Report(rep agent.Report) {
	if rep.Session == d.session {
		d.mu.Lock()
		d.agent = rep.Agent
		d.mu.Unlock()
	}
	d.UI.Report(rep)
}

// Confirm asks for a tool call.
func (d *Desk) Confirm(ctx context.Context, q agent.Question) (agent.Reply, error) {
	return d.ask(ctx, Pending{Type: Confirmation, Question: &q}, func(ctx context.Context) (agent.Reply, error) { return d.UI.Confirm(ctx, q) })
}

// ConfirmMore asks whether to go on past the iteration limit.
func (d *Desk) ConfirmMore(ctx context.Context, done int) (bool, error) {
	r, err := d.ask(ctx, Pending{Type: MaxIterations, Iterations: done}, func(ctx context.Context) (agent.Reply, error) {
		yes, err := d.UI.ConfirmMore(ctx, done)
		if yes {
			return agent.Reply{Answer: agent.Approve}, err
		}
		return agent.Reply{}, err
	})
	return r.Answer != agent.Reject, err
}

// ask asks in both places. Who is gone from the terminal may still answer elsewhere.
func (d *Desk) ask(ctx context.Context, p Pending, there func(context.Context) (agent.Reply, error)) (agent.Reply, error) {
	a := d.add(p)
	defer d.drop(a)
	type said struct {
		reply agent.Reply
		err   error
	}
	var typed chan said
	if d.terminal {
		typed = make(chan said, 1)
		at, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			reply, err := there(at)
			typed <- said{reply, err}
		}()
		defer func() { stop(); <-ended }() // else the next line would go to a question that is settled
	} else {
		d.UI.Report(agent.Report{Type: agent.Notice, Text: "waiting for an answer over HTTP: question " + a.ID})
	}
	for {
		select {
		case s := <-typed:
			if s.err != nil && ctx.Err() == nil {
				typed = nil
				continue
			}
			return s.reply, s.err
		case reply := <-a.answer:
			if d.terminal {
				d.UI.Report(agent.Report{Type: agent.Notice, Text: "answered over HTTP: " + words[reply.Answer]})
			}
			return reply, nil
		case <-ctx.Done():
			return agent.Reply{}, ctx.Err()
		}
	}
}

var words = [...]string{agent.Reject: "no", agent.Approve: "yes", agent.Always: "always", agent.Everything: "everything from now on"}

func (d *Desk) add(p Pending) *asked {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	p.ID = fmt.Sprint("q", d.last)
	a := &asked{p, make(chan agent.Reply, 1)}
	d.open = append(d.open, a)
	return a
}

func (d *Desk) drop(a *asked) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = slices.DeleteFunc(d.open, func(o *asked) bool { return o == a })
}

// Pending lists the questions that are open.
func (d *Desk) Pending() []Pending {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := []Pending{}
	for _, a := range d.open {
		out = append(out, a.Pending)
	}
	return out
}

// ErrSettled reports that a question is not open, or not any more.
var ErrSettled = errors.New("there is no such question, or it was already answered")

// Find returns an open question.
func (d *Desk) Find(id string) (Pending, error) {
	for _, p := range d.Pending() {
		if p.ID == id {
			return p, nil
		}
	}
	return Pending{}, ErrSettled
}

// Answer answers a question, once.
func (d *Desk) Answer(id string, r agent.Reply) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.open, func(a *asked) bool { return a.ID == id })
	if i < 0 {
		return ErrSettled
	}
	d.open[i].answer <- r
	d.open = slices.Delete(d.open, i, i+1)
	return nil
}
