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

// troubles are the ways in which a hook cannot answer that need no process;
// those that do are in the conformance tests.
var troubles = []struct {
	name   string
	does   fn
	change func(*checkrein.Hook)
	says   string
}{
	{"error", fails("boom"), nil, "boom"},
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
	{"settings that the type refuses", nil, nil, "the test has no handler h"},
	{"a condition that means nothing", says(checkrein.Verdict{}), func(h *checkrein.Hook) { h.If = []byte(`{"nosuch":{"is":1}}`) }, `unknown field "nosuch"`},
	{"a matcher that means nothing", says(checkrein.Verdict{}), func(h *checkrein.Hook) { h.Match = "(" }, `"(" is never closed`},
	{"declared broken", says(checkrein.Verdict{}), func(h *checkrein.Hook) { h.Broken = "unknown key" }, "unknown key"},
	{"changed since approval", says(checkrein.Verdict{}), project, "changed since it was approved"},
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
			for _, trouble := range troubles {
				t.Run(fmt.Sprintf("%s/on_error %q/%s", row.kind, policy, trouble.name), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						h := hook("plain", "h", on(row.kind), onFault(policy))
						if trouble.change != nil {
							trouble.change(&h)
						}
						all := fns{"other": says(checkrein.Verdict{Context: []string{"heard"}})}
						if trouble.does != nil {
							all["h"] = trouble.does
						}
						e := all.with(engine.Options{Trust: trustMap{"h": engine.Changed}}, h, hook("plain", "other", on(row.kind)))
						checkFault(t, decide(t, e, event(row.kind)), policy, row.closed, row.can, trouble.says)
					})
				})
			}
		}
	}
}

// checkFault compares with the fault law: block denies where something can be
// denied, ignore is silent, warn tells, and by default gates deny and others
// tell.
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
	s := step(t, out, "h")
	wantText(t, fmt.Sprint(s.Fault), says)
	if policy != checkrein.FaultIgnore {
		wantText(t, told, `hook "h" on `+out.Event.Kind.String())
		wantText(t, told, "/etc/hooks.yaml:7")
	}
	if other := step(t, out, "other"); other.Fault != nil || other.Answer == nil {
		t.Error("the other hook was not heard")
	}
}

// The classes above are those of the contract table.
func TestFaultRowsAreTheTable(t *testing.T) {
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

// A fault beside a deny: both reasons are told.
func TestFaultBesideADeny(t *testing.T) {
	t.Parallel()
	out := decide(t, fns{"a": fails("boom"), "b": decides(checkrein.Deny, "policy")}.engine(hook("plain", "a"), hook("plain", "b")), shell("ls"))
	wantText(t, out.Verdict.Reason, "boom")
	wantText(t, out.Verdict.Reason, "\npolicy")
}

// A matcher that cannot be read holds for every tool: a broken gate stays
// closed.
func TestBrokenGateIsClosedForEveryTool(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"shell", "edit_file", "mcp__x__y", ""} {
		ev := shell("ls")
		ev.Tool = &checkrein.Tool{Name: tool}
		wantDecision(t, decide(t, fns{"h": says(checkrein.Verdict{})}.engine(hook("plain", "h", matching("sh(ell"))), ev), checkrein.Deny)
	}
}
