// Package rule implements declarative hooks, which decide without starting a process, in microseconds.
//
// The condition is the hook's `if`, which the engine evaluates; the handler runs only if it holds.
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

// Type returns the handler type. A hook's settings are "decision", "reason", "patch", "context" and
// "notice". A ~ in a path stands for home. The function judge is that of the engine's options.
func Type(home string, judge func(*checkrein.Event) match.Acts) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: "rule",
		New:  func(h checkrein.Hook) (checkrein.Handler, error) { return newHandler(h, home, judge) },
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
	patch    []patchMember

	constant *checkrein.Answer // the answer, if it is the same for every event
}

// A patchMember is one member of a patch: a template, or a JSON value.
type patchMember struct {
	key  string
	text match.Text
	raw  []byte
}

// newHandler returns the handler for the rule h, or an error that joins all mistakes in its settings.
func newHandler(h checkrein.Hook, home string, judge func(*checkrein.Event) match.Acts) (checkrein.Handler, error) {
	row := checkrein.ContractOf(h.On)
	out := &handler{label: h.Label(), home: home, judge: judge}
	var errs []error
	rawjson.Each(h.With, func(key string, val []byte) bool {
		errs = append(errs, out.readSetting(key, val, row))
		return true
	})
	if out.decision == checkrein.NoOpinion {
		out.reason = match.Text{}
	}
	if reason, plain := out.reason.Plain(); plain && out.context.IsZero() && out.notice.IsZero() && len(out.patch) == 0 {
		out.constant = &checkrein.Answer{Verdict: checkrein.Verdict{Decision: out.decision, Reason: out.reasonOrDefault(reason)}}
		out.addMetadata(&out.constant.Verdict)
	}
	return out, errors.Join(errs...)
}

// readSetting reads the setting key, whose templates are for events with the contract row.
func (r *handler) readSetting(key string, val []byte, row *checkrein.Contract) error {
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

// readPatch reads the patch val, an object whose strings are templates for events with the contract
// row.
func (r *handler) readPatch(val []byte, row *checkrein.Contract) error {
	if !row.Can(checkrein.CanRewriteInput) {
		return fmt.Errorf("patch has no effect on %s", row.Name)
	}
	if rawjson.Kind(val) != '{' {
		return errors.New("patch must be a mapping of arguments")
	}
	var errs []error
	rawjson.Each(val, func(key string, v []byte) bool {
		p := patchMember{key: key, raw: v}
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

// Handle returns the rule's answer.
func (r *handler) Handle(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	if r.constant != nil {
		return *r.constant, nil
	}
	return r.renderAnswer(ev), nil
}

// Always returns the answer if it is the same for every event, otherwise nil.
func (r *handler) Always() *checkrein.Answer { return r.constant }

// reasonOrDefault returns reason, or a default reason if it is empty and the rule denies.
func (r *handler) reasonOrDefault(reason string) string {
	if r.decision == checkrein.Deny && strings.TrimSpace(reason) == "" {
		return "denied by rule " + strconv.Quote(r.label)
	}
	return reason
}

// addMetadata adds the rule and its reason to the metadata of v if it asks or denies.
func (r *handler) addMetadata(v *checkrein.Verdict) {
	if v.Decision < checkrein.Ask {
		return
	}
	v.Metadata = map[string]string{"rule": r.label, "reason": v.Reason}
	if v.Reason == "" || v.Reason == r.reasonOrDefault("") {
		delete(v.Metadata, "reason")
	}
}

// renderAnswer returns the answer with the fields of ev filled in.
func (r *handler) renderAnswer(ev checkrein.Event) checkrein.Answer {
	var ans checkrein.Answer
	view := match.ViewOf(&ev, r.home, r.judge)
	ans.Decision = r.decision
	if r.decision != checkrein.NoOpinion {
		ans.Reason = r.reasonOrDefault(r.reason.Render(&view))
	}
	r.addMetadata(&ans.Verdict)
	if !r.context.IsZero() {
		ans.Context = []string{r.context.Render(&view)}
	}
	if !r.notice.IsZero() {
		ans.Notice = []string{r.notice.Render(&view)}
	}
	if len(r.patch) > 0 && ev.Tool != nil {
		ans.Input = r.renderPatch(&view, ev.Tool)
	}
	return ans
}

// renderPatch returns the patch with the fields of view filled in and with the argument names that the
// host's call has.
func (r *handler) renderPatch(view *match.View, tool *checkrein.Tool) json.RawMessage {
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
