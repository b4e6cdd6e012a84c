package wire

import (
	"testing"

	"github.com/checkrein/checkrein"
)

// TestEventsShareThePayload checks that a payload is checked and converted once for all its events.
// They share the tool's output, so that its analysis is not repeated.
func TestEventsShareThePayload(t *testing.T) {
	t.Parallel()
	host := &Host{Name: "h", Events: []Event{{Native: "Post", Rows: []Row{{Kind: checkrein.ToolResponseTransform}, {Kind: checkrein.PostToolUse}}}}}
	c := Read(host, []byte("{\"hook_event_name\": \"Post\",\n\"tool_name\": \"Bash\", \"tool_input\": {}, \"tool_response\": {\"stdout\": \"x\"}}"), "")
	if c.Err != nil || len(c.Events) != 2 {
		t.Fatalf("%d events, %v", len(c.Events), c.Err)
	}
	if a, b := c.Events[0].Tool.Output, c.Events[1].Tool.Output; len(a) == 0 || len(b) == 0 || &a[0] != &b[0] {
		t.Errorf("the rows have %q and %q, each its own", a, b)
	}
}
