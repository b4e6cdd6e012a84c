package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/agent/skill"
	"github.com/checkrein/checkrein/internal/engine"
)

// A thread is one conversation: that of the user, or that of a sub-agent with its parent.
type thread struct {
	rt          *Runtime
	id          string
	parent      *thread // nil = the conversation with the user
	parentAgent *member // the agent that gave the task; its hooks run too
	agent       *member
	main        bool
	interactive bool // a person can be asked

	skill        string   // the text of the skill that it runs; "" = none
	allowedTools []string // tools that it may use; none = all of its agent

	startContext    []string // context that session_start hooks added, which stays
	promptContext   []string // context that the hooks of the last prompt added, which stays until the next prompt
	steeringContext []string // context that the hooks of the last steering added
	nextContext     []string // context that other hooks added, for the next call
	summary         string   // of what was compacted
	messages        []model.Message

	blockedErr        error // set if a waiting message was blocked and the run continued without it
	goal              string
	objection         string // of hooks that had no attempt left when the agent stopped; "" = none
	handoffTo         string // the agent that takes over the conversation
	lastBatch         repeatCounter
	overflowCompacted bool // an overflow was compacted, and no call has succeeded since

	iteration int       // of the loop, 0 = not in a loop
	stats     turnStats // of the turn; guarded by the runtime's mu
	run       string    // the ID of the run; likewise
	span      span
}

// An eventOption sets fields of an event.
type eventOption func(*checkrein.Event)

// withDetail adds a detail to an event.
func withDetail(name string, v any) eventOption {
	return func(ev *checkrein.Event) {
		raw, err := json.Marshal(v)
		if err == nil {
			ev.Details = append(ev.Details, checkrein.Detail{Name: name, Value: raw})
		}
	}
}

// withText sets the text of an event.
func withText(s string) eventOption { return func(ev *checkrein.Event) { ev.Text = s } }

// fire fires an event on the hooks of the thread's agent, and reports their notices to the user.
func (t *thread) fire(ctx context.Context, kind checkrein.Kind, what ...eventOption) engine.Outcome {
	return t.fireOn(ctx, t.agent, kind, nil, what...)
}

// fireOn fires an event on the hooks of who. If pick is not nil, only the hooks that it selects run.
func (t *thread) fireOn(ctx context.Context, who *member, kind checkrein.Kind, pick func(*checkrein.Hook) bool, what ...eventOption) engine.Outcome {
	ev := checkrein.Event{Kind: kind, Session: checkrein.Session{ID: t.id, Dir: t.rt.opts.Dir, Agent: who.spec.Name}}
	for _, w := range what {
		w(&ev)
	}
	t.addDetails(who, &ev)
	out := who.hooks.ServeBy(ctx, ev, pick)
	if v := &out.Verdict; v.Decision != checkrein.Deny && (kind == checkrein.PreToolUse || kind == checkrein.PermissionRequest) {
		if i := slices.IndexFunc(v.Obligations, func(o checkrein.Obligation) bool { return o.ID == "" }); i >= 0 {
			v.Decision, v.Reason = checkrein.Deny, fmt.Sprintf("a hook requires %q before the call runs, which this runtime cannot do", v.Obligations[i].Kind)
		}
	}
	t.rt.addJudgeUsage(&out)
	t.report(Report{Type: Fired, Event: kind.String(), Outcome: &out})
	for _, n := range out.Verdict.Notice {
		t.report(Report{Type: Notice, Event: kind.String(), Text: n})
	}
	return out
}

// isDenied reports whether hooks deny what the event is about, rather than make the agent try again.
func isDenied(out *engine.Outcome) bool {
	return out.Verdict.Decision == checkrein.Deny && out.Redo == nil
}

// denialReason returns the reason of the verdict. It is never empty.
func denialReason(out *engine.Outcome) string {
	if r := out.Verdict.Reason; r != "" {
		return r
	}
	return "a hook on " + out.Event.Kind.String() + " blocked it without a reason"
}

// addMessage adds a message to the conversation and saves it.
func (t *thread) addMessage(m model.Message) {
	m.CreatedAt, m.Agent = t.rt.opts.Now(), t.agent.spec.Name
	t.messages = append(t.messages, m)
	if t.main {
		t.rt.save(session.Item{Kind: session.Said, Message: &m})
	}
}

// lastUserMessage returns the last message of the user or of the parent agent, or "" if there is none.
func (t *thread) lastUserMessage() string {
	for _, m := range slices.Backward(t.messages) {
		if m.Role == model.User {
			return m.Content
		}
	}
	return ""
}

// assembleMessages returns the messages for the next model call: the instruction, context of hooks,
// which includes turn, the summary, and the conversation.
func (t *thread) assembleMessages(turn []string) []model.Message {
	out := make([]model.Message, 0, len(t.messages)+len(t.startContext)+len(t.promptContext)+len(t.steeringContext)+len(turn)+len(t.nextContext)+3)
	system := func(text string) {
		if strings.TrimSpace(text) != "" {
			out = append(out, model.Message{Role: model.System, Content: text})
		}
	}
	system(t.instruction())
	for _, list := range [...][]string{t.startContext, t.promptContext, t.steeringContext, turn} {
		for _, c := range list {
			system(c)
		}
	}
	if t.summary != "" {
		system("Summary of the conversation so far:\n" + t.summary)
	}
	out = append(out, t.messages...)
	for _, c := range t.nextContext {
		system(c)
	}
	return out
}

// instruction returns the system prompt: the agent's own instruction, its skills and its team.
func (t *thread) instruction() string {
	spec := t.agent.spec
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
	for _, more := range [...]string{skill.Instructions(t.agent.skills), t.skill} {
		if more != "" {
			b.WriteString("\n\n" + more)
		}
	}
	list("You can give tasks to these agents with transfer_task:", spec.SubAgents)
	list("You can hand the conversation over to these agents with handoff:", spec.Handoffs)
	return b.String()
}

// restore rebuilds the conversation from saved items. Interrupted tool calls get an answer, because
// models reject conversations with unanswered calls.
func (t *thread) restore(items []session.Item) error {
	for _, it := range items {
		switch it.Kind {
		case session.Said:
			if it.Message != nil {
				t.messages = append(t.messages, *it.Message)
				if it.Message.Role == model.Assistant {
					t.rt.addUsage(it.Message.Usage, it.Message.Cost)
				}
			}
		case session.Context:
			t.startContext = append(t.startContext, it.Text)
		case session.Summary:
			t.summary = it.Text
			t.messages = slices.Clone(t.messages[len(t.messages)-min(max(it.Kept, 0), len(t.messages)):])
		case session.Cleared:
			t.messages, t.summary, t.startContext = nil, "", nil
		case session.Granted:
			if err := t.rt.rules.Grant(it.Text); err != nil {
				return err
			}
		case session.Switched:
			who, err := t.rt.openMember(it.Agent)
			if err != nil {
				return err
			}
			t.agent = who
		}
	}
	t.messages = answerOpenCalls(t.messages)
	return nil
}

// interrupted is the answer to a tool call whose process was killed.
const interrupted = "the call was interrupted: it may or may not have taken effect"

// answerOpenCalls returns list with an answer for each tool call that has none, and without answers
// that belong to no call.
func answerOpenCalls(list []model.Message) []model.Message {
	out := make([]model.Message, 0, len(list))
	var open []string
	settle := func() {
		for _, id := range open {
			out = append(out, model.Message{Role: model.ToolRole, ToolCallID: id, Content: interrupted, IsError: true})
		}
		open = nil
	}
	for _, m := range list {
		if m.Role == model.ToolRole {
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				continue // an answer without a call
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
