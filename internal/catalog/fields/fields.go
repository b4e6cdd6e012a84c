// Package fields lists the members of the payload that hooks read.
package fields

import "slices"

// A Type is the JSON type of a payload field.
type Type uint8

// The field types.
const (
	AnyValue Type = iota
	StringValue
	NumberValue
	BoolValue
	ObjectValue
	ListValue
)

// String returns the name of the type in JSON Schema, or "" for AnyValue.
func (t Type) String() string {
	return [...]string{"", "string", "number", "boolean", "object", "array"}[t]
}

// A Field is a member of the payload that hooks read, with the other names that systems use for it.
type Field struct {
	Name    string
	Type    Type
	Doc     string
	Aliases []string
}

// All returns all fields of the payload. Callers must not change them.
func All() []Field { return table[:] }

// Find returns the field with this canonical name, and whether there is one.
func Find(name string) (*Field, bool) {
	for i := range table {
		if table[i].Name == name {
			return &table[i], true
		}
	}
	return nil, false
}

// CanonicalNames returns the canonical names of the fields that have key as their name or as an alias.
func CanonicalNames(key string) []string {
	var buf [4]string
	out := buf[:0]
	for i := range table {
		f := &table[i]
		if f.Name == key || slices.Contains(f.Aliases, key) {
			out = append(out, f.Name)
		}
	}
	return out
}

// CommonNames returns the names of the fields that every payload has.
func CommonNames() []string { return []string{"session_id", "cwd", "hook_event_name", "agent_name"} }

// ToolNames returns the names of the fields that the payload of every event about a tool has.
func ToolNames() []string {
	return []string{"tool_name", "tool", "tool_use_id", "tool_input", "tool_category", "tool_response", "tool_error"}
}

var table = [...]Field{
	{"session_id", StringValue, "the session's ID", []string{"sessionId", "sessionID", "conversation_id", "taskId"}},
	{"cwd", StringValue, "the session's working directory", []string{"work_dir"}},
	{"hook_event_name", StringValue, "the event's name", []string{"event", "event_type", "hookEventName"}},
	{"agent_name", StringValue, "the active agent's name", []string{"agent_id"}},

	{"tool_name", StringValue, "the name that the agent gives the tool", []string{"toolName"}},
	{"tool", StringValue, "the tool's name in checkrein: shell, read, write, …", nil},
	{"tool_use_id", StringValue, "the call's ID", []string{"tool_call_id", "toolUseId", "toolCallId"}},
	{"tool_input", ObjectValue, "the tool's arguments; absent when they are not an object", []string{"toolInput", "toolArgs"}},
	{"tool_category", StringValue, "the kind of toolset the tool belongs to", nil},
	{"tool_response", AnyValue, "what the tool returned, usually text", []string{"tool_result", "tool_output", "toolResult"}},
	{"tool_error", BoolValue, "whether the tool failed", nil},

	{"prompt", StringValue, "what the user wrote", []string{"message"}},
	{"stop_response", StringValue, "what the model answered", []string{"response", "last_assistant_message"}},
	{"message", StringValue, "the message about to be sent", []string{"notification"}},
	{"text", StringValue, "the text about to be passed on", nil},
	{"notification_message", StringValue, "the notification's text", []string{"message"}},
	{"notification_level", StringValue, "error or warning", nil},
	{"notification_type", StringValue, "the kind of notification", nil},
	{"summary", StringValue, "the summary", []string{"compact_summary"}},
	{"messages", ListValue, "the conversation about to be sent", nil},

	{"source", StringValue, "what caused the event: startup, resume, clear, compact; manual, auto, overflow", []string{"trigger"}},
	{"reason", StringValue, "why the session or turn ended", nil},
	{"status", StringValue, "the session's state", nil},
	{"model", StringValue, "the model", nil},
	{"model_id", StringValue, "the model, as provider/model", nil},
	{"args", ObjectValue, "how the agent was started: ui and agent", nil},
	{"channel", StringValue, "where the message comes from or goes to", nil},
	{"type", StringValue, "the kind of message", nil},
	{"system", StringValue, "the system prompt", nil},
	{"iteration", NumberValue, "the number of this model call in the run, from 1; a summary has the number of the call that follows it", nil},
	{"last_user_message", StringValue, "the user's last message", nil},
	{"usage", ObjectValue, "tokens of this call; on on_response_end, tokens of all calls in the turn", nil},
	{"cost", NumberValue, "cost of this call in US dollars; on on_response_end, of all calls in the turn; absent if a price is unknown", nil},
	{"tokens", AnyValue, "tokens of the turn", nil},
	{"tool_names", ListValue, "the tools called in this turn, each listed once", nil},
	{"safety_policy", StringValue, "the session's safety policy", nil},
	{"approval_decision", StringValue, "allow, deny or canceled", nil},
	{"approval_source", StringValue, "the step that decided", nil},
	{"safety_label", StringValue, "safe, destructive or unknown", nil},
	{"error", AnyValue, "why the tool failed", nil},
	{"steering_messages", ListValue, "the messages, in the order they were sent", nil},
	{"goal", StringValue, "the goal", nil},
	{"stop_hook_active", BoolValue, "whether the agent is still working because a hook told it to continue", nil},
	{"stop_reason", StringValue, "why the agent stops: no_tool_calls, tool_rejected or max_steps", nil},
	{"step_count", NumberValue, "model calls in this turn", nil},
	{"final_message", AnyValue, "the agent's last message", nil},
	{"parent_session_id", StringValue, "the ID of the session that started this one", nil},
	{"subagent_name", StringValue, "the sub-agent's name", nil},
	{"subagent_type", StringValue, "the kind of sub-agent", []string{"agent_type"}},
	{"task_description", StringValue, "what the sub-agent is asked to do", nil},
	{"from_agent", StringValue, "the agent that hands over", nil},
	{"to_agent", StringValue, "the agent that takes over", nil},
	{"agent_switch_kind", StringValue, "transfer_task, transfer_task_return, handoff or force_handoff", nil},
	{"from_agent_models", ListValue, "the models of the agent that hands over", nil},
	{"previous_max_iterations", NumberValue, "the limit that was reached", nil},
	{"new_max_iterations", NumberValue, "the new limit", nil},
	{"input_tokens", NumberValue, "the session's input tokens", nil},
	{"output_tokens", NumberValue, "the session's output tokens", nil},
	{"context_limit", NumberValue, "the model's context size; 0 when unknown", nil},
	{"compaction_reason", StringValue, "threshold, overflow or manual", nil},
	{"worktree_path", StringValue, "the new worktree's path", nil},
	{"worktree_branch", StringValue, "the new worktree's branch", nil},
	{"worktree_source_dir", StringValue, "the repository that the worktree was created from", nil},
	{"duration_seconds", NumberValue, "time since the session started or was resumed, in whole seconds", nil},
	{"total_steps", NumberValue, "the session's model calls since it started or was resumed", nil},
	{"exit_reason", StringValue, "how the session ended", nil},
	{"files", ListValue, "the files concerned", nil},
	{"findings", ListValue, "what a scan found", nil},
	{"remote", StringValue, "the remote that the commits are pushed to", nil},
	{"refs", ListValue, "the refs that are pushed", nil},
	{"commits", ListValue, "the commits concerned", nil},
	{"path", StringValue, "the file concerned", nil},
}
