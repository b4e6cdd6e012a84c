package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/agent/skill"
	"github.com/checkrein/checkrein/internal/engine"
)

// A thread is one conversation: the person's, or a sub-agent's with its parent.
type thread struct {
	rt          *Runtime
	id          string
	parent      *thread // nil = the person's
	boss        *member // the agent that gave the task; its hooks watch
	who         *member
	main        bool
	interactive bool // a person can be asked

	skill   string   // that the thread runs; "" = none
	allowed []string // tools that it may use; none = its agent's

	began    []string // what session_start told the model, for good
	asked    []string // what the hooks of the last prompt told it, until the next one
	steered  []string // what the hooks of the last steering told it, beside that
	carry    []string // what other hooks told it, for the next call
	summary  string   // of what was compacted
	messages []model.Message

	unsaid    error // a message that waited was blocked, and the run went on without it
	goal      string
	objection string // of hooks that had no attempt left when the agent stopped; "" = none
	next      string // the agent that the conversation was handed over to
	last      batchMark
	settled   bool // overflow was answered with a compaction, and no call has succeeded since

	iteration int    // of the stream, 0 = no stream
	tab       tab    // what the turn has come to; guarded by the runtime's mu
	run       string // the id of the run; likewise
	span      span
}

// An about fills in what an event is about.
type about func(*checkrein.Event)

// with adds a payload field.
func with(name string, v any) about {
	return func(ev *checkrein.Event) {
		raw, err := json.Marshal(v)
		if err == nil {
			ev.Details = append(ev.Details, checkrein.Detail{Name: name, Value: raw})
		}
	}
}

// text sets what the event is about.
func text(s string) about { return func(ev *checkrein.Event) { ev.Text = s } }

// fire fires an event on the hooks of the thread's agent, and tells the person
// what hooks want them to know.
func (t *thread) fire(ctx context.Context, kind checkrein.Kind, what ...about) engine.Outcome {
	return t.fireOn(ctx, t.who, kind, nil, what...)
}

func (t *thread) fireOn(ctx context.Context, who *member, kind checkrein.Kind, pick func(*checkrein.Hook) bool, what ...about) engine.Outcome {
	ev := checkrein.Event{Kind: kind, Session: checkrein.Session{ID: t.id, Dir: t.rt.opts.Dir, Agent: who.spec.Name}}
	for _, w := range what {
		w(&ev)
	}
	t.figures(who, &ev)
	out := who.hooks.ServeBy(ctx, ev, pick)
	t.rt.countJudges(&out)
	t.report(Report{Type: Fired, Event: kind.String(), Outcome: &out})
	for _, n := range out.Verdict.Notice {
		t.report(Report{Type: Notice, Event: kind.String(), Text: n})
	}
	return out
}

// denied reports whether hooks refuse what the event is about.
func denied(out *engine.Outcome) bool {
	return out.Verdict.Decision == checkrein.Deny && out.Redo == nil
}

// why is the reason of a verdict, which is never empty.
func why(out *engine.Outcome) string {
	if r := out.Verdict.Reason; r != "" {
		return r
	}
	return "a hook on " + out.Event.Kind.String() + " said so"
}

// say adds a message to the conversation and keeps it.
func (t *thread) say(m model.Message) {
	m.CreatedAt, m.Agent = t.rt.opts.Now(), t.who.spec.Name
	t.messages = append(t.messages, m)
	if t.main {
		t.rt.keep(session.Item{Kind: session.Said, Message: &m})
	}
}

// lastUser is what the person, or whoever gave the task, said last.
func (t *thread) lastUser() string {
	for _, m := range slices.Backward(t.messages) {
		if m.Role == model.User {
			return m.Content
		}
	}
	return ""
}

// assemble is what the model is sent: who it is, what hooks add, what was
// compacted, and the conversation.
func (t *thread) assemble(turn []string) []model.Message {
	out := make([]model.Message, 0, len(t.messages)+len(t.began)+len(t.asked)+len(t.steered)+len(turn)+len(t.carry)+3)
	system := func(text string) {
		if strings.TrimSpace(text) != "" {
			out = append(out, model.Message{Role: model.System, Content: text})
		}
	}
	system(t.instruction())
	for _, list := range [...][]string{t.began, t.asked, t.steered, turn} {
		for _, c := range list {
			system(c)
		}
	}
	if t.summary != "" {
		system("What was said before, in short:\n" + t.summary)
	}
	out = append(out, t.messages...)
	for _, c := range t.carry {
		system(c)
	}
	return out
}

// instruction returns the text that introduces an agent to itself and its team.
func (t *thread) instruction() string {
	spec := t.who.spec
	var b strings.Builder
	b.WriteString(spec.Instruction)
	list := func(intro string, names []string) {
		if len(names) == 0 {
			return
		}
		b.WriteString("\n\n" + intro)
		for _, n := range names {
			b.WriteString("\n- " + n)
			if a, ok := t.rt.opts.Team.Agent(n); ok && a.Description != "" {
				b.WriteString(": " + a.Description)
			}
		}
	}
	for _, more := range [...]string{skill.Told(t.who.skills), t.skill} {
		if more != "" {
			b.WriteString("\n\n" + more)
		}
	}
	list("You can give tasks to these agents with transfer_task:", spec.SubAgents)
	list("You can hand the conversation over to these agents with handoff:", spec.Handoffs)
	return b.String()
}

// restore rebuilds the conversation from what was kept. Tool calls that were cut
// off are answered, or no model would take the conversation.
func (t *thread) restore(items []session.Item) error {
	for _, it := range items {
		switch it.Kind {
		case session.Said:
			if it.Message != nil {
				t.messages = append(t.messages, *it.Message)
				if it.Message.Role == model.Assistant {
					t.rt.count(it.Message.Usage, it.Message.Cost)
				}
			}
		case session.Context:
			t.began = append(t.began, it.Text)
		case session.Summary:
			t.summary = it.Text
			t.messages = slices.Clone(t.messages[len(t.messages)-min(max(it.Kept, 0), len(t.messages)):])
		case session.Cleared:
			t.messages, t.summary, t.began = nil, "", nil
		case session.Granted:
			if err := t.rt.rules.Grant(it.Text); err != nil {
				return err
			}
		case session.Switched:
			who, err := t.rt.member(it.Agent)
			if err != nil {
				return err
			}
			t.who = who
		}
	}
	t.messages = answered(t.messages)
	return nil
}

// cutOff is what the model reads of a tool call whose process was killed.
const cutOff = "the call was cut off: whether it took effect is unknown"

// answered gives every tool call an answer, right behind the calls.
func answered(list []model.Message) []model.Message {
	out := make([]model.Message, 0, len(list))
	var open []string
	settle := func() {
		for _, id := range open {
			out = append(out, model.Message{Role: model.ToolRole, ToolCallID: id, Content: cutOff, IsError: true})
		}
		open = nil
	}
	for _, m := range list {
		if m.Role == model.ToolRole {
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				continue // an answer to nothing
			}
			open = slices.Delete(open, at, at+1)
		} else {
			settle()
		}
		out = append(out, m)
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	settle()
	return out
}
