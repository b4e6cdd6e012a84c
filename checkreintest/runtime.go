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

// TestRuntime runs each scenario as a subtest. run must run one turn of an agent with the session's
// hooks, from the prompt until the agent has stopped, and then return.
//
// The agent has one tool, which hooks call shell, with the input {"command": "…"}. lacks names the
// scenarios that the program cannot support, such as "pre_tool_use/ask-approved" for a program that
// cannot ask a person; they are skipped. [Scenarios] lists the names.
func TestRuntime(t *testing.T, run func(*testing.T, *Session), lacks ...string) {
	t.Helper()
	for _, name := range lacks {
		if !slices.Contains(Scenarios(), name) {
			t.Errorf("there is no scenario %q", name)
		}
	}
	for i := range scenarios {
		t.Run(scenarios[i].name, func(t *testing.T) {
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

// Check returns an error that describes what the program did other than the session's hook decided, or
// nil.
func (s *Session) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scenario.check(s)
}

// A scenario is the answer of a hook to an event, and a check of what must follow from it.
type scenario struct {
	name    string
	on      checkrein.Kind
	verdict checkrein.Verdict
	fault   bool // the hook fails instead of answering
	refuse  bool // the person refuses when asked
	noCall  bool // the model calls no tool
	check   func(*Session) error
}

const (
	reasonText   = "checkreintest-reason"
	contextText  = "checkreintest-context"
	replacedText = "checkreintest-replaced"
)

var scenarios = []scenario{
	{name: "none", on: checkrein.PreToolUse, check: allOf(ranOnly(original), modelGot(1, outputOf(original)), gotRequests(2))},
	{name: "session_start/context", on: checkrein.SessionStart, verdict: addContext, check: modelGot(0, contextText)},
	{name: "user_prompt_submit/context", on: checkrein.UserPromptSubmit, verdict: addContext, check: modelGot(0, contextText)},
	{name: "user_prompt_submit/deny", on: checkrein.UserPromptSubmit, verdict: verdictWithReason(checkrein.Deny), check: gotRequests(0)},
	{name: "pre_tool_use/deny", on: checkrein.PreToolUse, verdict: verdictWithReason(checkrein.Deny), check: allOf(ranOnly(), modelGot(1, reasonText))},
	{name: "pre_tool_use/ask-approved", on: checkrein.PreToolUse, verdict: verdictWithReason(checkrein.Ask), check: allOf(personAsked, ranOnly(original))},
	{name: "pre_tool_use/ask-refused", on: checkrein.PreToolUse, verdict: verdictWithReason(checkrein.Ask), refuse: true, check: ranOnly()},
	{name: "pre_tool_use/rewrite", on: checkrein.PreToolUse, verdict: checkrein.Verdict{Input: encode(map[string]string{"command": commandFor(rewritten)})},
		check: ranOnly(rewritten)},
	{name: "pre_tool_use/context", on: checkrein.PreToolUse, verdict: addContext, check: allOf(ranOnly(original), modelGot(1, contextText))},
	{name: "pre_tool_use/halt", on: checkrein.PreToolUse, verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: reasonText, Halt: true},
		check: allOf(ranOnly(), gotRequests(1))},
	{name: "pre_tool_use/fault", on: checkrein.PreToolUse, fault: true, check: ranOnly()},
	{name: "tool_response_transform/replace", on: checkrein.ToolResponseTransform, verdict: checkrein.Verdict{Output: json.RawMessage(`"` + replacedText + `"`)},
		check: allOf(ranOnly(original), modelGot(1, replacedText), modelNeverGot(outputOf(original)))},
	{name: "post_tool_use/deny", on: checkrein.PostToolUse, verdict: verdictWithReason(checkrein.Deny), check: allOf(ranOnly(original), gotRequests(1))},
	{name: "post_tool_use/context", on: checkrein.PostToolUse, verdict: addContext, check: modelGot(1, contextText)},
	{name: "stop/deny", on: checkrein.Stop, verdict: verdictWithReason(checkrein.Deny), noCall: true, check: modelGot(1, reasonText)},
}

var addContext = checkrein.Verdict{Context: []string{contextText}}

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
