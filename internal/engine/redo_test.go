package engine_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// memory counts redos as the kit does.
type memory struct {
	mu    sync.Mutex
	count map[string]int
	turns int
	said  []string
}

func (m *memory) Turn(*checkrein.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns++
	clear(m.count)
}

func (m *memory) Redo(ev *checkrein.Event, hook, text string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.said = append(m.said, text)
	m.count[ev.Session.ID+" "+hook]++
	return m.count[ev.Session.ID+" "+hook]
}

var redoKinds = []checkrein.Kind{checkrein.Stop, checkrein.OnCompletionClaim, checkrein.SubagentStop}

// A block of stop keeps the agent going, three times a turn and hook; then the
// agent may stop and the person is told.
func TestRedo(t *testing.T) {
	t.Parallel()
	for _, kind := range redoKinds {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			m := &memory{count: map[string]int{}}
			e := fns{"tests": decides(checkrein.Deny, "tests are red")}.with(engine.Options{Memory: m}, hook("plain", "tests", on(kind)))
			for n := 1; n <= engine.RedoLimit; n++ {
				out := decide(t, e, event(kind))
				wantDecision(t, out, checkrein.Deny)
				if out.Redo == nil || *out.Redo != (engine.Redo{Reason: "tests are red", Attempt: n, Limit: 3}) {
					t.Errorf("attempt %d: got %+v", n, out.Redo)
				}
			}
			out := decide(t, e, event(kind))
			wantDecision(t, out, checkrein.NoOpinion)
			if out.Redo != nil || out.Verdict.Redo != "" {
				t.Errorf("a fourth attempt: %+v", out.Redo)
			}
			wantText(t, fmt.Sprint(out.Verdict.Notice), "tests are red")
			wantDropped(t, out, "tests", "redo")
			decide(t, e, event(checkrein.UserPromptSubmit))
			if out := decide(t, e, event(kind)); out.Redo == nil || out.Redo.Attempt != 1 {
				t.Errorf("a new turn: got %+v", out.Redo)
			}
		})
	}
}

// Each hook has its own share, and each session.
func TestRedoShares(t *testing.T) {
	t.Parallel()
	m := &memory{count: map[string]int{}}
	stop := on(checkrein.Stop)
	second := decides(checkrein.Deny, "b")
	all := fns{"a": decides(checkrein.Deny, "a"), "b": second}
	one := all.with(engine.Options{Memory: m}, hook("plain", "a", stop))
	both := all.with(engine.Options{Memory: m}, hook("plain", "a", stop), hook("plain", "b", stop))
	for range 3 {
		decide(t, one, event(checkrein.Stop))
	}
	out := decide(t, both, event(checkrein.Stop))
	if out.Redo == nil || out.Redo.Attempt != 1 {
		t.Fatalf("b has its share left: got %s", out.JSON(true))
	}
	wantDropped(t, out, "a", "redo")
	ev := event(checkrein.Stop)
	ev.Session.ID = "other"
	if out := decide(t, one, ev); out.Redo == nil || out.Redo.Attempt != 1 {
		t.Errorf("another session: got %+v", out.Redo)
	}
}

func TestRedoWithoutMemory(t *testing.T) {
	t.Parallel()
	e := fns{"h": decides(checkrein.Deny, "go on")}.engine(hook("plain", "h", on(checkrein.Stop)))
	for range 5 {
		if out := decide(t, e, event(checkrein.Stop)); out.Redo == nil || out.Redo.Attempt != 1 {
			t.Errorf("got %+v", out.Redo)
		}
	}
}

// An empty prompt starts no turn.
func TestEmptyPromptIsNoTurn(t *testing.T) {
	t.Parallel()
	m := &memory{count: map[string]int{}}
	e := fns{}.with(engine.Options{Memory: m})
	ev := event(checkrein.UserPromptSubmit)
	ev.Text = ""
	decide(t, e, ev)
	decide(t, e, event(checkrein.TurnStart))
	if m.turns != 0 {
		t.Errorf("%d turns", m.turns)
	}
	decide(t, e, event(checkrein.UserPromptSubmit))
	if m.turns != 1 {
		t.Errorf("%d turns, want 1: it starts although no hook listens", m.turns)
	}
}

// An engine that is asked on behalf of another counts nothing: the other does.
func TestAloneCountsNothing(t *testing.T) {
	t.Parallel()
	m := &memory{count: map[string]int{}}
	h := hook("plain", "h", on(checkrein.Stop))
	e := fns{"h": decides(checkrein.Deny, "go on")}.with(engine.Options{Memory: m}, h)
	alone := e.WithHook(h)
	decide(t, alone, event(checkrein.Stop))
	decide(t, alone, event(checkrein.UserPromptSubmit))
	if len(m.said) != 0 || m.turns != 0 {
		t.Errorf("it counted %d redos and %d turns", len(m.said), m.turns)
	}
}

// A host that cannot go on: the block stays, and the loss names the hook.
func TestRedoThatTheHostDoesNotHonour(t *testing.T) {
	t.Parallel()
	honours := func(*checkrein.Event) checkrein.Effect { return checkrein.CanDeny | checkrein.CanAddContext }
	e := fns{"h": decides(checkrein.Deny, "go on")}.with(engine.Options{Honours: honours}, hook("plain", "h", on(checkrein.Stop)))
	out := decide(t, e, event(checkrein.Stop))
	wantDecision(t, out, checkrein.Deny)
	wantDropped(t, out, "h", "redo")
	if out.Redo != nil {
		t.Errorf("got %+v", out.Redo)
	}
}
