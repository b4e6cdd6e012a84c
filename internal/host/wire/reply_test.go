package wire

import (
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// TestAttemptLine checks that the number of the attempt is below the reason, so that checkrein
// recognizes the reason if the answer comes back as a prompt.
func TestAttemptLine(t *testing.T) {
	t.Parallel()
	host := &Host{Name: "h", Events: []Event{{Native: "Stop", Rows: []Row{{Kind: checkrein.Stop, Honours: checkrein.CanDeny | checkrein.CanRedo}}}}}
	call := Call{Host: host, Native: "Stop", Event: &host.Events[0]}
	out := engine.Outcome{
		Event:   checkrein.Event{Kind: checkrein.Stop},
		Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "tests are red", Redo: "tests are red"},
	}
	if got := call.Combine([]engine.Outcome{out}).Redo; got != "tests are red" {
		t.Errorf("uncounted: %q", got)
	}
	out.Redo = &engine.Redo{Reason: "tests are red", Attempt: 2, Limit: 3}
	if got := call.Combine([]engine.Outcome{out}).Redo; got != "tests are red\n(attempt 2 of 3)" {
		t.Errorf("counted: %q", got)
	}
}
