package dockeragent

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

// The keys that each event accepts with strict_output.
var (
	blocks   = []string{"user_prompt_submit", "user_steering_messages_submit", "user_followup_submit", "before_llm_call", "tool_input_transform", "post_tool_use", "pre_compact", "before_compaction", "worktree_create"}
	contexts = []string{"session_start", "user_prompt_submit", "user_steering_messages_submit", "user_followup_submit", "turn_start", "pre_compact", "worktree_create"}
	decides  = []string{"pre_tool_use", "tool_guard", "permission_request"}
)

// simulate applies an answer as docker-agent does at its strictest: a key that the event does not use
// is an error, and before tools only permission_decision counts.
func simulate(native string, payload []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	out := []byte(strings.TrimSpace(string(r.Stdout)))
	switch {
	case r.Exit != 0:
		h.Rejected = "an exit code other than 0"
		return h
	case len(out) == 0:
		return h
	case rawjson.CheckObject(out) != nil:
		h.Rejected = "not one JSON object"
		return h
	}
	m := reader{h: &h, native: native, payload: payload}
	rawjson.Each(out, m.readTop)
	return h
}

type reader struct {
	h       *wiretest.Reaction
	native  string
	payload []byte
}

func (m *reader) applyBlock(reason string) {
	if m.native == "post_tool_use" {
		m.h.Stopped = true
		return
	}
	m.h.Decision = checkrein.Deny
	if reason != "" {
		m.h.Reason = reason
	}
}

func (m *reader) readTop(key string, val []byte) bool {
	h, can := m.h, m.native == "" || slices.Contains(blocks, m.native)
	text, _ := rawjson.Text(val)
	switch {
	case key == "system_message":
		h.Notice = text
	case key == "decision" && text == "block" && can:
		m.applyBlock("")
	case key == "reason" && can:
		h.Reason = text
	case key == "continue" && string(val) == "false" && can:
		h.Stopped = true
	case key == "stop_reason" && can:
	case key == "hook_specific_output":
		rawjson.Each(val, m.readSpecific)
	default:
		h.Rejected = "the key " + key + " means nothing on " + m.native
	}
	return h.Rejected == ""
}

func (m *reader) readSpecific(key string, val []byte) bool {
	h := m.h
	text, _ := rawjson.Text(val)
	permission := m.native == "" || slices.Contains(decides, m.native)
	switch {
	case key == "permission_decision" && permission:
		d, ok := hookfile.ParseDecision(text)
		if !ok || d == checkrein.NoOpinion || d == checkrein.Allow && m.native != "permission_request" {
			h.Rejected = "permission_decision is " + text
		}
		h.Decision = d
	case key == "permission_decision_reason" && permission:
		h.Reason = text
	case key == "metadata" && permission:
		rawjson.Each(val, func(_ string, val []byte) bool {
			if rawjson.Kind(val) != '"' {
				h.Rejected = "metadata that is no text"
			}
			return true
		})
	case key == "updated_input" && m.native == "tool_input_transform":
		was, _ := rawjson.Get(m.payload, "tool_input")
		h.Input, _ = rawjson.Patch(was, val)
	case key == "updated_tool_response" && m.native == "tool_response_transform" && rawjson.Kind(val) == '"':
		h.Output = val
	case key == "updated_messages" && m.native == "before_llm_call":
	case key == "summary" && m.native == "before_compaction":
	case key == "additional_context" && slices.Contains(contexts, m.native):
		h.Context = text
	default:
		h.Rejected = "the key hook_specific_output." + key + " means nothing on " + m.native
	}
	return h.Rejected == ""
}

func encodeVerdict(t *testing.T, body string, v checkrein.Verdict) []byte {
	t.Helper()
	call := Host.Read(&Host, []byte(body), "")
	v, _ = checkrein.Clamp(v, checkrein.ContractOf(call.Events[0].Kind), Host.Honours(call.Native, call.Events[0].Kind))
	if call.Err != nil {
		t.Fatal(call.Err)
	}
	return Host.Encode(&call, []engine.Outcome{{Event: call.Events[0], Verdict: v}}).Stdout
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	tool := `,"tool_name":"shell","tool_input":{"cmd":"ls","cwd":"."}}`
	for _, c := range []struct {
		name, body string
		v          checkrein.Verdict
		want       string
	}{
		{"metadata for the prompt", `{"hook_event_name":"pre_tool_use"` + tool, checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?", Metadata: map[string]string{"category": "x", "blast_radius": "high"}},
			`{"hook_specific_output":{"permission_decision":"ask","permission_decision_reason":"sure?","metadata":{"blast_radius":"high","category":"x"}}}`},
		{"messages", `{"hook_event_name":"before_llm_call","messages":[]}`, checkrein.Verdict{Messages: []byte(`[{"role":"user"}]`)}, `{"hook_specific_output":{"updated_messages":[{"role":"user"}]}}`},
		{"halt", `{"hook_event_name":"before_llm_call","messages":[]}`, checkrein.Verdict{Halt: true, Reason: "budget"}, `{"continue":false,"stop_reason":"budget"}`},
		{"summary", `{"hook_event_name":"before_compaction"}`, checkrein.Verdict{Summary: "s"}, `{"hook_specific_output":{"summary":"s"}}`},
		{"a response is a text", `{"hook_event_name":"tool_response_transform","tool_response":{"a":1}` + tool, checkrein.Verdict{Output: []byte(`{"a":2}`)}, `{"hook_specific_output":{"updated_tool_response":"{\"a\":2}"}}`},
		{"an emptied response", `{"hook_event_name":"tool_response_transform","tool_response":"x"` + tool, checkrein.Verdict{Output: []byte(`""`)}, `{"hook_specific_output":{"updated_tool_response":""}}`},
	} {
		if got := encodeVerdict(t, c.body, c.v); !rawjson.Equal(got, []byte(c.want)) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	if got := encodeVerdict(t, `{"hook_event_name":"pre_tool_use"`+tool, checkrein.Verdict{Input: []byte(`{"cmd":"ls -l"}`)}); rawjson.GetText(got, "system_message") == "" {
		t.Errorf("a rewrite is lost on this lane, and nobody is told: %s", got)
	}
}

func TestRemovedArguments(t *testing.T) {
	t.Parallel()
	got := encodeVerdict(t, `{"hook_event_name":"tool_input_transform","tool_name":"shell","tool_input":{"cmd":"ls","cwd":"."}}`, checkrein.Verdict{Input: []byte(`{"cmd":"ls -l"}`)})
	if want := `{"hook_specific_output":{"updated_input":{"cmd":"ls -l","cwd":null}}}`; !rawjson.Equal(got, []byte(want)) {
		t.Errorf("%s", got)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	if tool := Host.Read(&Host, []byte(`{"hook_event_name":"pre_tool_use","tool_name":"run_background_job","tool_input":{"cmd":"ls"}}`), "").Events[0].Tool; tool.Command() != "ls" {
		t.Errorf("%+v", tool)
	}
	for body, want := range map[string]int{`{"hook_event_name":"post_tool_use","tool_name":"x"}`: 1, `{"hook_event_name":"post_tool_use","tool_name":"x","tool_error":true}`: 2} {
		if call := Host.Read(&Host, []byte(body), ""); len(call.Events) != want {
			t.Errorf("%s: %d events", body, len(call.Events))
		}
	}
}

// TestEveryMessageIsAPrompt checks that steering and follow-up messages are prompts for hooks of other
// systems, so that a guard on prompts checks them.
func TestEveryMessageIsAPrompt(t *testing.T) {
	for native, payload := range map[string]string{
		"user_steering_messages_submit": `{"hook_event_name":"user_steering_messages_submit","steering_messages":["faster","with my key"]}`,
		"user_followup_submit":          `{"hook_event_name":"user_followup_submit","prompt":"faster\nwith my key"}`,
	} {
		c := Host.Read(&Host, []byte(payload), "")
		if len(c.Events) != 2 || c.Events[0].Kind != checkrein.UserPromptSubmit || c.Events[0].Text != "faster\nwith my key" || c.Events[1].Kind.String() != native {
			t.Fatalf("%s: %+v", native, c.Events)
		}
		for dialect, want := range map[string]bool{"native": true, "claude": true, "starchild": true, "hookmd": true, "docker-agent": false} {
			h := checkrein.Hook{On: checkrein.UserPromptSubmit, Dialect: dialect, Exact: dialect == "docker-agent"}
			if h.Hears(&c.Events[0]) != want {
				t.Errorf("%s: a hook of %s hears it: %v", native, dialect, !want)
			}
		}
	}
}
