package copilot

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// simulate applies an answer as Copilot CLI 1.0.102 does.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	h := wiretest.Reaction{Notice: strings.TrimSpace(string(r.Stderr))}
	out := strings.TrimSpace(string(r.Stdout))
	tool := native == "preToolUse" || native == "PreToolUse" || native == ""
	if out != "" && rawjson.CheckObject([]byte(out)) != nil {
		h.Rejected = "not one JSON object"
		return h
	}
	get := func(key string) string { return rawjson.GetText([]byte(out), key) }
	allowed := []string{"additionalContext"}
	switch {
	case tool:
		allowed = append(allowed, "permissionDecision", "permissionDecisionReason", "modifiedArgs")
		if d, ok := hookfile.ParseDecision(get("permissionDecision")); ok {
			h.Decision, h.Reason = d, get("permissionDecisionReason")
		}
		if r.Exit != 0 && h.Decision != checkrein.Deny {
			h.Decision, h.Reason = checkrein.Deny, "hook errored"
		}
		if val, ok := rawjson.Get([]byte(out), "modifiedArgs"); ok {
			h.Input = val
		}
	case r.Exit != 0:
		h.Rejected = "an exit code other than 0"
	case strings.EqualFold(native, "permissionRequest"):
		allowed = []string{"behavior", "message"}
		h.Decision, _ = hookfile.ParseDecision(get("behavior"))
		h.Reason = get("message")
	case strings.EqualFold(native, "postToolUse"):
		allowed = append(allowed, "modifiedResult", "decision", "reason")
		if get("decision") == "block" {
			h.Output = rawjson.Quote("Tool result blocked: " + get("reason"))
		}
		if val, ok := rawjson.Lookup([]byte(out), "modifiedResult", "textResultForLlm"); ok {
			h.Output = val
		}
	case slices.Contains([]string{"agentStop", "Stop", "subagentStop", "SubagentStop"}, native):
		allowed = []string{"decision", "reason"}
		if get("decision") == "block" {
			h.Redo = get("reason")
		}
	case native == "userPromptSubmitted" || native == "UserPromptSubmit":
		allowed = append(allowed, "modifiedPrompt", "decision", "reason")
		if get("decision") == "block" {
			h.Decision, h.Reason = checkrein.Deny, get("reason")
		}
		if val, ok := rawjson.Get([]byte(out), "modifiedPrompt"); ok {
			h.Output = val
		}
	}
	h.Context = get("additionalContext")
	rawjson.Each([]byte(out), func(key string, _ []byte) bool {
		if !slices.Contains(allowed, key) {
			h.Rejected = "the key " + key + " means nothing here"
		}
		return true
	})
	return h
}

// TestDenialIsSentTwice checks that Copilot finds a denial in each of the two ways in which it reads
// one.
func TestDenialIsSentTwice(t *testing.T) {
	t.Parallel()
	for _, native := range []string{"preToolUse", "PreToolUse"} {
		c := Host.Read(&Host, []byte(`{"toolName":"bash","toolArgs":{"command":"x"}}`), native)
		r := Host.Encode(&c, wiretest.DeniedOutcomes(&c, "no"))
		if r.Exit != 2 || rawjson.GetText(r.Stdout, "permissionDecision") != "deny" || rawjson.GetText(r.Stdout, "permissionDecisionReason") != "no" {
			t.Errorf("%s: %d %s", native, r.Exit, r.Stdout)
		}
	}
}
