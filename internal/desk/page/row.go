package page

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// The answers to a call, from the mildest to the strictest.
var answers = []string{"pass", "saved", "contained", "asked", "denied"}

// A row is one event in a list.
type row struct {
	Seq     uint64
	Time    time.Time
	Host    string
	Session string
	Project string // the root of the project, or else the directory
	Event   string
	Tool    string
	Call    string // the command, path or query, or the name of the event
	Answer  string // one of answers
	Shadow  bool   // the answer was not enforced
	Rules   []string
	Why     string
	MS      float64
	Handle  string // with which a person can allow the call
	Person  bool   // it is about what a person did
}

// newRow returns the row of r.
func newRow(r *record.Record) row {
	out := row{
		Seq: r.Seq, Time: r.Time, Host: r.Host, Session: r.Session, Project: cmp.Or(r.Root, r.Dir), Event: r.Event,
		Shadow: r.Shadow, MS: r.MS, Handle: r.Handle, Answer: answerOf(r), Call: callOf(r),
	}
	if r.Tool != nil {
		out.Tool = r.Tool.Name
	}
	for _, s := range deciders(r) {
		for _, name := range append([]string{s.Decider()}, s.Rules...) {
			if !slices.Contains(out.Rules, name) {
				out.Rules = append(out.Rules, name)
			}
		}
		if out.Why == "" {
			out.Why = oneLine(cmp.Or(s.Why, s.Reason, s.Fault))
		}
	}
	if out.Why == "" {
		out.Why = oneLine(cmp.Or(r.Fault, r.Why))
	}
	return out
}

// answerOf returns which of answers r has.
func answerOf(r *record.Record) string {
	switch r.Decision {
	case checkrein.Deny.String():
		return "denied"
	case checkrein.Ask.String():
		return "asked"
	}
	return cmp.Or(r.Answer, "pass")
}

// deciders returns the steps that made the decision of r or, if there was none, those with another
// effect.
func deciders(r *record.Record) (out []*record.Step) {
	most := checkrein.NoOpinion
	for i := range r.Plan {
		d, _ := hookfile.ParseDecision(r.Plan[i].Decision)
		most = max(most, d)
	}
	for i := range r.Plan {
		s := &r.Plan[i]
		d, _ := hookfile.ParseDecision(s.Decision)
		if most > checkrein.NoOpinion && d == most || most == checkrein.NoOpinion && (len(s.Effects) > 0 || s.Lifted != nil || s.Outcome == "fault") {
			out = append(out, s)
		}
	}
	return out
}

// toolOf returns the tool call of r as recorded, without secrets.
func toolOf(r *record.Record) *checkrein.Tool {
	t := &checkrein.Tool{}
	if r.Tool != nil {
		t.Name, t.Canonical = r.Tool.Name, r.Tool.Canonical
	}
	if r.Subject != nil && r.Subject.Input != nil {
		t.Input = r.Subject.Input.JSON
	}
	return t
}

// callText returns what the call of r is about: its command, its paths, or else its first string
// argument. It returns "" if there is none.
func callText(r *record.Record) (text string) {
	t := toolOf(r)
	if command := t.Command(); command != "" {
		return command
	}
	if paths := t.Paths(); len(paths) > 0 {
		return t.Name + " " + strings.Join(paths, " ")
	}
	rawjson.Each(t.Input, func(_ string, val []byte) bool {
		var ok bool
		text, ok = rawjson.Text(val)
		return !ok || text == ""
	})
	return strings.TrimSpace(t.Name + " " + text)
}

// callOf returns the call of r in one line, or the name of the event if r is not about a call.
func callOf(r *record.Record) string {
	event := cmp.Or(r.Event, r.Kind)
	if event == checkrein.Other.String() {
		event = cmp.Or(r.Native, event)
	}
	if r.Tool == nil {
		return oneLine(event)
	}
	call := oneLine(callText(r))
	if event == checkrein.PreToolUse.String() {
		return call
	}
	return oneLine(strings.ReplaceAll(event, "_", " ")) + ": " + call
}

// maxLine is the maximum length of a text in a list, in bytes.
const maxLine = 400

// oneLine returns the beginning of text in one line, with invisible characters escaped.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	return visible.EscapeLine(text)
}

// isCall reports whether r deserves a row in a list of calls: it is about a tool that is about to run,
// or something was decided, changed or went wrong.
func isCall(r *record.Record) bool {
	return r.Event == checkrein.PreToolUse.String() || answerOf(r) != "pass" || r.Fault != "" ||
		slices.ContainsFunc(r.Plan, func(s record.Step) bool {
			return s.Outcome == "fault" || s.Lifted != nil || slices.ContainsFunc(s.Effects, changes)
		})
}

// changes reports whether an effect changes a call or its result.
func changes(effect string) bool {
	return strings.HasPrefix(effect, "rewrite_") || effect == "halt" || effect == "redo"
}
