package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
)

// Sentences of docker-agent's documents that no other test here holds.

// A failed model, a loop and the limit are told twice: to who wants to know of
// everything, and to who waits for this alone.
func TestNotifications(t *testing.T) {
	t.Parallel()
	same := make([]say, 9)
	for i := range same {
		same[i] = say{calls: []string{`act {"same":1}`}}
	}
	for _, tt := range []struct {
		name, level, event string
		script             []say
		limit              int
	}{
		{"the model fails", "error", "on_error", []say{{err: fmt.Errorf("500: out of order")}}, 0},
		{"a loop", "error", "on_error", same, 0},
		{"the limit", "warning", "on_max_iterations", same, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.yolo, l.script["root"], l.agents[0].MaxIterations = true, tt.script, tt.limit
			_ = l.prompt("go")
			var got []string
			var texts []string
			for _, ev := range l.seen {
				switch ev.Kind {
				case checkrein.Notification, checkrein.OnError, checkrein.OnMaxIterations:
					got = append(got, ev.Kind.String()+" "+word(ev, "notification_level"))
					texts = append(texts, ev.Text)
				}
			}
			wantList(t, "told", got, []string{"notification " + tt.level, tt.event + " " + tt.level})
			if len(texts) == 2 && (texts[0] == "" || texts[0] != texts[1]) {
				t.Errorf("told %q", texts)
			}
		})
	}
}

// What session_start told the model is there after a resume, without being told again.
func TestSessionContextSurvivesAResume(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.on["session_start"] = tells("CTX")
	if err := l.prompt("one"); err != nil {
		t.Fatal(err)
	}
	delete(l.on, "session_start")
	history := slices.Clone(l.kept)
	l.asked = nil
	r := l.start(history...)
	r.Start(t.Context(), "resume")
	if err := r.Prompt(t.Context(), "two"); err != nil || !l.told(0, "CTX") || !l.told(0, "one") {
		t.Errorf("%v: it is forgotten", err)
	}
}

// What is told for a turn or a message is told to the model and kept by nobody.
func TestTransientContextIsNotKept(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	events := []string{"turn_start", "user_prompt_submit", "user_steering_messages_submit", "user_followup_submit"}
	for _, e := range events {
		l.on[e] = tells("CTX of " + e)
	}
	var r *Runtime
	l.script["root"] = []say{{text: "one", do: func(context.Context) { _ = r.Steer("faster") }}, {text: "two"}}
	r = l.start()
	_ = r.FollowUp("more")
	if err := r.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if !slices.ContainsFunc(l.asked, func(q model.Request) bool {
			return slices.ContainsFunc(q.Messages, func(m model.Message) bool { return strings.Contains(m.Content, "CTX of "+e) })
		}) {
			t.Errorf("%s: the model was not told", e)
		}
	}
	for _, it := range l.kept {
		if text := fmt.Sprintf("%+v %+v", it, it.Message); strings.Contains(text, "CTX") {
			t.Errorf("kept: %s", text)
		}
	}
}

// A child's model calls are its own session's; the reply is not kept before
// after_llm_call was heard.
func TestModelCallsOfAChild(t *testing.T) {
	t.Parallel()
	l := crew(t)
	l.script["root"] = []say{{calls: []string{`transfer_task {"agent":"helper","task":"x"}`}}, {text: "thanks"}}
	l.script["helper"] = []say{{text: "found it"}}
	var early []string
	l.on["after_llm_call"] = func(ev checkrein.Event) checkrein.Verdict {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, it := range l.kept {
			if it.Message != nil && it.Message.Role == model.Assistant && it.Message.Content == ev.Text && ev.Text != "" {
				early = append(early, ev.Text)
			}
		}
		return checkrein.Verdict{}
	}
	if err := l.prompt("go"); err != nil || len(early) > 0 {
		t.Errorf("%v, kept already: %q", err, early)
	}
	var calls []string
	for i, ev := range l.seen {
		if ev.Kind == checkrein.AfterLLMCall {
			calls = append(calls, l.events[i]+" "+fmt.Sprint(ev.Session.ID == "s1"))
		}
	}
	wantList(t, "model calls, and whether they are the parent's", calls, []string{"root after_llm_call true", "helper after_llm_call false", "root after_llm_call true"})
}

// A prompt's context is there for its turn, also when the person steers before the
// model was called.
func TestSteeringTakesNoContext(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.on["user_prompt_submit"] = tells("PROMPTED")
	l.on["user_steering_messages_submit"] = tells("STEERED")
	r := l.start()
	_ = r.Steer("faster")
	if err := r.Prompt(t.Context(), "go"); err != nil || !l.told(0, "PROMPTED") || !l.told(0, "STEERED") {
		t.Errorf("%v: the model was not told both", err)
	}
	if err := r.Prompt(t.Context(), "again"); err != nil || l.told(1, "STEERED") {
		t.Errorf("%v, or the next turn heard it too", err)
	}
}

// Who vetoes a compaction after an overflow leaves the run no way on: it fails, and
// says why.
func TestVetoOfAnOverflow(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"pre_compact", "before_compaction"} {
		l := newLab(t)
		l.on[event] = deny("keep everything")
		l.script["root"] = []say{{text: "first"}, {err: model.ErrOverflow}, {text: "never"}}
		r := l.start()
		_ = r.Prompt(t.Context(), "one")
		if err := r.Prompt(t.Context(), "two"); !errors.Is(err, model.ErrOverflow) || len(l.asked) != 2 {
			t.Errorf("%s: %v after %d calls", event, err, len(l.asked))
		}
		if word(l.last(checkrein.PreCompact), "source") != "overflow" {
			t.Errorf("%s: source %s", event, word(l.last(checkrein.PreCompact), "source"))
		}
	}
}
