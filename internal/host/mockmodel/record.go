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

// A Request is one request to the server. Its slices are shared with the record and must not be
// changed.
type Request struct {
	N            int // from 1, in order of arrival
	Method, Path string
	Body         []byte
	Key          string // the API key, from any header
	Agent        string // the header User-Agent
	// Outside is another host that an agent tried to reach through the proxy, which blocked it.
	Outside string
	// Protocol is "" for a request that needs no answer of the model, such as a list of models; all
	// fields below are then zero.
	Protocol Protocol
	Model    string
	Stream   bool
	Tools    []Tool    // that the agent offers
	Messages []Message // the conversation, including instructions
	// Schema is the JSON schema for the text of the answer; nil = the agent wants no structured
	// output.
	Schema json.RawMessage
	// Side is set if the request offered no tools and so took no turn.
	Side bool
	// Turn is the number of the turn that was the answer, from 0; -1 = none.
	Turn int
	// Try counts the requests with this conversation, from 1.
	Try int
}

// A Message is an entry of a conversation in a form common to all protocols.
type Message struct {
	Role    string // in the protocol's spelling; "system" for separate instructions
	Texts   []string
	Calls   []ToolCall
	Results []ToolResult
}

// A ToolCall is a call as the agent sends it back to the model.
type ToolCall struct {
	ID, Name string
	Args     string // JSON, or the text of a free-form call
}

// A ToolResult is the result of a call as the agent sends it to the model.
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

// Result returns the result of a call, given the numbers of its turn and of the call in it, both from
// 0.
func (q Request) Result(turn, call int) (ToolResult, bool) {
	id := callID(turn, call)
	// From the end: a resumed session may have results of an earlier script.
	for _, res := range slices.Backward(q.Results()) {
		if res.ID == id {
			return res, true
		}
	}
	return ToolResult{}, false
}

// CheckOffers returns an error unless the request offers a tool for a call.
func (q Request) CheckOffers(c Call) error {
	_, err := toNative(c, q.Tools)
	return err
}

// A Record has the requests to a server, in order.
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

// Last returns the last request that took a turn, with everything that the model saw in the end.
func (r Record) Last() (Request, bool) {
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

// Result returns the result of a call from the newest request that has it, given the numbers of its
// turn and of the call in it, both from 0.
func (r Record) Result(turn, call int) (ToolResult, bool) {
	for i := len(r) - 1; i >= 0; i-- {
		if res, ok := r[i].Result(turn, call); ok {
			return res, true
		}
	}
	return ToolResult{}, false
}

// Call returns a call as the agent sent it back to the model, from the newest request that has it.
// Some agents show a rewritten input here, others the original one.
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
