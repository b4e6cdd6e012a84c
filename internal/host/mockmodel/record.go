package mockmodel

import (
	"encoding/json"
	"slices"
	"strings"
)

// A Protocol is a way to talk to a model.
type Protocol string

// The protocols that the server speaks.
const (
	Anthropic Protocol = "anthropic"
	Responses Protocol = "responses"
	Chat      Protocol = "chat"
	Gemini    Protocol = "gemini"
)

// A Request is one call that arrived at the server. Its slices are shared with
// the record and only to be read.
type Request struct {
	N            int // from 1, in order of arrival
	Method, Path string
	Body         []byte
	Key          string // what was sent as the key, whatever its header
	Agent        string // who sent it, by its own word: the header User-Agent
	// Outside is whom an agent tried to reach through us, who let it not.
	Outside string
	// Protocol is "" for a call that asks for no answer of the model, such as
	// a list of models; all fields below are then zero.
	Protocol Protocol
	Model    string
	Stream   bool
	Tools    []Tool    // what the agent offers
	Messages []Message // the conversation, instructions included
	// Schema is the JSON schema that the text of the answer must have; nil if the
	// agent asks for no structured output.
	Schema json.RawMessage
	// Side is set if the request offered no tools, so that it took no turn.
	Side bool
	// Turn is the number of the turn that was the answer, from 0; -1 if none.
	Turn int
	// Try counts how often this conversation arrived, from 1.
	Try int
}

// A Message is one entry of a conversation in a form common to all protocols.
type Message struct {
	Role    string // as the protocol spells it; "system" for instructions apart
	Texts   []string
	Calls   []ToolCall
	Results []ToolResult
}

// A ToolCall is a call as the agent tells it back to the model.
type ToolCall struct {
	ID, Name string
	Args     string // JSON, or the text of a free-form call
}

// A ToolResult is what an agent says that came of a call.
type ToolResult struct {
	ID      string
	Text    string
	IsError bool // only where the protocol can say so
}

// Texts returns all texts of the conversation, tool results included.
func (q Request) Texts() []string {
	var all []string
	for _, m := range q.Messages {
		all = append(all, m.Texts...)
		for _, r := range m.Results {
			all = append(all, r.Text)
		}
	}
	return all
}

// Contains reports whether s occurs in any string of the body, wherever it is;
// in the body as it came if that is not JSON.
func (q Request) Contains(s string) bool {
	var v any
	if json.Unmarshal(q.Body, &v) != nil {
		return strings.Contains(string(q.Body), s)
	}
	return occurs(v, s)
}

func occurs(v any, s string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, s)
	case []any:
		for _, e := range v {
			if occurs(e, s) {
				return true
			}
		}
	case map[string]any:
		for k, e := range v {
			if strings.Contains(k, s) || occurs(e, s) {
				return true
			}
		}
	}
	return false
}

// Results returns the tool results of the conversation in order.
func (q Request) Results() []ToolResult {
	var all []ToolResult
	for _, m := range q.Messages {
		all = append(all, m.Results...)
	}
	return all
}

// Result returns what the request tells of call number call of turn number turn,
// both from 0.
func (q Request) Result(turn, call int) (ToolResult, bool) {
	id := callID(turn, call)
	// From the end: a resumed session may tell of a script before.
	for _, res := range slices.Backward(q.Results()) {
		if res.ID == id {
			return res, true
		}
	}
	return ToolResult{}, false
}

// Offers reports an error unless the request offers a tool for a call.
func (q Request) Offers(c Call) error {
	_, err := place(c, q.Tools)
	return err
}

// A Record is what arrived at a server, in order.
type Record []Request

// Turns returns the requests that took a turn of the script.
func (r Record) Turns() Record {
	var out Record
	for _, q := range r {
		if q.Turn >= 0 {
			out = append(out, q)
		}
	}
	return out
}

// Last returns the last request that took a turn: what the model saw in the end.
func (r Record) Last() (Request, bool) {
	turns := r.Turns()
	if len(turns) == 0 {
		return Request{}, false
	}
	return turns[len(turns)-1], true
}

// Outside returns whom the agent tried to reach beside the model, as far as it
// asked us for the way.
func (r Record) Outside() []string {
	var out []string
	for _, q := range r {
		if q.Outside != "" {
			out = append(out, q.Outside)
		}
	}
	return out
}

// Saw reports whether s occurs in any request to the model, side requests
// included: whether the model ever saw it.
func (r Record) Saw(s string) bool {
	for _, q := range r {
		if q.Protocol != "" && q.Contains(s) {
			return true
		}
	}
	return false
}

// Result returns what the model was told of call number call of turn number
// turn, both from 0, in the newest request that tells of it.
func (r Record) Result(turn, call int) (ToolResult, bool) {
	for i := len(r) - 1; i >= 0; i-- {
		if res, ok := r[i].Result(turn, call); ok {
			return res, true
		}
	}
	return ToolResult{}, false
}

// Call returns how the agent told call number call of turn number turn back to
// the model, in the newest request that does. Some agents show a rewritten
// input here, others the one they were asked for.
func (r Record) Call(turn, call int) (ToolCall, bool) {
	id := callID(turn, call)
	for i := len(r) - 1; i >= 0; i-- {
		for _, m := range slices.Backward(r[i].Messages) {
			for _, c := range m.Calls {
				if c.ID == id {
					return c, true
				}
			}
		}
	}
	return ToolCall{}, false
}
