package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
)

// An agent that reaches its limit stops: stop hooks run after those on the limit and cannot lift it.
func TestStopAtTheIterationLimit(t *testing.T) {
	t.Parallel()
	for name, person := range map[string]bool{"nobody is there": false, "the person stops it": true} {
		l := newLab(t)
		l.yolo = true
		l.agents[0].MaxIterations = 1
		if person {
			l.person = func(Question) Reply { return Reply{} }
		}
		l.on["stop"] = deny("the tests do not pass")
		l.script["root"] = []scriptedAnswer{{text: "I look", calls: []string{`act {}`}}}
		_ = l.runPrompt("go")
		ev := l.lastEvent(checkrein.Stop)
		if ev.Text != "I look" || detailText(ev, "stop_reason") != "max_steps" || string(ev.Detail("step_count")) != "1" || detailText(ev, "last_user_message") != "go" {
			t.Errorf("%s: stop heard %q %v", name, ev.Text, ev.Details)
		}
		want := []string{"root notification", "root on_max_iterations", "root stop", "root on_user_input", "root session_end"}
		if person {
			want = slices.Insert(want, 2, "root on_user_input")
		}
		wantList(t, name, l.events[slices.Index(l.events, "root notification"):], want)
		if len(l.asked) != 1 || len(l.reportsOf(Redoing)) != 0 {
			t.Errorf("%s: the limit was lifted", name)
		}
		if !slices.ContainsFunc(l.reportsOf(Warning), func(r Report) bool { return strings.Contains(r.Text, "the tests do not pass") }) {
			t.Errorf("%s: the person was not told what the hook wants", name)
		}
	}
}

// Context of stop hooks is in the next request, whatever causes it, and in no later one.
func TestContextOfStop(t *testing.T) {
	t.Parallel()
	for name, followUp := range map[string]bool{"the next prompt": false, "a follow-up": true} {
		l := newLab(t)
		said := false
		l.on["stop"] = func(checkrein.Event) checkrein.Verdict {
			if said {
				return checkrein.Verdict{}
			}
			said = true
			return checkrein.Verdict{Context: []string{"REMEMBER"}}
		}
		r := l.start()
		if followUp {
			_ = r.FollowUp("two")
		}
		for _, p := range []string{"one", "two", "three"} {
			if p == "two" && followUp {
				continue
			}
			if err := r.Prompt(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		if l.wasSent(0, "REMEMBER") || !l.wasSent(1, "REMEMBER") || l.wasSent(2, "REMEMBER") {
			t.Errorf("%s: told %v %v %v", name, l.wasSent(0, "REMEMBER"), l.wasSent(1, "REMEMBER"), l.wasSent(2, "REMEMBER"))
		}
		for _, it := range l.kept {
			if it.Message != nil && strings.Contains(it.Message.Content, "REMEMBER") || it.Text == "REMEMBER" {
				t.Errorf("%s: it is kept", name)
			}
		}
	}
}

// The source of pre_compact shows what filled the context: the conversation, or results since the
// model's last answer.
func TestCompactionBecauseOfTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		used   int // tokens of the first request
		output int // of the tool
		want   []string
	}{
		{"tools fill it", 100, 900, []string{"tool_overflow"}},
		{"it was full before", 950, 900, []string{"auto"}},
		{"it is not full", 100, 100, nil},
	} {
		l := newLab(t)
		l.yolo, l.limit = true, 1000
		l.runs = func(string, json.RawMessage) (string, error) { return strings.Repeat("word", tt.output), nil }
		l.script["root"] = []scriptedAnswer{{text: "hello"}, {calls: []string{`act {}`}, usage: &model.Usage{Input: tt.used, Output: 5}}, {text: "done"}, {text: "done"}}
		r := l.start()
		for _, p := range []string{"hi", "go"} {
			if err := r.Prompt(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, ev := range l.seen {
			if ev.Kind == checkrein.PreCompact {
				got = append(got, detailText(ev, "source"))
				if reason := detailText(l.lastEvent(checkrein.BeforeCompaction), "compaction_reason"); reason != "threshold" {
					t.Errorf("%s: compaction_reason %s", tt.name, reason)
				}
			}
		}
		wantList(t, tt.name, got, tt.want)
	}
}

// /compact reports why it did nothing.
func TestNothingToCompact(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.start()
	for _, want := range []string{"the conversation is empty", "has only the latest messages"} {
		if err := r.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := l.reportsOf(Warning); !strings.Contains(got[len(got)-1].Text, want) {
			t.Errorf("%q, want %q", got[len(got)-1].Text, want)
		}
		_ = r.Prompt(t.Context(), "hi")
	}
	l.on["pre_compact"] = deny("keep it")
	before := len(l.reportsOf(Warning))
	_ = r.Compact(t.Context())
	if got := l.reportsOf(Warning)[before:]; len(got) != 1 || !strings.Contains(got[0].Text, "keep it") {
		t.Errorf("%v", got)
	}
}
