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

// doubts asks because something is not known.
func doubts(context.Context, checkrein.Event) (checkrein.Answer, error) {
	return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Ask, Reason: "it is not known", Unsure: true, Metadata: map[string]string{"rule": "code/opaque"}}}, nil
}

// gap is a call of which something is not known.
func gap(what string) engine.Options {
	return engine.Options{Judge: func(*checkrein.Event) match.Acts { return match.Acts{Label: "unknown", Gap: what} }}
}

// The judge of what is not known is asked last and only then; it may pass over an ask
// that is there because of that, and nothing else.
func TestRefer(t *testing.T) {
	t.Parallel()
	const none, allow, ask, deny = checkrein.NoOpinion, checkrein.Allow, checkrein.Ask, checkrein.Deny
	handlers := fns{"deny": decides(deny, "no"), "ask": decides(ask, "sure?"), "allow": decides(allow, "yes"), "none": decides(none, ""), "doubts": doubts, "fails": fails("broken")}
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
			made := fns{"referee": func(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
				asked = true
				return handlers[tt.says](ctx, ev)
			}}
			hooks := []checkrein.Hook{hook("referee", "referee", onFault(checkrein.FaultWarn), noRewrite)} // first in the file, last to be asked
			for i, is := range strings.Fields(tt.others) {
				name := fmt.Sprint(is, i)
				made[name] = handlers[is]
				hooks = append(hooks, hook("plain", name))
			}
			out := made.with(gap(tt.gap), hooks...).Decide(context.Background(), shell("frobnicate"))
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

// What the administrator's guards ask, only a judge of the administrator's passes over;
// what a grant has lifted is not judged again; what was rewritten is judged as it runs.
func TestReferWhose(t *testing.T) {
	t.Parallel()
	decide := func(opts engine.Options, made fns, hooks ...checkrein.Hook) checkrein.Decision {
		return made.with(opts, hooks...).Decide(context.Background(), shell("frobnicate")).Verdict.Decision
	}
	made := fns{"referee": decides(checkrein.Allow, "fine"), "guard": doubts}
	if got := decide(gap("opaque"), made, hook("plain", "guard", managed), hook("referee", "referee")); got != checkrein.Ask {
		t.Errorf("a person's judge passes over the administrator's question: %s", got)
	}
	if got := decide(gap("opaque"), made, hook("plain", "guard", managed), hook("referee", "referee", managed)); got != checkrein.Allow {
		t.Errorf("the administrator's judge: %s", got)
	}
	opts := (&lifter{names: []string{"guard"}}).options()
	opts.Judge = gap("opaque").Judge
	if got := decide(opts, fns{"referee": decides(checkrein.Deny, "no"), "guard": doubts}, hook("plain", "guard"), hook("referee", "referee")); got != checkrein.NoOpinion {
		t.Errorf("what a grant let pass was judged again: %s", got)
	}
	opts = (&lifter{names: []string{"referee"}}).options()
	opts.Judge = gap("program").Judge
	if got := decide(opts, fns{"referee": decides(checkrein.Deny, "no")}, hook("referee", "referee")); got != checkrein.NoOpinion {
		t.Errorf("a grant for what it denied: %s", got)
	}
	seen := ""
	made = fns{"patch": patches(`{"cmd":"ls -l"}`), "referee": func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
		seen = command(ev)
		return checkrein.Answer{}, nil
	}}
	if decide(gap("program"), made, hook("referee", "referee"), hook("rewriter", "patch")); seen != "ls -l" {
		t.Errorf("it judged %q", seen)
	}
}

// Whatever the judge of what is not known says, what others decide stays: the decision is
// never milder than without it, but for a question that is there because of that.
func TestReferNeverLifts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		made, hooks := fns{}, []checkrein.Hook(nil)
		sure := checkrein.NoOpinion // what the others decide, questions of that kind aside
		for i := range rapid.IntRange(0, 5).Draw(t, "hooks") {
			name := fmt.Sprint("hook ", i)
			o := drawOpinion(t, name)
			h := o.hook(name, checkrein.PreToolUse)
			made[name] = o.handle(name)
			switch {
			case rapid.IntRange(0, 2).Draw(t, name+" doubts at 0") == 0:
				made[name] = doubts
			case o.fails && (o.policy == checkrein.FaultByRow || o.policy == checkrein.FaultBlock):
				sure = checkrein.Deny
			case !o.fails:
				sure = max(sure, o.decision)
			}
			hooks = append(hooks, h)
		}
		opts := gap(rapid.SampledFrom([]string{"", "program", "opaque"}).Draw(t, "gap"))
		without := made.with(opts, hooks...).Decide(context.Background(), shell("frobnicate")).Verdict
		said := drawOpinion(t, "judge")
		made["referee"] = said.handle("judge")
		with := made.with(opts, append(hooks, hook("referee", "referee", onFault(checkrein.FaultWarn)))...).Decide(context.Background(), shell("frobnicate")).Verdict
		milder := with.Decision < without.Decision
		if milder && (sure >= checkrein.Ask || without.Decision != checkrein.Ask || said.fails || said.decision != checkrein.Allow) {
			t.Fatalf("%s became %s, others said %s", without.Decision, with.Decision, sure)
		}
		if sure == checkrein.Deny && (with.Decision != checkrein.Deny || with.Reason != without.Reason) {
			t.Fatalf("a denial changed: %+v", with)
		}
	})
}
