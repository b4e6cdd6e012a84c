package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
)

// told reports whether the n-th call of a model was sent a text.
func (l *lab) told(n int, text string) bool {
	if n >= len(l.asked) {
		return false
	}
	return slices.ContainsFunc(l.asked[n].Messages, func(m model.Message) bool { return strings.Contains(m.Content, text) })
}

func tells(c string) func(checkrein.Event) checkrein.Verdict {
	return verdict(checkrein.Verdict{Context: []string{c}})
}

func turns(text string) func(checkrein.Event) checkrein.Verdict {
	raw, _ := json.Marshal(text)
	return verdict(checkrein.Verdict{Output: raw})
}

// Every effect of the contract table is honoured, and nothing else happens.
func TestEffects(t *testing.T) {
	t.Parallel()
	call := []say{{text: "acting", calls: []string{`act {"x":1}`}}, {text: "second"}, {text: "third"}}
	for _, tt := range []struct {
		name   string
		on     string
		do     func(checkrein.Event) checkrein.Verdict
		script []say
		check  func(t *testing.T, l *lab, err error)
	}{
		{"session context stays", "session_start", tells("CTX"), call, func(t *testing.T, l *lab, _ error) {
			if !l.told(0, "CTX") || !l.told(1, "CTX") {
				t.Error("it is gone")
			}
		}},
		{"prompt is refused", "user_prompt_submit", deny("no way"), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.asked) != 0 || slices.Contains(l.events, "root turn_start") {
				t.Errorf("%v, %d calls", err, len(l.asked))
			}
			wantList(t, "events", l.events[1:], []string{"root user_prompt_submit", "root notification", "root on_error", "root on_user_input", "root session_end"})
			for _, it := range l.kept {
				if it.Message != nil {
					t.Error("the refused prompt was kept")
				}
			}
		}},
		{"prompt is rewritten", "user_prompt_submit", turns("better"), call, func(t *testing.T, l *lab, _ error) {
			if !l.told(0, "better") || l.told(0, "hello") {
				t.Error("the model got the old prompt")
			}
		}},
		{"prompt context lasts for the stream", "user_prompt_submit", tells("CTX"), call, func(t *testing.T, l *lab, _ error) {
			if !l.told(0, "CTX") || !l.told(1, "CTX") {
				t.Error("it is gone")
			}
		}},
		{"turn context lasts for a turn", "turn_start", onceOnly(tells("CTX")), call, func(t *testing.T, l *lab, _ error) {
			if !l.told(0, "CTX") || l.told(1, "CTX") {
				t.Error("not for one turn")
			}
		}},
		{"model call is refused", "before_llm_call", deny("budget"), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.asked) != 0 || word(l.last(checkrein.TurnEnd), "reason") != "hook_blocked" {
				t.Errorf("%v, %d calls", err, len(l.asked))
			}
		}},
		{"model call halts", "before_llm_call", verdict(checkrein.Verdict{Halt: true}), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.asked) != 0 {
				t.Error(err)
			}
		}},
		{"messages are rewritten", "before_llm_call", func(ev checkrein.Event) checkrein.Verdict {
			return checkrein.Verdict{Messages: json.RawMessage(strings.ReplaceAll(string(ev.Messages), "hello", "HIDDEN"))}
		}, call, func(t *testing.T, l *lab, _ error) {
			if !l.told(0, "HIDDEN") || l.told(0, "hello") || !l.told(1, "HIDDEN") {
				t.Error("the model got the old messages")
			}
		}},
		{"unreadable messages are not sent", "before_llm_call", verdict(checkrein.Verdict{Messages: json.RawMessage(`[{"role":7}]`)}), call, func(t *testing.T, l *lab, err error) {
			if err == nil || len(l.asked) != 0 {
				t.Error("the model was called")
			}
		}},
		{"call context", "before_llm_call", onceOnly(tells("CTX")), call, func(t *testing.T, l *lab, _ error) {
			if !l.told(0, "CTX") || l.told(1, "CTX") {
				t.Error("not for one call")
			}
		}},
		{"reply is swapped", "after_llm_call", turns("swapped"), []say{{text: "raw"}}, func(t *testing.T, l *lab, _ error) {
			if got := l.reported(Final); len(got) != 1 || got[0].Text != "swapped" {
				t.Errorf("%v", got)
			}
		}},
		{"halt after the model call", "after_llm_call", verdict(checkrein.Verdict{Halt: true}), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.ran) != 0 {
				t.Errorf("%v, ran %v", err, l.ran)
			}
		}},
		{"tool is refused", "pre_tool_use", deny("[x] Blocked (why): the evidence"), call, func(t *testing.T, l *lab, err error) {
			if err != nil || len(l.ran) != 0 || !l.told(1, "the evidence") {
				t.Errorf("%v, ran %v", err, l.ran)
			}
			b := l.reported(Blocked)
			if len(b) != 1 || b[0].Card.Sentence != "Blocked (why)" || b[0].Card.Command != "the evidence" {
				t.Errorf("card %+v", b)
			}
			if slices.Contains(l.events, "root post_tool_use") {
				t.Error("post_tool_use was fired")
			}
		}},
		{"tool halts the run", "pre_tool_use", verdict(says["halt"]), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.ran) != 0 || len(l.asked) != 1 {
				t.Errorf("%v, ran %v", err, l.ran)
			}
		}},
		{"input is patched", "pre_tool_use", verdict(checkrein.Verdict{Input: json.RawMessage(`{"y":2}`)}), call, func(t *testing.T, l *lab, _ error) {
			if len(l.ran) != 1 || l.ran[0] != `act {"x":1,"y":2}` {
				t.Errorf("ran %v", l.ran)
			}
		}},
		{"tool context", "pre_tool_use", tells("CTX"), call, func(t *testing.T, l *lab, _ error) {
			if l.told(0, "CTX") || !l.told(1, "CTX") {
				t.Error("the model was not told")
			}
		}},
		{"output is replaced before anyone sees it", "tool_response_transform", turns("CLEAN"), call, func(t *testing.T, l *lab, _ error) {
			if !l.told(1, "CLEAN") || l.told(1, "act ran") {
				t.Error("the model saw it")
			}
			if got := string(l.last(checkrein.PostToolUse).Tool.Output); got != `"CLEAN"` {
				t.Errorf("post_tool_use saw %s", got)
			}
			for _, r := range l.reports {
				if r.Type != Fired && strings.Contains(r.Text, "act ran") {
					t.Errorf("%s shows it", r.Type)
				}
			}
			for _, it := range l.kept {
				if it.Message != nil && strings.Contains(it.Message.Content, "act ran") {
					t.Error("it was kept")
				}
			}
		}},
		{"output is cleared", "tool_response_transform", turns(""), call, func(t *testing.T, l *lab, _ error) {
			if !l.told(1, "(no output)") {
				t.Error("the model does not know")
			}
		}},
		{"post_tool_use stops the run", "post_tool_use", deny("enough"), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.asked) != 1 || word(l.last(checkrein.TurnEnd), "reason") != "hook_blocked" {
				t.Errorf("%v after %d calls", err, len(l.asked))
			}
		}},
		{"post_tool_use context", "post_tool_use", tells("CTX"), call, func(t *testing.T, l *lab, _ error) {
			if !l.told(1, "CTX") || l.told(2, "CTX") {
				t.Error("the model was not told")
			}
		}},
		{"reply is rewritten", "on_response_end", turns("masked"), []say{{text: "raw"}}, func(t *testing.T, l *lab, _ error) {
			if got := l.reported(Final); len(got) != 1 || got[0].Text != "masked" || len(l.reported(Delta)) != 0 {
				t.Errorf("%v", got)
			}
		}},
		{"stop is refused three times", "stop", deny("not yet"), []say{{text: "1"}, {text: "2"}, {text: "3"}, {text: "4"}, {text: "5"}}, func(t *testing.T, l *lab, err error) {
			if err != nil || len(l.asked) != 4 || !l.told(1, "not yet") || !l.told(3, "attempt 3 of 3") {
				t.Errorf("%v after %d calls", err, len(l.asked))
			}
			if !slices.ContainsFunc(l.reports, func(r Report) bool { return r.Type == Notice && strings.Contains(r.Text, "after 3 attempts") }) {
				t.Error("the person is not told")
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.yolo, l.script["root"] = true, tt.script
			l.on[tt.on] = tt.do
			tt.check(t, l, l.prompt("hello"))
		})
	}
}

// onceOnly says something the first time.
func onceOnly(f func(checkrein.Event) checkrein.Verdict) func(checkrein.Event) checkrein.Verdict {
	said := false
	return func(ev checkrein.Event) checkrein.Verdict {
		if said {
			return checkrein.Verdict{}
		}
		said = true
		return f(ev)
	}
}

// What a model streams is shown at once only if no hook can change it.
func TestStreaming(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	token := "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	l.script["root"] = []say{{text: "the token is " + token}}
	l.hooks = func(string) []checkrein.Hook {
		return []checkrein.Hook{noting(checkrein.Stop)}
	}
	if err := l.prompt("go"); err != nil {
		t.Fatal(err)
	}
	streamed := ""
	for _, r := range l.reported(Delta) {
		streamed += r.Text
	}
	if streamed != "the token is [REDACTED]" || l.reported(Final)[0].Text != streamed {
		t.Errorf("streamed %q, replied %q", streamed, l.reported(Final)[0].Text)
	}
}

func TestGoal(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.script["root"] = []say{{text: "done, I say"}, {text: "really done"}}
	l.on["on_completion_claim"] = onceOnly(deny("show it"))
	r := l.start()
	r.Start(t.Context(), "startup")
	if err := r.Goal(t.Context(), "world peace"); err != nil {
		t.Fatal(err)
	}
	ev := l.last(checkrein.OnCompletionClaim)
	if word(ev, "goal") != "world peace" || ev.Text != "really done" || !l.told(1, "show it") || len(l.reported(GoalDone)) != 1 {
		t.Errorf("%+v", ev)
	}
	if err := r.Prompt(t.Context(), "and now?"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(strings.Join(l.events, " "), "on_completion_claim"); n != 2 {
		t.Errorf("on_completion_claim was fired %d times", n)
	}
}

// Messages that come while the agent works, or wait until it is done.
func TestQueues(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	var r *Runtime
	l.script["root"] = []say{{calls: []string{`act {}`}, do: func(context.Context) { _ = r.Steer("faster"); _ = r.Steer("please") }}, {text: "one"}, {text: "two"}}
	l.on["user_steering_messages_submit"] = tells("STEERED")
	l.on["user_followup_submit"] = tells("FOLLOWED")
	r = l.start()
	for i := range maxFollowups + 1 {
		if err := r.FollowUp(fmt.Sprint("next ", i)); (err == nil) != (i < maxFollowups) {
			t.Errorf("follow-up %d: %v", i, err)
		}
	}
	for range maxFollowups - 1 {
		r.followups.takeNext()
	}
	r.Start(t.Context(), "startup")
	if err := r.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	steer := l.last(checkrein.UserSteeringMessagesSubmit)
	if string(steer.Detail("steering_messages")) != `["faster","please"]` || !l.told(1, "faster") || !l.told(1, "STEERED") {
		t.Error("the agent was not steered")
	}
	if !l.told(2, "next 19") || !l.told(2, "FOLLOWED") || l.told(2, "STEERED") {
		t.Error("the follow-up did not come")
	}
	var reasons []string
	for _, ev := range l.seen {
		if ev.Kind == checkrein.TurnEnd {
			reasons = append(reasons, word(ev, "reason"))
		}
	}
	wantList(t, "reasons", reasons, []string{"steered", "continue", "normal"})

	for range maxSteering {
		_ = r.Steer("x")
	}
	if r.Steer("too many") == nil {
		t.Error("too many messages wait")
	}
}

func TestQueuesAreGuarded(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"user_steering_messages_submit", "user_followup_submit"} {
		l := newLab(t)
		l.on[event] = deny("no")
		l.script["root"] = []say{{text: "one"}}
		r := l.start()
		if event == "user_followup_submit" {
			_ = r.FollowUp("secret plan")
		} else {
			_ = r.Steer("secret plan")
		}
		if err := r.Prompt(t.Context(), "go"); !errors.Is(err, ErrBlocked) {
			t.Errorf("%s: %v", event, err)
		}
		for n := range l.asked {
			if l.told(n, "secret plan") {
				t.Errorf("%s: the model heard it", event)
			}
		}
	}
}

// Every message passes on_outbound_message, whichever tool sends it: what a hook holds
// back is not sent and the model hears why, and of a rewritten text only the new one is.
func TestOutbound(t *testing.T) {
	t.Parallel()
	for call, channel := range map[string]string{
		`send_message {"message":"hi there"}`:                     "outbox",
		`send_message {"message":"hi there","channel":"outbox"}`:  "outbox",
		`send_message {"message":"hi there","channel":"ops"}`:     "ops",
		`send_to_telegram {"message":"hi there"}`:                 "telegram",
		`send_to_wechat {"message":"hi there","type":"whatever"}`: "wechat",
	} {
		for _, tt := range []struct {
			name, hears string
			do          func(checkrein.Event) checkrein.Verdict
			want        []string
		}{
			{"sent", "sent to " + channel, verdict(checkrein.Verdict{}), []string{channel + ": hi there"}},
			{"rewritten", "sent to " + channel, turns("masked"), []string{channel + ": masked"}},
			{"held back", "a hook blocked the message: no keys", deny("no keys"), nil},
		} {
			l := newLab(t)
			l.yolo = true
			l.on["on_outbound_message"] = tt.do
			l.script["root"] = []say{{calls: []string{call}}}
			if err := l.prompt("send"); err != nil {
				t.Fatal(err)
			}
			wantList(t, call+" "+tt.name, l.sent, tt.want)
			ev := l.last(checkrein.OnOutboundMessage)
			if word(ev, "channel") != channel || word(ev, "type") != "message" || ev.Text != "hi there" {
				t.Errorf("%s: fired with %+v", call, ev)
			}
			if !l.told(len(l.asked)-1, tt.hears) {
				t.Errorf("%s %s: the model did not hear %q", call, tt.name, tt.hears)
			}
			if !slices.Contains(l.events, "root pre_tool_use") {
				t.Error("the tool's gate was not asked")
			}
		}
	}
}

// Nothing leaves, and nothing is fired, for what cannot be sent as it was asked for.
func TestOutboundRefused(t *testing.T) {
	t.Parallel()
	for call, hears := range map[string]string{
		`send_message {"message":"hi","channel":"elsewhere"}`:              `there is no channel "elsewhere": choose one of outbox, ops`,
		`send_message {"message":"hi","channel":"https://evil.example/x"}`: "choose one of outbox, ops",
		`send_message {"message":"hi","channel":"telegram"}`:               "choose one of outbox, ops",
		`send_message {"message":" "}`:                                     "there is nothing to send: write a message",
		`send_to_telegram {"text":"hi"}`:                                   "there is nothing to send: write a message",
		`send_to_telegram {"message":"see","file_path":"a.png"}`:           "files cannot be sent",
		`send_to_wechat {"Message":"hi"}`:                                  "write message",
	} {
		l := newLab(t)
		l.yolo = true
		l.script["root"] = []say{{calls: []string{call}}}
		if err := l.prompt("send"); err != nil {
			t.Fatal(err)
		}
		if len(l.sent) > 0 || slices.Contains(l.events, "root on_outbound_message") || !l.told(len(l.asked)-1, hears) {
			t.Errorf("%s: sent %q, events %v", call, l.sent, l.events)
		}
	}
}

// The model and the person are told that a message was not sent.
func TestOutboundFails(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo, l.unsent = true, errors.New("the line is dead")
	l.script["root"] = []say{{calls: []string{`send_to_telegram {"message":"hi"}`}}}
	if err := l.prompt("send"); err != nil {
		t.Fatal(err)
	}
	const want = "the message was not sent: the line is dead"
	if got := l.reported(Warning); len(got) != 1 || got[0].Text != want || got[0].Channel != "telegram" || len(l.reported(Sent)) > 0 {
		t.Errorf("the person hears %+v", got)
	}
	if !l.told(len(l.asked)-1, want) {
		t.Error("the model did not hear it")
	}
}

func TestLoopDetector(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	for range 9 {
		l.script["root"] = append(l.script["root"], say{calls: []string{`act {"same":1}`}})
	}
	if err := l.prompt("go"); err == nil || len(l.ran) != maxAlike {
		t.Errorf("%v after %d runs", err, len(l.ran))
	}
	if got := word(l.last(checkrein.TurnEnd), "reason"); got != "loop_detected" {
		t.Errorf("reason %q", got)
	}
	l.last(checkrein.OnError)
}

func TestIterationLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		person  bool
		goOn    bool
		ran     int
		resumed bool
	}{{"nobody is there", false, false, 2, false}, {"person stops it", true, false, 2, false}, {"person goes on", true, true, 4, true}} {
		l := newLab(t)
		l.yolo, l.goOn = true, tt.goOn
		l.agents[0].MaxIterations = 2
		if tt.person {
			l.person = func(Question) Reply { return Reply{} }
		}
		for i := range 4 {
			l.script["root"] = append(l.script["root"], say{calls: []string{fmt.Sprintf(`act {"n":%d}`, i)}})
		}
		_ = l.prompt("go")
		if len(l.ran) != tt.ran || slices.Contains(l.events, "root on_session_resume") != tt.resumed {
			t.Errorf("%s: ran %d, events %v", tt.name, len(l.ran), l.events)
		}
		l.last(checkrein.OnMaxIterations)
		if tt.resumed {
			ev := l.last(checkrein.OnSessionResume)
			if string(ev.Detail("previous_max_iterations")) != "2" || string(ev.Detail("new_max_iterations")) != "12" {
				t.Errorf("%v", ev.Details)
			}
		}
	}
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.script["root"] = []say{{err: errors.New("500: out of order")}}
	err := l.prompt("go")
	if err == nil || !strings.Contains(l.last(checkrein.OnError).Text, "out of order") || word(l.last(checkrein.TurnEnd), "reason") != "error" {
		t.Errorf("%v", err)
	}
	if got := l.reported(Failure); len(got) != 1 || !strings.Contains(got[0].Text, "out of order") {
		t.Errorf("%v", got)
	}
	if slices.Contains(l.events, "root after_llm_call") {
		t.Error("after_llm_call was fired")
	}
}

// Cancellation is no error: turn_end says so, and hooks that clean up are heard.
func TestCancel(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	ctx, cancel := context.WithCancel(t.Context())
	l.runs = func(string, json.RawMessage) (string, error) { cancel(); return "half", ctx.Err() }
	l.script["root"] = []say{{calls: []string{`act {"a":1}`, `act {"b":2}`}}}
	r := l.start()
	r.Start(ctx, "startup")
	err := r.Prompt(ctx, "go")
	r.End(ctx, EndOther)
	if !errors.Is(err, context.Canceled) || len(l.ran) != 1 {
		t.Errorf("%v, ran %v", err, l.ran)
	}
	if got := word(l.last(checkrein.TurnEnd), "reason"); got != "canceled" {
		t.Errorf("reason %q", got)
	}
	if slices.Contains(l.events, "root on_error") || slices.Contains(l.events, "root notification") {
		t.Error("a cancellation was reported as an error")
	}
	l.last(checkrein.SessionEnd)
	if got := answerOpenCalls(r.main.messages); len(got) != len(r.main.messages) {
		t.Error("calls were left without an answer")
	}
}

func TestCompaction(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("word ", 400)
	for _, tt := range []struct {
		name  string
		on    string
		do    func(checkrein.Event) checkrein.Verdict
		check func(t *testing.T, l *lab)
	}{
		{"by the model", "pre_compact", tells("keep the TODOs"), func(t *testing.T, l *lab) {
			if l.last(checkrein.AfterCompaction).Text != "a summary" || !slices.ContainsFunc(l.asked, func(q model.Request) bool {
				return len(q.Tools) == 0 && strings.Contains(q.Messages[0].Content, "keep the TODOs")
			}) {
				t.Error("no summary with guidance")
			}
			if n := len(l.asked) - 1; !l.told(n, "a summary") || l.told(n, big) || !l.told(n, "second") {
				t.Error("the conversation is not the summary and the last prompt")
			}
			if word(l.last(checkrein.PreCompact), "source") != "auto" || word(l.last(checkrein.BeforeCompaction), "compaction_reason") != "threshold" {
				t.Error("wrong words")
			}
			if ev := l.last(checkrein.SessionStart); word(ev, "source") != "compact" {
				t.Error("session_start does not tell")
			}
		}},
		{"vetoed", "pre_compact", deny("no"), func(t *testing.T, l *lab) {
			if slices.Contains(l.events, "root before_compaction") || slices.Contains(l.events, "root after_compaction") || !l.told(1, big) {
				t.Error("it was compacted")
			}
		}},
		{"vetoed later", "before_compaction", deny("no"), func(t *testing.T, l *lab) {
			if slices.Contains(l.events, "root after_compaction") || !l.told(1, big) {
				t.Error("it was compacted")
			}
		}},
		{"summary of a hook", "before_compaction", verdict(checkrein.Verdict{Summary: "MINE"}), func(t *testing.T, l *lab) {
			if l.last(checkrein.AfterCompaction).Text != "MINE" || !l.told(1, "MINE") || len(l.asked) != 2 {
				t.Errorf("%d calls", len(l.asked))
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.limit = 600
			l.on[tt.on] = tt.do
			l.script["root"] = []say{{text: "first", usage: &model.Usage{Input: 560, Output: 10}}, {text: "next"}, {text: "next"}}
			r := l.start()
			for _, p := range []string{big, "second"} {
				if err := r.Prompt(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}
			tt.check(t, l)
		})
	}
}

// A conversation that does not fit is compacted once and tried again; when that
// does not help the turn fails.
func TestOverflow(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.script["root"] = []say{{text: "first"}, {err: model.ErrOverflow}, {text: "never used: the summary takes a call"}, {text: "fits"}}
	r := l.start()
	_ = r.Prompt(t.Context(), "one")
	if err := r.Prompt(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if word(l.last(checkrein.BeforeCompaction), "compaction_reason") != "overflow" {
		t.Error("wrong reason")
	}
	l = newLab(t)
	l.script["root"] = []say{{text: "first"}, {err: model.ErrOverflow}, {}, {err: model.ErrOverflow}, {err: model.ErrOverflow}}
	r = l.start()
	_ = r.Prompt(t.Context(), "one")
	if err := r.Prompt(t.Context(), "two"); !errors.Is(err, model.ErrOverflow) || len(l.asked) != 4 {
		t.Errorf("%v after %d calls", err, len(l.asked))
	}
}

// Calls that change nothing run together; the others one after another.
func TestBatch(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	meet := make(chan struct{}, 2)
	l.runs = func(name string, in json.RawMessage) (string, error) {
		if name == "look" {
			meet <- struct{}{}
			for len(meet) < 2 { // each waits for the other
				select {
				case <-t.Context().Done():
					return "", t.Context().Err()
				default:
				}
			}
		}
		return string(in), nil
	}
	l.script["root"] = []say{{calls: []string{`look {"n":1}`, `look {"n":2}`, `act {"n":3}`, `act {"n":4}`}}}
	if err := l.prompt("go"); err != nil {
		t.Fatal(err)
	}
	if got := l.ran[2:]; got[0] != `act {"n":3}` || got[1] != `act {"n":4}` {
		t.Errorf("ran %v", l.ran)
	}
	var order []string
	for _, m := range l.asked[1].Messages {
		if m.Role == model.ToolRole {
			order = append(order, m.Content)
		}
	}
	wantList(t, "results", order, []string{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`})
}

// When a hook ends the run, the calls behind it do not run and are answered.
func TestBatchStops(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.on["post_tool_use"] = deny("enough")
	l.script["root"] = []say{{calls: []string{`act {"n":1}`, `act {"n":2}`}}}
	r := l.start()
	_ = r.Prompt(t.Context(), "go")
	if len(l.ran) != 1 {
		t.Errorf("ran %v", l.ran)
	}
	if m := r.main.messages; len(answerOpenCalls(m)) != len(m) || !strings.Contains(m[len(m)-1].Content, "skipped") {
		t.Errorf("%v", m)
	}
}

func TestGarbageCalls(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.script["root"] = []say{{calls: []string{`nothing {}`, `act [1]`, `act {broken`, `act null`, `act`}}}
	if err := l.prompt("go"); err != nil {
		t.Fatal(err)
	}
	wantList(t, "ran", l.ran, []string{"act {}"})
	if !l.told(1, "not available") || !l.told(1, "not a JSON object") {
		t.Error("the model is not told")
	}
}

// Members that stand twice, or in another case, cannot make what runs another
// call than the one that was judged.
func TestEachMemberOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ arguments, ran string }{
		{`{"cmd":"evil","cmd":null}`, `{"cmd":null}`},
		{`{"cmd":"ls","\u0063md":"evil"}`, `{"cmd":"evil"}`},
		{`{"a":{"b":1,"b":2},"n":10000000000000000000.50}`, `{"a":{"b":2},"n":10000000000000000000.50}`},
		{`{"cmd":"a && b '<c>'"}`, `{"cmd":"a && b '<c>'"}`},
		{`{"cmd":"ls"} {"cmd":"evil"}`, ""},
	} {
		l := newLab(t)
		l.yolo = true
		l.script["root"] = []say{{calls: []string{"act " + tt.arguments}}}
		if err := l.prompt("go"); err != nil {
			t.Fatal(err)
		}
		if tt.ran == "" {
			wantList(t, tt.arguments, l.ran, nil)
			continue
		}
		wantList(t, tt.arguments, l.ran, []string{"act " + tt.ran})
		if got := string(l.last(checkrein.PreToolUse).Tool.Input); got != tt.ran {
			t.Errorf("%s was judged as %s", tt.arguments, got)
		}
	}
}

// Hooks that were cut off by Ctrl-C have agreed to nothing: neither is the
// prompt kept, nor the reply shown.
func TestCancelInHooks(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"user_prompt_submit", "after_llm_call", "on_response_end"} {
		l := newLab(t)
		ctx, cancel := context.WithCancel(t.Context())
		l.on[event] = func(checkrein.Event) checkrein.Verdict { cancel(); return checkrein.Verdict{} }
		l.script["root"] = []say{{text: "the reply"}}
		r := l.start()
		if err := r.Prompt(ctx, "the prompt"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", event, err)
		}
		for _, it := range l.kept {
			if it.Message != nil && (event == "user_prompt_submit" || it.Message.Role == model.Assistant) {
				t.Errorf("%s: %q was kept", event, it.Message.Content)
			}
		}
		if len(l.reported(Final)) != 0 {
			t.Errorf("%s: the reply was shown", event)
		}
	}
}

// The limit of the agent that takes over counts for it.
func TestLimitAfterHandoff(t *testing.T) {
	t.Parallel()
	l := crew(t)
	l.agents[2].MaxIterations = 2
	l.script["root"] = []say{{calls: []string{`handoff {"agent":"expert"}`}}}
	for i := range 5 {
		l.script["expert"] = append(l.script["expert"], say{calls: []string{fmt.Sprintf(`act {"n":%d}`, i)}})
	}
	_ = l.prompt("go")
	if len(l.ran) != 1 {
		t.Errorf("ran %v", l.ran)
	}
}
