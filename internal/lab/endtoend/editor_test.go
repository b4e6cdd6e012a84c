package endtoend

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// TestHostBlind runs the hosts that fire no hooks for tools while an editor drives them: a denied
// command runs, and misses reports it.
func TestHostBlind(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := buildPrograms(t)
	for _, f := range facts() {
		if known, _ := host.Find(f.host); known.BlindOption == "" {
			continue
		}
		t.Run(f.host, func(t *testing.T) {
			w := newWorld(t, programs, f.host)
			w.configure("version: 1\nhooks:\n  pre_tool_use:\n    - {type: rule, name: no, args_match: denied, decision: deny, reason: prove says no}\n")
			w.Run(hostlab.Run{
				Prompt: "please go", Script: callScript(mockmodel.Shell("touch denied")),
				Person: func([]byte) bool { return true },
			})
			if !w.exists("denied") {
				t.Error("the host fires hooks for tools by now: wire.Host.Blind is not true of it any more")
			}
			out, err := w.runProgram("checkrein", "misses", "--host", f.host)
			t.Log(out)
			if err == nil || !strings.Contains(out, "1 call, 1 unseen") {
				t.Errorf("misses: %v", err)
			}
		})
	}
}

// TestHostAskedInEditor confirms a call in the editor that drives Claude Code: the call runs, and
// misses finds that the user was asked.
func TestHostAskedInEditor(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	w := newWorld(t, buildPrograms(t), "claude")
	w.configure("version: 1\nhooks:\n  pre_tool_use:\n    - {type: rule, name: ask, args_match: asked, decision: ask, reason: prove asks}\n")
	questions := 0
	w.Run(hostlab.Run{Prompt: "please go", Script: callScript(mockmodel.Shell("touch asked")), Person: func([]byte) bool { questions++; return true }})
	out, err := w.runProgram("checkrein", "misses", "--json")
	if err != nil || questions != 1 || !w.exists("asked") || !strings.Contains(out, `"seen":1`) {
		t.Errorf("%d questions, it ran: %v; misses: %v\n%s", questions, w.exists("asked"), err, out)
	}
}
