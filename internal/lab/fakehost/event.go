package fakehost

import "encoding/json"

// An event is what hooks read, with the members of the real host in their order.
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
	ToolCalls    []batched       `json:"tool_calls,omitempty"`
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

// batched is a call in PostToolBatch.
type batched struct {
	ToolName     string          `json:"tool_name"`
	ToolInput    json.RawMessage `json:"tool_input"`
	ToolUseID    string          `json:"tool_use_id"`
	ToolResponse any             `json:"tool_response"`
}

// event begins one that is not of a turn.
func (s *session) event(name string) event {
	return event{SessionID: s.id, TranscriptPath: s.transcriptPath(), Cwd: s.cwd, Name: name}
}

// event begins one of a turn, in a sub-agent as the case may be.
func (c *conversation) event(name string) event {
	e := c.session.event(name)
	e.PromptID, e.PermissionMode, e.Effort = c.log.prompt, c.session.options.mode, &effort{"medium"}
	if c.agent != nil {
		e.AgentID, e.AgentType = c.agent.id, c.agent.kind
	}
	return e
}

// subject is what matchers look at.
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

// title is how the model and the transcript name the event.
func (e *event) title() string {
	if e.ToolName != "" {
		return e.Name + ":" + e.ToolName
	}
	return e.Name
}
