package answer

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
)

// A Key documents a key that an answer may have. Its spelling does not matter: updated_input,
// updatedInput and UpdatedInput are the same key.
type Key struct {
	Names []string    // names with the same meaning, in snake_case, the usual one first
	Type  fields.Type // of the value
	Doc   string
	// Can limits the key to events whose contract has any of these effects; 0 means all events.
	Can checkrein.Effect

	nested bool // its value is an object with further keys
	text   bool // applies to events with a text of that name that can be rewritten
}

const anyDecision = checkrein.CanDeny | checkrein.CanAllow | checkrein.CanAsk

// Keys returns the documented keys. Callers must not modify them.
func Keys() []Key { return documentedKeys[:] }

// IsNested reports whether the key's value is an object whose keys are read like those at the top
// level.
func (k *Key) IsNested() bool { return k.nested }

// AppliesTo reports whether the key has a meaning on events with the contract row.
func (k *Key) AppliesTo(row *checkrein.Contract) bool {
	if k.text {
		return row.Can(checkrein.CanRewriteOutput) && isTextKey(row.Text, foldKey(k.Names[0]))
	}
	return k.Can == 0 || row.Effects&k.Can != 0
}

var documentedKeys = [...]Key{
	{Names: []string{"decision"}, Type: fields.StringValue, Can: anyDecision,
		Doc: "the hook's decision, in the words of its file's dialect"},
	{Names: []string{"permission_decision"}, Type: fields.StringValue, Can: anyDecision,
		Doc: "the same decision as allow, ask or deny; if both are given, the stricter one counts"},
	{Names: []string{"continue"}, Type: fields.BoolValue, Can: checkrein.CanDeny,
		Doc: "false denies; true says nothing"},
	{Names: []string{"halt"}, Type: fields.BoolValue, Can: checkrein.CanHalt,
		Doc: "true ends the turn"},
	{Names: []string{"reason", "permission_decision_reason", "stop_reason"}, Type: fields.StringValue, Can: anyDecision,
		Doc: "why; a denial without one names the hook instead"},
	{Names: []string{"additional_context", "context"}, Type: fields.StringValue, Can: checkrein.CanAddContext,
		Doc: "what to tell the model"},
	{Names: []string{"system_message", "add_warning"}, Type: fields.StringValue,
		Doc: "what to tell the user"},
	{Names: []string{"updated_input", "tool_input"}, Type: fields.ObjectValue, Can: checkrein.CanRewriteInput,
		Doc: "tool arguments to set; the others stay, null deletes one"},
	{Names: []string{"updated_output", "updated_tool_output", "updated_tool_response"}, Can: checkrein.CanRewriteOutput,
		Doc: "replaces the tool's output, or the text that the event is about"},
	{Names: []string{"prompt"}, Type: fields.StringValue, text: true, Doc: "replaces the prompt"},
	{Names: []string{"message"}, Type: fields.StringValue, text: true, Doc: "replaces the prompt, or the message about to be sent"},
	{Names: []string{"response"}, Type: fields.StringValue, text: true, Doc: "replaces the reply"},
	{Names: []string{"notification"}, Type: fields.StringValue, text: true, Doc: "replaces the message about to be sent"},
	{Names: []string{"text"}, Type: fields.StringValue, text: true, Doc: "replaces the text about to be passed on"},
	{Names: []string{"updated_messages"}, Type: fields.ListValue, Can: checkrein.CanRewriteMessages,
		Doc: "replaces the conversation about to be sent; an empty list changes nothing"},
	{Names: []string{"summary"}, Type: fields.StringValue, Can: checkrein.CanSummarize,
		Doc: "the summary to use, so that none is made"},
	{Names: []string{"metadata"}, Type: fields.ObjectValue, Can: checkrein.CanAnnotate,
		Doc: "strings to show where the user is asked"},
	{Names: []string{"suppress_output"}, Type: fields.BoolValue,
		Doc: "true keeps what the hook printed out of the transcript"},
	{Names: []string{"log"}, Type: fields.StringValue,
		Doc: "a line for the log only, shown to neither the model nor the user"},
	{Names: []string{"hook_event_name"}, Type: fields.StringValue,
		Doc: "the event being answered; another event's name is reported as ignored"},
	{Names: []string{"hook_specific_output"}, Type: fields.ObjectValue, nested: true,
		Doc: "may contain any of the other keys, as some agents expect"},
}
