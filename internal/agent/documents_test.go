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

// A failed model, a loop and the limit each fire two events: the general notification and their own.
func TestNotifications(t *testing.T) {
	t.Parallel()
	same := make([]scriptedAnswer, 9)
	for i := range same {
		same[i] = scriptedAnswer{calls: []string{`act {"same":1}`}}
	}
	for _, tt := range []struct {
		name, level, event string
		script             []scriptedAnswer
		limit              int
	}{
		{"the model fails", "error", "on_error", []scriptedAnswer{{err: fmt.Errorf("500: out of order")}}, 0},
		{"a loop", "error", "on_error", same, 0},
		{"the limit", "warning", "on_max_iterations", same, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.yolo, l.script["root"], l.agents[0].MaxIterations = true, tt.script, tt.limit
			_ = l.runPrompt("go")
			var got []string
			var texts []string
			for _, ev := range l.seen {
				switch ev.Kind {
				case checkrein.Notification, checkrein.OnError, checkrein.OnMaxIterations:
					got = append(got, ev.Kind.String()+" "+detailText(ev, "notification_level"))
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

// Context of session_start is present after a resume, and is not added again.
func TestSessionContextSurvivesAResume(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.on["session_start"] = addContext("CTX")
	if err := l.runPrompt("one"); err != nil {
		t.Fatal(err)
	}
	delete(l.on, "session_start")
	history := slices.Clone(l.kept)
	l.asked = nil
	r := l.start(history...)
	r.Start(t.Context(), "resume")
	if err := r.Prompt(t.Context(), "two"); err != nil || !l.wasSent(0, "CTX") || !l.wasSent(0, "one") {
		t.Errorf("%v: it is forgotten", err)
	}
}

// Context for a turn or a message reaches the model and is not saved.
func TestTransientContextIsNotKept(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	events := []string{"turn_start", "user_prompt_submit", "user_steering_messages_submit", "user_followup_submit"}
	for _, e := range events {
		l.on[e] = addContext("CTX of " + e)
	}
	var r *Runtime
	l.script["root"] = []scriptedAnswer{{text: "one", do: func(context.Context) { _ = r.Steer("faster") }}, {text: "two"}}
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

// A child's model calls belong to its own session; the reply is not saved before after_llm_call hooks
// ran.
func TestModelCallsOfAChild(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.script["root"] = []scriptedAnswer{{calls: []string{`transfer_task {"agent":"helper","task":"x"}`}}, {text: "thanks"}}
	l.script["helper"] = []scriptedAnswer{{text: "found it"}}
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
	if err := l.runPrompt("go"); err != nil || len(early) > 0 {
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

// A prompt's context stays for its turn, even if the person steers before the model was called.
func TestSteeringKeepsPromptContext(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.on["user_prompt_submit"] = addContext("PROMPTED")
	l.on["user_steering_messages_submit"] = addContext("STEERED")
	r := l.start()
	_ = r.Steer("faster")
	if err := r.Prompt(t.Context(), "go"); err != nil || !l.wasSent(0, "PROMPTED") || !l.wasSent(0, "STEERED") {
		t.Errorf("%v: the model was not told both", err)
	}
	if err := r.Prompt(t.Context(), "again"); err != nil || l.wasSent(1, "STEERED") {
		t.Errorf("%v, or the next turn heard it too", err)
	}
}

// If a hook denies a compaction after an overflow, the run fails with that reason.
func TestDeniedOverflowCompaction(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"pre_compact", "before_compaction"} {
		l := newLab(t)
		l.on[event] = deny("keep everything")
		l.script["root"] = []scriptedAnswer{{text: "first"}, {err: model.ErrOverflow}, {text: "never"}}
		r := l.start()
		_ = r.Prompt(t.Context(), "one")
		if err := r.Prompt(t.Context(), "two"); !errors.Is(err, model.ErrOverflow) || len(l.asked) != 2 {
			t.Errorf("%s: %v after %d calls", event, err, len(l.asked))
		}
		if detailText(l.lastEvent(checkrein.PreCompact), "source") != "overflow" {
			t.Errorf("%s: source %s", event, detailText(l.lastEvent(checkrein.PreCompact), "source"))
		}
	}
}
