package droid

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// simulate reacts to an answer as Droid 0.215.0 does.
func simulate(native string, payload []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	out := []byte(strings.TrimSpace(string(r.Stdout)))
	if len(out) > 0 && rawjson.CheckObject(out) != nil {
		h.Rejected = "not a JSON object"
		return h
	}
	h.Notice = rawjson.GetText(out, "systemMessage")
	specific, _ := rawjson.Get(out, "hookSpecificOutput")
	switch native {
	case "PreToolUse", "":
		if r.Exit == 2 {
			h.Decision, h.Reason = checkrein.Deny, rawjson.GetText(specific, "permissionDecisionReason")
		} else if patch, ok := rawjson.Get(specific, "updatedInput"); ok {
			was, _ := rawjson.Get(payload, "tool_input")
			h.Input, _ = rawjson.Patch(was, patch)
		}
		return h
	case "PreCompact":
		if r.Exit == 2 {
			h.Decision, h.Reason = checkrein.Deny, strings.TrimSpace(string(r.Stderr))
		}
		return h
	case "Stop":
		if rawjson.GetText(out, "decision") == "block" {
			h.Redo = rawjson.GetText(out, "reason")
		}
	case "SessionStart", "PostToolUse":
		h.Context = rawjson.GetText(specific, "additionalContext")
		if going, _ := rawjson.Get(out, "continue"); string(going) == "false" {
			h.Stopped, h.Reason = true, rawjson.GetText(out, "stopReason")
		}
	}
	if r.Exit != 0 {
		h.Rejected = "an exit code that means nothing on " + native
	}
	return h
}

func TestReadTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, tool, path, output string }{
		{"PostToolUse", "shell", "", `"hello\n\n[Process exited with code 0]"`},
		{"PostToolUse.Read", "read", "/home/dev/project/a.txt", `"two\n"`},
		{"PostToolUse.Create", "write", "/home/dev/project/a.txt", `"{\"success\":true,\"file_path\":\"/home/dev/project/a.txt\"}"`},
		{"PreToolUse.Edit", "edit", "/home/dev/project/a.txt", ""},
		{"PreToolUse.Task", "task", "", ""},
	} {
		p := wiretest.Payloads(t, "..", &Host, c.file+".json")[0]
		tool := Host.Read(&Host, p.Body, "").Events[0].Tool
		if tool.Canonical != c.tool || strings.Join(tool.Paths(), " ") != c.path || string(tool.Output) != c.output {
			t.Errorf("%s: %+v %s", c.file, tool, tool.Output)
		}
	}
}

// TestDenialOutlastsAllow checks that a denial has both forms: Droid obeys the first decision in JSON,
// which may be another hook's allow, and then exit code 2.
func TestDenialOutlastsAllow(t *testing.T) {
	t.Parallel()
	p := wiretest.Payloads(t, "..", &Host, "PreToolUse.json")[0]
	call := Host.Read(&Host, p.Body, "")
	r := Host.Encode(&call, []engine.Outcome{{Event: call.Events[0], Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"}}})
	specific, _ := rawjson.Get(r.Stdout, "hookSpecificOutput")
	if r.Exit != 2 || rawjson.GetText(specific, "permissionDecision") != "deny" {
		t.Errorf("exit %d, %s", r.Exit, r.Stdout)
	}
}
