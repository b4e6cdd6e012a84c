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

// sessionID matches the id that Codex gives a program that is still running.
var sessionID = regexp.MustCompile(`session ID (\d+)`)

// TestHostProtectsTyping has Codex start programs that wait for input, in order to type into them.
// Codex runs no hook for that input, so the programs must not start.
func TestHostProtectsTyping(t *testing.T) {
	hosttest.New(t)
	w := newWorld(t, buildPrograms(t), "codex")
	w.writeProtectedFiles()
	w.configure(protectConfig)
	before := w.protectedFiles()
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
