package answer

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A key is what an answer's key means.
type key struct {
	nested bool // its members are read like the top level's
	// read takes the value and reports whether the key means something here;
	// nil = never.
	read func(r *reader, name string, val []byte) bool
}

// keyNamed finds the meaning of a key in any spelling. Keys may stand at the
// top level or nested: systems disagree, and ignoring a denial for its place
// would open a gate.
func keyNamed(name string) (key, bool) {
	switch fold(name) {
	case "hookspecificoutput":
		return key{nested: true}, true
	case "hookeventname":
		return key{read: (*reader).eventName}, true
	case "continue":
		return key{read: (*reader).cont}, true
	case "decision":
		return key{read: (*reader).decision}, true
	case "permissiondecision":
		return key{read: (*reader).permission}, true
	case "reason", "stopreason", "permissiondecisionreason":
		return key{read: (*reader).reason}, true
	case "systemmessage", "addwarning":
		return key{read: (*reader).notice}, true
	case "additionalcontext", "context":
		return key{read: (*reader).context}, true
	case "updatedinput", "toolinput":
		return key{read: (*reader).input}, true
	case "updatedtoolresponse", "updatedtooloutput", "updatedoutput":
		return key{read: (*reader).output}, true
	case "message", "prompt", "response", "notification", "text":
		return key{read: (*reader).words}, true
	case "updatedmessages":
		return key{read: (*reader).messages}, true
	case "halt":
		return key{read: (*reader).halt}, true
	case "summary":
		return key{read: (*reader).summary}, true
	case "metadata":
		return key{read: (*reader).metadata}, true
	case "suppressoutput":
		return key{read: (*reader).suppress}, true
	case "log":
		return key{read: (*reader).log}, true
	}
	return key{}, false
}

// fold makes all spellings of a key one: hook_specific_output,
// hookSpecificOutput, Hook_Specific_Output.
func fold(name string) string {
	if len(name) > 64 {
		return name
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

func (r *reader) str(name string, val []byte) (string, bool) {
	s, ok := rawjson.Text(val)
	if !ok {
		r.fail(name, "a string", val)
	}
	return s, ok
}

func (r *reader) flag(name string, val []byte) (is, ok bool) {
	if rawjson.Kind(val) != 'b' {
		r.fail(name, "true or false", val)
		return false, false
	}
	return val[0] == 't', true
}

func (r *reader) eventName(name string, val []byte) bool {
	s, ok := r.str(name, val)
	if !ok {
		return true
	}
	kind, known := checkrein.KindOf(s)
	return known && kind == r.hook.On || s == r.hook.Event
}

func (r *reader) cont(name string, val []byte) bool {
	if is, ok := r.flag(name, val); ok && !is {
		r.stopped = true
	}
	return true
}

func (r *reader) halt(name string, val []byte) bool {
	is, _ := r.flag(name, val)
	r.ans.Halt = r.ans.Halt || is
	return true
}

// decide raises the decision: an answer that says two things means the
// stricter one.
func (r *reader) decide(d checkrein.Decision) {
	r.ans.Decision = max(r.ans.Decision, d)
}

func (r *reader) decision(name string, val []byte) bool {
	if rawjson.Kind(val) == '{' {
		return r.behavior(name, val)
	}
	s, ok := r.str(name, val)
	if !ok || s == "" {
		return true
	}
	words := make([]string, 0, len(r.form.Decisions))
	for _, w := range r.form.Decisions {
		if w.Word == s {
			r.decide(w.Is)
			return true
		}
		words = append(words, w.Word)
	}
	r.fail(name, "one of "+strings.Join(words, ", "), val)
	return true
}

// behavior reads {"behavior": "deny", "message": "why"}, which is how Claude's
// permission requests are answered.
func (r *reader) behavior(name string, obj []byte) bool {
	word, _ := rawjson.Get(obj, "behavior")
	if word == nil {
		r.fail(name, "a word, or an object with a behavior", obj)
		return true
	}
	r.permission(name+".behavior", word)
	if why, ok := rawjson.Get(obj, "message"); ok {
		r.reason(name+".message", why)
	}
	if input, ok := rawjson.Get(obj, "updatedInput"); ok {
		r.input(name+".updatedInput", input)
	}
	return true
}

func (r *reader) permission(name string, val []byte) bool {
	s, ok := r.str(name, val)
	if !ok || s == "" {
		return true
	}
	d, known := checkrein.ParseDecision(s)
	if !known || d == checkrein.NoOpinion {
		r.fail(name, "allow, ask or deny", val)
		return true
	}
	r.decide(d)
	return true
}

func (r *reader) reason(name string, val []byte) bool {
	s, ok := r.str(name, val)
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

func (r *reader) notice(name string, val []byte) bool {
	if s, ok := r.str(name, val); ok && s != "" {
		r.ans.Notice = append(r.ans.Notice, s)
	}
	return true
}

func (r *reader) context(name string, val []byte) bool {
	if on := r.form.ContextOn; on != nil && !slices.Contains(on, r.hook.On) {
		return false
	}
	if s, ok := r.str(name, val); ok && s != "" {
		r.ans.Context = append(r.ans.Context, s)
	}
	return true
}

func (r *reader) input(name string, val []byte) bool {
	if rawjson.Kind(val) != '{' {
		r.fail(name, "an object", val)
		return true
	}
	if patch := rawjson.Dedup(val); !rawjson.Equal(patch, []byte("{}")) {
		r.ans.Input = patch
	}
	return true
}

func (r *reader) output(_ string, val []byte) bool {
	r.ans.Output = val
	return true
}

// words reads a rewrite under the name of what is rewritten. Elsewhere the
// name means nothing.
func (r *reader) words(name string, val []byte) bool {
	if !r.row.Can(checkrein.CanRewriteOutput) || !textKey(r.row.Text, fold(name)) {
		return false
	}
	if s, ok := r.str(name, val); ok {
		r.ans.Output = rawjson.Quote(s)
	}
	return true
}

// textKey reports whether an answer's key names the text of a row.
func textKey(field, key string) bool {
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

func (r *reader) messages(name string, val []byte) bool {
	if rawjson.Kind(val) != '[' {
		r.fail(name, "a list", val)
		return true
	}
	rawjson.Elements(val, func(int, []byte) bool {
		r.ans.Messages = val // at least one: an empty list is no rewrite
		return false
	})
	return true
}

func (r *reader) summary(name string, val []byte) bool {
	r.ans.Summary, _ = r.str(name, val)
	return true
}

func (r *reader) metadata(name string, val []byte) bool {
	if r.form.MetadataOnPreempt && r.hook.On == checkrein.PreToolUse && !r.hook.Preempt {
		return false
	}
	if rawjson.Kind(val) != '{' {
		r.fail(name, "an object of strings", val)
		return true
	}
	rawjson.Each(val, func(k string, v []byte) bool {
		s, ok := rawjson.Text(v)
		if !ok {
			r.fail(name+"."+k, "a string", v)
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

// suppress hides the hook's output from transcripts; checkrein puts none there.
func (r *reader) suppress(name string, val []byte) bool {
	is, ok := r.flag(name, val)
	return !(ok && is && r.hook.Strict)
}

func (r *reader) log(name string, val []byte) bool {
	if s, ok := r.str(name, val); ok {
		r.ans.Log = strings.TrimSpace(r.ans.Log + "\n" + s)
	}
	return true
}
