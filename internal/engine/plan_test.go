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

// stages shows a plan as "a b | c": hooks of a stage, then the next.
func stages(steps []engine.Step) string {
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
		{"no hook", shell("ls"), nil, ""},
		{"hooks that cannot rewrite run together", shell("ls"),
			[]checkrein.Hook{hook("plain", "a"), hook("judge", "b"), hook("instant", "c")}, "a b c"},
		{"rewriters run one after another, as configured", shell("ls"),
			[]checkrein.Hook{hook("rewriter", "b"), hook("rewriter", "a"), hook("rewriter", "c")}, "b | a | c"},
		{"rewriters part the others", shell("ls"),
			[]checkrein.Hook{hook("plain", "a"), hook("plain", "b"), hook("rewriter", "c"), hook("plain", "d"), hook("plain", "e")}, "a b | c | d e"},
		{"rewrites: false opts out", shell("ls"),
			[]checkrein.Hook{hook("rewriter", "a", noRewrite), hook("rewriter", "b", noRewrite), hook("rewriter", "c")}, "a b | c"},
		{"no rewrite on the row, no order", event(checkrein.PostToolUse),
			[]checkrein.Hook{hook("rewriter", "a", post), hook("rewriter", "b", post)}, "a b"},
		{"higher priority first, each its own stage", shell("ls"),
			[]checkrein.Hook{hook("plain", "a"), hook("plain", "z", priority(0)), hook("plain", "first", priority(1000)), hook("plain", "b"), hook("plain", "early", priority(101))},
			"first | early | a b | z"},
		{"priority also without rewrites", event(checkrein.PostToolUse),
			[]checkrein.Hook{hook("plain", "a", post), hook("plain", "b", post, priority(200))}, "b | a"},
		{"redaction after every rewrite, the limiter after it", event(checkrein.ToolResponseTransform),
			[]checkrein.Hook{hook("limiter", "limit", transform, priority(1000)), hook("redactor", "redact", transform, priority(500)), hook("rewriter", "own", transform, priority(0))},
			"own | redact | limit"},
		{"asynchronous ones have no stage", shell("ls"),
			[]checkrein.Hook{hook("plain", "a"), hook("rewriter", "later", async), hook("plain", "b")}, "a (later) b"},
		{"only what matches", shell("ls"),
			[]checkrein.Hook{hook("plain", "a", matching("shell")), hook("rewriter", "b", matching("edit_file")), hook("plain", "c", matching("Bash|shel.*"))}, "a c"},
		{"another event's are not planned", event(checkrein.Stop), []checkrein.Hook{hook("plain", "a")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all := fns{}
			for _, h := range tt.hooks {
				all[h.Name] = decides(checkrein.NoOpinion, "")
			}
			if got := stages(all.engine(tt.hooks...).Plan(tt.ev)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPlanStagesAreFromOne(t *testing.T) {
	t.Parallel()
	all := fns{"a": says(checkrein.Verdict{}), "b": says(checkrein.Verdict{})}
	steps := all.engine(hook("rewriter", "a"), hook("rewriter", "b")).Plan(shell("ls"))
	if steps[0].Stage != 1 || steps[1].Stage != 2 {
		t.Errorf("got stages %d, %d; want 1, 2", steps[0].Stage, steps[1].Stage)
	}
}

// A native event without a row reaches those who name it, and those who name
// none.
func TestPlanNativeEvents(t *testing.T) {
	t.Parallel()
	named := func(n string) func(*checkrein.Hook) {
		return func(h *checkrein.Hook) { h.On, h.Event = checkrein.Other, n }
	}
	all := fns{"one": says(checkrein.Verdict{}), "other": says(checkrein.Verdict{}), "every": says(checkrein.Verdict{})}
	e := all.engine(hook("plain", "one", named("FileChanged")), hook("plain", "other", named("CwdChanged")), hook("plain", "every", named("")))
	if got := stages(e.Plan(checkrein.Event{Kind: checkrein.Other, Native: "FileChanged"})); got != "one every" {
		t.Errorf("got %q", got)
	}
}

// A kind from nowhere is an event without a row, not a crash.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	all := fns{"every": decides(checkrein.Deny, "no")}
	e := all.engine(hook("plain", "every", on(checkrein.Other)))
	out := decide(t, e, checkrein.Event{Kind: checkrein.NumKinds + 7})
	if len(out.Steps) != 1 || out.Verdict.Decision != checkrein.NoOpinion || len(out.Dropped) != 1 {
		t.Errorf("got %s", out.JSON(true))
	}
	e.Plan(checkrein.Event{Kind: 255})
	e.IsInstant(checkrein.Event{Kind: 255})
}

// Plan says of each hook what Decide would do with it.
func TestPlanTellsWhatDecideWouldDo(t *testing.T) {
	t.Parallel()
	broken := func(h *checkrein.Hook) { h.Broken = "bad matcher" }
	trust := trustMap{"approved": engine.Approved, "changed": engine.Changed}
	hooks := []checkrein.Hook{
		hook("plain", "runs"),
		hook("plain", "broken", broken),
		hook("plain", "strange broken", broken, project),
		hook("plain", "approved", project),
		hook("plain", "changed", project),
		hook("nosuch", "unknown type"),
		hook("plain", "no handler"),
		ruleHook("unmet", `{"command":{"is":"rm"}}`, `{"decision":"deny"}`),
	}
	all := fns{"runs": says(checkrein.Verdict{}), "approved": says(checkrein.Verdict{})}
	e := all.with(engine.Options{Trust: trust}, hooks...)
	for i, s := range e.Plan(shell("ls")) {
		d := decide(t, e, shell("ls")).Steps[i]
		got := fmt.Sprint(s.Hook.Name, " ", s.Skipped, " ", s.Unmet, " ", s.Fault)
		want := fmt.Sprint(d.Hook.Name, " ", d.Skipped, " ", d.Unmet, " ", d.Fault)
		if got != want {
			t.Errorf("planned %q, was %q", got, want)
		}
	}
}

// differing returns a hook that differs from h in nothing but one field.
func differing(t *testing.T, h checkrein.Hook, field int) checkrein.Hook {
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

// Hooks are the same when they are in every field but those that come from
// their place. A field that is new must count too.
func TestDedupByEveryField(t *testing.T) {
	t.Parallel()
	first := hook("plain", "n")
	first.With = json.RawMessage(`{"command":"x"}`)
	all := fns{"n": says(checkrein.Verdict{}), "other": says(checkrein.Verdict{})}
	typ := reflect.TypeFor[checkrein.Hook]()
	for i := range typ.NumField() {
		field := typ.Field(i).Name
		if slices.Contains([]string{"ID", "From", "Also", "On"}, field) { // another event is another lane
			continue
		}
		t.Run("another "+field, func(t *testing.T) {
			t.Parallel()
			twin := differing(t, first, i)
			planned := func(hooks ...checkrein.Hook) int {
				e := all.engine(hooks...)
				ev := shell("ls")
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

// The same hook in several places runs once, where it stands first, trusted as
// in the most trusted place, and shows all of them.
func TestDedupOrigins(t *testing.T) {
	t.Parallel()
	at := func(scope checkrein.Scope, line int) checkrein.Hook {
		h := hook("plain", "same")
		h.ID = fmt.Sprintf("pre_tool_use#%d", line)
		h.From = checkrein.Origin{Scope: scope, File: "/" + scope.String() + ".yaml", Line: line, Approval: scope == checkrein.ScopeProject}
		return h
	}
	all := fns{"other": says(checkrein.Verdict{}), "same": says(checkrein.Verdict{Context: []string{"once"}})}
	e := all.engine(at(checkrein.ScopeProject, 1), hook("plain", "other"), at(checkrein.ScopeManaged, 2), at(checkrein.ScopeUser, 3))
	out := decide(t, e, shell("ls"))
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
	if n := len(decide(t, e, shell("ls")).Verdict.Context); n != 1 {
		t.Errorf("a second event: it ran %d times, want 1", n)
	}
	if h.ID != "pre_tool_use#2" {
		t.Errorf("it is called %s, want what it is called where it counts", h.ID)
	}
}

// Of two places that are trusted alike, the one that needs no approval counts.
func TestDedupNeedsTheLeast(t *testing.T) {
	t.Parallel()
	asks := func(h *checkrein.Hook) { h.From.Approval, h.From.Line = true, 1 }
	all := fns{"h": decides(checkrein.Deny, "ran")}
	wantDecision(t, decide(t, all.engine(hook("plain", "h", asks), hook("plain", "h")), shell("ls")), checkrein.Deny)
	wantDecision(t, decide(t, all.engine(hook("plain", "h"), hook("plain", "h", asks)), shell("ls")), checkrein.Deny)
}

// A broken hook is not hidden by a sound one, nor the other way round.
func TestDedupLeavesInputsAlone(t *testing.T) {
	t.Parallel()
	hooks := []checkrein.Hook{hook("plain", "n"), hook("plain", "n")}
	hooks[1].From.Line = 99
	all := fns{"n": says(checkrein.Verdict{})}
	decide(t, all.engine(hooks...), shell("ls"))
	if hooks[0].Also != nil || hooks[0].From.Line != 7 || hooks[1].From.Line != 99 {
		t.Errorf("the caller's hooks were changed: %+v", hooks)
	}
}

func TestMasterSwitch(t *testing.T) {
	t.Parallel()
	all := fns{"mine": decides(checkrein.Deny, "mine"), "admin": decides(checkrein.Ask, "admin")}
	e := all.with(engine.Options{Off: true}, hook("plain", "mine"), hook("plain", "admin", managed), hook("plain", "mine", async))
	out := decide(t, e, shell("ls"))
	wantDecision(t, out, checkrein.Ask)
	if got := out.Steps[0].Skipped; got == "" {
		t.Error("a hook ran although hooks are off")
	}
	if step(t, out, "admin").Skipped != "" {
		t.Error("the switch stopped a managed hook")
	}
}

func TestRecursionSkips(t *testing.T) {
	t.Parallel()
	all := fns{"outer": decides(checkrein.Deny, "outer"), "rule": decides(checkrein.Ask, "rule"), "other": decides(checkrein.NoOpinion, "")}
	running := func(h *checkrein.Hook) bool { return h.Name != "other" }
	e := all.with(engine.Options{Running: running}, hook("plain", "outer"), hook("judge", "rule"), hook("plain", "other"))
	out := decide(t, e, shell("ls"))
	wantDecision(t, out, checkrein.Ask)
	wantText(t, step(t, out, "outer").Skipped, "same hook")
	if step(t, out, "rule").Skipped != "" {
		t.Error("an instant hook cannot have started anything, and was skipped")
	}
}

func TestInstant(t *testing.T) {
	t.Parallel()
	all := fns{"a": says(checkrein.Verdict{}), "b": says(checkrein.Verdict{})}
	e := all.engine(hook("judge", "a"), hook("plain", "b", matching("edit_file")))
	if !e.IsInstant(shell("ls")) {
		t.Error("a plan of instant hooks is not instant")
	}
	ev := shell("ls")
	ev.Tool = &checkrein.Tool{Name: "edit_file"}
	if e.IsInstant(ev) {
		t.Error("a plan with a process is instant")
	}
}

func TestHandlerTable(t *testing.T) {
	t.Parallel()
	row := func(name string, f fn) checkrein.HandlerType {
		return checkrein.HandlerType{Name: name, New: func(checkrein.Hook) (checkrein.Handler, error) { return checkrein.HandlerFunc(f), nil }}
	}
	t.Run("a later row replaces an earlier one", func(t *testing.T) {
		t.Parallel()
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{hook("mine", "h")},
			Handlers: []checkrein.HandlerType{row("mine", decides(checkrein.Deny, "old")), row("mine", decides(checkrein.Allow, "new"))}})
		wantDecision(t, decide(t, e, shell("ls")), checkrein.Allow)
	})
	t.Run("a row without a name serves nobody", func(t *testing.T) {
		t.Parallel()
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{hook("", "h")}, Handlers: []checkrein.HandlerType{row("", decides(checkrein.Allow, ""))}})
		wantDecision(t, decide(t, e, shell("ls")), checkrein.Deny)
	})
	t.Run("a row without a factory is a fault", func(t *testing.T) {
		t.Parallel()
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{hook("mine", "h")}, Handlers: []checkrein.HandlerType{{Name: "mine"}}})
		wantDecision(t, decide(t, e, shell("ls")), checkrein.Deny)
		if e.Check(nil) == nil {
			t.Error("Check found nothing")
		}
	})
	t.Run("a factory that panics is a fault, each time", func(t *testing.T) {
		t.Parallel()
		bad := checkrein.HandlerType{Name: "mine", New: func(checkrein.Hook) (checkrein.Handler, error) { panic("boom") }}
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{hook("mine", "h")}, Handlers: []checkrein.HandlerType{bad}})
		for range 2 {
			out := decide(t, e, shell("ls"))
			wantDecision(t, out, checkrein.Deny)
			wantText(t, out.Verdict.Reason, "boom")
		}
	})
	t.Run("a factory that returns nothing is a fault", func(t *testing.T) {
		t.Parallel()
		bad := checkrein.HandlerType{Name: "mine", New: func(checkrein.Hook) (checkrein.Handler, error) { return nil, nil }}
		e := engine.New(engine.Options{Hooks: []checkrein.Hook{hook("mine", "h")}, Handlers: []checkrein.HandlerType{bad}})
		wantDecision(t, decide(t, e, shell("ls")), checkrein.Deny)
	})
}

// Check names every hook that cannot work, with its place; those declared
// broken are known to be.
func TestCheck(t *testing.T) {
	t.Parallel()
	bad := ruleHook("bad if", `{"nosuch":{"is":"x"}}`, `{"decision":"deny"}`)
	e := fns{}.engine(hook("nosuch", "strange"), hook("plain", "re", matching("(")), bad, ruleHook("fine", "", `{"decision":"deny"}`),
		hook("plain", "told before", func(h *checkrein.Hook) { h.Broken = "said before" }))
	err := fmt.Sprint(e.Check(nil))
	for _, want := range []string{`/etc/hooks.yaml:7: hook "strange": unknown hook type "nosuch"`, `hook "re": pattern "("`, `hook "bad if": if: unknown field "nosuch"`} {
		wantText(t, err, want)
	}
	if strings.Contains(err, "fine") || strings.Contains(err, "told before") {
		t.Errorf("got %s", err)
	}
}

// Which hooks a tool concerns is remembered. It is the same the second time, by the
// host's name and by ours, and for more tools than are remembered.
func TestPlanByTool(t *testing.T) {
	t.Parallel()
	e := fns{}.engine(hook("plain", "all"), hook("plain", "two", matching("tool2")), hook("plain", "some", matching("tool1.*")),
		hook("plain", "shell", matching("shell")), hook("plain", "last", matching("*")))
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
			if got := stages(e.Plan(checkrein.Event{Kind: checkrein.PreToolUse, Tool: &tool})); got != want {
				t.Fatalf("%s: %s, want %s", name, got, want)
			}
			tool.Canonical = "shell"
			want = strings.TrimSuffix(want, "last") + "shell last"
			if got := stages(e.Plan(checkrein.Event{Kind: checkrein.PreToolUse, Tool: &tool})); got != want {
				t.Fatalf("%s that is a shell: %s, want %s", name, got, want)
			}
		}
	}
	if got := stages(e.Plan(checkrein.Event{Kind: checkrein.PreToolUse})); got != "all last" {
		t.Errorf("without a tool: %s", got)
	}
}
