package frame

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Answers are the answers to a call, from the mildest to the strictest.
var Answers = []string{"pass", "saved", "contained", "asked", "denied"}

// A Row is one event in a list.
type Row struct {
	Seq     uint64
	Path    string // of its page
	Machine string // on which it was, in a fleet
	Time    time.Time
	Host    string
	Session string
	Project string // the root of the project, or else the directory
	Event   string
	Tool    string
	Call    string // the command, path or query, or the name of the event
	Answer  string // one of Answers
	Shadow  bool   // the answer was not enforced
	Masked  bool   // secrets were redacted
	Granted bool   // a grant lifted what would have stopped it
	Rules   []string
	Why     string
	MS      float64
	Handle  string   // with which a person can allow the call
	Origins []string // FILE:LINE of the hooks that decided
	Person  bool     // it is about what a person did
}

// NewRow returns the row of r.
func NewRow(r *record.Record) Row {
	out := Row{
		Seq: r.Seq, Path: "/r/" + strconv.FormatUint(r.Seq, 10), Time: r.Time, Host: r.Host, Session: r.Session, Project: cmp.Or(r.Root, r.Dir), Event: r.Event,
		Shadow: r.Shadow, MS: r.MS, Handle: r.Handle, Answer: feed.AnswerOf(r), Call: callOf(r),
	}
	if r.Tool != nil {
		out.Tool = r.Tool.Name
	}
	out.Granted = slices.ContainsFunc(r.Plan, func(s record.Step) bool { return s.Lifted != nil })
	for _, s := range Deciders(r) {
		out.Origins = append(out.Origins, s.Origin)
		if out.Masked = out.Masked || len(s.Redacted) > 0 && r.Counts(s); out.Masked && out.Why == "" {
			out.Why = maskedText(s.Redacted)
		}
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

// maskedText returns what was redacted, in words.
func maskedText(list []record.Redacted) string {
	var kinds []string
	for _, one := range list {
		if !slices.Contains(kinds, one.Rule) {
			kinds = append(kinds, one.Rule)
		}
	}
	return "redacted before the agent got it: " + strings.Join(kinds, ", ")
}

// Deciders returns the steps that made the decision of r or, if there was none, those that did something
// else or failed.
func Deciders(r *record.Record) []*record.Step {
	out := r.DecidingSteps()
	if record.Decides(r.Merge().Decision) {
		return out
	}
	for i := range r.Plan {
		if s := &r.Plan[i]; s.Outcome == "fault" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// CallText returns what the call of r is about: its command, or else its tool with its paths or its first
// string argument. It returns "" if there is none.
func CallText(r *record.Record) string {
	if t := r.Call(); t.Command() == "" {
		return strings.TrimSpace(t.Name + " " + r.CallText())
	}
	return r.CallText()
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
	call := oneLine(CallText(r))
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

// IsCall reports whether r deserves a row in a list of calls: it is about a tool that is about to run,
// or something was decided, changed or went wrong.
func IsCall(r *record.Record) bool {
	return r.Event == checkrein.PreToolUse.String() || feed.AnswerOf(r) != "pass" || r.Fault != "" ||
		slices.ContainsFunc(r.Plan, func(s record.Step) bool {
			return s.Outcome == "fault" || s.Lifted != nil || slices.ContainsFunc(s.Effects, changes)
		})
}

// changes reports whether an effect changes a call or its result.
func changes(effect string) bool {
	return strings.HasPrefix(effect, "rewrite_") || effect == "halt" || effect == "redo"
}
