package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// hookFaults are the ways in which a hook can fail without a process. The conformance tests cover
// processes.
var hookFaults = []struct {
	name   string
	does   handlerFunc
	change func(*checkrein.Hook)
	says   string
}{
	{"error", failWith("boom"), nil, "boom"},
	{"timeout", func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
		<-ctx.Done()
		return checkrein.Answer{}, ctx.Err()
	}, nil, "timed out after 1m0s"},
	{"an answer beside an error", func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Allow}}, errors.New("half an answer")
	}, nil, "half an answer"},
	{"panic", func(context.Context, checkrein.Event) (checkrein.Answer, error) { panic("boom") }, nil, "panic: boom"},
	{"unknown type", nil, func(h *checkrein.Hook) { h.Run = "nosuch" }, `unknown hook type "nosuch"`},
	{"no type", nil, func(h *checkrein.Hook) { h.Run = "" }, `unknown hook type ""`},
	{"settings without JSON", answerWith(checkrein.Verdict{}), func(h *checkrein.Hook) { h.With = []byte(`{"decision":`) }, "With are not valid JSON: "},
	{"settings that the type refuses", nil, nil, "the test has no handler h"},
	{"a condition that means nothing", answerWith(checkrein.Verdict{}), func(h *checkrein.Hook) { h.If = []byte(`{"nosuch":{"is":1}}`) }, `unknown field "nosuch"`},
	{"a matcher that means nothing", answerWith(checkrein.Verdict{}), func(h *checkrein.Hook) { h.Match = "(" }, `"(" is never closed`},
	{"declared broken", answerWith(checkrein.Verdict{}), func(h *checkrein.Hook) { h.Broken = "unknown key" }, "unknown key"},
	{"changed since approval", answerWith(checkrein.Verdict{}), project, "changed since it was approved"},
}

// faultRows are the classes of events, by what a fault does there.
var faultRows = []struct {
	kind        checkrein.Kind
	closed, can bool
}{
	{checkrein.PreToolUse, true, true},
	{checkrein.OnOutboundMessage, true, true},
	{checkrein.PreCommit, true, true},
	{checkrein.PrePush, true, true},
	{checkrein.Scrub, true, true},
	{checkrein.PostToolUse, false, true},
	{checkrein.PermissionRequest, false, true},
	{checkrein.BeforeLLMCall, false, true},
	{checkrein.SessionStart, false, false},
	{checkrein.SessionEnd, false, false},
	{checkrein.ToolResponseTransform, false, false},
	{checkrein.Other, false, false},
}

func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	policies := []checkrein.FaultPolicy{checkrein.FaultByRow, checkrein.FaultWarn, checkrein.FaultIgnore, checkrein.FaultBlock}
	for _, row := range faultRows {
		for _, policy := range policies {
			for _, trouble := range hookFaults {
				t.Run(fmt.Sprintf("%s/on_error %q/%s", row.kind, policy, trouble.name), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						h := newHook("plain", "h", on(row.kind), onFault(policy))
						if trouble.change != nil {
							trouble.change(&h)
						}
						all := handlerFuncs{"other": answerWith(checkrein.Verdict{Context: []string{"heard"}})}
						if trouble.does != nil {
							all["h"] = trouble.does
						}
						e := all.newEngineWith(engine.Options{Trust: approvalMap{"h": engine.Changed}}, h, newHook("plain", "other", on(row.kind)))
						checkFault(t, decide(t, e, newEvent(row.kind)), policy, row.closed, row.can, trouble.says)
					})
				})
			}
		}
	}
}

// checkFault checks the outcome of a fault: block denies where that is possible, ignore is silent,
// warn adds a notice, and by default gates deny while other hooks add a notice.
func checkFault(t *testing.T, out engine.Outcome, policy checkrein.FaultPolicy, closed, can bool, says string) {
	t.Helper()
	block := policy == checkrein.FaultBlock || policy == checkrein.FaultByRow && closed
	told := fmt.Sprint(out.Verdict.Reason, out.Verdict.Notice)
	switch {
	case block && can:
		wantDecision(t, out, checkrein.Deny)
	case policy == checkrein.FaultIgnore:
		wantDecision(t, out, checkrein.NoOpinion)
		if len(out.Verdict.Notice) != 0 {
			t.Errorf("somebody was told: %q", out.Verdict.Notice)
		}
		told = says
	default:
		wantDecision(t, out, checkrein.NoOpinion)
		if len(out.Verdict.Notice) != 1 {
			t.Errorf("got notices %q, want one", out.Verdict.Notice)
		}
	}
	wantText(t, told, says)
	s := findStep(t, out, "h")
	wantText(t, fmt.Sprint(s.Fault), says)
	if policy != checkrein.FaultIgnore {
		wantText(t, told, `hook "h" on `+out.Event.Kind.String())
		wantText(t, told, "/etc/hooks.yaml:7")
	}
	if other := findStep(t, out, "other"); other.Fault != nil || other.Answer == nil {
		t.Error("the other hook was not heard")
	}
}

// TestFaultRowsMatchContracts checks that faultRows agree with the table of contracts.
func TestFaultRowsMatchContracts(t *testing.T) {
	t.Parallel()
	closed := map[checkrein.Kind]bool{}
	for _, row := range faultRows {
		closed[row.kind] = row.closed
		if can := checkrein.ContractOf(row.kind).Can(checkrein.CanDeny); can != row.can {
			t.Errorf("%s: can deny %v", row.kind, can)
		}
	}
	for _, row := range checkrein.Contracts() {
		if row.Closed != closed[row.Kind] {
			t.Errorf("%s: fails closed %v, the matrix has %v", row.Name, row.Closed, closed[row.Kind])
		}
	}
}

// TestFaultAndDenial checks that the reasons of both a fault and a denial are reported.
func TestFaultAndDenial(t *testing.T) {
	t.Parallel()
	out := decide(t, handlerFuncs{"a": failWith("boom"), "b": decideWith(checkrein.Deny, "policy")}.newEngine(newHook("plain", "a"), newHook("plain", "b")), shellEvent("ls"))
	wantText(t, out.Verdict.Reason, "boom")
	wantText(t, out.Verdict.Reason, "\npolicy")
}

// TestInvalidMatcherClosesGate checks that a gate with an invalid matcher denies every tool.
func TestInvalidMatcherClosesGate(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"shell", "edit_file", "mcp__x__y", ""} {
		ev := shellEvent("ls")
		ev.Tool = &checkrein.Tool{Name: tool}
		wantDecision(t, decide(t, handlerFuncs{"h": answerWith(checkrein.Verdict{})}.newEngine(newHook("plain", "h", matching("sh(ell"))), ev), checkrein.Deny)
	}
}
