package kimi

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// simulate applies an answer as Kimi Code CLI 1.49.0 does. Its stderr is a log unless it blocks.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	told := strings.TrimSpace(string(r.Stderr))
	switch {
	case len(r.Stdout) > 0:
		h.Rejected = "stdout, which says nothing here"
	case r.Exit == 0:
		h.Notice = told
	case r.Exit != 2:
		h.Rejected = "an exit code that means nothing"
	case native == "PreToolUse" || native == "UserPromptSubmit" || native == "":
		h.Decision, h.Reason = checkrein.Deny, told
	case native == "Stop":
		h.Redo = told
	default:
		h.Rejected = "a block that is ignored"
	}
	return h
}

func TestOnlyReasonOnStderr(t *testing.T) {
	t.Parallel()
	call := Host.Read(&Host, []byte(`{"hook_event_name":"PreToolUse","tool_name":"Shell","tool_input":{"command":"ls"}}`), "")
	v := checkrein.Verdict{Decision: checkrein.Deny, Reason: "no", Notice: []string{"for the person"}}
	if r := Host.Encode(&call, []engine.Outcome{{Event: call.Events[0], Verdict: v}}); string(r.Stderr) != "no\n" || r.Exit != 2 {
		t.Errorf("%d %s", r.Exit, r.Stderr)
	}
}

func TestSubagentName(t *testing.T) {
	t.Parallel()
	ev := Host.Read(&Host, []byte(`{"hook_event_name":"SubagentStop","agent_name":"coder","response":"done"}`), "").Events[0]
	if ev.Session.AgentName != "coder" || string(ev.Detail("subagent_name")) != `"coder"` || ev.Text != "done" {
		t.Errorf("%+v", ev)
	}
}
