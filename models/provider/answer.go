package provider

import (
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
)

// An End is the reason why an answer ended.
type End int

// The ends of answers.
const (
	Odd      End = iota // the provider gave no reason, or an unknown one
	Stopped             // the model finished its answer
	Length              // the answer reached its limit
	Filtered            // the provider removed text from the answer
)

// doubts are the values of [model.Answer.Doubt] for ends. An agent uses an answer with a
// doubt; a judge does not.
var doubts = [...]string{
	Odd:      "the provider does not say in known words that the model was done",
	Length:   "its reply was cut off by the provider",
	Filtered: "its reply was cut off by the provider",
}

// Several is the doubt about an answer beside which the provider sent others.
const Several = "the provider sent more than one answer"

// MaxCalls bounds the tool calls of one answer.
const MaxCalls = 128

// Finish checks an answer that has come to its end. Calls without arguments get none.
func Finish(a model.Answer, end End) (model.Answer, error) {
	if len(a.ToolCalls) > MaxCalls {
		return model.Answer{}, ErrTooManyCalls()
	}
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		if c.Function.Name == "" {
			return model.Answer{}, line.Faultf(line.Garbled, "the answer calls a tool without a name")
		}
		if strings.TrimSpace(c.Function.Arguments) == "" {
			c.Function.Arguments = "{}"
		}
		c.Type = "function"
	}
	empty := a.Text == "" && len(a.ToolCalls) == 0
	switch {
	case end == Length && len(a.ToolCalls) > 0:
		return model.Answer{}, line.Faultf(line.Broken, "the answer was cut off in the middle of a tool call: raise max_tokens")
	case empty && end == Length:
		return model.Answer{}, line.Faultf(line.Broken, "%v: the model used all of its max_tokens before it said anything", errEmpty)
	case empty && end == Filtered:
		return model.Answer{}, line.Faultf(line.Refused, "%v: the provider's content filter removed it", errEmpty)
	case empty:
		return model.Answer{}, errEmpty
	}
	if a.Doubt == "" {
		a.Doubt = doubts[end]
	}
	return a, nil
}

// ErrTooManyCalls reports that an answer calls more than MaxCalls tools.
func ErrTooManyCalls() error {
	return line.Faultf(line.Garbled, "the answer calls more than %d tools", MaxCalls)
}
