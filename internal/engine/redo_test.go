package engine_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// A redoMemory counts redos as the kit does.
type redoMemory struct {
	mu    sync.Mutex
	count map[string]int
	turns int
	said  []string
}

func (m *redoMemory) Turn(*checkrein.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns++
	clear(m.count)
}

func (m *redoMemory) Redo(ev *checkrein.Event, hook, text string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.said = append(m.said, text)
	m.count[ev.Session.ID+" "+hook]++
	return m.count[ev.Session.ID+" "+hook]
}

var redoKinds = []checkrein.Kind{checkrein.Stop, checkrein.OnCompletionClaim, checkrein.SubagentStop}

// TestRedo checks that a hook that blocks a stop keeps the agent going three times per turn. Then the
// agent may stop, and the user gets a notice.
func TestRedo(t *testing.T) {
	t.Parallel()
	for _, kind := range redoKinds {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			m := &redoMemory{count: map[string]int{}}
			e := handlerFuncs{"tests": decideWith(checkrein.Deny, "tests are red")}.newEngineWith(engine.Options{Memory: m}, newHook("plain", "tests", on(kind)))
			for n := 1; n <= engine.RedoLimit; n++ {
				out := decide(t, e, newEvent(kind))
				wantDecision(t, out, checkrein.Deny)
				if out.Redo == nil || *out.Redo != (engine.Redo{Reason: "tests are red", Attempt: n, Limit: 3}) {
					t.Errorf("attempt %d: got %+v", n, out.Redo)
				}
			}
			out := decide(t, e, newEvent(kind))
			wantDecision(t, out, checkrein.NoOpinion)
			if out.Redo != nil || out.Verdict.Redo != "" {
				t.Errorf("a fourth attempt: %+v", out.Redo)
			}
			wantText(t, fmt.Sprint(out.Verdict.Notice), "tests are red")
			wantDropped(t, out, "tests", "redo")
			decide(t, e, newEvent(checkrein.UserPromptSubmit))
			if out := decide(t, e, newEvent(kind)); out.Redo == nil || out.Redo.Attempt != 1 {
				t.Errorf("a new turn: got %+v", out.Redo)
			}
		})
	}
}

// TestRedoCountsPerHookAndSession checks that redos are counted separately for each hook and session.
func TestRedoCountsPerHookAndSession(t *testing.T) {
	t.Parallel()
	m := &redoMemory{count: map[string]int{}}
	stop := on(checkrein.Stop)
	second := decideWith(checkrein.Deny, "b")
	all := handlerFuncs{"a": decideWith(checkrein.Deny, "a"), "b": second}
	one := all.newEngineWith(engine.Options{Memory: m}, newHook("plain", "a", stop))
	both := all.newEngineWith(engine.Options{Memory: m}, newHook("plain", "a", stop), newHook("plain", "b", stop))
	for range 3 {
		decide(t, one, newEvent(checkrein.Stop))
	}
	out := decide(t, both, newEvent(checkrein.Stop))
	if out.Redo == nil || out.Redo.Attempt != 1 {
		t.Fatalf("b has its share left: got %s", out.JSON(true))
	}
	wantDropped(t, out, "a", "redo")
	ev := newEvent(checkrein.Stop)
	ev.Session.ID = "other"
	if out := decide(t, one, ev); out.Redo == nil || out.Redo.Attempt != 1 {
		t.Errorf("another session: got %+v", out.Redo)
	}
}

func TestRedoWithoutMemory(t *testing.T) {
	t.Parallel()
	e := handlerFuncs{"h": decideWith(checkrein.Deny, "go on")}.newEngine(newHook("plain", "h", on(checkrein.Stop)))
	for range 5 {
		if out := decide(t, e, newEvent(checkrein.Stop)); out.Redo == nil || out.Redo.Attempt != 1 {
			t.Errorf("got %+v", out.Redo)
		}
	}
}

// TestEmptyPromptStartsNoTurn checks that an empty prompt does not reset the counts.
func TestEmptyPromptStartsNoTurn(t *testing.T) {
	t.Parallel()
	m := &redoMemory{count: map[string]int{}}
	e := handlerFuncs{}.newEngineWith(engine.Options{Memory: m})
	ev := newEvent(checkrein.UserPromptSubmit)
	ev.Text = ""
	decide(t, e, ev)
	decide(t, e, newEvent(checkrein.TurnStart))
	if m.turns != 0 {
		t.Errorf("%d turns", m.turns)
	}
	decide(t, e, newEvent(checkrein.UserPromptSubmit))
	if m.turns != 1 {
		t.Errorf("%d turns, want 1: it starts although no hook listens", m.turns)
	}
}

// TestWithHookCountsNoRedos checks that an engine from WithHook does not count redos, because the
// original engine does.
func TestWithHookCountsNoRedos(t *testing.T) {
	t.Parallel()
	m := &redoMemory{count: map[string]int{}}
	h := newHook("plain", "h", on(checkrein.Stop))
	e := handlerFuncs{"h": decideWith(checkrein.Deny, "go on")}.newEngineWith(engine.Options{Memory: m}, h)
	alone := e.WithHook(h)
	decide(t, alone, newEvent(checkrein.Stop))
	decide(t, alone, newEvent(checkrein.UserPromptSubmit))
	if len(m.said) != 0 || m.turns != 0 {
		t.Errorf("it counted %d redos and %d turns", len(m.said), m.turns)
	}
}

// TestRedoNotHonoured checks that the denial stays if the host does not honour redos, and that the
// dropped redo names the hook.
func TestRedoNotHonoured(t *testing.T) {
	t.Parallel()
	honours := func(*checkrein.Event) checkrein.Effect { return checkrein.CanDeny | checkrein.CanAddContext }
	e := handlerFuncs{"h": decideWith(checkrein.Deny, "go on")}.newEngineWith(engine.Options{Honours: honours}, newHook("plain", "h", on(checkrein.Stop)))
	out := decide(t, e, newEvent(checkrein.Stop))
	wantDecision(t, out, checkrein.Deny)
	wantDropped(t, out, "h", "redo")
	if out.Redo != nil {
		t.Errorf("got %+v", out.Redo)
	}
}
