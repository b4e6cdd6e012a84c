package packguard

import (
	"context"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/shell"
)

// TestPacksStopAtDeadline checks that judging stops between parts at the deadline, and that the user
// is asked then.
func TestPacksStopAtDeadline(t *testing.T) {
	t.Parallel()
	run, err := NewPacks(shell.PackNames())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	call := builtin.Call{Event: *guardtest.ToolCall("mcp__x__run", `{"commands":["ls","ls a"]}`), Dir: "/home/u/p", Machine: builtin.Machine{Home: "/home/u"}}
	if v, err := run(ctx, call); err != nil || v.Decision != checkrein.NoOpinion {
		t.Errorf("in time: %v %v", v, err)
	}
	cancel()
	if v, err := run(ctx, call); err != nil || v.Decision != checkrein.Ask {
		t.Errorf("out of time: %v %v", v, err)
	}
}
