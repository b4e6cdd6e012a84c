package codex

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// knownKeys are the keys that Codex 0.166.0 accepts, by event; any other invalidates the answer.
var knownKeys = map[string][]string{
	"PreToolUse":        {"hookSpecificOutput", "systemMessage", "hookSpecificOutput.permissionDecision", "hookSpecificOutput.permissionDecisionReason", "hookSpecificOutput.updatedInput", "hookSpecificOutput.additionalContext"},
	"PermissionRequest": {"hookSpecificOutput", "systemMessage", "hookSpecificOutput.decision"},
	"PostToolUse":       {"hookSpecificOutput", "systemMessage", "decision", "reason", "hookSpecificOutput.additionalContext"},
	"UserPromptSubmit":  {"hookSpecificOutput", "systemMessage", "decision", "reason", "hookSpecificOutput.additionalContext"},
	"SessionStart":      {"hookSpecificOutput", "systemMessage", "hookSpecificOutput.additionalContext"},
	"SubagentStart":     {"hookSpecificOutput", "systemMessage", "hookSpecificOutput.additionalContext"},
	"Stop":              {"systemMessage", "decision", "reason"},
	"SubagentStop":      {"systemMessage", "decision", "reason"},
	"PreCompact":        {"systemMessage", "continue", "stopReason"},
}

// simulate applies an answer as Codex does.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	if native == "" {
		native = "PreToolUse"
	}
	out := strings.TrimSpace(string(r.Stdout))
	switch {
	case r.Exit != 0 || len(r.Stderr) > 0:
		h.Rejected = "an exit code or stderr"
		return h
	case out == "":
		return h
	case rawjson.CheckObject([]byte(out)) != nil:
		h.Rejected = "not one JSON object"
		return h
	}
	allowed := knownKeys[native]
	if allowed == nil {
		allowed = []string{"systemMessage"}
	}
	rawjson.Each([]byte(out), func(key string, val []byte) bool {
		if !slices.Contains(allowed, key) {
			h.Rejected = "unknown key " + key
			return false
		}
		text, _ := rawjson.Text(val)
		switch key {
		case "systemMessage":
			h.Notice = text
		case "decision":
			if text != "block" {
				h.Rejected = "decision " + text
			}
		case "reason":
			h.Reason = text
		case "continue":
			h.Decision = checkrein.Deny
		case "stopReason":
			h.Reason = text
		case "hookSpecificOutput":
			if rawjson.GetText(val, "hookEventName") != native {
				h.Rejected = "hookEventName"
				return false
			}
			rawjson.Each(val, func(key string, val []byte) bool { return readSpecific(&h, allowed, key, val) })
		}
		return h.Rejected == ""
	})
	if _, blocks := rawjson.Get([]byte(out), "decision"); blocks && h.Rejected == "" {
		applyBlock(&h, native)
	}
	if (native == "PreToolUse" || native == "PermissionRequest") && h.Decision == checkrein.Deny && strings.TrimSpace(h.Reason) == "" {
		h.Rejected = "a denial without a reason"
	}
	if native == "PreToolUse" && h.Decision == checkrein.Allow {
		if h.Input == nil {
			h.Rejected = "a bare allow"
		}
		h.Decision = checkrein.NoOpinion // the effect is the same
	}
	return h
}

func readSpecific(h *wiretest.Reaction, allowed []string, key string, val []byte) bool {
	if key == "hookEventName" {
		return true
	}
	if !slices.Contains(allowed, "hookSpecificOutput."+key) {
		h.Rejected = "unknown key " + key
		return false
	}
	text, _ := rawjson.Text(val)
	switch key {
	case "permissionDecision":
		d, _ := hookfile.ParseDecision(text)
		if d != checkrein.Allow && d != checkrein.Deny {
			h.Rejected = "permissionDecision " + text
		}
		h.Decision = d
	case "permissionDecisionReason":
		h.Reason = text
	case "updatedInput":
		h.Input = val
	case "additionalContext":
		h.Context = text
	case "decision":
		h.Decision, _ = hookfile.ParseDecision(rawjson.GetText(val, "behavior"))
		h.Reason = rawjson.GetText(val, "message")
	}
	return h.Rejected == ""
}

func applyBlock(h *wiretest.Reaction, native string) {
	if strings.TrimSpace(h.Reason) == "" {
		h.Rejected = "a block without a reason"
		return
	}
	switch native {
	case "Stop", "SubagentStop":
		h.Redo = h.Reason
	case "PostToolUse":
		h.Output = rawjson.Quote(h.Reason)
	default:
		h.Decision = checkrein.Deny
	}
}

// TestNoticeBesideOtherKeys checks that a notice is sent beside other keys on events where Codex was
// seen to accept both.
func TestNoticeBesideOtherKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		native, body string
		v            checkrein.Verdict
		want         string
	}{
		{"PreToolUse", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no", Notice: []string{"n"}},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"},"systemMessage":"n"}`},
		{"UserPromptSubmit", `{"prompt":"p"}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no", Notice: []string{"n"}},
			`{"decision":"block","reason":"no","systemMessage":"n"}`},
		{"PermissionRequest", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no", Notice: []string{"n"}},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`},
		{"PreCompact", `{"trigger":"auto"}`, checkrein.Verdict{Notice: []string{"n"}}, `{"systemMessage":"n"}`},
	} {
		call := Host.Read(&Host, []byte(c.body), c.native)
		reply := Host.Encode(&call, []engine.Outcome{{Event: call.Events[0], Verdict: c.v}})
		if got := strings.TrimSpace(string(reply.Stdout)); got != c.want {
			t.Errorf("%s: %s, want %s", c.native, got, c.want)
		}
	}
}
