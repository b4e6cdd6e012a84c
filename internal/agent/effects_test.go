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

// wasSent reports whether the n-th call of the model had a text.
func (l *lab) wasSent(n int, text string) bool {
	if n >= len(l.asked) {
		return false
	}
	return slices.ContainsFunc(l.asked[n].Messages, func(m model.Message) bool { return strings.Contains(m.Content, text) })
}

func addContext(c string) func(checkrein.Event) checkrein.Verdict {
	return answerWith(checkrein.Verdict{Context: []string{c}})
}

func rewriteTo(text string) func(checkrein.Event) checkrein.Verdict {
	raw, _ := json.Marshal(text)
	return answerWith(checkrein.Verdict{Output: raw})
}

// Every effect of the contract table is honoured, and nothing else happens.
func TestEffects(t *testing.T) {
	t.Parallel()
	call := []scriptedAnswer{{text: "acting", calls: []string{`act {"x":1}`}}, {text: "second"}, {text: "third"}}
	for _, tt := range []struct {
		name   string
		on     string
		do     func(checkrein.Event) checkrein.Verdict
		script []scriptedAnswer
		check  func(t *testing.T, l *lab, err error)
	}{
		{"session context stays", "session_start", addContext("CTX"), call, func(t *testing.T, l *lab, _ error) {
			if !l.wasSent(0, "CTX") || !l.wasSent(1, "CTX") {
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
		{"prompt is rewritten", "user_prompt_submit", rewriteTo("better"), call, func(t *testing.T, l *lab, _ error) {
			if !l.wasSent(0, "better") || l.wasSent(0, "hello") {
				t.Error("the model got the old prompt")
			}
		}},
		{"prompt context lasts for the stream", "user_prompt_submit", addContext("CTX"), call, func(t *testing.T, l *lab, _ error) {
			if !l.wasSent(0, "CTX") || !l.wasSent(1, "CTX") {
				t.Error("it is gone")
			}
		}},
		{"turn context lasts for a turn", "turn_start", onceOnly(addContext("CTX")), call, func(t *testing.T, l *lab, _ error) {
			if !l.wasSent(0, "CTX") || l.wasSent(1, "CTX") {
				t.Error("not for one turn")
			}
		}},
		{"model call is refused", "before_llm_call", deny("budget"), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.asked) != 0 || detailText(l.lastEvent(checkrein.TurnEnd), "reason") != "hook_blocked" {
				t.Errorf("%v, %d calls", err, len(l.asked))
			}
		}},
		{"model call halts", "before_llm_call", answerWith(checkrein.Verdict{Halt: true}), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.asked) != 0 {
				t.Error(err)
			}
		}},
		{"messages are rewritten", "before_llm_call", func(ev checkrein.Event) checkrein.Verdict {
			return checkrein.Verdict{Messages: json.RawMessage(strings.ReplaceAll(string(ev.Messages), "hello", "HIDDEN"))}
		}, call, func(t *testing.T, l *lab, _ error) {
			if !l.wasSent(0, "HIDDEN") || l.wasSent(0, "hello") || !l.wasSent(1, "HIDDEN") {
				t.Error("the model got the old messages")
			}
		}},
		{"unreadable messages are not sent", "before_llm_call", answerWith(checkrein.Verdict{Messages: json.RawMessage(`[{"role":7}]`)}), call, func(t *testing.T, l *lab, err error) {
			if err == nil || len(l.asked) != 0 {
				t.Error("the model was called")
			}
		}},
		{"call context", "before_llm_call", onceOnly(addContext("CTX")), call, func(t *testing.T, l *lab, _ error) {
			if !l.wasSent(0, "CTX") || l.wasSent(1, "CTX") {
				t.Error("not for one call")
			}
		}},
		{"reply is swapped", "after_llm_call", rewriteTo("swapped"), []scriptedAnswer{{text: "raw"}}, func(t *testing.T, l *lab, _ error) {
			if got := l.reportsOf(Final); len(got) != 1 || got[0].Text != "swapped" {
				t.Errorf("%v", got)
			}
		}},
		{"halt after the model call", "after_llm_call", answerWith(checkrein.Verdict{Halt: true}), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.ran) != 0 {
				t.Errorf("%v, ran %v", err, l.ran)
			}
		}},
		{"tool is refused", "pre_tool_use", deny("[x] Blocked (why): the evidence"), call, func(t *testing.T, l *lab, err error) {
			if err != nil || len(l.ran) != 0 || !l.wasSent(1, "the evidence") {
				t.Errorf("%v, ran %v", err, l.ran)
			}
			b := l.reportsOf(Blocked)
			if len(b) != 1 || b[0].Card.Sentence != "Blocked (why)" || b[0].Card.Command != "the evidence" {
				t.Errorf("card %+v", b)
			}
			if slices.Contains(l.events, "root post_tool_use") {
				t.Error("post_tool_use was fired")
			}
		}},
		{"tool halts the run", "pre_tool_use", answerWith(says["halt"]), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.ran) != 0 || len(l.asked) != 1 {
				t.Errorf("%v, ran %v", err, l.ran)
			}
		}},
		{"input is patched", "pre_tool_use", answerWith(checkrein.Verdict{Input: json.RawMessage(`{"y":2}`)}), call, func(t *testing.T, l *lab, _ error) {
			if len(l.ran) != 1 || l.ran[0] != `act {"x":1,"y":2}` {
				t.Errorf("ran %v", l.ran)
			}
		}},
		{"tool context", "pre_tool_use", addContext("CTX"), call, func(t *testing.T, l *lab, _ error) {
			if l.wasSent(0, "CTX") || !l.wasSent(1, "CTX") {
				t.Error("the model was not told")
			}
		}},
		{"output is replaced before anyone sees it", "tool_response_transform", rewriteTo("CLEAN"), call, func(t *testing.T, l *lab, _ error) {
			if !l.wasSent(1, "CLEAN") || l.wasSent(1, "act ran") {
				t.Error("the model saw it")
			}
			if got := string(l.lastEvent(checkrein.PostToolUse).Tool.Output); got != `"CLEAN"` {
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
		{"output is cleared", "tool_response_transform", rewriteTo(""), call, func(t *testing.T, l *lab, _ error) {
			if !l.wasSent(1, "(no output)") {
				t.Error("the model does not know")
			}
		}},
		{"post_tool_use stops the run", "post_tool_use", deny("enough"), call, func(t *testing.T, l *lab, err error) {
			if !errors.Is(err, ErrBlocked) || len(l.asked) != 1 || detailText(l.lastEvent(checkrein.TurnEnd), "reason") != "hook_blocked" {
				t.Errorf("%v after %d calls", err, len(l.asked))
			}
		}},
		{"post_tool_use context", "post_tool_use", addContext("CTX"), call, func(t *testing.T, l *lab, _ error) {
			if !l.wasSent(1, "CTX") || l.wasSent(2, "CTX") {
				t.Error("the model was not told")
			}
		}},
		{"reply is rewritten", "on_response_end", rewriteTo("masked"), []scriptedAnswer{{text: "raw"}}, func(t *testing.T, l *lab, _ error) {
			if got := l.reportsOf(Final); len(got) != 1 || got[0].Text != "masked" || len(l.reportsOf(Delta)) != 0 {
				t.Errorf("%v", got)
			}
		}},
		{"stop is refused three times", "stop", deny("not yet"), []scriptedAnswer{{text: "1"}, {text: "2"}, {text: "3"}, {text: "4"}, {text: "5"}}, func(t *testing.T, l *lab, err error) {
			if err != nil || len(l.asked) != 4 || !l.wasSent(1, "not yet") || !l.wasSent(3, "attempt 3 of 3") {
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
			tt.check(t, l, l.runPrompt("hello"))
		})
	}
}

// onceOnly returns a verdict the first time only.
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

// Text is streamed only if no hook can change it.
func TestStreaming(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	token := "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	l.script["root"] = []scriptedAnswer{{text: "the token is " + token}}
	l.hooks = func(string) []checkrein.Hook {
		return []checkrein.Hook{recordingHook(checkrein.Stop)}
	}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	streamed := ""
	for _, r := range l.reportsOf(Delta) {
		streamed += r.Text
	}
	if streamed != "the token is [REDACTED]" || l.reportsOf(Final)[0].Text != streamed {
		t.Errorf("streamed %q, replied %q", streamed, l.reportsOf(Final)[0].Text)
	}
}

func TestGoal(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.script["root"] = []scriptedAnswer{{text: "done, I say"}, {text: "really done"}}
	l.on["on_completion_claim"] = onceOnly(deny("show it"))
	r := l.start()
	r.Start(t.Context(), "startup")
	if err := r.PursueGoal(t.Context(), "world peace"); err != nil {
		t.Fatal(err)
	}
	ev := l.lastEvent(checkrein.OnCompletionClaim)
	if detailText(ev, "goal") != "world peace" || ev.Text != "really done" || !l.wasSent(1, "show it") || len(l.reportsOf(GoalDone)) != 1 {
		t.Errorf("%+v", ev)
	}
	if err := r.Prompt(t.Context(), "and now?"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(strings.Join(l.events, " "), "on_completion_claim"); n != 2 {
		t.Errorf("on_completion_claim was fired %d times", n)
	}
}

// Messages may come while the agent works, or wait until it is done.
func TestQueues(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	var r *Runtime
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`}, do: func(context.Context) { _ = r.Steer("faster"); _ = r.Steer("please") }}, {text: "one"}, {text: "two"}}
	l.on["user_steering_messages_submit"] = addContext("STEERED")
	l.on["user_followup_submit"] = addContext("FOLLOWED")
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
	steer := l.lastEvent(checkrein.UserSteeringMessagesSubmit)
	if string(steer.Detail("steering_messages")) != `["faster","please"]` || !l.wasSent(1, "faster") || !l.wasSent(1, "STEERED") {
		t.Error("the agent was not steered")
	}
	if !l.wasSent(2, "next 19") || !l.wasSent(2, "FOLLOWED") || l.wasSent(2, "STEERED") {
		t.Error("the follow-up did not come")
	}
	var reasons []string
	for _, ev := range l.seen {
		if ev.Kind == checkrein.TurnEnd {
			reasons = append(reasons, detailText(ev, "reason"))
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
		l.script["root"] = []scriptedAnswer{{text: "one"}}
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
			if l.wasSent(n, "secret plan") {
				t.Errorf("%s: the model heard it", event)
			}
		}
	}
}

// Every message passes on_outbound_message, whichever tool sends it: a denied one is not sent and the
// model gets the reason, and a rewritten one is sent with the new text only.
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
			{"sent", "sent to " + channel, answerWith(checkrein.Verdict{}), []string{channel + ": hi there"}},
			{"rewritten", "sent to " + channel, rewriteTo("masked"), []string{channel + ": masked"}},
			{"held back", "a hook blocked the message: no keys", deny("no keys"), nil},
		} {
			l := newLab(t)
			l.yolo = true
			l.on["on_outbound_message"] = tt.do
			l.script["root"] = []scriptedAnswer{{calls: []string{call}}}
			if err := l.runPrompt("send"); err != nil {
				t.Fatal(err)
			}
			wantList(t, call+" "+tt.name, l.sent, tt.want)
			ev := l.lastEvent(checkrein.OnOutboundMessage)
			if detailText(ev, "channel") != channel || detailText(ev, "type") != "message" || ev.Text != "hi there" {
				t.Errorf("%s: fired with %+v", call, ev)
			}
			if !l.wasSent(len(l.asked)-1, tt.hears) {
				t.Errorf("%s %s: the model did not hear %q", call, tt.name, tt.hears)
			}
			if !slices.Contains(l.events, "root pre_tool_use") {
				t.Error("the tool's gate was not asked")
			}
		}
	}
}

// An invalid message sends nothing and fires no event.
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
		l.script["root"] = []scriptedAnswer{{calls: []string{call}}}
		if err := l.runPrompt("send"); err != nil {
			t.Fatal(err)
		}
		if len(l.sent) > 0 || slices.Contains(l.events, "root on_outbound_message") || !l.wasSent(len(l.asked)-1, hears) {
			t.Errorf("%s: sent %q, events %v", call, l.sent, l.events)
		}
	}
}

// The model and the person get the error of a message that was not sent.
func TestOutboundFails(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo, l.unsent = true, errors.New("the line is dead")
	l.script["root"] = []scriptedAnswer{{calls: []string{`send_to_telegram {"message":"hi"}`}}}
	if err := l.runPrompt("send"); err != nil {
		t.Fatal(err)
	}
	const want = "the message was not sent: the line is dead"
	if got := l.reportsOf(Warning); len(got) != 1 || got[0].Text != want || got[0].Channel != "telegram" || len(l.reportsOf(Sent)) > 0 {
		t.Errorf("the person hears %+v", got)
	}
	if !l.wasSent(len(l.asked)-1, want) {
		t.Error("the model did not hear it")
	}
}

func TestLoopDetector(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	for range 9 {
		l.script["root"] = append(l.script["root"], scriptedAnswer{calls: []string{`act {"same":1}`}})
	}
	if err := l.runPrompt("go"); err == nil || len(l.ran) != maxRepeats {
		t.Errorf("%v after %d runs", err, len(l.ran))
	}
	if got := detailText(l.lastEvent(checkrein.TurnEnd), "reason"); got != "loop_detected" {
		t.Errorf("reason %q", got)
	}
	l.lastEvent(checkrein.OnError)
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
			l.script["root"] = append(l.script["root"], scriptedAnswer{calls: []string{fmt.Sprintf(`act {"n":%d}`, i)}})
		}
		_ = l.runPrompt("go")
		if len(l.ran) != tt.ran || slices.Contains(l.events, "root on_session_resume") != tt.resumed {
			t.Errorf("%s: ran %d, events %v", tt.name, len(l.ran), l.events)
		}
		l.lastEvent(checkrein.OnMaxIterations)
		if tt.resumed {
			ev := l.lastEvent(checkrein.OnSessionResume)
			if string(ev.Detail("previous_max_iterations")) != "2" || string(ev.Detail("new_max_iterations")) != "12" {
				t.Errorf("%v", ev.Details)
			}
		}
	}
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.script["root"] = []scriptedAnswer{{err: errors.New("500: out of order")}}
	err := l.runPrompt("go")
	if err == nil || !strings.Contains(l.lastEvent(checkrein.OnError).Text, "out of order") || detailText(l.lastEvent(checkrein.TurnEnd), "reason") != "error" {
		t.Errorf("%v", err)
	}
	if got := l.reportsOf(Failure); len(got) != 1 || !strings.Contains(got[0].Text, "out of order") {
		t.Errorf("%v", got)
	}
	if slices.Contains(l.events, "root after_llm_call") {
		t.Error("after_llm_call was fired")
	}
}

// Cancellation is not an error: turn_end has it as the reason, and hooks that clean up run.
func TestCancel(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	ctx, cancel := context.WithCancel(t.Context())
	l.runs = func(string, json.RawMessage) (string, error) { cancel(); return "half", ctx.Err() }
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {"a":1}`, `act {"b":2}`}}}
	r := l.start()
	r.Start(ctx, "startup")
	err := r.Prompt(ctx, "go")
	r.End(ctx, EndOther)
	if !errors.Is(err, context.Canceled) || len(l.ran) != 1 {
		t.Errorf("%v, ran %v", err, l.ran)
	}
	if got := detailText(l.lastEvent(checkrein.TurnEnd), "reason"); got != "canceled" {
		t.Errorf("reason %q", got)
	}
	if slices.Contains(l.events, "root on_error") || slices.Contains(l.events, "root notification") {
		t.Error("a cancellation was reported as an error")
	}
	l.lastEvent(checkrein.SessionEnd)
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
		{"by the model", "pre_compact", addContext("keep the TODOs"), func(t *testing.T, l *lab) {
			if l.lastEvent(checkrein.AfterCompaction).Text != "a summary" || !slices.ContainsFunc(l.asked, func(q model.Request) bool {
				return len(q.Tools) == 0 && strings.Contains(q.Messages[0].Content, "keep the TODOs")
			}) {
				t.Error("no summary with guidance")
			}
			if n := len(l.asked) - 1; !l.wasSent(n, "a summary") || l.wasSent(n, big) || !l.wasSent(n, "second") {
				t.Error("the conversation is not the summary and the last prompt")
			}
			if detailText(l.lastEvent(checkrein.PreCompact), "source") != "auto" || detailText(l.lastEvent(checkrein.BeforeCompaction), "compaction_reason") != "threshold" {
				t.Error("wrong words")
			}
			if ev := l.lastEvent(checkrein.SessionStart); detailText(ev, "source") != "compact" {
				t.Error("session_start does not tell")
			}
		}},
		{"vetoed", "pre_compact", deny("no"), func(t *testing.T, l *lab) {
			if slices.Contains(l.events, "root before_compaction") || slices.Contains(l.events, "root after_compaction") || !l.wasSent(1, big) {
				t.Error("it was compacted")
			}
		}},
		{"vetoed later", "before_compaction", deny("no"), func(t *testing.T, l *lab) {
			if slices.Contains(l.events, "root after_compaction") || !l.wasSent(1, big) {
				t.Error("it was compacted")
			}
		}},
		{"summary of a hook", "before_compaction", answerWith(checkrein.Verdict{Summary: "MINE"}), func(t *testing.T, l *lab) {
			if l.lastEvent(checkrein.AfterCompaction).Text != "MINE" || !l.wasSent(1, "MINE") || len(l.asked) != 2 {
				t.Errorf("%d calls", len(l.asked))
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.limit = 600
			l.on[tt.on] = tt.do
			l.script["root"] = []scriptedAnswer{{text: "first", usage: &model.Usage{Input: 560, Output: 10}}, {text: "next"}, {text: "next"}}
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

// A conversation that is too long is compacted once and tried again; if that does not help, the turn
// fails.
func TestOverflow(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.script["root"] = []scriptedAnswer{{text: "first"}, {err: model.ErrOverflow}, {text: "never used: the summary takes a call"}, {text: "fits"}}
	r := l.start()
	_ = r.Prompt(t.Context(), "one")
	if err := r.Prompt(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if detailText(l.lastEvent(checkrein.BeforeCompaction), "compaction_reason") != "overflow" {
		t.Error("wrong reason")
	}
	l = newLab(t)
	l.script["root"] = []scriptedAnswer{{text: "first"}, {err: model.ErrOverflow}, {}, {err: model.ErrOverflow}, {err: model.ErrOverflow}}
	r = l.start()
	_ = r.Prompt(t.Context(), "one")
	if err := r.Prompt(t.Context(), "two"); !errors.Is(err, model.ErrOverflow) || len(l.asked) != 4 {
		t.Errorf("%v after %d calls", err, len(l.asked))
	}
}

// Read-only calls run in parallel, the others one after another.
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
	l.script["root"] = []scriptedAnswer{{calls: []string{`look {"n":1}`, `look {"n":2}`, `act {"n":3}`, `act {"n":4}`}}}
	if err := l.runPrompt("go"); err != nil {
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

// If a hook ends the run, the calls after it do not run and are answered.
func TestBatchStops(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.on["post_tool_use"] = deny("enough")
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {"n":1}`, `act {"n":2}`}}}
	r := l.start()
	_ = r.Prompt(t.Context(), "go")
	if len(l.ran) != 1 {
		t.Errorf("ran %v", l.ran)
	}
	if m := r.main.messages; len(answerOpenCalls(m)) != len(m) || !strings.Contains(m[len(m)-1].Content, "skipped") {
		t.Errorf("%v", m)
	}
}

func TestInvalidCalls(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.script["root"] = []scriptedAnswer{{calls: []string{`nothing {}`, `act [1]`, `act {broken`, `act null`, `act`}}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	wantList(t, "ran", l.ran, []string{"act {}"})
	if !l.wasSent(1, "not available") || !l.wasSent(1, "not a JSON object") {
		t.Error("the model is not told")
	}
}

// Duplicate members, or members in another case, cannot make the tool run another call than the one
// that was judged.
func TestDuplicateArguments(t *testing.T) {
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
		l.script["root"] = []scriptedAnswer{{calls: []string{"act " + tt.arguments}}}
		if err := l.runPrompt("go"); err != nil {
			t.Fatal(err)
		}
		if tt.ran == "" {
			wantList(t, tt.arguments, l.ran, nil)
			continue
		}
		wantList(t, tt.arguments, l.ran, []string{"act " + tt.ran})
		if got := string(l.lastEvent(checkrein.PreToolUse).Tool.Input); got != tt.ran {
			t.Errorf("%s was judged as %s", tt.arguments, got)
		}
	}
}

// Hooks canceled by Ctrl-C have not agreed: the prompt is not saved, and the reply is not shown.
func TestCancelInHooks(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"user_prompt_submit", "after_llm_call", "on_response_end"} {
		l := newLab(t)
		ctx, cancel := context.WithCancel(t.Context())
		l.on[event] = func(checkrein.Event) checkrein.Verdict { cancel(); return checkrein.Verdict{} }
		l.script["root"] = []scriptedAnswer{{text: "the reply"}}
		r := l.start()
		if err := r.Prompt(ctx, "the prompt"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", event, err)
		}
		for _, it := range l.kept {
			if it.Message != nil && (event == "user_prompt_submit" || it.Message.Role == model.Assistant) {
				t.Errorf("%s: %q was kept", event, it.Message.Content)
			}
		}
		if len(l.reportsOf(Final)) != 0 {
			t.Errorf("%s: the reply was shown", event)
		}
	}
}

// After a handoff the limit of the new agent counts.
func TestLimitAfterHandoff(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.agents[2].MaxIterations = 2
	l.script["root"] = []scriptedAnswer{{calls: []string{`handoff {"agent":"expert"}`}}}
	for i := range 5 {
		l.script["expert"] = append(l.script["expert"], scriptedAnswer{calls: []string{fmt.Sprintf(`act {"n":%d}`, i)}})
	}
	_ = l.runPrompt("go")
	if len(l.ran) != 1 {
		t.Errorf("ran %v", l.ran)
	}
}
