package engine_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// trustMap approves hooks by name; others are unapproved.
type trustMap map[string]engine.Approval

func (trustMap) NeedsCheck(*checkrein.Hook) bool { return false }

func (m trustMap) Check(h *checkrein.Hook) engine.Checked {
	return engine.Checked{State: m[h.Name], Why: fmt.Sprintf("said of %s", h.Name)}
}

func TestApproval(t *testing.T) {
	t.Parallel()
	trust := trustMap{"yes": engine.Approved, "edited": engine.Changed}
	deny := decides(checkrein.Deny, "it ran")
	for _, tt := range []struct {
		name          string
		hook          checkrein.Hook
		trust         engine.Approver
		want          checkrein.Decision
		skipped, text string
	}{
		{"the person's own needs none", hook("plain", "own"), nil, checkrein.Deny, "", "it ran"},
		{"approved", hook("plain", "yes", project), trust, checkrein.Deny, "", "it ran"},
		{"never approved", hook("plain", "new", project), trust, checkrein.NoOpinion, "not approved: said of new", ""},
		{"nobody to ask", hook("plain", "yes", project), nil, checkrein.NoOpinion, "not approved", ""},
		{"changed since", hook("plain", "edited", project), trust, checkrein.Deny, "", "changed since it was approved: said of edited"},
		{"changed, and told to warn", hook("plain", "edited", project, onFault(checkrein.FaultWarn)), trust, checkrein.NoOpinion, "", "changed since it was approved"},
		{"changed, and told to ignore", hook("plain", "edited", project, onFault(checkrein.FaultIgnore)), trust, checkrein.NoOpinion, "", ""},
		{"a broken one that nobody approved", hook("plain", "new", project, func(h *checkrein.Hook) { h.Broken = "bad" }), trust, checkrein.NoOpinion, "not approved", ""},
		{"a broken one that was approved", hook("plain", "yes", project, func(h *checkrein.Hook) { h.Broken = "bad" }), trust, checkrein.Deny, "", "bad"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := decide(t, fns{tt.hook.Name: deny}.with(engine.Options{Trust: tt.trust}, tt.hook), shell("ls"))
			wantDecision(t, out, tt.want)
			wantText(t, out.Steps[0].Skipped, tt.skipped)
			wantText(t, out.Verdict.Reason+fmt.Sprint(out.Verdict.Notice), tt.text)
		})
	}
}

// A countingTrust approves and counts.
type countingTrust struct {
	mu    sync.Mutex
	asked map[string]int
	then  func(n int) engine.Approval // by how often it was asked before
}

func (*countingTrust) NeedsCheck(*checkrein.Hook) bool { return false }

func (c *countingTrust) Check(h *checkrein.Hook) engine.Checked {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.asked[h.Name]
	c.asked[h.Name]++
	if c.then != nil {
		return engine.Checked{State: c.then(n), Why: "counted"}
	}
	return engine.Checked{State: engine.Approved}
}

// The files that a hook names are hashed just before each run, so the approval
// is asked for before each: also the second of a gate, and that of an
// asynchronous hook; never for one that has nothing to say.
func TestApprovalBeforeEveryRun(t *testing.T) {
	t.Parallel()
	trust := &countingTrust{asked: map[string]int{}}
	all := fns{"gate": decides(checkrein.NoOpinion, ""), "writer": runs("ls -l"), "later": decides(checkrein.NoOpinion, ""), "own": decides(checkrein.NoOpinion, "")}
	unmet := ruleHook("unmet", `{"command":{"is":"never"}}`, `{"decision":"deny"}`, project)
	e := all.with(engine.Options{Trust: trust}, hook("plain", "gate", project, gate), hook("rewriter", "writer", project), hook("plain", "later", project, async),
		hook("plain", "own"), unmet)
	for range 2 {
		decide(t, e, shell("ls"))
	}
	want := map[string]int{"gate": 4, "writer": 2, "later": 2}
	if fmt.Sprint(trust.asked) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", trust.asked, want)
	}
}

// What is approved at the first look and changed at the second does not decide
// by what it said at the first.
func TestApprovalLostBetweenTwoLooks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		then engine.Approval
		want checkrein.Decision
	}{
		{"changed: its fault law", engine.Changed, checkrein.Deny},
		{"revoked: skipped", engine.Unapproved, checkrein.NoOpinion},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			trust := &countingTrust{asked: map[string]int{}, then: func(n int) engine.Approval {
				if n == 0 {
					return engine.Approved
				}
				return tt.then
			}}
			all := fns{"gate": decides(checkrein.Allow, ""), "writer": runs("rm -rf /")}
			out := decide(t, all.with(engine.Options{Trust: trust}, hook("plain", "gate", project, gate), hook("rewriter", "writer")), shell("ls"))
			wantDecision(t, out, tt.want)
		})
	}
}

// A repository's hook may not widen on somebody else's host what the person
// permitted.
func TestProjectAllow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, host string
		may        bool
		change     func(*checkrein.Hook)
		want       checkrein.Decision
	}{
		{"native", "", false, project, checkrein.Allow},
		{"native by name", "native", false, project, checkrein.Allow},
		{"foreign", "claude", false, project, checkrein.NoOpinion},
		{"foreign, permitted", "claude", true, project, checkrein.Allow},
		{"foreign, the person's own", "claude", false, func(*checkrein.Hook) {}, checkrein.Allow},
		{"foreign, managed", "claude", false, managed, checkrein.Allow},
	} {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, judged again %v", tt.name, again), func(t *testing.T) {
				t.Parallel()
				ev := shell("ls")
				ev.Host = tt.host
				all := fns{"h": decides(checkrein.Allow, "go on"), "writer": runs("ls -l")}
				hooks := []checkrein.Hook{hook("judge", "h", tt.change)}
				if again {
					hooks = append(hooks, hook("rewriter", "writer"))
				}
				out := decide(t, all.with(engine.Options{Trust: trustMap{"h": engine.Approved}, ProjectMayAllow: tt.may}, hooks...), ev)
				wantDecision(t, out, tt.want)
				if lost := tt.want != checkrein.Allow; lost != (len(out.Dropped) == 1) {
					t.Errorf("dropped %+v, want the allow there: %v", out.Dropped, lost)
				}
				if lost := tt.want != checkrein.Allow; lost && (out.Dropped[0].Hook != "h" || out.Dropped[0].Effect != "allow") {
					t.Errorf("dropped %+v", out.Dropped)
				}
			})
		}
	}
}

// Only the allow is taken away: what else the hook says stays said.
func TestProjectAllowKeepsTheRest(t *testing.T) {
	t.Parallel()
	ev := shell("ls")
	ev.Host = "claude"
	all := fns{"h": says(checkrein.Verdict{Decision: checkrein.Allow, Context: []string{"c"}, Notice: []string{"n"}})}
	out := decide(t, all.with(engine.Options{Trust: trustMap{"h": engine.Approved}}, hook("plain", "h", project)), ev)
	if len(out.Verdict.Context) != 1 || len(out.Verdict.Notice) != 1 {
		t.Errorf("got %s", out.JSON(true))
	}
	if got := out.Steps[0].Answer.Decision; got != checkrein.Allow {
		t.Errorf("the answer as it was given became %v", got)
	}
}

// A watchedTrust approves everything and says what changed meanwhile, by how often
// it was asked after a run.
type watchedTrust struct {
	mu    sync.Mutex
	after []string
	asked int
}

func (*watchedTrust) NeedsCheck(*checkrein.Hook) bool { return true }

func (w *watchedTrust) Check(*checkrein.Hook) engine.Checked {
	return engine.Checked{State: engine.Approved, After: func() string {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked++
		return w.after[min(w.asked, len(w.after))-1]
	}}
}

// The answer of a hook whose files changed while it ran does not count: nobody
// knows what gave it.
func TestChangedWhileItRan(t *testing.T) {
	t.Parallel()
	const why = "its file x changed while it ran"
	ok := []string{""}
	for _, tt := range []struct {
		name  string
		hook  checkrein.Hook
		fn    fn
		after []string
		want  checkrein.Decision
		text  string
	}{
		{"as it was", hook("plain", "h", project), decides(checkrein.Allow, ""), ok, checkrein.Allow, ""},
		{"a gate that allowed", hook("plain", "h", project), decides(checkrein.Allow, ""), []string{why}, checkrein.Deny, why + ", so its answer is ignored"},
		{"an instant one", hook("instant", "h", project), decides(checkrein.Allow, ""), []string{why}, checkrein.Deny, why},
		{"a person's own", hook("plain", "h"), decides(checkrein.Allow, ""), []string{why}, checkrein.Deny, why},
		{"one that may fault", hook("plain", "h", project, onFault(checkrein.FaultWarn)), decides(checkrein.Deny, "it ran"), []string{why}, checkrein.NoOpinion, why},
		{"one that failed as well", hook("plain", "h", project), fails("broken pipe"), []string{why}, checkrein.Deny, why},
		{"at the second look", hook("judge", "h", project), decides(checkrein.Allow, ""), []string{"", "", why}, checkrein.Deny, why},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hooks := []checkrein.Hook{tt.hook}
			if len(tt.after) > 1 {
				hooks = append(hooks, hook("rewriter", "writer", project))
			}
			all := fns{"h": tt.fn, "writer": runs("ls -l")}
			out := decide(t, all.with(engine.Options{Trust: &watchedTrust{after: tt.after}}, hooks...), shell("ls"))
			wantDecision(t, out, tt.want)
			wantText(t, out.Verdict.Reason+fmt.Sprint(out.Verdict.Notice), tt.text)
			if s := step(t, out, "h"); (s.Fault != nil) != (tt.text != "") {
				t.Errorf("the fault is %v", s.Fault)
			}
		})
	}
}
