package engine

import (
	"slices"
	"strconv"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// JSON returns the outcome as `checkrein eval --json` prints it; what is absent
// was not asked for. With detail, steps also show what hooks printed, and
// those whose condition did not hold are listed.
func (o *Outcome) JSON(detail bool) []byte {
	v := &o.Verdict
	w := writer{'{'}
	if v.Decision != checkrein.NoOpinion {
		w.text("decision", v.Decision.String())
		w.text("reason", v.Reason)
	}
	if v.Decision != checkrein.NoOpinion && v.Reason != "" {
		card := checkrein.CardOf(o.firstReason())
		inner := writer{'{'}
		inner.text("sentence", card.Sentence)
		inner.text("command", card.Command)
		w.raw("card", append(inner, '}'))
	}
	w.raw("updated_input", v.Input)
	w.raw("updated_output", v.Output)
	w.raw("updated_messages", v.Messages)
	w.texts("context", v.Context)
	w.texts("notices", v.Notice)
	w.flag("halt", v.Halt)
	if r := o.Redo; r != nil {
		inner := writer{'{'}
		inner.text("reason", r.Reason)
		inner.int("attempt", r.Attempt)
		inner.int("limit", r.Limit)
		w.raw("redo", append(inner, '}'))
	}
	w.text("summary", v.Summary)
	w.metadata(v.Metadata)
	w.dropped(o.Dropped)
	w.texts("ignored", ignored(o.Steps))
	w.flag("canceled", o.Canceled)
	w.raw("steps", StepsJSON(o.Steps, detail))
	return append(w, '}')
}

// firstReason is the first of the reasons for the decision: a card shows one.
func (o *Outcome) firstReason() string {
	for i := range o.Steps {
		if v := o.Steps[i].Verdict; v != nil && v.Decision == o.Verdict.Decision && v.Reason != "" {
			return v.Reason
		}
	}
	return o.Verdict.Reason
}

// ignored collects what nobody understood, by hook.
func ignored(steps []Step) []string {
	var out []string
	for i := range steps {
		if a := steps[i].Answer; a != nil {
			for _, what := range a.Ignored {
				out = append(out, steps[i].Hook.Label()+": "+what)
			}
		}
	}
	return out
}

// StepsJSON returns steps as a JSON list, nil when there are none to show.
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

func (s *Step) appendJSON(b []byte, detail bool) []byte {
	w := writer{'{'}
	w.text("hook", s.Hook.Label())
	w.text("event", s.Hook.On.String())
	w.text("type", s.Hook.Run)
	w.text("scope", s.Hook.From.Scope.String())
	w.text("origin", s.Hook.From.String())
	also := make([]string, len(s.Hook.Also))
	for i, o := range s.Hook.Also {
		also[i] = o.String()
	}
	w.texts("also", also)
	w.text("match", s.Hook.Match)
	if s.Stage > 0 {
		w.int("stage", s.Stage)
	}
	w.text("skipped", s.Skipped)
	w.flag("unmet", s.Unmet)
	w.flag("detached", s.Detached)
	if s.ran {
		w.raw("ms", strconv.AppendFloat(nil, float64(s.Took.Round(time.Microsecond))/float64(time.Millisecond), 'f', -1, 64))
	}
	if s.Fault != nil {
		w.text("fault", s.Fault.Error())
	}
	if v := s.Verdict; v != nil {
		if v.Decision != checkrein.NoOpinion {
			w.text("decision", v.Decision.String())
			w.text("reason", v.Reason)
		}
		w.texts("effects", v.Effects().Words())
	}
	w.flag("rejudged", s.Rejudged)
	w.flag("stale", s.Stale)
	w.dropped(s.Dropped)
	if a := s.Answer; a != nil {
		w.texts("ignored", a.Ignored)
		if detail {
			w.text("raw", string(a.Raw))
			w.text("log", a.Log)
		}
	}
	return append(append(b, w...), '}')
}

// A writer appends the members of a JSON object; empty ones are left out.
type writer []byte

func (w *writer) key(name string) {
	*w = rawjson.AppendKey(*w, name)
}

func (w *writer) raw(name string, val []byte) {
	if val != nil {
		w.key(name)
		*w = append(*w, val...)
	}
}

func (w *writer) text(name, val string) {
	if val != "" {
		w.key(name)
		*w = rawjson.AppendString(*w, val)
	}
}

func (w *writer) int(name string, n int) {
	w.key(name)
	*w = strconv.AppendInt(*w, int64(n), 10)
}

func (w *writer) flag(name string, on bool) {
	if on {
		w.key(name)
		*w = append(*w, "true"...)
	}
}

func (w *writer) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	w.key(name)
	for i, s := range list {
		*w = append(*w, "[,"[min(i, 1)])
		*w = rawjson.AppendString(*w, s)
	}
	*w = append(*w, ']')
}

func (w *writer) metadata(m map[string]string) {
	if len(m) == 0 {
		return
	}
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	inner := writer{'{'}
	for _, k := range names {
		inner.key(k)
		inner = rawjson.AppendString(inner, m[k])
	}
	w.raw("metadata", append(inner, '}'))
}

func (w *writer) dropped(list []checkrein.Dropped) {
	if len(list) == 0 {
		return
	}
	w.key("dropped")
	for i, d := range list {
		inner := writer{'{'}
		inner.text("hook", d.Hook)
		inner.text("effect", d.Effect)
		inner.text("why", d.Why)
		*w = append(*w, "[,"[min(i, 1)])
		*w = append(append(*w, inner...), '}')
	}
	*w = append(*w, ']')
}
