package checkrein

import (
	"cmp"
	"encoding/json"
	"sync"
)

// An Event is something that an agent reports before or after it acts. Raw is what the host sent, byte
// for byte; the other fields are read from it. An Event is passed by value; its slices must not be
// written to.
type Event struct {
	Kind     Kind            `json:"kind"`             // a row of the contract table, or Other
	Host     string          `json:"host,omitempty"`   // a row of the host table; "" = native
	Native   string          `json:"native,omitempty"` // the host's own name for this event
	Session  Session         `json:"session"`
	Tool     *Tool           `json:"tool,omitempty"`     // set if the row's subject is a tool
	Text     string          `json:"text,omitempty"`     // the prompt, reply, message or summary that the row is about
	Messages json.RawMessage `json:"messages,omitempty"` // the conversation, if the row is about it
	Details  []Detail        `json:"details,omitempty"`  // further members of the payload, by canonical field name
	Raw      json.RawMessage `json:"-"`
	// Shared holds values that the handlers of one event share, under keys of
	// unexported types. Copies of an event share it. The engine sets it; it may be nil.
	Shared *sync.Map `json:"-"`
}

// A Session is the session that an event belongs to.
type Session struct {
	ID    string `json:"id,omitempty"`    // "" = unknown; no state is kept for such a session
	Dir   string `json:"dir,omitempty"`   // working directory
	Root  string `json:"root,omitempty"`  // the directory in which it began and in which hooks run; "" = Dir
	Agent string `json:"agent,omitempty"` // the active agent
	// AgentName is the agent's name, if Agent is an ID.
	AgentName string `json:"agent_name,omitempty"`
}

// ActiveAgent returns the name of the active agent, or its ID if the name is unknown.
func (s *Session) ActiveAgent() string { return cmp.Or(s.AgentName, s.Agent) }

// A Detail is a member of the payload that has no field in [Event].
type Detail struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// Detail returns the value of the payload member called name, or nil if it is missing.
func (ev *Event) Detail(name string) json.RawMessage {
	for i := range ev.Details {
		if ev.Details[i].Name == name {
			return ev.Details[i].Value
		}
	}
	return nil
}

// Meanwhile reports whether the event is a prompt that the person sent while the agent worked, to
// steer it or to answer its question. Such a prompt belongs to the current turn and does not begin a
// new one.
func (ev *Event) Meanwhile() bool {
	return ev.Kind == UserPromptSubmit && (ev.Native == contracts[UserSteeringMessagesSubmit].Name || ev.Native == contracts[OnUserInput].Name)
}

// A Tool is a tool call. Programs that create events set Name and Input, CallID if calls have IDs, and
// after the call Output and Failed.
//
// Arguments may have the names that any known agent uses: command, cmd or script for a command line;
// path, file_path or filename for a file; content or file_text for what is written, old_string and
// new_string for an edit. Case and separators do not matter. See [Tool.Arg].
type Tool struct {
	Name      string          `json:"name"`                // the host's name
	Canonical string          `json:"canonical,omitempty"` // checkrein's name, which the engine fills in; "" = it has none
	Category  string          `json:"category,omitempty"`  // the toolset's kind: filesystem, shell, mcp, …
	CallID    string          `json:"call_id,omitempty"`   // pairs the events of one call
	Input     json.RawMessage `json:"input,omitempty"`     // the arguments, a JSON object; nil if they are something else
	Output    json.RawMessage `json:"output,omitempty"`    // the tool's result, any JSON value; nil before it ran
	Failed    bool            `json:"failed,omitempty"`
}
