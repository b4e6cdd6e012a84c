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

// TestRuntime plays each scenario as a subtest: run must run one turn of an agent with the
// session's hooks, from the prompt until the agent has stopped, and return.
//
// The agent has one tool, called shell by hooks, whose input is {"command": "…"}. Lacks
// names the scenarios that the program cannot support, such as "pre_tool_use/ask-approved"
// for one without a person; they are skipped. [Scenarios] lists the names.
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

// Scenarios returns the names of the scenarios of [TestRuntime]: an event, and what a hook
// does there.
func Scenarios() []string {
	out := make([]string, len(scenarios))
	for i := range scenarios {
		out[i] = scenarios[i].name
	}
	return out
}

// NewSession returns the session of a scenario, for programs that cannot use [TestRuntime].
// After the turn they call [Session.Check].
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

// Check returns what the program did not do as the session's hook decided.
func (s *Session) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scenario.check(s)
}

// A scenario is what a hook answers to an event, and what must come of it.
type scenario struct {
	name    string
	on      checkrein.Kind
	verdict checkrein.Verdict
	fault   bool // the hook fails instead of answering
	refuse  bool // the person says no when asked
	noCall  bool // the model calls no tool
	check   func(*Session) error
}

const (
	reasonText   = "checkreintest-reason"
	contextText  = "checkreintest-context"
	replacedText = "checkreintest-replaced"
)

var scenarios = []scenario{
	{name: "none", on: checkrein.PreToolUse, check: all(ranOnly(original), modelGot(1, outputOf(original)), requests(2))},
	{name: "session_start/context", on: checkrein.SessionStart, verdict: addContext, check: modelGot(0, contextText)},
	{name: "user_prompt_submit/context", on: checkrein.UserPromptSubmit, verdict: addContext, check: modelGot(0, contextText)},
	{name: "user_prompt_submit/deny", on: checkrein.UserPromptSubmit, verdict: decide(checkrein.Deny), check: requests(0)},
	{name: "pre_tool_use/deny", on: checkrein.PreToolUse, verdict: decide(checkrein.Deny), check: all(ranOnly(), modelGot(1, reasonText))},
	{name: "pre_tool_use/ask-approved", on: checkrein.PreToolUse, verdict: decide(checkrein.Ask), check: all(personAsked, ranOnly(original))},
	{name: "pre_tool_use/ask-refused", on: checkrein.PreToolUse, verdict: decide(checkrein.Ask), refuse: true, check: ranOnly()},
	{name: "pre_tool_use/rewrite", on: checkrein.PreToolUse, verdict: checkrein.Verdict{Input: encode(map[string]string{"command": command(rewritten)})},
		check: ranOnly(rewritten)},
	{name: "pre_tool_use/context", on: checkrein.PreToolUse, verdict: addContext, check: all(ranOnly(original), modelGot(1, contextText))},
	{name: "pre_tool_use/halt", on: checkrein.PreToolUse, verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: reasonText, Halt: true},
		check: all(ranOnly(), requests(1))},
	{name: "pre_tool_use/fault", on: checkrein.PreToolUse, fault: true, check: ranOnly()},
	{name: "tool_response_transform/replace", on: checkrein.ToolResponseTransform, verdict: checkrein.Verdict{Output: json.RawMessage(`"` + replacedText + `"`)},
		check: all(ranOnly(original), modelGot(1, replacedText), modelNeverGot(outputOf(original)))},
	{name: "post_tool_use/context", on: checkrein.PostToolUse, verdict: addContext, check: modelGot(1, contextText)},
	{name: "stop/deny", on: checkrein.Stop, verdict: decide(checkrein.Deny), noCall: true, check: modelGot(1, reasonText)},
}

var addContext = checkrein.Verdict{Context: []string{contextText}}

// decide returns a verdict with a reason.
func decide(d checkrein.Decision) checkrein.Verdict {
	return checkrein.Verdict{Decision: d, Reason: reasonText}
}

// all returns a check that joins the errors of several.
func all(checks ...func(*Session) error) func(*Session) error {
	return func(s *Session) error {
		var errs []error
		for _, check := range checks {
			errs = append(errs, check(s))
		}
		return errors.Join(errs...)
	}
}

// ranOnly checks which commands ran.
func ranOnly(want ...string) func(*Session) error {
	return func(s *Session) error {
		if got := s.ran(); !slices.Equal(got, want) {
			return fmt.Errorf("ran the commands of %q, want %q", got, want)
		}
		return nil
	}
}

// requests checks how many requests the model got.
func requests(want int) func(*Session) error {
	return func(s *Session) error {
		if len(s.requests) != want {
			return fmt.Errorf("the model got %d requests, want %d", len(s.requests), want)
		}
		return nil
	}
}

// personAsked checks that the person was asked.
func personAsked(s *Session) error {
	if s.asked == 0 {
		return errors.New("the person was not asked")
	}
	return nil
}

// modelNeverGot checks that no request to the model contains a text.
func modelNeverGot(text string) func(*Session) error {
	return func(s *Session) error {
		if slices.ContainsFunc(s.requests, func(r string) bool { return strings.Contains(r, text) }) {
			return fmt.Errorf("the model got %q", text)
		}
		return nil
	}
}

// modelGot checks that the n-th request to the model, counted from 0, contains a text.
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
