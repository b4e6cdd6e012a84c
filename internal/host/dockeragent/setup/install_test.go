package setup

import (
	"testing"

	"github.com/checkrein/checkrein/internal/host/install"
)

// TestDropIn checks the installed file. docker-agent skips a file with an unknown key, and does not
// call a gate without preempt_yolo for calls that are already approved.
func TestDropIn(t *testing.T) {
	t.Parallel()
	out, err := dropIn{}.Put(nil, []install.Entry{
		{Event: "pre_tool_use", Command: "'/a b/checkrein' hook docker-agent", Timeout: 600, Closed: true},
		{Event: "stop", Command: "checkrein hook docker-agent", Timeout: 600},
	})
	want := dropInHead + `pre_tool_use:
  - preempt_yolo: true
    hooks:
      - name: checkrein
        type: command
        command: "'/a b/checkrein' hook docker-agent"
        timeout: 600
        on_error: block
stop:
  - name: checkrein
    type: command
    command: "checkrein hook docker-agent"
    timeout: 600
`
	if err != nil || string(out) != want {
		t.Errorf("got %v\n%s", err, out)
	}
}
