package fakehost

import "encoding/json"

// An event is the payload that hooks read, with the members of the real host in their order.
type event struct {
	SessionID      string  `json:"session_id"`
	TranscriptPath string  `json:"transcript_path"`
	Cwd            string  `json:"cwd"`
	PromptID       string  `json:"prompt_id,omitempty"`
	PermissionMode string  `json:"permission_mode,omitempty"`
	AgentID        string  `json:"agent_id,omitempty"`
	AgentType      string  `json:"agent_type,omitempty"`
	Effort         *effort `json:"effort,omitempty"`
	Name           string  `json:"hook_event_name"`

	Source string  `json:"source,omitempty"`
	Prompt *string `json:"prompt,omitempty"`

	ToolName     string          `json:"tool_name,omitempty"`
	ToolInput    json.RawMessage `json:"tool_input,omitempty"`
	ToolResponse any             `json:"tool_response,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Error        string          `json:"error,omitempty"`
	IsInterrupt  *bool           `json:"is_interrupt,omitempty"`
	DurationMS   *int64          `json:"duration_ms,omitempty"`
	ToolCalls    []batchedCall   `json:"tool_calls,omitempty"`
	Suggestions  *[]any          `json:"permission_suggestions,omitempty"`

	StopHookActive  *bool   `json:"stop_hook_active,omitempty"`
	AgentTranscript string  `json:"agent_transcript_path,omitempty"`
	LastMessage     *string `json:"last_assistant_message,omitempty"`
	BackgroundTasks *[]task `json:"background_tasks,omitempty"`
	SessionCrons    *[]any  `json:"session_crons,omitempty"`

	Reason string `json:"reason,omitempty"`
}

type effort struct {
	Level string `json:"level"`
}

// A batchedCall is one call in the payload of PostToolBatch.
type batchedCall struct {
	ToolName     string          `json:"tool_name"`
	ToolInput    json.RawMessage `json:"tool_input"`
	ToolUseID    string          `json:"tool_use_id"`
	ToolResponse any             `json:"tool_response"`
}

// newEvent returns an event of the session that belongs to no turn.
func (s *session) newEvent(name string) event {
	return event{SessionID: s.id, TranscriptPath: s.transcriptPath(), Cwd: s.cwd, Name: name}
}

// newEvent returns an event of the current turn. In a sub-agent it carries the sub-agent's id and
// type.
func (c *conversation) newEvent(name string) event {
	e := c.session.newEvent(name)
	e.PromptID, e.PermissionMode, e.Effort = c.log.prompt, c.session.options.mode, &effort{"medium"}
	if c.agent != nil {
		e.AgentID, e.AgentType = c.agent.id, c.agent.kind
	}
	return e
}

// subject returns the text that matchers are compared with.
func (e *event) subject() string {
	switch e.Name {
	case "SessionStart":
		return e.Source
	case "SessionEnd":
		return e.Reason
	case "SubagentStart", "SubagentStop":
		return e.AgentType
	case "StopFailure":
		return e.Error
	}
	return e.ToolName
}

// title returns the event's name as it is written for the model and in the transcript: with the tool's
// name, if there is one.
func (e *event) title() string {
	if e.ToolName != "" {
		return e.Name + ":" + e.ToolName
	}
	return e.Name
}
