package guard

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/conduct"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

func TestMaxIterations(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	tests := []struct {
		name, iteration string
		kind            checkrein.Kind
		want            bool
	}{
		{"first", "1", checkrein.BeforeLLMCall, false},
		{"last", "3", checkrein.BeforeLLMCall, false},
		{"one more", "4", checkrein.BeforeLLMCall, true},
		{"many more", "400", checkrein.BeforeLLMCall, true},
		{"unknown", "null", checkrein.BeforeLLMCall, false},
		{"text", `"4"`, checkrein.BeforeLLMCall, false},
		{"another event", "4", checkrein.TurnStart, false},
	}
	for _, tt := range tests {
		ev := checkrein.Event{Kind: tt.kind, Details: guardtest.SingleDetail("iteration", tt.iteration)}
		got, err := m.handle(ev, "max_iterations", "3")
		if err != nil || (got.Decision == checkrein.Deny) != tt.want || got.Halt != tt.want || (got.Reason != "") != tt.want {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	if got, err := m.handle(checkrein.Event{Kind: checkrein.BeforeLLMCall}, "max_iterations", "3"); err != nil || !got.IsZero() {
		t.Errorf("without a count: %+v, %v", got, err)
	}
	for _, args := range [][]string{nil, {""}, {"0"}, {"-1"}, {"x"}, {"1.5"}, {"1", "2"}} {
		if _, err := conduct.NewMaxIterations(args); err == nil || !strings.Contains(err.Error(), `args: ["50"]`) {
			t.Errorf("%q: %v", args, err)
		}
	}
}
