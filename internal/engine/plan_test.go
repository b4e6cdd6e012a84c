package engine_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// formatStages formats a plan as "a b | c", with a bar between stages.
func formatStages(steps []engine.Step) string {
	var out []string
	last := 0
	for _, s := range steps {
		name := s.Hook.Label()
		switch {
		case s.Stage == 0:
			name = "(" + name + ")"
		case s.Stage != last && last != 0:
			name = "| " + name
		}
		if s.Stage != 0 {
			last = s.Stage
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestPlanStages(t *testing.T) {
	t.Parallel()
	post := on(checkrein.PostToolUse)
	transform := on(checkrein.ToolResponseTransform)
	for _, tt := range []struct {
		name  string
		ev    checkrein.Event
		hooks []checkrein.Hook
		want  string
	}{
		{"no hook", shellEvent("ls"), nil, ""},
		{"hooks that cannot rewrite run together", shellEvent("ls"),
			[]checkrein.Hook{newHook("plain", "a"), newHook("judge", "b"), newHook("instant", "c")}, "a b c"},
		{"rewriters run one after another, as configured", shellEvent("ls"),
			[]checkrein.Hook{newHook("rewriter", "b"), newHook("rewriter", "a"), newHook("rewriter", "c")}, "b | a | c"},
		{"rewriters part the others", shellEvent("ls"),
			[]checkrein.Hook{newHook("plain", "a"), newHook("plain", "b"), newHook("rewriter", "c"), newHook("plain", "d"), newHook("plain", "e")}, "a b | c | d e"},
		{"rewrites: false opts out", shellEvent("ls"),
			[]checkrein.Hook{newHook("rewriter", "a", noRewrite), newHook("rewriter", "b", noRewrite), newHook("rewriter", "c")}, "a b | c"},
		{"no rewrite on the row, no order", newEvent(checkrein.PostToolUse),
			[]checkrein.Hook{newHook("rewriter", "a", post), newHook("rewriter", "b", post)}, "a b"},
		{"higher priority first, each its own stage", shellEvent("ls"),
			[]checkrein.Hook{newHook("plain", "a"), newHook("plain", "z", priority(0)), newHook("plain", "first", priority(1000)), newHook("plain", "b"), newHook("plain", "early", priority(101))},
			"first | early | a b | z"},
		{"priority also without rewrites", newEvent(checkrein.PostToolUse),
			[]checkrein.Hook{newHook("plain", "a", post), newHook("plain", "b", post, priority(200))}, "b | a"},
		{"redaction after every rewrite, the limiter after it", newEvent(checkrein.ToolResponseTransform),
			[]checkrein.Hook{newHook("limiter", "limit", transform, priority(1000)), newHook("redactor", "redact", transform, priority(500)), newHook("rewriter", "own", transform, priority(0))},
			"own | redact | limit"},
		{"asynchronous ones have no stage", shellEvent("ls"),
			[]checkrein.Hook{newHook("plain", "a"), newHook("rewriter", "later", async), newHook("plain", "b")}, "a (later) b"},
		{"only what matches", shellEvent("ls"),
			[]checkrein.Hook{newHook("plain", "a", matching("shell")), newHook("rewriter", "b", matching("edit_file")), newHook("plain", "c", matching("Bash|shel.*"))}, "a c"},
		{"another event's are not planned", newEvent(checkrein.Stop), []checkrein.Hook{newHook("plain", "a")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all := handlerFuncs{}
			for _, h := range tt.hooks {
				all[h.Name] = decideWith(checkrein.NoOpinion, "")
			}
			if got := formatStages(all.newEngine(tt.hooks...).Plan(tt.ev)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPlanStagesStartAtOne(t *testing.T) {
	t.Parallel()
	all := handlerFuncs{"a": answerWith(checkrein.Verdict{}), "b": answerWith(checkrein.Verdict{})}
	steps := all.newEngine(newHook("rewriter", "a"), newHook("rewriter", "b")).Plan(shellEvent("ls"))
	if steps[0].Stage != 1 || steps[1].Stage != 2 {
		t.Errorf("got stages %d, %d; want 1, 2", steps[0].Stage, steps[1].Stage)
	}
}

// TestPlanNativeEvents checks that an event without a contract reaches the hooks that name it and
// those that name none.
func TestPlanNativeEvents(t *testing.T) {
	t.Parallel()
	named := func(n string) func(*checkrein.Hook) {
		return func(h *checkrein.Hook) { h.On, h.Event = checkrein.Other, n }
	}
	all := handlerFuncs{"one": answerWith(checkrein.Verdict{}), "other": answerWith(checkrein.Verdict{}), "every": answerWith(checkrein.Verdict{})}
	e := all.newEngine(newHook("plain", "one", named("FileChanged")), newHook("plain", "other", named("CwdChanged")), newHook("plain", "every", named("")))
	if got := formatStages(e.Plan(checkrein.Event{Kind: checkrein.Other, Native: "FileChanged"})); got != "one every" {
		t.Errorf("got %q", got)
	}
}

// TestUnknownKind checks that an invalid kind counts as an event without a contract.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	all := handlerFuncs{"every": decideWith(checkrein.Deny, "no")}
	e := all.newEngine(newHook("plain", "every", on(checkrein.Other)))
	out := decide(t, e, checkrein.Event{Kind: checkrein.NumKinds + 7})
	if len(out.Steps) != 1 || out.Verdict.Decision != checkrein.NoOpinion || len(out.Dropped) != 1 {
		t.Errorf("got %s", out.JSON(true))
	}
	e.Plan(checkrein.Event{Kind: 255})
	e.IsInstant(checkrein.Event{Kind: 255})
}

// TestPlanPredictsDecide checks that Plan reports for each hook what Decide would do with it.
func TestPlanPredictsDecide(t *testing.T) {
	t.Parallel()
	broken := func(h *checkrein.Hook) { h.Broken = "bad matcher" }
	trust := approvalMap{"approved": engine.Approved, "changed": engine.Changed}
	hooks := []checkrein.Hook{
		newHook("plain", "runs"),
		newHook("plain", "broken", broken),
		newHook("plain", "strange broken", broken, project),
		newHook("plain", "approved", project),
		newHook("plain", "changed", project),
		newHook("nosuch", "unknown type"),
		newHook("plain", "no handler"),
		ruleHook("unmet", `{"command":{"is":"rm"}}`, `{"decision":"deny"}`),
	}
	all := handlerFuncs{"runs": answerWith(checkrein.Verdict{}), "approved": answerWith(checkrein.Verdict{})}
	e := all.newEngineWith(engine.Options{Trust: trust}, hooks...)
	for i, s := range e.Plan(shellEvent("ls")) {
		d := decide(t, e, shellEvent("ls")).Steps[i]
		got := fmt.Sprint(s.Hook.Name, " ", s.Skipped, " ", s.Unmet, " ", s.Fault)
		want := fmt.Sprint(d.Hook.Name, " ", d.Skipped, " ", d.Unmet, " ", d.Fault)
		if got != want {
			t.Errorf("planned %q, was %q", got, want)
		}
	}
}

// withChangedField returns a copy of h with the value of one field changed.
func withChangedField(t *testing.T, h checkrein.Hook, field int) checkrein.Hook {
	t.Helper()
	switch v := reflect.ValueOf(&h).Elem().Field(field); v.Kind() {
	case reflect.String:
		v.SetString("other")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() + 1)
	case reflect.Slice:
		v.SetBytes([]byte(`{"tool":{"is":"shell"}}`))
	default:
		t.Fatalf("a field of kind %s is new: extend the test", v.Kind())
	}
	return h
}

// TestDedupComparesEveryField checks that hooks count as equal only if all fields agree, except for
// those that depend on the origin. It also covers fields that are added later.
func TestDedupComparesEveryField(t *testing.T) {
	t.Parallel()
	first := newHook("plain", "n")
	first.With = json.RawMessage(`{"command":"x"}`)
	all := handlerFuncs{"n": answerWith(checkrein.Verdict{}), "other": answerWith(checkrein.Verdict{})}
	typ := reflect.TypeFor[checkrein.Hook]()
	for i := range typ.NumField() {
		field := typ.Field(i).Name
		if slices.Contains([]string{"ID", "From", "Also", "On"}, field) { // another event is another lane
			continue
		}
		t.Run("another "+field, func(t *testing.T) {
			t.Parallel()
			twin := withChangedField(t, first, i)
			planned := func(hooks ...checkrein.Hook) int {
				e := all.newEngine(hooks...)
				ev := shellEvent("ls")
				if twin.Match != "" { // the matcher that differs accepts this one
					ev.Tool = &checkrein.Tool{Name: "other"}
				}
				return len(e.Plan(ev))
			}
			if got := planned(first, twin); got != 2 {
				t.Errorf("got %d steps, want 2", got)
			}
			if got := planned(twin, twin, twin); got != 1 {
				t.Errorf("three of the same: got %d steps, want 1", got)
			}
		})
	}
}

// TestDedupOrigins checks that a hook with several origins runs once, at its first position, with the
// trust of its most trusted origin, and lists all origins.
func TestDedupOrigins(t *testing.T) {
	t.Parallel()
	at := func(scope checkrein.Scope, line int) checkrein.Hook {
		h := newHook("plain", "same")
		h.ID = fmt.Sprintf("pre_tool_use#%d", line)
		h.From = checkrein.Origin{Scope: scope, File: "/" + scope.String() + ".yaml", Line: line, Approval: scope == checkrein.ScopeProject}
		return h
	}
	all := handlerFuncs{"other": answerWith(checkrein.Verdict{}), "same": answerWith(checkrein.Verdict{Context: []string{"once"}})}
	e := all.newEngine(at(checkrein.ScopeProject, 1), newHook("plain", "other"), at(checkrein.ScopeManaged, 2), at(checkrein.ScopeUser, 3))
	out := decide(t, e, shellEvent("ls"))
	if len(out.Steps) != 2 || out.Steps[0].Hook.Name != "same" || len(out.Verdict.Context) != 1 {
		t.Fatalf("got %s", out.JSON(true))
	}
	h := out.Steps[0].Hook
	var places []string
	for _, o := range append([]checkrein.Origin{h.From}, h.Also...) {
		places = append(places, o.String())
	}
	slices.Sort(places[1:])
	if got, want := strings.Join(places, " "), "/managed.yaml:2 /project.yaml:1 /user.yaml:3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if out.Steps[0].Skipped != "" {
		t.Errorf("it was skipped: %s", out.Steps[0].Skipped)
	}
	if n := len(decide(t, e, shellEvent("ls")).Verdict.Context); n != 1 {
		t.Errorf("a second event: it ran %d times, want 1", n)
	}
	if h.ID != "pre_tool_use#2" {
		t.Errorf("it is called %s, want what it is called where it counts", h.ID)
	}
}

// TestDedupPrefersOriginWithoutApproval checks that, of two equally trusted origins, the one that
// needs no approval counts.
func TestDedupPrefersOriginWithoutApproval(t *testing.T) {
	t.Parallel()
	asks := func(h *checkrein.Hook) { h.From.Approval, h.From.Line = true, 1 }
	all := handlerFuncs{"h": decideWith(checkrein.Deny, "ran")}
	wantDecision(t, decide(t, all.newEngine(newHook("plain", "h", asks), newHook("plain", "h")), shellEvent("ls")), checkrein.Deny)
	wantDecision(t, decide(t, all.newEngine(newHook("plain", "h"), newHook("plain", "h", asks)), shellEvent("ls")), checkrein.Deny)
}

// TestDedupKeepsBrokenHooks checks that neither a broken nor a valid hook hides the other, and that
// the hooks in the options are not modified.
func TestDedupKeepsBrokenHooks(t *testing.T) {
	t.Parallel()
	hooks := []checkrein.Hook{newHook("plain", "n"), newHook("plain", "n")}
	hooks[1].From.Line = 99
	all := handlerFuncs{"n": answerWith(checkrein.Verdict{})}
	decide(t, all.newEngine(hooks...), shellEvent("ls"))
	if hooks[0].Also != nil || hooks[0].From.Line != 7 || hooks[1].From.Line != 99 {
		t.Errorf("the caller's hooks were changed: %+v", hooks)
	}
}

func TestMasterSwitch(t *testing.T) {
	t.Parallel()
	all := handlerFuncs{"mine": decideWith(checkrein.Deny, "mine"), "admin": decideWith(checkrein.Ask, "admin")}
	e := all.newEngineWith(engine.Options{Off: true}, newHook("plain", "mine"), newHook("plain", "admin", managed), newHook("plain", "mine", async))
	out := decide(t, e, shellEvent("ls"))
	wantDecision(t, out, checkrein.Ask)
	if got := out.Steps[0].Skipped; got == "" {
		t.Error("a hook ran although hooks are off")
	}
	if findStep(t, out, "admin").Skipped != "" {
		t.Error("the switch stopped a managed hook")
	}
}

func TestRunningHookIsSkipped(t *testing.T) {
	t.Parallel()
	all := handlerFuncs{"outer": decideWith(checkrein.Deny, "outer"), "rule": decideWith(checkrein.Ask, "rule"), "other": decideWith(checkrein.NoOpinion, "")}
	running := func(h *checkrein.Hook) bool { return h.Name != "other" }
	e := all.newEngineWith(engine.Options{Running: running}, newHook("plain", "outer"), newHook("judge", "rule"), newHook("plain", "other"))
	out := decide(t, e, shellEvent("ls"))
	wantDecision(t, out, checkrein.Ask)
	wantText(t, findStep(t, out, "outer").Skipped, "same hook")
	if findStep(t, out, "rule").Skipped != "" {
		t.Error("an instant hook cannot have started anything, and was skipped")
	}
}

func TestIsInstant(t *testing.T) {
	t.Parallel()
	all := handlerFuncs{"a": answerWith(checkrein.Verdict{}), "b": answerWith(checkrein.Verdict{})}
	e := all.newEngine(newHook("judge", "a"), newHook("plain", "b", matching("edit_file")))
	if !e.IsInstant(shellEvent("ls")) {
		t.Error("a plan of instant hooks is not instant")
	}
	ev := shellEvent("ls")
	ev.Tool = &checkrein.Tool{Name: "edit_file"}
	if e.IsInstant(ev) {
		t.Error("a plan with a process is instant")
	}
}

func TestHandlerTable(t *testing.T) {
	t.Parallel()
	row := func(name string, f handlerFunc) checkrein.HandlerType {
		return checkrein.HandlerType{Name: name, New: func(checkrein.Hook) (checkrein.Handler, error) { return checkrein.HandlerFunc(f), nil }}
	}
	t.Run("a later row replaces an earlier one", func(t *testing.T) {
		t.Parallel()
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{newHook("mine", "h")},
			Handlers: []checkrein.HandlerType{row("mine", decideWith(checkrein.Deny, "old")), row("mine", decideWith(checkrein.Allow, "new"))}})
		wantDecision(t, decide(t, e, shellEvent("ls")), checkrein.Allow)
	})
	t.Run("a row without a name serves nobody", func(t *testing.T) {
		t.Parallel()
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{newHook("", "h")}, Handlers: []checkrein.HandlerType{row("", decideWith(checkrein.Allow, ""))}})
		wantDecision(t, decide(t, e, shellEvent("ls")), checkrein.Deny)
	})
	t.Run("a row without a factory is a fault", func(t *testing.T) {
		t.Parallel()
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{newHook("mine", "h")}, Handlers: []checkrein.HandlerType{{Name: "mine"}}})
		wantDecision(t, decide(t, e, shellEvent("ls")), checkrein.Deny)
		if e.Check(nil) == nil {
			t.Error("Check found nothing")
		}
	})
	t.Run("a factory that panics is a fault, each time", func(t *testing.T) {
		t.Parallel()
		bad := checkrein.HandlerType{Name: "mine", New: func(checkrein.Hook) (checkrein.Handler, error) { panic("boom") }}
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{newHook("mine", "h")}, Handlers: []checkrein.HandlerType{bad}})
		for range 2 {
			out := decide(t, e, shellEvent("ls"))
			wantDecision(t, out, checkrein.Deny)
			wantText(t, out.Verdict.Reason, "boom")
		}
	})
	t.Run("a factory that returns nothing is a fault", func(t *testing.T) {
		t.Parallel()
		bad := checkrein.HandlerType{Name: "mine", New: func(checkrein.Hook) (checkrein.Handler, error) { return nil, nil }}
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{newHook("mine", "h")}, Handlers: []checkrein.HandlerType{bad}})
		wantDecision(t, decide(t, e, shellEvent("ls")), checkrein.Deny)
	})
}

// TestCheck checks that Check reports every hook that cannot work, with its origin, except for those
// that are marked as broken.
func TestCheck(t *testing.T) {
	t.Parallel()
	bad := ruleHook("bad if", `{"nosuch":{"is":"x"}}`, `{"decision":"deny"}`)
	e := handlerFuncs{}.newEngine(newHook("nosuch", "strange"), newHook("plain", "re", matching("(")), bad, ruleHook("fine", "", `{"decision":"deny"}`),
		newHook("plain", "told before", func(h *checkrein.Hook) { h.Broken = "said before" }))
	err := fmt.Sprint(e.Check(nil))
	for _, want := range []string{`/etc/hooks.yaml:7: hook "strange": unknown hook type "nosuch"`, `hook "re": pattern "("`, `hook "bad if": if: unknown field "nosuch"`} {
		wantText(t, err, want)
	}
	if strings.Contains(err, "fine") || strings.Contains(err, "told before") {
		t.Errorf("got %s", err)
	}
}

// TestHooksCachedByTool checks that the cache of hooks by tool returns the same hooks the second time,
// by the host's name and by the canonical name, and also if there are more tools than the cache holds.
func TestHooksCachedByTool(t *testing.T) {
	t.Parallel()
	e := handlerFuncs{}.newEngine(newHook("plain", "all"), newHook("plain", "two", matching("tool2")), newHook("plain", "some", matching("tool1.*")),
		newHook("plain", "shell", matching("shell")), newHook("plain", "last", matching("*")))
	for range 2 {
		for i := range 40 {
			name, want := fmt.Sprint("tool", i), "all last"
			switch {
			case i == 2:
				want = "all two last"
			case strings.HasPrefix(name, "tool1"):
				want = "all some last"
			}
			tool := checkrein.Tool{Name: name}
			if got := formatStages(e.Plan(checkrein.Event{Kind: checkrein.PreToolUse, Tool: &tool})); got != want {
				t.Fatalf("%s: %s, want %s", name, got, want)
			}
			tool.Canonical = "shell"
			want = strings.TrimSuffix(want, "last") + "shell last"
			if got := formatStages(e.Plan(checkrein.Event{Kind: checkrein.PreToolUse, Tool: &tool})); got != want {
				t.Fatalf("%s that is a shell: %s, want %s", name, got, want)
			}
		}
	}
	if got := formatStages(e.Plan(checkrein.Event{Kind: checkrein.PreToolUse})); got != "all last" {
		t.Errorf("without a tool: %s", got)
	}
}
