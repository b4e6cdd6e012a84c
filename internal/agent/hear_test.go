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

// listeners are hooks of every system on every message of a person, by the name
// of the system.
func listeners(string) []checkrein.Hook {
	var out []checkrein.Hook
	for _, dialect := range []string{"native", "docker-agent", "claude", "starchild", "hookmd"} {
		h := noting(checkrein.UserPromptSubmit)
		h.ID, h.Dialect, h.Exact = dialect, dialect, dialect == "docker-agent"
		out = append(out, h)
	}
	for _, kind := range []checkrein.Kind{checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit} {
		h := noting(kind)
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
		l.script["root"] = []say{{calls: []string{`look {}`}, do: func(context.Context) { _, _ = r.Steer(text), r.Steer("a harmless one") }}}
		return r.Prompt(l.t.Context(), "go")
	}, "user_steering_messages_submit"},
	{"steering after the last tool", func(l *lab, r *Runtime, text string) error {
		l.script["root"] = []say{{text: "one", do: func(context.Context) { _, _ = r.Steer(text), r.Steer("a harmless one") }}}
		return r.Prompt(l.t.Context(), "go")
	}, "user_steering_messages_submit"},
	{"steering before the first call", func(l *lab, r *Runtime, text string) error {
		_, _ = r.Steer(text), r.Steer("a harmless one")
		return r.Prompt(l.t.Context(), "go")
	}, "user_steering_messages_submit"},
	{"why a call is rejected", func(l *lab, r *Runtime, text string) error {
		l.answer = text
		l.script["root"] = []say{{calls: []string{`act {}`}}}
		return r.Prompt(l.t.Context(), "go")
	}, ""},
}

func hearing(t *testing.T) *lab {
	l := newLab(t)
	l.hooks = listeners
	l.person = func(Question) Reply { return Reply{Reason: l.answer} }
	return l
}

const phrase = "my seed phrase is abandon ability able"

// blocksPhrase is a guard that holds back messages with the phrase.
func blocksPhrase(ev checkrein.Event) checkrein.Verdict {
	if strings.Contains(ev.Text, "seed phrase") {
		return checkrein.Verdict{Decision: checkrein.Deny, Reason: "that is a seed phrase"}
	}
	return checkrein.Verdict{}
}

// Systems that have one event for messages hear all of them there; docker-agent
// has one for each way, and hears of each message once.
func TestEveryMessageOfAPersonIsHeard(t *testing.T) {
	t.Parallel()
	for _, tt := range routes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := hearing(t)
			heard := map[string][]string{}
			for _, h := range listeners("") {
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
			if !l.toldAtAll(phrase) {
				t.Error("the model did not hear what no hook minds")
			}
		})
	}
}

// A message that a hook blocks reaches nobody: not the model, not the session,
// not other systems' hooks on the same message. The person is told, and whatever
// else they said is heard.
func TestBlockedMessageReachesNobody(t *testing.T) {
	t.Parallel()
	for _, tt := range routes {
		for _, dialect := range []string{"native", "claude", "starchild", "hookmd"} {
			t.Run(tt.name+"/"+dialect, func(t *testing.T) {
				t.Parallel()
				l := hearing(t)
				l.on["root user_prompt_submit "+dialect] = blocksPhrase
				r := l.start()
				err := tt.say(l, r, phrase)
				if tt.own != "" && !errors.Is(err, ErrBlocked) {
					t.Errorf("the run ended with %v", err)
				}
				if l.toldAtAll("seed phrase") || !l.toldAtAll("go") || tt.own != "" && tt.name != "prompt" && !l.toldAtAll("a harmless one") {
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
				told := l.reported(Blocked)
				if !slices.ContainsFunc(told, func(rep Report) bool { return rep.Event == "user_prompt_submit" && rep.Text == "that is a seed phrase" }) {
					t.Errorf("the person was told %v", told)
				}
			})
		}
	}
}

// What a hook makes of a message is what the model hears, and what hooks of other
// systems hear of it.
func TestRewrittenMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range routes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := hearing(t)
			l.on["root user_prompt_submit starchild"] = func(ev checkrein.Event) checkrein.Verdict {
				out, _ := json.Marshal(strings.ReplaceAll(ev.Text, phrase, "MASKED"))
				return checkrein.Verdict{Output: out}
			}
			if err := tt.say(l, l.start(), "look: "+phrase); err != nil {
				t.Fatal(err)
			}
			if l.toldAtAll(phrase) || !l.toldAtAll("look: MASKED") {
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

// What hooks say of a message beside it is for the turn that the message is in.
func TestContextOfAMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range routes[:3] {
		l := hearing(t)
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
		if !l.toldAtAll("NOTED") {
			t.Errorf("%s: the model did not hear the context", tt.name)
		}
		if err := r.Prompt(t.Context(), "another"); err != nil || l.told(len(l.asked)-1, "NOTED") {
			t.Errorf("%s: %v, or the next turn heard it too", tt.name, err)
		}
	}
}

// What is said while the agent works belongs to the turn at hand: it does not
// begin another, with another count of redos.
func TestSteeringBeginsNoTurn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var r *Runtime
	l.on["stop"] = deny("not yet")
	for range 8 {
		l.script["root"] = append(l.script["root"], say{text: "done", do: func(context.Context) { _ = r.Steer("faster") }})
	}
	r = l.start()
	_ = r.Prompt(t.Context(), "go")
	redos := len(l.reported(Redoing))
	if redos != 3 {
		t.Errorf("the agent went on %d times", redos)
	}
}

// toldAtAll reports whether any request to the model holds a text.
func (l *lab) toldAtAll(text string) bool {
	return slices.ContainsFunc(l.asked, func(req model.Request) bool {
		return slices.ContainsFunc(req.Messages, func(m model.Message) bool { return strings.Contains(m.Content, text) })
	})
}
