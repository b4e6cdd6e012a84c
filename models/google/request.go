package google

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/models/provider"
)

func request(c *provider.Call) ([]*genai.Content, *genai.GenerateContentConfig) {
	config := &genai.GenerateContentConfig{
		MaxOutputTokens:       int32(min(max(0, c.MaxTokens), math.MaxInt32)),
		AutomaticContinuation: genai.Ptr(false), // calls are counted in provider
	}
	if c.Temperature != nil {
		config.Temperature = genai.Ptr(float32(*c.Temperature))
	}
	if len(c.Request.Tools) > 0 {
		tool := &genai.Tool{}
		for _, t := range c.Request.Tools {
			f := &genai.FunctionDeclaration{Name: t.Name, Description: t.Description}
			if len(t.Parameters) > 0 {
				f.ParametersJsonSchema = t.Parameters
			}
			tool.FunctionDeclarations = append(tool.FunctionDeclarations, f)
		}
		config.Tools = []*genai.Tool{tool}
	} else if s := c.Request.Schema; s != nil { // many models take only one of both
		config.ResponseMIMEType, config.ResponseJsonSchema = "application/json", s.JSON
	}
	t := talk{names: map[string]string{}, signed: signs(c.Model)}
	for i := range c.Request.Messages {
		t.add(&c.Request.Messages[i])
	}
	if len(t.system) > 0 {
		content := &genai.Content{Parts: t.system, Role: genai.RoleUser}
		if len(t.contents) == 0 { // which the wire does not take
			t.contents = append(t.contents, content)
		} else {
			config.SystemInstruction = content
		}
	}
	return t.contents, config
}

// A talk is a conversation in the provider's words.
type talk struct {
	system   []*genai.Part
	contents []*genai.Content
	names    map[string]string // of tools, by the id of a call
	signed   bool
}

// add adds a message. It merges successive messages of one role, with the results of tools
// first, because the API requires them directly after the calls.
func (t *talk) add(m *model.Message) {
	text := strings.ToValidUTF8(m.Content, "\ufffd")
	role := genai.RoleUser
	var parts []*genai.Part
	if text != "" && m.Role != model.ToolRole {
		parts = append(parts, &genai.Part{Text: text})
	}
	switch m.Role {
	case model.System:
		t.system = append(t.system, parts...)
		return
	case model.ToolRole:
		parts = append(parts, t.result(m, text))
	case model.Assistant:
		role = genai.RoleModel
		for i, call := range m.ToolCalls {
			t.names[call.ID] = call.Function.Name
			p := &genai.Part{FunctionCall: &genai.FunctionCall{ID: call.ID, Name: call.Function.Name, Args: object(call.Function.Arguments)}}
			if t.signed && i == 0 {
				p.ThoughtSignature = []byte(unsigned)
			}
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return
	}
	last := len(t.contents) - 1
	if last < 0 || t.contents[last].Role != role {
		t.contents = append(t.contents, &genai.Content{Role: role, Parts: parts})
		return
	}
	at := &t.contents[last].Parts
	where := len(*at)
	if m.Role == model.ToolRole {
		where = 0
		for where < len(*at) && (*at)[where].FunctionResponse != nil {
			where++
		}
	}
	*at = slices.Insert(*at, where, parts...)
}

func (t *talk) result(m *model.Message, text string) *genai.Part {
	key := "output"
	if m.IsError {
		key = "error"
	}
	name := t.names[m.ToolCallID]
	if name == "" { // the call is no longer in the conversation
		name = "unknown"
	}
	return &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: m.ToolCallID, Name: name, Response: map[string]any{key: text}}}
}

// unsigned is the value that the API accepts instead of its own signature of a call.
// Conversations do not store signatures, and other models do not sign.
const unsigned = "skip_thought_signature_validator"

// signs reports whether the model name rejects calls without a signature. Older models have
// no signatures.
func signs(name string) bool {
	name = name[strings.LastIndexByte(name, '/')+1:]
	for _, old := range []string{"gemini-1", "gemini-2", "gemini-pro", "gemma"} {
		if strings.HasPrefix(name, old) {
			return false
		}
	}
	return true
}

// object decodes args, the arguments of an earlier tool call by a model. It returns an empty
// object if args is not a JSON object, because the API accepts only objects.
func object(args string) map[string]any {
	d := json.NewDecoder(bytes.NewReader([]byte(args)))
	d.UseNumber()
	var o map[string]any
	if d.Decode(&o) != nil || d.More() || o == nil {
		return map[string]any{}
	}
	return o
}
