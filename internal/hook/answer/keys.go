package answer

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An answerKey defines how a key of an answer is read.
type answerKey struct {
	nested bool // its members are read like keys at the top level
	// read reads the value and reports whether the key has a meaning on this event. It is nil if the
	// key never has one.
	read func(r *reader, name string, val []byte) bool
}

// lookupKey returns how to read the key name, in any spelling. Keys may be at the top level or nested,
// because systems differ, and ignoring a denial because of its place would open a gate.
func lookupKey(name string) (answerKey, bool) {
	switch foldKey(name) {
	case "hookspecificoutput":
		return answerKey{nested: true}, true
	case "hookeventname":
		return answerKey{read: (*reader).readEventName}, true
	case "continue":
		return answerKey{read: (*reader).readContinue}, true
	case "decision":
		return answerKey{read: (*reader).readDecision}, true
	case "permissiondecision":
		return answerKey{read: (*reader).readPermission}, true
	case "reason", "stopreason", "permissiondecisionreason":
		return answerKey{read: (*reader).readReason}, true
	case "systemmessage", "addwarning":
		return answerKey{read: (*reader).readNotice}, true
	case "additionalcontext", "context":
		return answerKey{read: (*reader).readContext}, true
	case "updatedinput", "toolinput":
		return answerKey{read: (*reader).readInput}, true
	case "updatedtoolresponse", "updatedtooloutput", "updatedoutput":
		return answerKey{read: (*reader).readOutput}, true
	case "message", "prompt", "response", "notification", "text":
		return answerKey{read: (*reader).readRewrite}, true
	case "updatedmessages":
		return answerKey{read: (*reader).readMessages}, true
	case "halt":
		return answerKey{read: (*reader).readHalt}, true
	case "summary":
		return answerKey{read: (*reader).readSummary}, true
	case "metadata":
		return answerKey{read: (*reader).readMetadata}, true
	case "suppressoutput":
		return answerKey{read: (*reader).readSuppress}, true
	case "log":
		return answerKey{read: (*reader).appendLog}, true
	}
	return answerKey{}, false
}

// foldKey maps the different spellings of a key to one, such as hook_specific_output,
// hookSpecificOutput and Hook_Specific_Output.
func foldKey(name string) string {
	if len(name) > 64 {
		return name
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

func (r *reader) stringValue(name string, val []byte) (string, bool) {
	s, ok := rawjson.Text(val)
	if !ok {
		r.setError(name, "a string", val)
	}
	return s, ok
}

func (r *reader) boolValue(name string, val []byte) (is, ok bool) {
	if rawjson.Kind(val) != 'b' {
		r.setError(name, "true or false", val)
		return false, false
	}
	return val[0] == 't', true
}

func (r *reader) readEventName(name string, val []byte) bool {
	s, ok := r.stringValue(name, val)
	if !ok {
		return true
	}
	kind, known := hookfile.KindOf(s)
	return known && kind == r.hook.On || s == r.hook.Event
}

func (r *reader) readContinue(name string, val []byte) bool {
	if is, ok := r.boolValue(name, val); ok && !is {
		r.stopped = true
	}
	return true
}

func (r *reader) readHalt(name string, val []byte) bool {
	is, _ := r.boolValue(name, val)
	r.ans.Halt = r.ans.Halt || is
	return true
}

// raiseDecision sets the decision to d unless it is already stricter.
func (r *reader) raiseDecision(d checkrein.Decision) {
	r.ans.Decision = max(r.ans.Decision, d)
}

// readDecision reads a decision in the words of the hook's dialect, or an object with a behavior.
func (r *reader) readDecision(name string, val []byte) bool {
	if rawjson.Kind(val) == '{' {
		return r.readBehavior(name, val)
	}
	s, ok := r.stringValue(name, val)
	if !ok || s == "" {
		return true
	}
	words := make([]string, 0, len(r.form.Decisions))
	for _, w := range r.form.Decisions {
		if w.Word == s {
			r.raiseDecision(w.Is)
			return true
		}
		words = append(words, w.Word)
	}
	r.setError(name, "one of "+strings.Join(words, ", "), val)
	return true
}

// readBehavior reads an object such as {"behavior": "deny", "message": "why"}, the form of answers to
// Claude's permission requests.
func (r *reader) readBehavior(name string, obj []byte) bool {
	word, _ := rawjson.Get(obj, "behavior")
	if word == nil {
		r.setError(name, "a word, or an object with a behavior", obj)
		return true
	}
	r.readPermission(name+".behavior", word)
	if why, ok := rawjson.Get(obj, "message"); ok {
		r.readReason(name+".message", why)
	}
	if input, ok := rawjson.Get(obj, "updatedInput"); ok {
		r.readInput(name+".updatedInput", input)
	}
	return true
}

func (r *reader) readPermission(name string, val []byte) bool {
	s, ok := r.stringValue(name, val)
	if !ok || s == "" {
		return true
	}
	d, known := hookfile.ParseDecision(s)
	if !known || d == checkrein.NoOpinion {
		r.setError(name, "allow, ask or deny", val)
		return true
	}
	r.raiseDecision(d)
	return true
}

func (r *reader) readReason(name string, val []byte) bool {
	s, ok := r.stringValue(name, val)
	if s = strings.TrimSpace(s); !ok || s == "" {
		return true
	}
	for _, have := range r.reasons {
		if have == s {
			return true
		}
	}
	r.reasons = append(r.reasons, s)
	return true
}

func (r *reader) readNotice(name string, val []byte) bool {
	if s, ok := r.stringValue(name, val); ok && s != "" {
		r.ans.Notice = append(r.ans.Notice, s)
	}
	return true
}

func (r *reader) readContext(name string, val []byte) bool {
	if on := r.form.ContextOn; on != nil && !slices.Contains(on, r.hook.On) {
		return false
	}
	if s, ok := r.stringValue(name, val); ok && s != "" {
		r.ans.Context = append(r.ans.Context, s)
	}
	return true
}

func (r *reader) readInput(name string, val []byte) bool {
	if rawjson.Kind(val) != '{' {
		r.setError(name, "an object", val)
		return true
	}
	if patch := rawjson.Dedup(val); !rawjson.Equal(patch, []byte("{}")) {
		r.ans.Input = patch
	}
	return true
}

func (r *reader) readOutput(_ string, val []byte) bool {
	r.ans.Output = val
	return true
}

// readRewrite reads a rewrite of the event's text, under the key name for that text. It returns false
// if the event has no such text.
func (r *reader) readRewrite(name string, val []byte) bool {
	if !r.row.Can(checkrein.CanRewriteOutput) || !isTextKey(r.row.Text, foldKey(name)) {
		return false
	}
	if s, ok := r.stringValue(name, val); ok {
		r.ans.Output = rawjson.Quote(s)
	}
	return true
}

// isTextKey reports whether the folded key of an answer stands for the event's text, which the
// contract calls field.
func isTextKey(field, key string) bool {
	switch field {
	case "prompt":
		return key == "prompt" || key == "message"
	case "message":
		return key == "message" || key == "notification"
	case "stop_response":
		return key == "response"
	}
	return key == field
}

func (r *reader) readMessages(name string, val []byte) bool {
	if rawjson.Kind(val) != '[' {
		r.setError(name, "a list", val)
		return true
	}
	rawjson.Elements(val, func(int, []byte) bool {
		r.ans.Messages = val // called only if there is an element, since an empty list is not a rewrite
		return false
	})
	return true
}

func (r *reader) readSummary(name string, val []byte) bool {
	r.ans.Summary, _ = r.stringValue(name, val)
	return true
}

// readMetadata reads an object of strings. It returns false if metadata have no meaning for this hook.
func (r *reader) readMetadata(name string, val []byte) bool {
	if r.form.MetadataOnPreempt && r.hook.On == checkrein.PreToolUse && !r.hook.Preempt {
		return false
	}
	if rawjson.Kind(val) != '{' {
		r.setError(name, "an object of strings", val)
		return true
	}
	rawjson.Each(val, func(k string, v []byte) bool {
		s, ok := rawjson.Text(v)
		if !ok {
			r.setError(name+"."+k, "a string", v)
			return false
		}
		if r.ans.Metadata == nil {
			r.ans.Metadata = map[string]string{}
		}
		r.ans.Metadata[k] = s
		return true
	})
	return true
}

// readSuppress reads a request to hide the hook's output from transcripts. It has no effect, because
// checkrein never puts the output there; if the hook is strict, it counts as ignored.
func (r *reader) readSuppress(name string, val []byte) bool {
	is, ok := r.boolValue(name, val)
	return !(ok && is && r.hook.Strict)
}

func (r *reader) appendLog(name string, val []byte) bool {
	if s, ok := r.stringValue(name, val); ok {
		r.ans.Log = strings.TrimSpace(r.ans.Log + "\n" + s)
	}
	return true
}
