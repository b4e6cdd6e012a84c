package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/handler/rule"
)

// BenchmarkDecide measures how long a long-lived host waits for one event.
func BenchmarkDecide(b *testing.B) {
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s", Dir: "/repo"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: json.RawMessage(`{"command":"ls -la","description":"List files"}`)}}
	for _, tt := range []struct {
		name, match, cond string
	}{
		{"ten rules, all speaking", "shell", `{"command":{"contains":"ls"}}`},
		{"ten rules, none speaking", "shell", `{"command":{"contains":"rm"}}`},
		{"ten matchers, none matching", "write_file", `{"command":{"contains":"ls"}}`},
		{"ten patterns, none matching", "write_.*", `{"command":{"contains":"ls"}}`},
	} {
		b.Run(tt.name, func(b *testing.B) {
			var hooks []checkrein.Hook
			for i := range 10 {
				hooks = append(hooks, checkrein.Hook{ID: fmt.Sprint(i), Name: fmt.Sprint(i), On: checkrein.PreToolUse, Match: tt.match,
					Run: "rule", If: checkrein.Condition(tt.cond), With: json.RawMessage(`{"decision":"ask","reason":"sure?"}`)})
			}
			e := engine.New(engine.Options{Hooks: hooks, Handlers: []checkrein.HandlerType{rule.Type("/home/x", nil)}})
			b.ReportAllocs()
			for b.Loop() {
				e.Decide(context.Background(), ev)
			}
		})
	}
}

// TestDecideWithoutMatchAllocatesNothing checks that an event to which no hook applies causes no
// allocation.
func TestDecideWithoutMatchAllocatesNothing(t *testing.T) {
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s", Dir: "/repo"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: json.RawMessage(`{"command":"ls"}`)}}
	var hooks []checkrein.Hook
	for i := range 10 {
		hooks = append(hooks, checkrein.Hook{ID: fmt.Sprint(i), On: checkrein.PreToolUse, Match: "write_file", Run: "rule", With: json.RawMessage(`{"decision":"ask"}`)})
	}
	e := engine.New(engine.Options{Hooks: hooks, Handlers: []checkrein.HandlerType{rule.Type("/home/x", nil)}})
	if n := testing.AllocsPerRun(100, func() { e.Decide(context.Background(), ev) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
