// Package rule is the handler of declarative hooks: what a condition found, a
// rule decides. It starts no process and takes microseconds.
//
// The condition itself is the hook's `if`, which the engine evaluates; a rule
// is asked only when it holds.
package rule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Type returns the handler table's row. A hook's settings are "decision",
// "reason", "patch", "context" and "notice". Home is what ~ means; judge is the
// engine's.
func Type(home string, judge func(*checkrein.Event) match.Acts) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: "rule",
		New:  func(h checkrein.Hook) (checkrein.Handler, error) { return build(h, home, judge) },
		Traits: func(h *checkrein.Hook) checkrein.Traits {
			_, patches := rawjson.Get(h.With, "patch")
			decision, _ := hookfile.ParseDecision(rawjson.GetText(h.With, "decision"))
			return checkrein.Traits{Instant: true, Judges: true, Rewrites: patches, Allows: decision == checkrein.Allow, Refuses: decision >= checkrein.Ask}
		},
	}
}

type handler struct {
	label    string
	home     string
	judge    func(*checkrein.Event) match.Acts
	decision checkrein.Decision
	reason   match.Text
	context  match.Text
	notice   match.Text
	patch    []set

	plain *checkrein.Answer // of a rule that says the same of every event
}

// A set is one member of the patch: a text with fields in it, or a value.
type set struct {
	key  string
	text match.Text
	raw  []byte
}

func build(h checkrein.Hook, home string, judge func(*checkrein.Event) match.Acts) (checkrein.Handler, error) {
	row := checkrein.ContractOf(h.On)
	out := &handler{label: h.Label(), home: home, judge: judge}
	var errs []error
	rawjson.Each(h.With, func(key string, val []byte) bool {
		errs = append(errs, out.setting(key, val, row))
		return true
	})
	if out.decision == checkrein.NoOpinion {
		out.reason = match.Text{}
	}
	if reason, plain := out.reason.Plain(); plain && out.context.IsZero() && out.notice.IsZero() && len(out.patch) == 0 {
		out.plain = &checkrein.Answer{Verdict: checkrein.Verdict{Decision: out.decision, Reason: out.said(reason)}}
		out.sign(&out.plain.Verdict)
	}
	return out, errors.Join(errs...)
}

func (r *handler) setting(key string, val []byte, row *checkrein.Contract) error {
	if key == "patch" {
		return r.readPatch(val, row)
	}
	s, ok := rawjson.Text(val)
	if !ok {
		return fmt.Errorf("%s must be a string", key)
	}
	var err error
	switch key {
	case "decision":
		if r.decision, ok = hookfile.ParseDecision(s); !ok {
			return fmt.Errorf("decision %q is unknown: must be one of none, allow, ask, deny", s)
		}
		asked := checkrein.Verdict{Decision: r.decision}
		if e := asked.Effects(); e&^row.Effects != 0 {
			return fmt.Errorf("decision %s has no effect on %s, which cannot be decided about: put the rule on another event", s, row.Name)
		}
	case "reason":
		r.reason, err = match.CompileText(s, row)
	case "context":
		r.context, err = match.CompileText(s, row)
	case "notice":
		r.notice, err = match.CompileText(s, row)
	default:
		return fmt.Errorf("unknown setting %q", key)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func (r *handler) readPatch(val []byte, row *checkrein.Contract) error {
	if !row.Can(checkrein.CanRewriteInput) {
		return fmt.Errorf("patch has no effect on %s", row.Name)
	}
	if rawjson.Kind(val) != '{' {
		return errors.New("patch must be a mapping of arguments")
	}
	var errs []error
	rawjson.Each(val, func(key string, v []byte) bool {
		p := set{key: key, raw: v}
		if s, ok := rawjson.Text(v); ok {
			t, err := match.CompileText(s, row)
			errs = append(errs, err)
			p.text, p.raw = t, nil
		}
		r.patch = append(r.patch, p)
		return true
	})
	return errors.Join(errs...)
}

// Handle returns what the rule decides.
func (r *handler) Handle(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	if r.plain != nil {
		return *r.plain, nil
	}
	return r.fill(ev), nil
}

// Always is what the rule says whatever the event is; nil = that depends on it.
func (r *handler) Always() *checkrein.Answer { return r.plain }

// said is a reason, or that there is none: a denial always has one.
func (r *handler) said(reason string) string {
	if r.decision == checkrein.Deny && strings.TrimSpace(reason) == "" {
		return "denied by rule " + strconv.Quote(r.label)
	}
	return reason
}

// sign reports who decides, and why.
func (r *handler) sign(v *checkrein.Verdict) {
	if v.Decision < checkrein.Ask {
		return
	}
	v.Metadata = map[string]string{"rule": r.label, "reason": v.Reason}
	if v.Reason == "" || v.Reason == r.said("") {
		delete(v.Metadata, "reason")
	}
}

// fill returns a text with the event's fields filled in.
func (r *handler) fill(ev checkrein.Event) checkrein.Answer {
	var ans checkrein.Answer
	view := match.ViewOf(&ev, r.home, r.judge)
	ans.Decision = r.decision
	if r.decision != checkrein.NoOpinion {
		ans.Reason = r.said(r.reason.Render(&view))
	}
	r.sign(&ans.Verdict)
	if !r.context.IsZero() {
		ans.Context = []string{r.context.Render(&view)}
	}
	if !r.notice.IsZero() {
		ans.Notice = []string{r.notice.Render(&view)}
	}
	if len(r.patch) > 0 && ev.Tool != nil {
		ans.Input = r.render(&view, ev.Tool)
	}
	return ans
}

// render writes the patch under the keys that the host's call has.
func (r *handler) render(view *match.View, tool *checkrein.Tool) json.RawMessage {
	b := []byte{'{'}
	for _, p := range r.patch {
		b = rawjson.AppendKey(b, tool.ArgKey(p.key))
		if p.raw != nil {
			b = append(b, p.raw...)
		} else {
			b = rawjson.AppendString(b, p.text.Render(view))
		}
	}
	return append(b, '}')
}
