package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/match"
	"pgregory.net/rapid"
)

// askUnsure is a handler that asks because something is unknown.
func askUnsure(context.Context, checkrein.Event) (checkrein.Answer, error) {
	return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Ask, Reason: "it is not known", Unsure: true, Metadata: map[string]string{"rule": "code/opaque"}}}, nil
}

// unknownCallOptions returns options with which every call has the gap what.
func unknownCallOptions(what string) engine.Options {
	return engine.Options{Judge: func(*checkrein.Event) match.Acts { return match.Acts{Label: "unknown", Gap: what} }}
}

// TestReferee checks that a referee runs last, and only if the effect of the call is unknown. It may
// settle an ask that exists because of that, and nothing else.
func TestReferee(t *testing.T) {
	t.Parallel()
	const none, allow, ask, deny = checkrein.NoOpinion, checkrein.Allow, checkrein.Ask, checkrein.Deny
	handlers := handlerFuncs{"deny": decideWith(deny, "no"), "ask": decideWith(ask, "sure?"), "allow": decideWith(allow, "yes"), "none": decideWith(none, ""), "doubts": askUnsure, "fails": failWith("broken")}
	tests := []struct {
		name   string
		others string
		gap    string
		says   string
		want   checkrein.Decision
		asked  bool
	}{
		{"nothing decided, it allows", "none", "program", "allow", none, true},
		{"nothing decided, it asks", "none", "program", "ask", ask, true},
		{"nothing decided, it denies", "none", "option", "deny", deny, true},
		{"nothing decided, it says nothing", "none", "unread", "none", none, true},
		{"nothing decided, it fails", "none", "program", "fails", none, true},
		{"alone", "", "program", "deny", deny, true},
		{"a question, it allows", "doubts", "opaque", "allow", allow, true},
		{"a question, it asks", "doubts", "opaque", "ask", ask, true},
		{"a question, it denies", "doubts", "opaque", "deny", deny, true},
		{"a question, it says nothing", "doubts", "opaque", "none", ask, true},
		{"a question, it fails", "doubts", "opaque", "fails", ask, true},
		{"two questions", "doubts doubts", "limit", "allow", allow, true},
		{"all is known", "none", "", "deny", none, false},
		{"a question, and all is known by now", "doubts", "", "allow", ask, false},
		{"a rule denies", "deny", "opaque", "allow", deny, false},
		{"a rule asks", "ask", "opaque", "allow", ask, false},
		{"a rule asks beside a question", "doubts ask", "opaque", "allow", ask, false},
		{"a rule denies beside a question", "doubts deny", "opaque", "allow", deny, false},
		{"a rule allows", "allow", "opaque", "deny", allow, false},
		{"a guard fails", "fails", "opaque", "allow", deny, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := false
			made := handlerFuncs{"referee": func(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
				asked = true
				return handlers[tt.says](ctx, ev)
			}}
			hooks := []checkrein.Hook{newHook("referee", "referee", onFault(checkrein.FaultWarn), noRewrite)} // first in the file, last to be asked
			for i, is := range strings.Fields(tt.others) {
				name := fmt.Sprint(is, i)
				made[name] = handlers[is]
				hooks = append(hooks, newHook("plain", name))
			}
			out := made.newEngineWith(unknownCallOptions(tt.gap), hooks...).Decide(context.Background(), shellEvent("frobnicate"))
			if out.Verdict.Decision != tt.want || asked != tt.asked {
				t.Errorf("decided %s, asked %v", out.Verdict.Decision, asked)
			}
			for i := range out.Steps {
				s := &out.Steps[i]
				if passed := tt.want == allow && strings.HasPrefix(s.Hook.Name, "doubts"); (s.Passed != nil) != passed {
					t.Errorf("%s was passed over: %+v", s.Hook.Name, s.Passed)
				}
			}
		})
	}
}

// TestRefereeLimits checks that only a managed referee settles asks of managed hooks, that a call with
// a lifted decision is not judged again, and that a rewritten call is judged as it will run.
func TestRefereeLimits(t *testing.T) {
	t.Parallel()
	decide := func(opts engine.Options, made handlerFuncs, hooks ...checkrein.Hook) checkrein.Decision {
		return made.newEngineWith(opts, hooks...).Decide(context.Background(), shellEvent("frobnicate")).Verdict.Decision
	}
	made := handlerFuncs{"referee": decideWith(checkrein.Allow, "fine"), "guard": askUnsure}
	if got := decide(unknownCallOptions("opaque"), made, newHook("plain", "guard", managed), newHook("referee", "referee")); got != checkrein.Ask {
		t.Errorf("a person's judge passes over the administrator's question: %s", got)
	}
	if got := decide(unknownCallOptions("opaque"), made, newHook("plain", "guard", managed), newHook("referee", "referee", managed)); got != checkrein.Allow {
		t.Errorf("the administrator's judge: %s", got)
	}
	opts := (&lifter{names: []string{"guard"}}).engineOptions()
	opts.Judge = unknownCallOptions("opaque").Judge
	if got := decide(opts, handlerFuncs{"referee": decideWith(checkrein.Deny, "no"), "guard": askUnsure}, newHook("plain", "guard"), newHook("referee", "referee")); got != checkrein.NoOpinion {
		t.Errorf("what a grant let pass was judged again: %s", got)
	}
	opts = (&lifter{names: []string{"referee"}}).engineOptions()
	opts.Judge = unknownCallOptions("program").Judge
	if got := decide(opts, handlerFuncs{"referee": decideWith(checkrein.Deny, "no")}, newHook("referee", "referee")); got != checkrein.NoOpinion {
		t.Errorf("a grant for what it denied: %s", got)
	}
	seen := ""
	made = handlerFuncs{"patch": patchInput(`{"cmd":"ls -l"}`), "referee": func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
		seen = shellCommand(ev)
		return checkrein.Answer{}, nil
	}}
	if decide(unknownCallOptions("program"), made, newHook("referee", "referee"), newHook("rewriter", "patch")); seen != "ls -l" {
		t.Errorf("it judged %q", seen)
	}
}

// TestRefereeNeverLoosens checks that, whatever a referee answers, the decision is never milder than
// without it, except for asks about unknown effects.
func TestRefereeNeverLoosens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		made, hooks := handlerFuncs{}, []checkrein.Hook(nil)
		sure := checkrein.NoOpinion // what the others decide, without asks about unknown effects
		for i := range rapid.IntRange(0, 5).Draw(t, "hooks") {
			name := fmt.Sprint("hook ", i)
			o := drawOpinion(t, name)
			h := o.hook(name, checkrein.PreToolUse)
			made[name] = o.handle(name)
			switch {
			case rapid.IntRange(0, 2).Draw(t, name+" doubts at 0") == 0:
				made[name] = askUnsure
			case o.fails && (o.policy == checkrein.FaultByRow || o.policy == checkrein.FaultBlock):
				sure = checkrein.Deny
			case !o.fails:
				sure = max(sure, o.decision)
			}
			hooks = append(hooks, h)
		}
		opts := unknownCallOptions(rapid.SampledFrom([]string{"", "program", "opaque"}).Draw(t, "gap"))
		without := made.newEngineWith(opts, hooks...).Decide(context.Background(), shellEvent("frobnicate")).Verdict
		said := drawOpinion(t, "judge")
		made["referee"] = said.handle("judge")
		with := made.newEngineWith(opts, append(hooks, newHook("referee", "referee", onFault(checkrein.FaultWarn)))...).Decide(context.Background(), shellEvent("frobnicate")).Verdict
		milder := with.Decision < without.Decision
		if milder && (sure >= checkrein.Ask || without.Decision != checkrein.Ask || said.fails || said.decision != checkrein.Allow) {
			t.Fatalf("%s became %s, others said %s", without.Decision, with.Decision, sure)
		}
		if sure == checkrein.Deny && (with.Decision != checkrein.Deny || with.Reason != without.Reason) {
			t.Fatalf("a denial changed: %+v", with)
		}
	})
}
