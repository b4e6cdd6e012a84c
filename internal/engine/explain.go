package engine

import (
	"errors"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Part is one part of what must hold for a hook to run, with its result.
type Part = match.Part

// A Why explains why a hook would run for an event or not.
type Why struct {
	Hook  *checkrein.Hook
	Holds bool   // all of Parts hold
	Off   string // why the hook is skipped whatever the event is, or ""
	Err   error  // why the condition cannot be evaluated
	Parts []Part // the event, the matcher and the conditions; the event alone if the hook has no others
}

// Explain reports for each hook that pick selects whether it would run for ev, and why; a nil pick
// selects the hooks of the event's kind. It runs no hook, and so uses ev without the rewrites of
// earlier hooks.
func (e *Engine) Explain(ev checkrein.Event, pick func(*checkrein.Hook) bool) []Why {
	ev = normalizeEvent(ev)
	if pick == nil {
		pick = func(h *checkrein.Hook) bool { return h.On == ev.Kind }
	}
	r := run{engine: e, row: checkrein.ContractOf(ev.Kind), ev: ev, first: ev}
	view := r.newView()
	var out []Why
	for i := range e.opts.Hooks {
		if h := &e.opts.Hooks[i]; pick(h) {
			out = append(out, r.explainHook(h, view))
		}
	}
	return out
}

// explainHook reports whether a hook would run for the event, and why.
func (r *run) explainHook(h *checkrein.Hook, view *match.View) Why {
	e, ev := r.engine, &r.ev
	var b boundHook
	e.bindHook(&b, h)
	w := Why{Hook: h, Off: e.skipReason(&b)}
	kind := Part{Name: "event", Op: "is", Want: []string{hookEventName(h)}, Seen: []string{ev.Kind.String()}, Holds: h.On == ev.Kind && h.Hears(ev) || e.judgesAsGuest(h, ev.Kind)}
	if kind.Holds {
		kind.Hit = 1
	}
	if ev.Kind == checkrein.Other || kind.Want[0] != h.On.String() && h.On == ev.Kind {
		kind.Seen = append(kind.Seen, ev.Native)
	}
	w.Parts = append(w.Parts, kind)
	if b.toolErr == nil && !b.tool.MatchesAll() {
		local := ""
		if e.opts.ToolName != nil && ev.Tool != nil {
			local = e.opts.ToolName(h.Dialect, ev.Tool.Canonical)
		}
		w.Parts = append(w.Parts, b.tool.Part(h.Match, ev.Tool, local))
	}
	cond, err := b.condition()
	if w.Err = err; err == nil && (h.On == ev.Kind || len(h.If) == 0) {
		w.Parts = append(w.Parts, cond.fields.Parts(view, cond.allows)...)
	}
	w.Parts = append(w.Parts, r.searchParts(h, cond, &w)...)
	w.Holds = w.Err == nil
	for i := range w.Parts {
		w.Holds = w.Holds && w.Parts[i].Holds
	}
	return w
}

// searchParts returns the parts for the regular expressions that the hook searches for in the
// arguments and in the payload. An error of the payload is added to w.Err.
func (r *run) searchParts(h *checkrein.Hook, cond *condition, w *Why) (out []Part) {
	if !cond.args.IsZero() {
		p := Part{Name: "arguments", Op: "regex", Want: []string{h.Args}}
		if r.ev.Tool != nil {
			p = cond.args.Part(p.Name, h.Args, r.ev.Tool.Input)
		}
		out = append(out, p)
	}
	if cond.search.IsZero() {
		return out
	}
	body, err := []byte(nil), errors.New("cannot search: the engine has no payload adapter")
	if r.engine.opts.Payload != nil {
		body, err = r.engine.opts.Payload(h.Dialect, r.ev)
	}
	if err != nil {
		w.Err = errors.Join(w.Err, err)
		return out
	}
	p := cond.search.Part("payload", h.Search, body)
	p.Holds = p.Holds || cond.search.MatchesText(string(body))
	return append(out, p)
}

// hookEventName returns the name of the event that h is for, as its file spells it if checkrein has no
// such event.
func hookEventName(h *checkrein.Hook) string {
	if h.On == checkrein.Other && h.Event != "" {
		return h.Event
	}
	return h.On.String()
}

// appendPart appends p and its nested parts to b as a JSON object.
func appendPart(b []byte, p *Part) []byte {
	w := rawjson.Object{'{'}
	w.Text("name", p.Name)
	w.Text("op", p.Op)
	w.Texts("want", p.Want)
	w.Texts("seen", p.Seen)
	if p.Hit > 0 {
		w.Int("hit", p.Hit)
	}
	w.Key("holds")
	w = appendBoolValue(w, p.Holds)
	w.Text("fix", p.Fix)
	w.List("parts", len(p.Parts), func(w *rawjson.Object, i int) { *w = appendPart(*w, &p.Parts[i]) })
	return append(append(b, w...), '}')
}

// appendBoolValue appends v to w as a JSON value.
func appendBoolValue(w rawjson.Object, v bool) rawjson.Object {
	if v {
		return append(w, "true"...)
	}
	return append(w, "false"...)
}

// JSON returns y as `checkrein eval --explain --json` and `checkrein match --json` print it.
func (y *Why) JSON() []byte {
	w := rawjson.Object{'{'}
	w.Text("hook", y.Hook.Label())
	w.Text("origin", y.Hook.From.String())
	w.Key("holds")
	w = appendBoolValue(w, y.Holds)
	w.Text("off", y.Off)
	if y.Err != nil {
		w.Text("fault", y.Err.Error())
	}
	w.List("parts", len(y.Parts), func(w *rawjson.Object, i int) { *w = appendPart(*w, &y.Parts[i]) })
	return append(w, '}')
}
