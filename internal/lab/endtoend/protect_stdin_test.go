package endtoend

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// sessionID is where Codex says how a program is called that is still running.
var sessionID = regexp.MustCompile(`session ID (\d+)`)

// TestHostProtectsTyping has Codex start programs that wait, to type into them: no
// hook is asked about what is typed, so they must not start.
func TestHostProtectsTyping(t *testing.T) {
	hosttest.New(t)
	w := newWorld(t, build(t), "codex")
	w.furnishHome()
	w.configure(protectConfig)
	before := w.guarded()
	starts := []string{"bash", "sh -i", "python3 -i"}
	typed := []string{"echo x >> ~/.bashrc\n", "echo x >> ~/.bashrc\n", "import os; open(os.path.expanduser('~/.bashrc'), 'w')\n"}
	choose := func(q mockmodel.Request) mockmodel.Turn {
		i := q.Turn / 2
		if i >= len(starts) {
			return mockmodel.Turn{}
		}
		if q.Turn%2 == 0 {
			return mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Native("exec_command", map[string]any{"cmd": starts[i], "tty": true, "yield_time_ms": 500})}}
		}
		results := q.Results()
		m := sessionID.FindStringSubmatch(results[len(results)-1].Text)
		if m == nil {
			return mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Shell("true")}}
		}
		id, _ := strconv.Atoi(m[1])
		return mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Native("write_stdin", map[string]any{"session_id": id, "chars": typed[i], "yield_time_ms": 500})}}
	}
	res := w.Run(hostlab.Run{Prompt: "please go", Script: mockmodel.Script{Choose: choose, Final: "all is well"}})
	for i, start := range starts {
		if told, _ := res.Record.Result(2*i, 0); !strings.Contains(told.Text, "interactive input to "+start+" is protected") {
			t.Errorf("%s: the model was told %.300q", start, told.Text)
		}
	}
	w.checkUnchanged(before)
}
