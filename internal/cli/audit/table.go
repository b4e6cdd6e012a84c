package audit

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A listing prints records as rows of a table. On a terminal, reasons are below their rows; in a pipe,
// each record is one line.
type listing struct {
	*term.Screen
	table *term.Table
	zone  *time.Location
}

// newListing returns an empty listing for standard output.
func newListing(env *console.Env) *listing {
	l := &listing{Screen: base.Screen(env, env.Stdout), table: &term.Table{}, zone: base.Zone(env)}
	l.table.Columns = []term.Column{{Title: "ID", Right: !l.isPiped()}, {Title: "TIME"}, {Title: "AGENT"}, {Title: "DECISION"}}
	if l.isPiped() {
		l.table.Columns = append(l.table.Columns, term.Column{Title: "SESSION"}, term.Column{Title: "TOOL"})
	}
	l.table.Columns = append(l.table.Columns, term.Column{Title: "COMMAND", Give: 2, Least: 20}, term.Column{Title: "RULE", Give: 2, Least: 14})
	if l.isPiped() {
		l.table.Columns = append(l.table.Columns, term.Column{Title: "REASON"})
	}
	return l
}

// isPiped reports whether standard output is not a terminal.
func (l *listing) isPiped() bool { return l.Width() == 0 }

// print prints the records in lines of the ledger.
func (l *listing) print(lines [][]byte) {
	for _, raw := range lines {
		r, err := record.Decode(raw)
		if err != nil {
			continue // cannot happen: the lines were verified
		}
		why := reasonOf(r)
		if r.Kind == ledger.KindPerson {
			why = explain.PersonText(raw)
		}
		l.addRow(r, l.ShortenPaths(base.OneLine(why)))
	}
	if l.table.RowCount() > 0 {
		l.Table(0, l.table)
		l.table.ClearRows()
	}
}

// addRow adds a row for r with the reason why.
func (l *listing) addRow(r *record.Record, why string) {
	word, style := outcomeWord(r)
	rules := term.T(term.Name, strings.Join(r.Deciders(), ","))
	if !l.isPiped() {
		l.table.AddRow([]term.Span{term.P(strconv.FormatUint(r.Seq, 10))}, []term.Span{term.T(term.Faint, l.FormatClock(r.Time))}, []term.Span{term.P(r.Host)}, []term.Span{term.T(style, word)}, l.subject(r), []term.Span{rules})
		if why != "" {
			l.table.AddBelow(term.T(term.Faint, why))
		}
		return
	}
	tool := ""
	if r.Tool != nil {
		tool = r.Tool.Name
	}
	cells := [][]term.Span{{term.P(strconv.FormatUint(r.Seq, 10))}, {term.P(r.Time.In(l.zone).Format(time.DateTime))}, {term.P(r.Host)}, {term.T(style, word)}, {term.P(r.Session)}, {term.P(tool)}, l.subject(r), {rules}, {term.P(why)}}
	for i := range cells { // programs need the same number of columns in each line
		if len(cells[i]) == 1 && cells[i][0].Text == "" {
			cells[i] = []term.Span{term.P("-")}
		}
	}
	l.table.AddRow(cells...)
}

// outcomeWord returns the outcome of r in one or two words, and its style.
func outcomeWord(r *record.Record) (string, term.Style) {
	style := explain.DecisionStyle(r.Decision)
	switch {
	case r.Shadow && record.Decides(r.Decision):
		return "would " + r.Decision, term.Faint
	case record.Decides(r.Decision) || r.Kind != ledger.KindEvent:
		return r.Decision, style
	case records.HasEffect(r, records.ChangingEffects):
		return "changed", term.Warn
	case records.HasEffect(r, checkrein.CanHalt):
		return "stopped", term.Warn
	case records.HasEffect(r, checkrein.CanRedo):
		return "sent back", term.Warn
	case len(records.LiftedSteps(r)) > 0:
		return "lifted", term.Good
	}
	return r.Decision, term.Faint
}

// subject returns the command, path or query of the call in r, or the name of the event if r is not
// about a call.
func (l *listing) subject(r *record.Record) []term.Span {
	event := r.Event
	switch {
	case event == "":
		event = "(" + r.Kind + ")" // r is about the ledger itself
	case event == checkrein.Other.String() && r.Native != "":
		event = r.Native
	}
	if r.Tool == nil {
		return []term.Span{term.T(term.Faint, event)}
	}
	text := l.ShortenPaths(base.OneLine(r.CallText()))
	if !l.isPiped() && r.Call().Command() == "" {
		text = strings.TrimSpace(r.Tool.Name + " " + text)
	}
	if event == checkrein.PreToolUse.String() {
		return []term.Span{term.P(text)}
	}
	if short := shortEvents[event]; short != "" {
		event = short
	}
	return []term.Span{term.T(term.Faint, event+": "), term.P(text)}
}

// shortEvents has the short names that precede the call for events after it.
var shortEvents = map[string]string{checkrein.PostToolUse.String(): "after", checkrein.ToolResponseTransform.String(): "result"}

// reasonOf returns why the event of r was decided as it was, in one line and without the call.
func reasonOf(r *record.Record) string {
	var out []string
	for _, v := range explain.Deciders(r) {
		switch {
		case v.Why != "" && !slices.Contains(out, v.Why):
			out = append(out, v.Why)
		case v.Why == "" && !v.Decides():
			out = append(out, explain.EffectWords(v.Step))
		}
	}
	text := strings.Join(out, "; ")
	for _, other := range []string{r.Reason, r.Fault} {
		if text == "" {
			text = other
		}
	}
	if r.Event == "" && text == "" {
		text = r.Why
	}
	if r.Shadow {
		text = strings.TrimPrefix(text+" (not enforced: shadow mode, or paused)", " ")
	}
	if r.Foreign {
		text = strings.TrimSuffix("foreign: "+text, ": ") // the event did not come from the session's host
	}
	return text
}
