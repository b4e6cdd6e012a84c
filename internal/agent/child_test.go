package agent

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/agent/team"
)

// newTeamLab returns a lab with an agent that delegates tasks.
func newTeamLab(t *testing.T) *lab {
	l := newLab(t)
	l.yolo = true
	l.agents[0].SubAgents = []string{"helper"}
	l.agents[0].Handoffs = []string{"expert"}
	for _, name := range []string{"helper", "expert"} {
		l.agents = append(l.agents, team.Agent{Name: name, Model: "m", Description: "the " + name})
	}
	return l
}

// A delegated task is a session of its own, with the child's hooks and those of the parent.
func TestTransfer(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.script["root"] = []scriptedAnswer{{calls: []string{`transfer_task {"agent":"helper","task":"find it","expected_output":"a path"}`}}, {text: "thanks"}}
	l.script["helper"] = []scriptedAnswer{{calls: []string{`act {"h":1}`}}, {text: "found it"}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	at := slices.Index(l.events, "root on_tool_approval_decision")
	end := slices.Index(l.events, "root tool_response_transform")
	wantList(t, "events", l.events[at+1:end], strings.Split(`root on_agent_switch|root subagent_start|helper session_start|helper turn_start|helper before_llm_call|helper after_llm_call|helper pre_tool_use|helper on_tool_approval_decision|helper tool_response_transform|helper post_tool_use|helper turn_end|helper turn_start|helper before_llm_call|helper after_llm_call|helper on_response_end|helper stop|helper turn_end|helper session_end|root subagent_stop|root on_agent_switch`, "|"))
	stop := l.lastEvent(checkrein.SubagentStop)
	if stop.Session.ID == "s1" || stop.Session.Agent != "helper" || stop.Text != "found it" || detailText(stop, "parent_session_id") != "s1" {
		t.Errorf("subagent_stop: %+v", stop)
	}
	var kinds []string
	for _, ev := range l.seen {
		if ev.Kind == checkrein.OnAgentSwitch {
			kinds = append(kinds, detailText(ev, "from_agent")+">"+detailText(ev, "to_agent")+" "+detailText(ev, "agent_switch_kind")+" "+string(ev.Detail("from_agent_models")))
		}
	}
	wantList(t, "switches", kinds, []string{`root>helper transfer_task [{"provider":"test","model":"root"}]`, `helper>root transfer_task_return [{"provider":"test","model":"helper"}]`})
	if !l.wasSent(3, "found it") || !l.wasSent(1, "find it") || !l.wasSent(1, "a path") {
		t.Error("the answer did not come back")
	}
}

func TestHooksDenyTransfer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, on string
		child    bool // it ran
	}{{"the call", "root pre_tool_use", false}, {"the start", "root subagent_start", false}} {
		l := newTeamLab(t)
		l.on[tt.on] = deny("not you")
		l.script["root"] = []scriptedAnswer{{calls: []string{`transfer_task {"agent":"helper","task":"x"}`}}}
		if err := l.runPrompt("go"); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(l.events, "helper session_start") != tt.child || !l.wasSent(1, "not you") {
			t.Errorf("%s: %v", tt.name, l.events)
		}
	}
}

// The parent's hooks can make a child continue, three times at most.
func TestChildRedo(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.on["root subagent_stop"] = deny("cite your source")
	l.script["root"] = []scriptedAnswer{{calls: []string{`transfer_task {"agent":"helper","task":"x"}`}}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	if n := l.calls["helper"]; n != 4 {
		t.Errorf("the child was called %d times", n)
	}
	if !l.wasSent(2, "cite your source") || !l.wasSent(2, "attempt 1 of 3") {
		t.Error("the child was not told why")
	}
	var sources []string
	for i, ev := range l.seen {
		if ev.Kind == checkrein.SessionStart && strings.HasPrefix(l.events[i], "helper") {
			sources = append(sources, detailText(ev, "source"))
		}
	}
	wantList(t, "sources", sources, []string{"startup", "resume", "resume", "resume"})
}

func TestHandoff(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.script["root"] = []scriptedAnswer{{calls: []string{`handoff {"agent":"expert"}`}}}
	l.script["expert"] = []scriptedAnswer{{text: "I take over"}}
	r := l.start()
	if err := r.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if r.Agent() != "expert" || l.events[slices.Index(l.events, "root on_agent_switch")+1] != "root turn_end" || !slices.Contains(l.events, "expert turn_start") {
		t.Errorf("%s: %v", r.Agent(), l.events)
	}
	if detailText(l.lastEvent(checkrein.OnAgentSwitch), "agent_switch_kind") != "handoff" || slices.Contains(l.events, "expert session_start") {
		t.Error("it is a new session")
	}
	if l.kept[len(l.kept)-2].Kind != "agent" && !slices.ContainsFunc(l.kept, func(it session.Item) bool { return it.Kind == "agent" && it.Agent == "expert" }) {
		t.Error("a resumed session would not know")
	}
}

func TestForceHandoff(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.agents[0].ForceHandoff = "expert"
	l.script["root"] = []scriptedAnswer{{text: "draft"}}
	l.script["expert"] = []scriptedAnswer{{text: "reviewed"}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, ev := range l.seen {
		if ev.Kind == checkrein.TurnEnd {
			reasons = append(reasons, detailText(ev, "reason"))
		}
	}
	wantList(t, "reasons", reasons, []string{"force_handoff", "normal"})
}

// A background agent runs in parallel, cannot ask a person, and ends with the session.
func TestBackground(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.yolo = false
	l.person = func(q Question) Reply {
		if q.Agent == "helper" {
			t.Error("the person was asked for a background agent")
		}
		return Reply{Answer: Approve}
	}
	done := make(chan struct{})
	l.script["root"] = []scriptedAnswer{{calls: []string{`run_background_agent {"agent":"helper","task":"x"}`}}, {calls: []string{`view_background_agent {"task_id":"s1-1"}`}}, {text: "ok"}}
	l.script["helper"] = []scriptedAnswer{{calls: []string{`act {"h":1}`}}, {text: "tried"}}
	l.on["root subagent_stop"] = func(checkrein.Event) checkrein.Verdict { close(done); return checkrein.Verdict{} }
	r := l.start()
	if err := r.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	<-done
	r.End(t.Context(), EndOther)
	if len(l.ran) != 0 {
		t.Errorf("ran %v without approval", l.ran)
	}
	if !slices.ContainsFunc(l.reports, func(rep Report) bool { return rep.Type == Blocked && rep.Source == "non_interactive_deny" }) {
		t.Error("its call was not refused")
	}
}

func TestUnknownAgents(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.script["root"] = []scriptedAnswer{{calls: []string{`transfer_task {"agent":"expert","task":"x"}`, `handoff {"agent":"helper"}`, `view_background_agent {"task_id":"7"}`}}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	if l.calls["expert"]+l.calls["helper"] != 0 || !l.wasSent(1, `agent "expert" cannot be given this task`) || !l.wasSent(1, `no background task "7"`) {
		t.Error("an agent was reached that is not declared")
	}
}

// An argument whose name differs in case is rejected, so that the tool runs what was judged.
func TestArgumentNamesAreCaseSensitive(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.script["root"] = []scriptedAnswer{{calls: []string{`send_message {"message":"hi","MESSAGE":"other"}`, `transfer_task {"agent":"helper","task":"x","Task":"y"}`, `handoff {"Agent":"expert"}`}}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	if len(l.sent) != 0 || l.calls["helper"]+l.calls["expert"] != 0 || !l.wasSent(1, `unknown argument "MESSAGE": write message`) {
		t.Errorf("sent %v, called %v", l.sent, l.calls)
	}
}

// However a call comes about, it does not reach its tool without the gate: with gates that deny
// everything nothing runs.
func TestNoWayAroundTheGate(t *testing.T) {
	t.Parallel()
	calls := []string{`shell {"cmd":"x"}`, `act {}`, `look {}`, `look {"b":1}`, `send_message {"message":"m"}`}
	for _, tt := range []struct {
		name   string
		script map[string][]scriptedAnswer
		goal   bool
		follow bool
		resume bool
	}{
		{name: "a batch", script: map[string][]scriptedAnswer{"root": {{calls: calls}}}},
		{name: "a delegated task", script: map[string][]scriptedAnswer{"root": {{calls: []string{`transfer_task {"agent":"helper","task":"x"}`}}}, "helper": {{calls: calls}}}},
		{name: "a background agent", script: map[string][]scriptedAnswer{"root": {{calls: []string{`run_background_agent {"agent":"helper","task":"x"}`}}}, "helper": {{calls: calls}}}},
		{name: "a handoff", script: map[string][]scriptedAnswer{"root": {{calls: []string{`handoff {"agent":"expert"}`}}}, "expert": {{calls: calls}}}},
		{name: "a goal", goal: true, script: map[string][]scriptedAnswer{"root": {{calls: calls}}}},
		{name: "a follow-up", follow: true, script: map[string][]scriptedAnswer{"root": {{text: "hm"}, {calls: calls}}}},
		{name: "a resumed session", resume: true, script: map[string][]scriptedAnswer{"root": {{calls: calls}}}},
		{name: "after a redo", script: map[string][]scriptedAnswer{"root": {{text: "hm"}, {calls: calls}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newTeamLab(t)
			l.script = tt.script
			managed := []string{"transfer_task", "run_background_agent", "handoff"}
			l.on["pre_tool_use"] = func(ev checkrein.Event) checkrein.Verdict {
				if slices.Contains(managed, ev.Tool.Name) {
					return checkrein.Verdict{} // or nothing behind it would be tried
				}
				return checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"}
			}
			if tt.name == "after a redo" {
				l.on["stop"] = onceOnly(deny("again"))
			}
			var history []session.Item
			if tt.resume {
				history = []session.Item{{Kind: "message", Message: &model.Message{Role: model.User, Content: "before"}}}
			}
			r := l.start(history...)
			if tt.follow {
				_ = r.FollowUp("and")
			}
			var err error
			if tt.goal {
				err = r.PursueGoal(t.Context(), "g")
			} else {
				err = r.Prompt(t.Context(), "go")
			}
			r.End(t.Context(), EndOther)
			if err != nil && !errors.Is(err, ErrBlocked) {
				t.Error(err)
			}
			if len(l.ran) != 0 || len(l.sent) != 0 {
				t.Errorf("ran %v, sent %v", l.ran, l.sent)
			}
		})
	}
}

// Only one function of the package calls tools.
func TestToolsRunInOnePlace(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var places []string
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for range strings.Count(string(data), ".Run(") {
			places = append(places, f)
		}
	}
	wantList(t, "places", places, []string{"batch.go"})
}
