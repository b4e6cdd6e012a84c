// Package remote allows a user who is not at the terminal to take part in a session of the runtime:
// they can send messages and answer questions.
//
// A [Desk] stands between the runtime and its UI. It asks the runtime's questions at the terminal, if
// there is one, and over HTTP; the first answer counts.
package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/checkrein/checkrein/internal/agent"
)

// The types of questions. The first name is that of docker-agent.
const (
	Confirmation  = "tool_call_confirmation"
	MaxIterations = "max_iterations_reached"
)

// A PendingQuestion is a question that is not answered yet.
type PendingQuestion struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Question   *agent.Question `json:"tool_call,omitempty"`
	Iterations int             `json:"iterations,omitempty"`
}

// A Desk is the UI of a runtime that is also used over HTTP. It is safe for concurrent use.
type Desk struct {
	UI       agent.UI // the terminal or pipe; must be set before the runtime starts
	session  string
	terminal bool // there is a user at the UI, who is asked too
	wake     chan struct{}

	mu    sync.Mutex
	agent string // the current agent
	last  int
	open  []*openQuestion
}

// An openQuestion is a question with the channel for its answer.
type openQuestion struct {
	PendingQuestion
	answer chan agent.Reply
}

// New returns a desk for the session. terminal is set if there is a user at its UI.
func New(session string, terminal bool) *Desk {
	return &Desk{session: session, terminal: terminal, wake: make(chan struct{}, 1)}
}

// Agent returns the name of the current agent.
func (d *Desk) Agent() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.agent
}

// Wake returns a channel that becomes ready when messages may be waiting.
func (d *Desk) Wake() <-chan struct{} { return d.wake }

// Notify makes the channel that Wake returns ready.
func (d *Desk) Notify() {
	select {
	case d.wake <- struct{}{}:
	default: // already notified
	}
}

// Report passes a report to the UI.
func (d *Desk) Report(rep agent.Report) {
	if rep.Session == d.session {
		d.mu.Lock()
		d.agent = rep.Agent
		d.mu.Unlock()
	}
	d.UI.Report(rep)
}

// Confirm asks the user about a tool call.
func (d *Desk) Confirm(ctx context.Context, q agent.Question) (agent.Reply, error) {
	return d.askBoth(ctx, PendingQuestion{Type: Confirmation, Question: &q}, func(ctx context.Context) (agent.Reply, error) { return d.UI.Confirm(ctx, q) })
}

// ConfirmMore asks the user whether to continue after done iterations, the limit.
func (d *Desk) ConfirmMore(ctx context.Context, done int) (bool, error) {
	r, err := d.askBoth(ctx, PendingQuestion{Type: MaxIterations, Iterations: done}, func(ctx context.Context) (agent.Reply, error) {
		yes, err := d.UI.ConfirmMore(ctx, done)
		if yes {
			return agent.Reply{Answer: agent.Approve}, err
		}
		return agent.Reply{}, err
	})
	return r.Answer != agent.Reject, err
}

// askBoth asks p over HTTP and, if there is a user at the UI, there, and returns the first answer. If
// asking at the UI fails, the answer may still come over HTTP.
func (d *Desk) askBoth(ctx context.Context, p PendingQuestion, there func(context.Context) (agent.Reply, error)) (agent.Reply, error) {
	a := d.addQuestion(p)
	defer d.removeQuestion(a)
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
		defer func() { stop(); <-ended }() // otherwise the next line would answer a closed question
	} else {
		d.UI.Report(agent.Report{Type: agent.Notice, Text: "waiting for an answer over HTTP to question " + a.ID})
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
				d.UI.Report(agent.Report{Type: agent.Notice, Text: "answered over HTTP: " + answerNames[reply.Answer]})
			}
			return reply, nil
		case <-ctx.Done():
			return agent.Reply{}, ctx.Err()
		}
	}
}

var answerNames = [...]string{agent.Reject: "no", agent.Approve: "yes", agent.Always: "always", agent.Everything: "everything from now on"}

// addQuestion gives p an ID and adds it to the open questions.
func (d *Desk) addQuestion(p PendingQuestion) *openQuestion {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	p.ID = fmt.Sprint("q", d.last)
	a := &openQuestion{p, make(chan agent.Reply, 1)}
	d.open = append(d.open, a)
	return a
}

func (d *Desk) removeQuestion(a *openQuestion) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = slices.DeleteFunc(d.open, func(o *openQuestion) bool { return o == a })
}

// PendingQuestions returns the open questions.
func (d *Desk) PendingQuestions() []PendingQuestion {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := []PendingQuestion{}
	for _, a := range d.open {
		out = append(out, a.PendingQuestion)
	}
	return out
}

// ErrSettled means that a question does not exist or was already answered.
var ErrSettled = errors.New("there is no such question, or it was already answered")

// FindPending returns the open question id. The error is ErrSettled if there is none.
func (d *Desk) FindPending(id string) (PendingQuestion, error) {
	for _, p := range d.PendingQuestions() {
		if p.ID == id {
			return p, nil
		}
	}
	return PendingQuestion{}, ErrSettled
}

// Answer answers the open question id with r. The error is ErrSettled if there is none.
func (d *Desk) Answer(id string, r agent.Reply) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.open, func(a *openQuestion) bool { return a.ID == id })
	if i < 0 {
		return ErrSettled
	}
	d.open[i].answer <- r
	d.open = slices.Delete(d.open, i, i+1)
	return nil
}
