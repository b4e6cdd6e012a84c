package checkrein

import "slices"

// A FieldType is the JSON type of a payload field.
type FieldType uint8

// The field types.
const (
	AnyValue FieldType = iota
	StringValue
	NumberValue
	BoolValue
	ObjectValue
	ListValue
)

// String names the type as JSON Schema does; AnyValue is "".
func (t FieldType) String() string {
	return [...]string{"", "string", "number", "boolean", "object", "array"}[t]
}

// A Field is one member of the payload that hooks read, with the other names
// under which systems send it.
type Field struct {
	Name    string
	Type    FieldType
	Doc     string
	Aliases []string
}

// Fields returns the payload's vocabulary. Callers must not change it.
func Fields() []Field { return fields[:] }

// FieldNamed finds a field by its canonical name.
func FieldNamed(name string) (*Field, bool) {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i], true
		}
	}
	return nil, false
}

// FieldsNamed returns the canonical names of the fields that a payload member
// may mean: those called so, and those that some system calls so.
func FieldsNamed(key string) []string {
	var buf [4]string
	out := buf[:0]
	for i := range fields {
		f := &fields[i]
		if f.Name == key || slices.Contains(f.Aliases, key) {
			out = append(out, f.Name)
		}
	}
	return out
}

// CommonFields are in every payload.
func CommonFields() []string { return []string{"session_id", "cwd", "hook_event_name", "agent_name"} }

// ToolFields are in the payload of every event about a tool.
func ToolFields() []string {
	return []string{"tool_name", "tool", "tool_use_id", "tool_input", "tool_category", "tool_response", "tool_error"}
}

var fields = [...]Field{
	{"session_id", StringValue, "the session", []string{"sessionId", "sessionID", "conversation_id", "taskId"}},
	{"cwd", StringValue, "the session's working directory", []string{"work_dir"}},
	{"hook_event_name", StringValue, "the event", []string{"event", "event_type", "hookEventName"}},
	{"agent_name", StringValue, "the agent that is at work", []string{"agent_id"}},

	{"tool_name", StringValue, "the tool, in the host's words", []string{"toolName"}},
	{"tool", StringValue, "the tool, in checkrein's words: shell, read, write, …", nil},
	{"tool_use_id", StringValue, "the call", []string{"tool_call_id", "toolUseId", "toolCallId"}},
	{"tool_input", ObjectValue, "the tool's arguments; absent when they are not an object", []string{"toolInput", "toolArgs"}},
	{"tool_category", StringValue, "the kind of toolset that the tool belongs to", nil},
	{"tool_response", AnyValue, "what the tool returned, mostly text", []string{"tool_result", "tool_output", "toolResult"}},
	{"tool_error", BoolValue, "the tool failed", nil},

	{"prompt", StringValue, "what the person wrote", []string{"message"}},
	{"stop_response", StringValue, "what the model answered", []string{"response", "last_assistant_message"}},
	{"message", StringValue, "the message about to leave", []string{"notification"}},
	{"text", StringValue, "the text about to move on", nil},
	{"notification_message", StringValue, "what is reported", []string{"message"}},
	{"notification_level", StringValue, "error or warning", nil},
	{"notification_type", StringValue, "what it is about", nil},
	{"summary", StringValue, "the summary", []string{"compact_summary"}},
	{"messages", ListValue, "the conversation about to be sent", nil},

	{"source", StringValue, "what caused it: startup, resume, clear, compact; manual, auto, overflow", []string{"trigger"}},
	{"reason", StringValue, "why it ended", nil},
	{"status", StringValue, "the session's state", nil},
	{"model", StringValue, "the model", nil},
	{"model_id", StringValue, "the model, as provider/model", nil},
	{"args", ObjectValue, "how the agent was started: ui and agent", nil},
	{"channel", StringValue, "where the message comes from or goes to", nil},
	{"type", StringValue, "the kind of message", nil},
	{"system", StringValue, "the system prompt", nil},
	{"iteration", NumberValue, "which model call of this run, from 1; a summary has the number of the call that follows it", nil},
	{"last_user_message", StringValue, "what the person wrote last", nil},
	{"usage", ObjectValue, "tokens of this call; on on_response_end, of all calls of the turn", nil},
	{"cost", NumberValue, "price in US dollars of this call, on on_response_end of all calls of the turn; absent when a price is not known", nil},
	{"tokens", AnyValue, "tokens of the turn", nil},
	{"tool_names", ListValue, "the tools that the turn called, each once", nil},
	{"safety_policy", StringValue, "the session's safety policy", nil},
	{"approval_decision", StringValue, "allow, deny or canceled", nil},
	{"approval_source", StringValue, "which step decided", nil},
	{"safety_label", StringValue, "safe, destructive or unknown", nil},
	{"error", AnyValue, "why the tool failed", nil},
	{"steering_messages", ListValue, "the messages, in the order they were sent", nil},
	{"goal", StringValue, "what was to be reached", nil},
	{"stop_hook_active", BoolValue, "the agent is working on because a hook asked for it", nil},
	{"stop_reason", StringValue, "why the agent stops: no_tool_calls, tool_rejected or max_steps", nil},
	{"step_count", NumberValue, "model calls of this turn", nil},
	{"final_message", AnyValue, "the agent's last message", nil},
	{"parent_session_id", StringValue, "the session that started this one", nil},
	{"subagent_name", StringValue, "the sub-agent", nil},
	{"subagent_type", StringValue, "the sub-agent's kind", []string{"agent_type"}},
	{"task_description", StringValue, "what the sub-agent is asked to do", nil},
	{"from_agent", StringValue, "the agent that is left", nil},
	{"to_agent", StringValue, "the agent that takes over", nil},
	{"agent_switch_kind", StringValue, "transfer_task, transfer_task_return, handoff or force_handoff", nil},
	{"from_agent_models", ListValue, "the models of the agent that is left", nil},
	{"previous_max_iterations", NumberValue, "the limit that was reached", nil},
	{"new_max_iterations", NumberValue, "the limit from now on", nil},
	{"input_tokens", NumberValue, "input tokens of the session", nil},
	{"output_tokens", NumberValue, "output tokens of the session", nil},
	{"context_limit", NumberValue, "the model's context size; 0 when unknown", nil},
	{"compaction_reason", StringValue, "threshold, overflow or manual", nil},
	{"worktree_path", StringValue, "the new checkout", nil},
	{"worktree_branch", StringValue, "its branch", nil},
	{"worktree_source_dir", StringValue, "the repository that it was made from", nil},
	{"duration_seconds", NumberValue, "how long the session took, in whole seconds, since it started or was resumed", nil},
	{"total_steps", NumberValue, "model calls of the session since it started or was resumed", nil},
	{"exit_reason", StringValue, "how the session ended", nil},
	{"files", ListValue, "the files concerned", nil},
	{"findings", ListValue, "what a scan found", nil},
	{"remote", StringValue, "where the commits go", nil},
	{"refs", ListValue, "what is pushed", nil},
	{"commits", ListValue, "the commits concerned", nil},
	{"path", StringValue, "the file concerned", nil},
}
