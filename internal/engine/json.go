package engine

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/card"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// JSON returns the outcome as `checkrein eval --json` prints it, without empty members. With detail,
// steps include the output of their hooks, and steps whose condition did not hold are listed too.
func (o *Outcome) JSON(detail bool) []byte {
	v := &o.Verdict
	w := rawjson.Object{'{'}
	if v.Decision != checkrein.NoOpinion {
		w.Text("decision", v.Decision.String())
		w.Text("reason", v.Reason)
	}
	if answer := AnswerWord(v); answer != "pass" {
		w.Text("answer", answer)
	}
	if v.Decision != checkrein.NoOpinion && v.Reason != "" {
		card := card.FromReason(o.firstReason())
		inner := rawjson.Object{'{'}
		inner.Text("sentence", card.Sentence)
		inner.Text("command", card.Command)
		w.Raw("card", append(inner, '}'))
	}
	w.Raw("updated_input", v.Input)
	w.Raw("updated_output", v.Output)
	w.Raw("updated_messages", v.Messages)
	w.Texts("context", v.Context)
	w.Texts("notices", v.Notice)
	w.Flag("halt", v.Halt)
	if r := o.Redo; r != nil {
		inner := rawjson.Object{'{'}
		inner.Text("reason", r.Reason)
		inner.Int("attempt", r.Attempt)
		inner.Int("limit", r.Limit)
		w.Raw("redo", append(inner, '}'))
	}
	w.Text("summary", v.Summary)
	writeMetadata(&w, v.Metadata)
	writeDropped(&w, o.Dropped)
	w.Texts("ignored", o.IgnoredParts())
	w.Flag("canceled", o.Canceled)
	w.Raw("steps", StepsJSON(o.AllSteps(), detail))
	if detail {
		w.List("why", len(o.Why), func(w *rawjson.Object, i int) { *w = append(*w, o.Why[i].JSON()...) })
	}
	return append(w, '}')
}

// AllSteps returns the steps of the outcome, followed by those of hooks in shadow mode.
func (o *Outcome) AllSteps() []Step {
	if len(o.Tried) == 0 {
		return o.Steps
	}
	return slices.Concat(o.Steps, o.Tried)
}

// AnswerWord returns what becomes of a call with the verdict v: pass, saved, contained, asked or denied.
func AnswerWord(v *checkrein.Verdict) string {
	switch v.Decision {
	case checkrein.Deny:
		return "denied"
	case checkrein.Ask:
		return "asked"
	}
	answer := "pass"
	for i := range v.Obligations {
		switch v.Obligations[i].Kind {
		case "contain":
			return "contained"
		case "save":
			answer = "saved"
		}
	}
	return answer
}

// firstReason returns the reason of the first step with the final decision, since a card shows only
// one, or the merged reason if no step has one.
func (o *Outcome) firstReason() string {
	for i := range o.Steps {
		if v := o.Steps[i].Verdict; v != nil && v.Decision == o.Verdict.Decision && v.Reason != "" {
			return v.Reason
		}
	}
	return o.Verdict.Reason
}

// IgnoredParts returns the parts of answers that checkrein does not understand, each prefixed with the
// label of its hook.
func (o *Outcome) IgnoredParts() []string {
	var out []string
	for i := range o.Steps {
		if a := o.Steps[i].Answer; a != nil {
			for _, what := range a.Ignored {
				out = append(out, o.Steps[i].Hook.Label()+": "+what)
			}
		}
	}
	return out
}

// StepsJSON returns steps as a JSON array, or nil if there are none to show. Steps whose condition did
// not hold are left out unless detail is set.
func StepsJSON(steps []Step, detail bool) []byte {
	var out []byte
	for i := range steps {
		if s := &steps[i]; detail || !s.Unmet {
			out = append(out, ',')
			out = s.appendJSON(out, detail)
		}
	}
	if out == nil {
		return nil
	}
	out[0] = '['
	return append(out, ']')
}

// appendJSON appends the step to b as a JSON object. With detail, it includes the raw answer and the
// log of the hook.
func (s *Step) appendJSON(b []byte, detail bool) []byte {
	w := rawjson.Object{'{'}
	w.Text("hook", s.Hook.Label())
	w.Text("event", s.Hook.On.String())
	w.Text("type", s.Hook.Run)
	w.Text("scope", s.Hook.From.Scope.String())
	w.Text("origin", s.Hook.From.String())
	also := make([]string, len(s.Hook.Also))
	for i, o := range s.Hook.Also {
		also[i] = o.String()
	}
	w.Texts("also", also)
	w.Text("match", s.Hook.Match)
	if s.Stage > 0 {
		w.Int("stage", s.Stage)
	}
	w.Text("skipped", s.Skipped)
	w.Flag("unmet", s.Unmet)
	w.Flag("detached", s.Detached)
	if s.ran {
		w.Millis("ms", s.Took)
	}
	if s.Fault != nil {
		w.Text("fault", s.Fault.Error())
	}
	if v := s.Verdict; v != nil {
		if v.Decision != checkrein.NoOpinion {
			w.Text("decision", v.Decision.String())
			w.Text("reason", v.Reason)
		}
		w.Texts("effects", v.Effects().Words())
	}
	if l := s.Lifted; l != nil {
		inner := rawjson.Object{'{'}
		inner.Text("grant", l.Grant)
		inner.Text("decision", l.Decision.String())
		inner.Text("reason", l.Reason)
		w.Raw("lifted", append(inner, '}'))
	}
	if p := s.Passed; p != nil {
		inner := rawjson.Object{'{'}
		inner.Text("by", p.By)
		inner.Text("reason", p.Reason)
		w.Raw("passed", append(inner, '}'))
	}
	w.Flag("shadow", s.Hook.Shadow)
	w.Flag("rejudged", s.Rejudged)
	w.Flag("stale", s.Stale)
	writeDropped(&w, s.Dropped)
	if a := s.Answer; a != nil {
		w.Texts("ignored", a.Ignored)
		if detail {
			w.Text("raw", string(a.Raw))
			w.Text("log", a.Log)
		}
	}
	return append(append(b, w...), '}')
}

// writeMetadata writes the member "metadata" with sorted keys, unless m is empty.
func writeMetadata(w *rawjson.Object, m map[string]string) {
	if len(m) == 0 {
		return
	}
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	inner := rawjson.Object{'{'}
	for _, k := range names {
		inner.Key(k)
		inner = rawjson.AppendString(inner, m[k])
	}
	w.Raw("metadata", append(inner, '}'))
}

// writeDropped writes the member "dropped".
func writeDropped(w *rawjson.Object, list []checkrein.Dropped) {
	w.List("dropped", len(list), func(w *rawjson.Object, i int) {
		inner := rawjson.Object{'{'}
		inner.Text("hook", list[i].Hook)
		inner.Text("effect", list[i].Effect)
		inner.Text("why", list[i].Why)
		*w = append(append(*w, inner...), '}')
	})
}
