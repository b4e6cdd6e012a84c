package qwen

import (
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// knownKeys are the keys that Qwen Code 0.24.4 uses, by event. It ignores all others, but checkrein
// must not write them.
var knownKeys = map[string][]string{
	"PreToolUse":         {"decision", "reason", "continue", "stopReason", "hookSpecificOutput.permissionDecision", "hookSpecificOutput.permissionDecisionReason"},
	"PermissionRequest":  {"hookSpecificOutput.decision"},
	"PostToolUse":        {"continue", "stopReason", "hookSpecificOutput.additionalContext"},
	"PostToolUseFailure": {"hookSpecificOutput.additionalContext"},
	"SessionStart":       {"hookSpecificOutput.additionalContext"},
	"UserPromptSubmit":   {"decision", "reason", "hookSpecificOutput.additionalContext"},
	"Stop":               {"decision", "reason"},
	"SubagentStop":       {"decision", "reason"},
}

// A mergedAnswer is the merged answer of all hooks.
type mergedAnswer struct {
	decision, reason, stopReason, message string
	stops                                 bool
	specific                              map[string][]byte
}

// simulate applies an answer as Qwen Code 0.24.4 does.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	return simulateAll(native, r)
}

// simulateAll applies the answers of several hooks.
func simulateAll(native string, replies ...wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	if native == "" {
		native = "PreToolUse"
	}
	s := mergedAnswer{specific: map[string][]byte{}}
	for _, r := range replies {
		out := strings.TrimSpace(string(r.Stdout))
		switch {
		case r.Exit != 0 || len(r.Stderr) > 0:
			h.Rejected = "an exit code or stderr"
		case out == "":
		case rawjson.CheckObject([]byte(out)) != nil:
			h.Rejected = "text that is no JSON is an allow"
		default:
			h.Rejected = s.merge(native, []byte(out))
		}
	}
	h.Notice = s.message
	s.apply(&h, native)
	return h
}

// merge merges an answer into the others as Qwen Code does: any block blocks, any stop stops, and the
// last hookSpecificOutput counts. It returns what is wrong with the answer, or "".
func (s *mergedAnswer) merge(native string, out []byte) (bad string) {
	known := func(key string) {
		if !slices.Contains(knownKeys[native], key) {
			bad = "the key " + key + " means nothing on " + native
		}
	}
	rawjson.Each(out, func(key string, val []byte) bool {
		text, isText := rawjson.Text(val)
		if key != "systemMessage" && key != "hookSpecificOutput" {
			known(key)
		}
		switch key {
		case "systemMessage":
			s.message = text
		case "decision":
			if s.decision != "block" && s.decision != "deny" {
				s.decision = text
			}
		case "reason":
			s.reason = strings.TrimPrefix(s.reason+"\n"+text, "\n")
		case "stopReason":
			s.stopReason = text
		case "continue":
			s.stops, isText = s.stops || string(val) == "false", true
		case "hookSpecificOutput":
			isText = true
			rawjson.Each(val, func(key string, val []byte) bool {
				if key != "hookEventName" {
					known("hookSpecificOutput." + key)
				}
				s.specific[key] = val
				return true
			})
		}
		if !isText {
			bad = key + " is no text"
		}
		return true
	})
	return bad
}

func (s *mergedAnswer) getText(key string) string {
	text, _ := rawjson.Text(s.specific[key])
	return text
}

// modelContext returns the context that the model gets, with entities decoded.
func (s *mergedAnswer) modelContext() string {
	return html.UnescapeString(strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(s.getText("additionalContext")))
}

func (s *mergedAnswer) apply(h *wiretest.Reaction, native string) {
	blocks := s.decision == "block" || s.decision == "deny"
	effective := s.stopReason
	if effective == "" {
		effective = s.reason
	}
	switch native {
	case "PreToolUse":
		decision, reason := s.getText("permissionDecision"), s.getText("permissionDecisionReason")
		if decision == "" && blocks {
			decision, reason = "deny", s.reason
		}
		switch {
		case decision == "deny" || decision == "ask": // an ask is a denial
			h.Decision, h.Reason = checkrein.Deny, reason
		case s.stops:
			h.Decision, h.Reason = checkrein.Deny, effective
		}
	case "PermissionRequest":
		decision, ok := s.specific["decision"]
		if !ok {
			break
		}
		h.Decision, h.Reason = checkrein.Deny, rawjson.GetText(decision, "message")
		if rawjson.GetText(decision, "behavior") == "allow" {
			h.Decision, h.Reason = checkrein.Allow, ""
		}
	case "PostToolUse":
		if s.stops {
			h.Output = rawjson.Quote(effective) // and context is lost
			break
		}
		h.Context = s.modelContext()
	case "PostToolUseFailure", "SessionStart":
		h.Context = s.modelContext()
	case "Stop", "SubagentStop":
		if blocks || s.stops {
			h.Redo = effective
		}
	case "UserPromptSubmit":
		if blocks || s.stops {
			h.Decision, h.Reason = checkrein.Deny, effective
			break
		}
		h.Context = s.modelContext()
	}
}

func answerTo(t *testing.T, body string, verdicts ...checkrein.Verdict) wire.Reply {
	t.Helper()
	call := Host.Read(&Host, []byte(body), "")
	outs := make([]engine.Outcome, len(verdicts))
	for i := range outs {
		outs[i] = engine.Outcome{Event: call.Events[i], Verdict: verdicts[i]}
	}
	return Host.Encode(&call, outs)
}

const before = `{"hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"command":"x"}}`

func TestDenialSurvivesPeers(t *testing.T) {
	t.Parallel()
	ours := answerTo(t, before, checkrein.Verdict{Decision: checkrein.Deny, Reason: "not here"})
	for _, peer := range []string{
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine"}}`,
		`{"decision":"allow"}`, `{"continue":true}`, `{"hookSpecificOutput":{"permissionDecision":"ask"}}`, `{}`,
	} {
		theirs := wire.Reply{Stdout: []byte(peer)}
		for _, order := range [][]wire.Reply{{ours, theirs}, {theirs, ours}} {
			if h := simulateAll("PreToolUse", order...); h.Decision != checkrein.Deny {
				t.Errorf("%s beside it: %+v", peer, h)
			}
		}
	}
}

func TestAskIsADenial(t *testing.T) {
	t.Parallel()
	v, _ := checkrein.Clamp(checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?"}, checkrein.ContractOf(checkrein.PreToolUse), Host.Honours("PreToolUse", checkrein.PreToolUse))
	if h := simulateAll("PreToolUse", answerTo(t, before, v)); h.Decision != checkrein.Deny || h.Reason != "sure?" {
		t.Errorf("%+v", h)
	}
}

func TestEmptyPromptIsNoPrompt(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]checkrein.Kind{
		`{"hook_event_name":"UserPromptSubmit","prompt":""}`:                          {checkrein.Other},
		`{"hook_event_name":"UserPromptSubmit","prompt":" \n"}`:                       {checkrein.Other},
		`{"hook_event_name":"UserPromptSubmit"}`:                                      {checkrein.Other},
		`{"hook_event_name":"UserPromptSubmit","prompt":"go"}`:                        {checkrein.UserPromptSubmit, checkrein.TurnStart},
		`{"hook_event_name":"SessionStart","source":"resume"}`:                        {checkrein.SessionStart, checkrein.OnSessionResume},
		`{"hook_event_name":"SessionStart","source":"startup"}`:                       {checkrein.SessionStart},
		`{"hook_event_name":"Notification","notification_type":"idle_prompt"}`:        {checkrein.Notification, checkrein.OnUserInput},
		`{"hook_event_name":"Notification","notification_type":"auth_success"}`:       {checkrein.Notification},
		`{"hook_event_name":"BeforeTool","tool_name":"run_shell_command"}`:            {checkrein.Other},
		`{"hook_event_name":"PostToolUse","tool_name":"x","tool_response":{"a":"b"}}`: {checkrein.ToolResponseTransform, checkrein.PostToolUse},
	} {
		call := Host.Read(&Host, []byte(body), "")
		var got []checkrein.Kind
		for _, ev := range call.Events {
			got = append(got, ev.Kind)
		}
		if !slices.Equal(got, want) || call.Err != nil || call.IsGate() {
			t.Errorf("%s: %v, %v", body, got, call.Err)
		}
	}
	call := Host.Read(&Host, []byte(`{"hook_event_name":"UserPromptSubmit","prompt":[1]}`), "")
	if call.Err == nil || call.Events[0].Kind != checkrein.UserPromptSubmit {
		t.Errorf("a prompt that is no text: %v %v", call.Err, call.Events[0].Kind)
	}
}

func TestReadOutput(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]string{
		`"plain"`:                             `"plain"`,
		`{"llmContent":"out","error":1}`:      `"out"`,
		`{"llmContent":""}`:                   `""`,
		`{"llmContent":[{"text":"a"},"b"]}`:   `"a\nb"`,
		`{"llmContent":{"text":"a"}}`:         `"a"`,
		`{"llmContent":[{"inlineData":{}}]}`:  `[{"inlineData":{}}]`,
		`{"llmContent":{"functionCall":"f"}}`: `{"functionCall":"f"}`,
		`{"other":1}`:                         `{"other":1}`,
		`[1]`:                                 `[1]`,
	} {
		call := Host.Read(&Host, []byte(`{"hook_event_name":"PostToolUse","tool_name":"x","tool_use_id":"c1","tool_response":`+response+`}`), "")
		if got := call.Events[0].Tool; string(got.Output) != want || got.CallID != "c1" || call.Err != nil {
			t.Errorf("%s: %s, %v", response, got.Output, call.Err)
		}
	}
}

func TestOutputIsReplacedByAStop(t *testing.T) {
	t.Parallel()
	const after = `{"hook_event_name":"PostToolUse","tool_name":"x","tool_input":{},"tool_response":{"llmContent":"Output: key","returnDisplay":"key"}}`
	quote := rawjson.Quote
	for _, c := range []struct {
		name            string
		rows            []checkrein.Verdict
		output, context string
	}{
		{"replaced", []checkrein.Verdict{{Output: quote("Output: ***")}, {}}, "Output: ***", ""},
		{"emptied", []checkrein.Verdict{{Output: quote("")}, {}}, "(no output)", ""},
		{"a list", []checkrein.Verdict{{Output: []byte(`[{"text":"a"},{"inlineData":{}}]`)}, {}}, "a\n(content that is not text was left out)", ""},
		{"with context", []checkrein.Verdict{{Output: quote("***")}, {Context: []string{"look", "here"}}}, "***\nlook\nhere", ""},
		{"with a note", []checkrein.Verdict{{Output: quote("Output: key\nnote")}, {Context: []string{"more"}}}, "", "note\nmore"},
		{"denied", []checkrein.Verdict{{}, {Decision: checkrein.Deny, Reason: "enough"}}, "enough", ""},
		{"replaced and denied", []checkrein.Verdict{{Output: quote("***")}, {Decision: checkrein.Deny, Reason: "enough"}}, "enough\n***", ""},
	} {
		h := simulateAll("PostToolUse", answerTo(t, after, c.rows...))
		if text, _ := rawjson.Text(h.Output); text != c.output || h.Context != c.context || h.Rejected != "" {
			t.Errorf("%s: %+v", c.name, h)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const permission = `{"hook_event_name":"PermissionRequest","tool_name":"x","tool_input":{}}`
	for _, c := range []struct {
		name, body string
		v          checkrein.Verdict
		want       string
	}{
		{"a denial in every form", before, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"},
			`{"decision":"deny","reason":"no","continue":false,"stopReason":"no","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`},
		{"no word without a decision", permission, checkrein.Verdict{Notice: []string{"n"}}, ""},
		{"allowed", permission, checkrein.Verdict{Decision: checkrein.Allow},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`},
		{"going on, without a stop", `{"hook_event_name":"Stop"}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "test it", Redo: "test it"},
			`{"decision":"block","reason":"test it"}`},
		{"an empty prompt", `{"hook_event_name":"UserPromptSubmit","prompt":""}`, checkrein.Verdict{}, ""},
		{"a failure", `{"hook_event_name":"PostToolUseFailure","tool_name":"x"}`, checkrein.Verdict{Decision: checkrein.Deny, Reason: "enough", Context: []string{"c"}},
			`{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"enough\nc"}}`},
	} {
		if out := answerTo(t, c.body, c.v); strings.TrimSpace(string(out.Stdout)) != c.want {
			t.Errorf("%s: %s", c.name, out.Stdout)
		}
	}
}

func TestStopFailureReason(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"hook_event_name":"StopFailure","error":"rate_limit","error_details":"429"}`: "429",
		`{"hook_event_name":"StopFailure","error":"rate_limit"}`:                       "rate_limit",
	} {
		if ev := Host.Read(&Host, []byte(body), "").Events[0]; ev.Text != want || ev.Kind != checkrein.OnError {
			t.Errorf("%s: %v %q", body, ev.Kind, ev.Text)
		}
	}
}
