package checkreintest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// TestRuntime runs each scenario as a subtest. run must run one session of an agent with the session's
// hooks: it starts the session, runs one turn from the prompt until the agent has stopped, ends the
// session, and then returns. A failure names the rule that the program broke.
//
// The agent has one tool, which hooks call shell, with the input {"command": "…"}. A hook answers in one
// way, and these rules are checked:
//
//   - none: without an opinion of hooks the command runs once, and the model gets its output;
//   - session_start/context: the first request to the model contains the context;
//   - session_end/fired: session_end fires once, after all else, with the session ID of
//     session_start;
//   - user_prompt_submit/context: the first request to the model contains the context;
//   - user_prompt_submit/deny: the model does not get a denied prompt;
//   - user_prompt_submit/halt: the model does not get a prompt that a hook denies with a halt;
//   - before_llm_call/halt: the model is not called after a halt;
//   - pre_tool_use/deny: a denied call does not run, and the model gets the reason;
//   - pre_tool_use/ask-approved: the runtime asks the person, and runs an approved call;
//   - pre_tool_use/ask-refused: a call that the person refuses, or cannot be asked about, does not
//     run;
//   - pre_tool_use/rewrite: a rewritten call runs as rewritten;
//   - pre_tool_use/context: the call runs, and the next request to the model contains the context;
//   - pre_tool_use/notice: the call runs, and the person gets the notice;
//   - pre_tool_use/halt: a call denied with a halt does not run, and the turn ends;
//   - pre_tool_use/obligation: a call with an obligation of an unknown kind does not run;
//   - pre_tool_use/fulfilled: a call runs if its only obligation has an ID, and so is fulfilled;
//   - pre_tool_use/fault: a call does not run if the hook that judges it fails;
//   - tool_response_transform/replace: the model gets only the replaced output;
//   - post_tool_use/deny: a denial after the call ends the run;
//   - post_tool_use/context: the next request to the model contains the context;
//   - post_tool_use/same-call: the events before and after a call have the same session ID and the
//     same call ID;
//   - post_tool_use_failure/deny: a denial after a failed call ends the run;
//   - post_tool_use_failure/context: the request to the model after a failed call contains the
//     context;
//   - stop/deny: the agent goes on, and the model gets the reason;
//   - stop/limit: the agent goes on three times if a hook denies every stop, and then stops.
//
// Not checked are events that no scenario names, rewrites of prompts and messages, several calls at the
// same time, sub-agents, and compaction.
//
// lacks names the scenarios that the program cannot support; they are skipped. Examples are
// "pre_tool_use/ask-approved" for a program that cannot ask a person, "before_llm_call/halt" for one
// without that event, and "pre_tool_use/obligation" for an agent that starts hooks as commands, whose
// answers have no obligations. [Scenarios] lists the names.
func TestRuntime(t *testing.T, run func(*testing.T, *Session), lacks ...string) {
	t.Helper()
	for _, name := range lacks {
		if !slices.Contains(Scenarios(), name) {
			t.Errorf("there is no scenario %q", name)
		}
	}
	for i := range scenarios {
		t.Run(scenarios[i].name, func(t *testing.T) {
			t.Helper()
			if slices.Contains(lacks, scenarios[i].name) {
				t.Skip("the program does not support this")
			}
			s := newSession(t, &scenarios[i])
			run(t, s)
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Scenarios returns the names of the scenarios of [TestRuntime]. A name consists of an event and what
// a hook does there.
func Scenarios() []string {
	out := make([]string, len(scenarios))
	for i := range scenarios {
		out[i] = scenarios[i].name
	}
	return out
}

// NewSession returns the session of a scenario, for programs that cannot use [TestRuntime]. They must
// call [Session.Check] after the turn.
func NewSession(t *testing.T, scenario string) *Session {
	t.Helper()
	for i := range scenarios {
		if scenarios[i].name == scenario {
			return newSession(t, &scenarios[i])
		}
	}
	t.Fatalf("there is no scenario %q", scenario)
	return nil
}

// Check returns an error that names the rule of the scenario and what the program did instead, or nil if
// the program kept the rule.
func (s *Session) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.scenario.check(s); err != nil {
		return fmt.Errorf("broken rule: %s: %w", s.scenario.rule, err)
	}
	return nil
}

// A scenario is the answer of a hook to an event, and a check of what must follow from it.
type scenario struct {
	name    string
	rule    string // what a program must do
	on      checkrein.Kind
	verdict checkrein.Verdict
	fault   bool             // the hook fails instead of answering
	refuse  bool             // the person refuses when asked
	noCall  bool             // the model calls no tool
	fails   bool             // the model's command fails
	observe []checkrein.Kind // events that another hook records
	check   func(*Session) error
}

const (
	reasonText   = "checkreintest-reason"
	contextText  = "checkreintest-context"
	noticeText   = "checkreintest-notice"
	replacedText = "checkreintest-replaced"
)

// redoLimit is how many times a hook can keep an agent going in one turn.
const redoLimit = 3

var scenarios = []scenario{
	{name: "none", rule: "without an opinion of hooks the command runs once, and the model gets its output",
		on: checkrein.PreToolUse, check: allOf(ranOnly(original), modelGot(1, outputOf(original)), gotRequests(2))},
	{name: "session_start/context", rule: "the first request to the model contains the context",
		on: checkrein.SessionStart, verdict: addContext, check: modelGot(0, contextText)},
	{name: "session_end/fired", rule: "session_end fires once, after all else, with the session ID of session_start",
		on: checkrein.Stop, observe: []checkrein.Kind{checkrein.SessionStart, checkrein.Stop, checkrein.SessionEnd}, check: sessionEnded},
	{name: "user_prompt_submit/context", rule: "the first request to the model contains the context",
		on: checkrein.UserPromptSubmit, verdict: addContext, check: modelGot(0, contextText)},
	{name: "user_prompt_submit/deny", rule: "the model does not get a denied prompt",
		on: checkrein.UserPromptSubmit, verdict: verdictWithReason(checkrein.Deny), check: gotRequests(0)},
	{name: "user_prompt_submit/halt", rule: "the model does not get a prompt that a hook denies with a halt",
		on: checkrein.UserPromptSubmit, verdict: haltWithReason, check: gotRequests(0)},
	{name: "before_llm_call/halt", rule: "the model is not called after a halt",
		on: checkrein.BeforeLLMCall, verdict: checkrein.Verdict{Halt: true}, check: gotRequests(0)},
	{name: "pre_tool_use/deny", rule: "a denied call does not run, and the model gets the reason",
		on: checkrein.PreToolUse, verdict: verdictWithReason(checkrein.Deny), check: allOf(ranOnly(), modelGot(1, reasonText))},
	{name: "pre_tool_use/ask-approved", rule: "the runtime asks the person, and runs an approved call",
		on: checkrein.PreToolUse, verdict: verdictWithReason(checkrein.Ask), check: allOf(personAsked, ranOnly(original))},
	{name: "pre_tool_use/ask-refused", rule: "a call that the person refuses, or cannot be asked about, does not run",
		on: checkrein.PreToolUse, verdict: verdictWithReason(checkrein.Ask), refuse: true, check: ranOnly()},
	{name: "pre_tool_use/rewrite", rule: "a rewritten call runs as rewritten",
		on: checkrein.PreToolUse, verdict: checkrein.Verdict{Input: encode(map[string]string{"command": commandFor(rewritten)})}, check: ranOnly(rewritten)},
	{name: "pre_tool_use/context", rule: "the call runs, and the next request to the model contains the context",
		on: checkrein.PreToolUse, verdict: addContext, check: allOf(ranOnly(original), modelGot(1, contextText))},
	{name: "pre_tool_use/notice", rule: "the call runs, and the person gets the notice",
		on: checkrein.PreToolUse, verdict: checkrein.Verdict{Notice: []string{noticeText}}, check: allOf(ranOnly(original), personNotified)},
	{name: "pre_tool_use/halt", rule: "a call denied with a halt does not run, and the turn ends",
		on: checkrein.PreToolUse, verdict: haltWithReason, check: allOf(ranOnly(), gotRequests(1))},
	{name: "pre_tool_use/obligation", rule: "a call with an obligation of an unknown kind does not run",
		on: checkrein.PreToolUse, verdict: checkrein.Verdict{Obligations: []checkrein.Obligation{{Kind: "checkreintest"}}}, check: ranOnly()},
	{name: "pre_tool_use/fulfilled", rule: "a call runs if its only obligation has an ID, and so is fulfilled",
		on: checkrein.PreToolUse, verdict: checkrein.Verdict{Obligations: []checkrein.Obligation{{Kind: "save", ID: "checkreintest"}}}, check: ranOnly(original)},
	{name: "pre_tool_use/fault", rule: "a call does not run if the hook that judges it fails",
		on: checkrein.PreToolUse, fault: true, check: ranOnly()},
	{name: "tool_response_transform/replace", rule: "the model gets only the replaced output",
		on: checkrein.ToolResponseTransform, verdict: checkrein.Verdict{Output: json.RawMessage(`"` + replacedText + `"`)},
		check: allOf(ranOnly(original), modelGot(1, replacedText), modelNeverGot(outputOf(original)))},
	{name: "post_tool_use/deny", rule: "a denial after the call ends the run",
		on: checkrein.PostToolUse, verdict: verdictWithReason(checkrein.Deny), check: allOf(ranOnly(original), gotRequests(1))},
	{name: "post_tool_use/context", rule: "the next request to the model contains the context",
		on: checkrein.PostToolUse, verdict: addContext, check: modelGot(1, contextText)},
	{name: "post_tool_use/same-call", rule: "the events before and after a call have the same session ID and the same call ID",
		on: checkrein.Stop, observe: []checkrein.Kind{checkrein.PreToolUse, checkrein.PostToolUse}, check: callPaired},
	{name: "post_tool_use_failure/deny", rule: "a denial after a failed call ends the run",
		on: checkrein.PostToolUseFailure, verdict: verdictWithReason(checkrein.Deny), fails: true, check: allOf(ranOnly(original), gotRequests(1))},
	{name: "post_tool_use_failure/context", rule: "the request to the model after a failed call contains the context",
		on: checkrein.PostToolUseFailure, verdict: addContext, fails: true, check: modelGot(1, contextText)},
	{name: "stop/deny", rule: "the agent goes on, and the model gets the reason",
		on: checkrein.Stop, verdict: verdictWithReason(checkrein.Deny), noCall: true, check: modelGot(1, reasonText)},
	{name: "stop/limit", rule: "the agent goes on three times if a hook denies every stop, and then stops",
		on: checkrein.Stop, verdict: verdictWithReason(checkrein.Deny), noCall: true, check: gotRequests(1 + redoLimit)},
}

var (
	addContext     = checkrein.Verdict{Context: []string{contextText}}
	haltWithReason = checkrein.Verdict{Decision: checkrein.Deny, Reason: reasonText, Halt: true}
)

// verdictWithReason returns a verdict with the decision d and the reason reasonText.
func verdictWithReason(d checkrein.Decision) checkrein.Verdict {
	return checkrein.Verdict{Decision: d, Reason: reasonText}
}

// allOf returns a check that joins the errors of checks.
func allOf(checks ...func(*Session) error) func(*Session) error {
	return func(s *Session) error {
		var errs []error
		for _, check := range checks {
			errs = append(errs, check(s))
		}
		return errors.Join(errs...)
	}
}

// ranOnly returns a check that exactly the commands for these words ran.
func ranOnly(want ...string) func(*Session) error {
	return func(s *Session) error {
		if got := s.wordsRun(); !slices.Equal(got, want) {
			return fmt.Errorf("the agent ran the commands %q, want %q", got, want)
		}
		return nil
	}
}

// gotRequests returns a check that the model got want requests.
func gotRequests(want int) func(*Session) error {
	return func(s *Session) error {
		if len(s.requests) != want {
			return fmt.Errorf("the model got %d requests, want %d", len(s.requests), want)
		}
		return nil
	}
}

// personAsked checks that the agent asked the person.
func personAsked(s *Session) error {
	if s.asked == 0 {
		return errors.New("the person was not asked")
	}
	return nil
}

// personNotified checks that the person got the hook's notice.
func personNotified(s *Session) error {
	if !slices.ContainsFunc(s.notices, func(n string) bool { return strings.Contains(n, noticeText) }) {
		return fmt.Errorf("the person got the notices %q, want %q: pass Verdict.Notice to Session.Notify", s.notices, noticeText)
	}
	return nil
}

// callPaired checks that the events before and after the only call belong together.
func callPaired(s *Session) error {
	events, err := s.observedEvents()
	if err != nil {
		return err
	}
	if len(events) != 2 || events[0].Kind != checkrein.PreToolUse || events[1].Kind != checkrein.PostToolUse {
		return fmt.Errorf("the agent fired %s, want pre_tool_use and post_tool_use once each", kindsOf(events))
	}
	before, after := events[0], events[1]
	switch {
	case before.Session.ID == "" || before.Session.ID != after.Session.ID:
		return fmt.Errorf("the session IDs are %q and %q; set Event.Session.ID", before.Session.ID, after.Session.ID)
	case before.Tool == nil || after.Tool == nil:
		return errors.New("an event has no Tool")
	case before.Tool.CallID == "" || before.Tool.CallID != after.Tool.CallID:
		return fmt.Errorf("the call IDs are %q and %q; set Tool.CallID", before.Tool.CallID, after.Tool.CallID)
	}
	return nil
}

// sessionEnded checks that the last event is the end of the session that started.
func sessionEnded(s *Session) error {
	events, err := s.observedEvents()
	if err != nil {
		return err
	}
	if len(events) != 3 || events[0].Kind != checkrein.SessionStart || events[2].Kind != checkrein.SessionEnd {
		return fmt.Errorf("the agent fired %s, want session_start, stop and session_end", kindsOf(events))
	}
	if start, end := events[0].Session.ID, events[2].Session.ID; start == "" || start != end {
		return fmt.Errorf("the session IDs are %q and %q; set Event.Session.ID", start, end)
	}
	return nil
}

// kindsOf returns the names of the events as text.
func kindsOf(events []checkrein.Event) string {
	names := make([]string, len(events))
	for i := range events {
		names[i] = events[i].Kind.String()
	}
	return "[" + strings.Join(names, " ") + "]"
}

// modelNeverGot returns a check that no request to the model contains text.
func modelNeverGot(text string) func(*Session) error {
	return func(s *Session) error {
		if slices.ContainsFunc(s.requests, func(r string) bool { return strings.Contains(r, text) }) {
			return fmt.Errorf("the model got %q", text)
		}
		return nil
	}
}

// modelGot returns a check that the n-th request to the model, counted from 0, contains text.
func modelGot(n int, text string) func(*Session) error {
	return func(s *Session) error {
		switch {
		case n >= len(s.requests):
			return fmt.Errorf("the model got %d requests; request %d must contain %q", len(s.requests), n+1, text)
		case !strings.Contains(s.requests[n], text):
			return fmt.Errorf("request %d to the model lacks %q", n+1, text)
		}
		return nil
	}
}
