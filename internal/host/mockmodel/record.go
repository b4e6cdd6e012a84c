package mockmodel

import (
	"encoding/json"
	"slices"
	"strings"
)

// A Protocol is a model API.
type Protocol string

// The protocols that the server implements.
const (
	Anthropic Protocol = "anthropic"
	Responses Protocol = "responses"
	Chat      Protocol = "chat"
	Gemini    Protocol = "gemini"
)

// A Request is a request to the server. It shares its slices with the record, so callers must not
// change them.
type Request struct {
	N            int // from 1, in order of arrival
	Method, Path string
	Body         []byte
	Key          string // the API key, from any header
	Agent        string // the User-Agent header
	// Outside is the other host that the request was for, if the proxy blocked it.
	Outside string
	// Protocol is "" for a request that the model does not answer, such as one for the list of models.
	// The fields below are then not set.
	Protocol Protocol
	Model    string
	Stream   bool
	Tools    []Tool    // the tools that the agent offers
	Messages []Message // the conversation, including instructions
	// Schema is the JSON schema for the text of the answer; nil = the agent did not request structured
	// output.
	Schema json.RawMessage
	// Side is set if the request offered no tools, or only one for a title, and so used no turn.
	Side bool
	// Turn is the index of the turn that was the answer; -1 = none.
	Turn int
	// Try counts the requests with the same conversation so far, from 1.
	Try int
}

// A Message is an entry of a conversation in a form common to all protocols.
type Message struct {
	Role    string // in the protocol's spelling; "system" for separate instructions
	Texts   []string
	Calls   []ToolCall
	Results []ToolResult
}

// A ToolCall is a call in the conversation that the agent sends to the model.
type ToolCall struct {
	ID, Name string
	Args     string // JSON, or the text of a free-form call
}

// A ToolResult is the result of a call that the agent sends to the model.
type ToolResult struct {
	ID      string
	Text    string
	IsError bool // set only if the protocol has such a field
}

// Texts returns all texts of the conversation, including tool results.
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

// Contains reports whether s occurs in any string or key of the body, or anywhere in a body that is
// not JSON.
func (q Request) Contains(s string) bool {
	var v any
	if json.Unmarshal(q.Body, &v) != nil {
		return strings.Contains(string(q.Body), s)
	}
	return containsText(v, s)
}

// containsText reports whether s occurs in a string or key of v, a decoded JSON value.
func containsText(v any, s string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, s)
	case []any:
		for _, e := range v {
			if containsText(e, s) {
				return true
			}
		}
	case map[string]any:
		for k, e := range v {
			if strings.Contains(k, s) || containsText(e, s) {
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

// Result returns the result of a call, given the indexes of its turn and of the call in that turn. It
// reports false if the conversation does not have it.
func (q Request) Result(turn, call int) (ToolResult, bool) {
	id := callID(turn, call)
	// Search from the end, because a resumed session may have results of an earlier script.
	for _, res := range slices.Backward(q.Results()) {
		if res.ID == id {
			return res, true
		}
	}
	return ToolResult{}, false
}

// CheckOffers returns an error unless the request offers a tool for c.
func (q Request) CheckOffers(c Call) error {
	_, err := toNative(c, q.Tools)
	return err
}

// A Record holds the requests to a server in the order of arrival.
type Record []Request

// Turns returns the requests that used a turn of the script.
func (r Record) Turns() Record {
	var out Record
	for _, q := range r {
		if q.Turn >= 0 {
			out = append(out, q)
		}
	}
	return out
}

// LastTurn returns the last request that used a turn, which has the whole conversation. It reports
// false if there is none.
func (r Record) LastTurn() (Request, bool) {
	turns := r.Turns()
	if len(turns) == 0 {
		return Request{}, false
	}
	return turns[len(turns)-1], true
}

// OutsideTargets returns the other hosts that the agent tried to reach through the proxy.
func (r Record) OutsideTargets() []string {
	var out []string
	for _, q := range r {
		if q.Outside != "" {
			out = append(out, q.Outside)
		}
	}
	return out
}

// ModelSaw reports whether s occurs in any request to the model, including side requests.
func (r Record) ModelSaw(s string) bool {
	for _, q := range r {
		if q.Protocol != "" && q.Contains(s) {
			return true
		}
	}
	return false
}

// Result returns the result of a call from the newest request that has it, given the indexes of its
// turn and of the call in that turn.
func (r Record) Result(turn, call int) (ToolResult, bool) {
	for i := len(r) - 1; i >= 0; i-- {
		if res, ok := r[i].Result(turn, call); ok {
			return res, true
		}
	}
	return ToolResult{}, false
}

// Call returns a call as the newest request has it, given the indexes of its turn and of the call in
// that turn. Some agents send a rewritten input back to the model, others the original one.
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
