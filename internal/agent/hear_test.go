package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/session"
)

// messageHooks returns hooks of every system on every message of a person, named after the system.
func messageHooks(string) []checkrein.Hook {
	var out []checkrein.Hook
	for _, dialect := range []string{"native", "docker-agent", "claude", "starchild", "hookmd"} {
		h := recordingHook(checkrein.UserPromptSubmit)
		h.ID, h.Dialect, h.Exact = dialect, dialect, dialect == "docker-agent"
		out = append(out, h)
	}
	for _, kind := range []checkrein.Kind{checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit} {
		h := recordingHook(kind)
		h.ID, h.Dialect, h.Exact = "docker-agent", "docker-agent", true
		out = append(out, h)
	}
	return out
}

// A route is a way on which a message of a person comes to the agent.
type route struct {
	name string
	// say gives the message to a runtime, beside a prompt that is harmless.
	say func(l *lab, r *Runtime, text string) error
	own string // what docker-agent calls it, "" = nothing
}

var routes = []route{
	{"prompt", func(l *lab, r *Runtime, text string) error {
		return errors.Join(r.Prompt(l.t.Context(), text), r.Prompt(l.t.Context(), "go"))
	}, "user_prompt_submit"},
	{"follow-up", func(l *lab, r *Runtime, text string) error {
		_, _ = r.FollowUp(text), r.FollowUp("a harmless one")
		return r.Prompt(l.t.Context(), "go")
	}, "user_followup_submit"},
	{"steering", func(l *lab, r *Runtime, text string) error {
		l.script["root"] = []scriptedAnswer{{calls: []string{`look {}`}, do: func(context.Context) { _, _ = r.Steer(text), r.Steer("a harmless one") }}}
		return r.Prompt(l.t.Context(), "go")
	}, "user_steering_messages_submit"},
	{"steering after the last tool", func(l *lab, r *Runtime, text string) error {
		l.script["root"] = []scriptedAnswer{{text: "one", do: func(context.Context) { _, _ = r.Steer(text), r.Steer("a harmless one") }}}
		return r.Prompt(l.t.Context(), "go")
	}, "user_steering_messages_submit"},
	{"steering before the first call", func(l *lab, r *Runtime, text string) error {
		_, _ = r.Steer(text), r.Steer("a harmless one")
		return r.Prompt(l.t.Context(), "go")
	}, "user_steering_messages_submit"},
	{"why a call is rejected", func(l *lab, r *Runtime, text string) error {
		l.answer = text
		l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`}}}
		return r.Prompt(l.t.Context(), "go")
	}, ""},
}

func newMessageLab(t *testing.T) *lab {
	l := newLab(t)
	l.hooks = messageHooks
	l.person = func(Question) Reply { return Reply{Reason: l.answer} }
	return l
}

const phrase = "my seed phrase is abandon ability able"

// denyPhrase denies messages with the phrase.
func denyPhrase(ev checkrein.Event) checkrein.Verdict {
	if strings.Contains(ev.Text, "seed phrase") {
		return checkrein.Verdict{Decision: checkrein.Deny, Reason: "that is a seed phrase"}
	}
	return checkrein.Verdict{}
}

// Systems with one event for messages get all of them there; docker-agent has one for each way, and
// gets each message once.
func TestHooksCheckEveryMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range routes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newMessageLab(t)
			heard := map[string][]string{}
			for _, h := range messageHooks("") {
				l.on["root "+h.On.String()+" "+h.ID] = func(ev checkrein.Event) checkrein.Verdict {
					if strings.Contains(ev.Text, phrase) || strings.Contains(string(ev.Detail("steering_messages")), phrase) {
						heard[h.ID] = append(heard[h.ID], ev.Kind.String())
					}
					return checkrein.Verdict{}
				}
			}
			if err := tt.say(l, l.start(), phrase); err != nil {
				t.Fatal(err)
			}
			for _, dialect := range []string{"native", "claude", "starchild", "hookmd"} {
				wantList(t, dialect, heard[dialect], []string{"user_prompt_submit"})
			}
			var own []string
			if tt.own != "" {
				own = []string{tt.own}
			}
			wantList(t, "docker-agent", heard["docker-agent"], own)
			if !l.wasEverSent(phrase) {
				t.Error("the model did not hear what no hook minds")
			}
		})
	}
}

// A blocked message reaches neither the model nor the session nor other systems' hooks on it. The
// person gets a report, and their other messages are handled.
func TestBlockedMessageReachesNobody(t *testing.T) {
	t.Parallel()
	for _, tt := range routes {
		for _, dialect := range []string{"native", "claude", "starchild", "hookmd"} {
			t.Run(tt.name+"/"+dialect, func(t *testing.T) {
				t.Parallel()
				l := newMessageLab(t)
				l.on["root user_prompt_submit "+dialect] = denyPhrase
				r := l.start()
				err := tt.say(l, r, phrase)
				if tt.own != "" && !errors.Is(err, ErrBlocked) {
					t.Errorf("the run ended with %v", err)
				}
				if l.wasEverSent("seed phrase") || !l.wasEverSent("go") || tt.own != "" && tt.name != "prompt" && !l.wasEverSent("a harmless one") {
					t.Errorf("the model heard %v", l.asked)
				}
				for _, it := range l.kept {
					if it.Kind == session.Said && strings.Contains(it.Message.Content, "seed phrase") {
						t.Errorf("the session keeps %s", it.Message.Content)
					}
				}
				for _, ev := range l.seen {
					if ev.Kind != checkrein.UserPromptSubmit && strings.Contains(ev.Text+string(ev.Detail("steering_messages"))+string(ev.Messages), phrase) {
						t.Errorf("%s carries it", ev.Kind)
					}
				}
				told := l.reportsOf(Blocked)
				if !slices.ContainsFunc(told, func(rep Report) bool { return rep.Event == "user_prompt_submit" && rep.Text == "that is a seed phrase" }) {
					t.Errorf("the person was told %v", told)
				}
			})
		}
	}
}

// The model and hooks of other systems get a message as a hook rewrote it.
func TestRewrittenMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range routes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newMessageLab(t)
			l.on["root user_prompt_submit starchild"] = func(ev checkrein.Event) checkrein.Verdict {
				out, _ := json.Marshal(strings.ReplaceAll(ev.Text, phrase, "MASKED"))
				return checkrein.Verdict{Output: out}
			}
			if err := tt.say(l, l.start(), "look: "+phrase); err != nil {
				t.Fatal(err)
			}
			if l.wasEverSent(phrase) || !l.wasEverSent("look: MASKED") {
				t.Errorf("the model heard %v", l.asked)
			}
			for _, ev := range l.seen {
				if ev.Kind != checkrein.UserPromptSubmit && strings.Contains(ev.Text+string(ev.Detail("steering_messages")), phrase) {
					t.Errorf("%s carries what was taken out", ev.Kind)
				}
			}
		})
	}
}

// Context that hooks add to a message stays for its turn.
func TestContextOfAMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range routes[:3] {
		l := newMessageLab(t)
		l.on["root user_prompt_submit hookmd"] = func(ev checkrein.Event) checkrein.Verdict {
			if strings.Contains(ev.Text, "note it") {
				return checkrein.Verdict{Context: []string{"NOTED"}}
			}
			return checkrein.Verdict{}
		}
		r := l.start()
		if err := tt.say(l, r, "note it"); err != nil {
			t.Fatal(err)
		}
		if !l.wasEverSent("NOTED") {
			t.Errorf("%s: the model did not hear the context", tt.name)
		}
		if err := r.Prompt(t.Context(), "another"); err != nil || l.wasSent(len(l.asked)-1, "NOTED") {
			t.Errorf("%s: %v, or the next turn heard it too", tt.name, err)
		}
	}
}

// A message that comes while the agent works belongs to the current turn, with its count of redos.
func TestSteeringBeginsNoTurn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var r *Runtime
	l.on["stop"] = deny("not yet")
	for range 8 {
		l.script["root"] = append(l.script["root"], scriptedAnswer{text: "done", do: func(context.Context) { _ = r.Steer("faster") }})
	}
	r = l.start()
	_ = r.Prompt(t.Context(), "go")
	redos := len(l.reportsOf(Redoing))
	if redos != 3 {
		t.Errorf("the agent went on %d times", redos)
	}
}

// wasEverSent reports whether any request to the model has a text.
func (l *lab) wasEverSent(text string) bool {
	return slices.ContainsFunc(l.asked, func(req model.Request) bool {
		return slices.ContainsFunc(req.Messages, func(m model.Message) bool { return strings.Contains(m.Content, text) })
	})
}
