package engine_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// An approvalMap approves hooks by name. Hooks that it does not list are unapproved.
type approvalMap map[string]engine.Approval

func (approvalMap) NeedsCheck(*checkrein.Hook) bool { return false }

func (m approvalMap) Check(h *checkrein.Hook) engine.Checked {
	return engine.Checked{State: m[h.Name], Why: fmt.Sprintf("said of %s", h.Name)}
}

func TestApproval(t *testing.T) {
	t.Parallel()
	trust := approvalMap{"yes": engine.Approved, "edited": engine.Changed}
	deny := decideWith(checkrein.Deny, "it ran")
	for _, tt := range []struct {
		name          string
		hook          checkrein.Hook
		trust         engine.Approver
		want          checkrein.Decision
		skipped, text string
	}{
		{"the person's own needs none", newHook("plain", "own"), nil, checkrein.Deny, "", "it ran"},
		{"approved", newHook("plain", "yes", project), trust, checkrein.Deny, "", "it ran"},
		{"never approved", newHook("plain", "new", project), trust, checkrein.NoOpinion, "not approved: said of new", ""},
		{"nobody to ask", newHook("plain", "yes", project), nil, checkrein.NoOpinion, "not approved", ""},
		{"changed since", newHook("plain", "edited", project), trust, checkrein.Deny, "", "changed since it was approved: said of edited"},
		{"changed, and told to warn", newHook("plain", "edited", project, onFault(checkrein.FaultWarn)), trust, checkrein.NoOpinion, "", "changed since it was approved"},
		{"changed, and told to ignore", newHook("plain", "edited", project, onFault(checkrein.FaultIgnore)), trust, checkrein.NoOpinion, "", ""},
		{"a broken one that nobody approved", newHook("plain", "new", project, func(h *checkrein.Hook) { h.Broken = "bad" }), trust, checkrein.NoOpinion, "not approved", ""},
		{"a broken one that was approved", newHook("plain", "yes", project, func(h *checkrein.Hook) { h.Broken = "bad" }), trust, checkrein.Deny, "", "bad"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := decide(t, handlerFuncs{tt.hook.Name: deny}.newEngineWith(engine.Options{Trust: tt.trust}, tt.hook), shellEvent("ls"))
			wantDecision(t, out, tt.want)
			wantText(t, out.Steps[0].Skipped, tt.skipped)
			wantText(t, out.Verdict.Reason+fmt.Sprint(out.Verdict.Notice), tt.text)
		})
	}
}

// A countingApprover approves hooks and counts the checks.
type countingApprover struct {
	mu    sync.Mutex
	asked map[string]int
	then  func(n int) engine.Approval // returns the approval by the number of earlier checks
}

func (*countingApprover) NeedsCheck(*checkrein.Hook) bool { return false }

func (c *countingApprover) Check(h *checkrein.Hook) engine.Checked {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.asked[h.Name]
	c.asked[h.Name]++
	if c.then != nil {
		return engine.Checked{State: c.then(n), Why: "counted"}
	}
	return engine.Checked{State: engine.Approved}
}

// TestApprovalBeforeEveryRun checks that the approval is checked just before each run, because the
// files of a hook are hashed then: also before the second run of a gate and before an asynchronous
// hook, but never for a hook whose condition does not hold.
func TestApprovalBeforeEveryRun(t *testing.T) {
	t.Parallel()
	trust := &countingApprover{asked: map[string]int{}}
	all := handlerFuncs{"gate": decideWith(checkrein.NoOpinion, ""), "writer": rewriteCommand("ls -l"), "later": decideWith(checkrein.NoOpinion, ""), "own": decideWith(checkrein.NoOpinion, "")}
	unmet := ruleHook("unmet", `{"command":{"is":"never"}}`, `{"decision":"deny"}`, project)
	e := all.newEngineWith(engine.Options{Trust: trust}, newHook("plain", "gate", project, gate), newHook("rewriter", "writer", project), newHook("plain", "later", project, async),
		newHook("plain", "own"), unmet)
	for range 2 {
		decide(t, e, shellEvent("ls"))
	}
	want := map[string]int{"gate": 4, "writer": 2, "later": 2}
	if fmt.Sprint(trust.asked) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", trust.asked, want)
	}
}

// TestApprovalLostBeforeRejudging checks that the first decision of a hook does not count if the hook
// has changed when it is to judge a second time.
func TestApprovalLostBeforeRejudging(t *testing.T) {
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
			trust := &countingApprover{asked: map[string]int{}, then: func(n int) engine.Approval {
				if n == 0 {
					return engine.Approved
				}
				return tt.then
			}}
			all := handlerFuncs{"gate": decideWith(checkrein.Allow, ""), "writer": rewriteCommand("rm -rf /")}
			out := decide(t, all.newEngineWith(engine.Options{Trust: trust}, newHook("plain", "gate", project, gate), newHook("rewriter", "writer")), shellEvent("ls"))
			wantDecision(t, out, tt.want)
		})
	}
}

// TestProjectAllow checks that a project's hook cannot allow, on a foreign host, more than the user
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
				ev := shellEvent("ls")
				ev.Host = tt.host
				all := handlerFuncs{"h": decideWith(checkrein.Allow, "go on"), "writer": rewriteCommand("ls -l")}
				hooks := []checkrein.Hook{newHook("judge", "h", tt.change)}
				if again {
					hooks = append(hooks, newHook("rewriter", "writer"))
				}
				out := decide(t, all.newEngineWith(engine.Options{Trust: approvalMap{"h": engine.Approved}, ProjectMayAllow: tt.may}, hooks...), ev)
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

// TestProjectAllowKeepsOtherEffects checks that only the allow is dropped from the verdict of a
// project's hook.
func TestProjectAllowKeepsOtherEffects(t *testing.T) {
	t.Parallel()
	ev := shellEvent("ls")
	ev.Host = "claude"
	all := handlerFuncs{"h": answerWith(checkrein.Verdict{Decision: checkrein.Allow, Context: []string{"c"}, Notice: []string{"n"}})}
	out := decide(t, all.newEngineWith(engine.Options{Trust: approvalMap{"h": engine.Approved}}, newHook("plain", "h", project)), ev)
	if len(out.Verdict.Context) != 1 || len(out.Verdict.Notice) != 1 {
		t.Errorf("got %s", out.JSON(true))
	}
	if got := out.Steps[0].Answer.Decision; got != checkrein.Allow {
		t.Errorf("the answer as it was given became %v", got)
	}
}

// A watchingApprover approves every hook and reports changes after its runs, by the number of earlier
// runs.
type watchingApprover struct {
	mu    sync.Mutex
	after []string
	asked int
}

func (*watchingApprover) NeedsCheck(*checkrein.Hook) bool { return true }

func (w *watchingApprover) Check(*checkrein.Hook) engine.Checked {
	return engine.Checked{State: engine.Approved, After: func() string {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked++
		return w.after[min(w.asked, len(w.after))-1]
	}}
}

// TestHookChangedWhileRunning checks that the answer of a hook does not count if its files changed
// while it ran.
func TestHookChangedWhileRunning(t *testing.T) {
	t.Parallel()
	const why = "its file x changed while it ran"
	ok := []string{""}
	for _, tt := range []struct {
		name  string
		hook  checkrein.Hook
		fn    handlerFunc
		after []string
		want  checkrein.Decision
		text  string
	}{
		{"as it was", newHook("plain", "h", project), decideWith(checkrein.Allow, ""), ok, checkrein.Allow, ""},
		{"a gate that allowed", newHook("plain", "h", project), decideWith(checkrein.Allow, ""), []string{why}, checkrein.Deny, why + ", so its answer is ignored"},
		{"an instant one", newHook("instant", "h", project), decideWith(checkrein.Allow, ""), []string{why}, checkrein.Deny, why},
		{"a person's own", newHook("plain", "h"), decideWith(checkrein.Allow, ""), []string{why}, checkrein.Deny, why},
		{"one that may fault", newHook("plain", "h", project, onFault(checkrein.FaultWarn)), decideWith(checkrein.Deny, "it ran"), []string{why}, checkrein.NoOpinion, why},
		{"one that failed as well", newHook("plain", "h", project), failWith("broken pipe"), []string{why}, checkrein.Deny, why},
		{"at the second look", newHook("judge", "h", project), decideWith(checkrein.Allow, ""), []string{"", "", why}, checkrein.Deny, why},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hooks := []checkrein.Hook{tt.hook}
			if len(tt.after) > 1 {
				hooks = append(hooks, newHook("rewriter", "writer", project))
			}
			all := handlerFuncs{"h": tt.fn, "writer": rewriteCommand("ls -l")}
			out := decide(t, all.newEngineWith(engine.Options{Trust: &watchingApprover{after: tt.after}}, hooks...), shellEvent("ls"))
			wantDecision(t, out, tt.want)
			wantText(t, out.Verdict.Reason+fmt.Sprint(out.Verdict.Notice), tt.text)
			if s := findStep(t, out, "h"); (s.Fault != nil) != (tt.text != "") {
				t.Errorf("the fault is %v", s.Fault)
			}
		})
	}
}
