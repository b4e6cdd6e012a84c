package hermes

import (
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// read reads a payload, after copying the members that the event's row needs from extra.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hook_event_name")
	}
	flat, err := rawjson.Patch(body, commonPatch(body, name))
	if err != nil || len(body) == 0 {
		return wire.Read(h, body, name)
	}
	return wire.ReadAs(h, body, flat, name)
}

// commonPatch returns the patch that converts a payload to the common form.
func commonPatch(body []byte, name string) []byte {
	o := rawjson.Object{'{'}
	extra, _ := rawjson.Get(body, "extra")
	move := func(from, to string) {
		if val, ok := rawjson.Get(extra, from); ok {
			o.Raw(to, val)
		}
	}
	switch name {
	case "on_session_start":
		o.Text("source", "startup")
		move("model", "model")
		if ui, ok := rawjson.Get(extra, "platform"); ok {
			o.Open("args")
			o.Raw("ui", ui)
			if agent, ok := rawjson.Get(body, "profile"); ok {
				o.Raw("agent", agent)
			}
			o.Close()
		}
	case "on_session_end":
		reason := "completed"
		if cut, _ := rawjson.Get(extra, "interrupted"); string(cut) == "true" {
			reason = "interrupted"
		}
		o.Text("reason", reason)
	case "pre_tool_call", "post_tool_call":
		move("tool_call_id", "tool_use_id")
		move("result", "tool_response")
		if val, ok := rawjson.Get(body, "tool_input"); name == "pre_tool_call" && (!ok || rawjson.Kind(val) == 'n') {
			o.Raw("tool_input", []byte(`""`)) // the host could not encode the arguments
		}
	case "pre_llm_call":
		move("user_message", "prompt")
		move("user_message", "last_user_message")
		move("conversation_history", "messages")
		move("model", "model_id")
	case "post_llm_call":
		move("user_message", "last_user_message")
		move("assistant_response", "stop_response")
		move("model", "model_id")
	case "pre_verify":
		move("final_response", "stop_response")
	case "subagent_start":
		move("child_role", "subagent_type")
		move("child_goal", "task_description")
		move("parent_session_id", "parent_session_id")
	case "subagent_stop":
		move("child_role", "subagent_type")
		move("child_summary", "stop_response")
		move("parent_session_id", "parent_session_id")
	case "pre_approval_request", "post_approval_response":
		writeApprovalCall(&o, extra)
		move("choice", "approval_decision")
	}
	o.Close()
	return o
}

// writeApprovalCall writes a tool call with the command about which Hermes asks the user.
func writeApprovalCall(o *rawjson.Object, extra []byte) {
	command, ok := rawjson.Get(extra, "command")
	if !ok {
		return
	}
	o.Text("tool_name", "terminal")
	o.Open("tool_input")
	o.Raw("command", command)
	o.Close()
}
