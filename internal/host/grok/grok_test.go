package grok

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// simulate reacts to an answer as Grok 1.0.41 does.
func simulate(native string, payload []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	out := []byte(strings.TrimSpace(string(r.Stdout)))
	switch {
	case r.Exit != 0 || len(r.Stderr) > 0:
		h.Rejected = "not said on stdout at exit 0"
		return h
	case len(out) == 0:
		return h
	case rawjson.CheckObject(out) != nil:
		h.Rejected = "not a JSON object"
		return h
	}
	h.Notice = rawjson.GetText(out, "systemMessage")
	specific, _ := rawjson.Get(out, "hookSpecificOutput")
	reason := rawjson.GetText(out, "reason")
	switch block := rawjson.GetText(out, "decision") == "block"; native {
	case "PreToolUse", "":
		h.Reason = rawjson.GetText(specific, "permissionDecisionReason")
		switch rawjson.GetText(specific, "permissionDecision") {
		case "deny":
			h.Decision = checkrein.Deny
			return h // which drops the rest
		case "ask":
			h.Decision = checkrein.Ask
		}
		h.Input, _ = rawjson.Get(specific, "updatedInput")
		h.Context = rawjson.GetText(specific, "additionalContext")
	case "PostToolUse":
		if block {
			h.Context = reason
		}
		h.Context += rawjson.GetText(specific, "additionalContext")
		replaced, _ := rawjson.Get(specific, "updatedToolOutput")
		was, _ := rawjson.Get(payload, "toolResult")
		if rawjson.GetText(replaced, "type") != rawjson.GetText(was, "type") && replaced != nil {
			h.Rejected = "an output of another form"
		}
		if text, ok := resultText(replaced); ok {
			h.Output = rawjson.Quote(text)
		}
	case "PostToolUseFailure":
		h.Context = rawjson.GetText(specific, "additionalContext")
	case "UserPromptSubmit":
		if block {
			h.Decision, h.Reason = checkrein.Deny, reason
		}
	case "Stop", "SubagentStop":
		if block {
			h.Redo = reason
		}
	}
	return h
}

func TestReadResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, tool, path, output string
		failed                   bool
	}{
		{"PostToolUse", "shell", "", `"exit: 0\nhello\n"`, false},
		{"PostToolUse.failed", "shell", "", `"exit: 3\n"`, true},
		{"PostToolUse.read_file", "read", "/home/dev/project/a.txt", `"1→two\n"`, false},
		{"PostToolUse.missing", "read", "/home/dev/project/nope.txt", `"Error: /home/dev/project/nope.txt does not exist."`, true},
		{"PostToolUse.search_replace", "edit", "/home/dev/project/a.txt", `"The file /home/dev/project/a.txt has been updated successfully."`, false},
		{"PostToolUse.write", "write", "/home/dev/project/a.txt", `"The file /home/dev/project/a.txt has been created."`, false},
	} {
		p := wiretest.Payloads(t, "..", &Host, c.file+".json")[0]
		for _, ev := range Host.Read(&Host, p.Body, "").Events {
			if ev.Tool.Canonical != c.tool || strings.Join(ev.Tool.Paths(), " ") != c.path || string(ev.Tool.Output) != c.output || ev.Tool.Failed != c.failed {
				t.Errorf("%s: %+v %s", c.file, ev.Tool, ev.Tool.Output)
			}
		}
	}
}

// TestWithText checks that no text of the original is left in a result that is replaced.
func TestWithText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ result, want string }{
		{`{"type":"Bash","output":[65],"output_for_prompt":"A","exit_code":0}`, `{"type":"Bash","output":[],"output_for_prompt":"clean","exit_code":0}`},
		{`{"type":"ReadFile","FileContent":{"content":"1→A","content_concise":"A","raw_output":"A","total_lines":1}}`, `{"type":"ReadFile","FileContent":{"content":"clean","content_concise":"clean","raw_output":"clean","total_lines":1}}`},
		{`{"type":"Text","text":"A"}`, `{"type":"Text","text":"clean"}`},
		{`{"type":"Unknown","new":"A"}`, ``},
	} {
		got, ok := withText([]byte(c.result), "clean")
		if ok != (c.want != "") || ok && !rawjson.Equal(got, []byte(c.want)) {
			t.Errorf("%s: %s, %v", c.result, got, ok)
		}
	}
}
