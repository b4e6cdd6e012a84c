package feed

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// The answers of rows.
const (
	Passed    = "pass"
	Saved     = "saved"
	Contained = "contained"
	Asked     = "asked"
	Denied    = "denied"
)

// A Row is a record in one line, for people. Its texts have no secrets and no control characters.
type Row struct {
	Record  uint64    `json:"record"` // the record's number
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"` // event, or person for what a person did
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	Root    string    `json:"root,omitempty"`  // of the project
	Event   string    `json:"event,omitempty"` // checkrein's name of it; of a person, the act
	Tool    string    `json:"tool,omitempty"`
	Call    string    `json:"call,omitempty"`   // in one line, shortened
	Answer  string    `json:"answer,omitempty"` // pass, saved, contained, asked or denied
	Would   string    `json:"would,omitempty"`  // the answer that was not enforced, in shadow mode
	Rules   []string  `json:"rules,omitempty"`  // rules and hooks that decided
	Why     string    `json:"why,omitempty"`    // in one line, shortened
	Handle  string    `json:"handle,omitempty"` // with which a person can allow the call
	Saves   []string  `json:"saves,omitempty"`  // with which the call can be undone
	Faults  int       `json:"faults,omitempty"` // hooks that failed
	Policy  string    `json:"policy,omitempty"` // version of the policy in force
	MS      float64   `json:"ms"`

	encode func() []byte // encodes the row once for all subscriptions; nil = it was not read from a ledger
}

// JSON returns the row as JSON. Callers must not change the result.
func (r *Row) JSON() []byte {
	if r.encode != nil {
		return r.encode()
	}
	data, _ := json.Marshal(r) // cannot fail: it has only texts and numbers
	return data
}

// JSON returns the batch as JSON.
func (b *Batch) JSON() []byte {
	o := append(make([]byte, 0, 64+300*len(b.Rows)), `{"rows":[`...)
	for i := range b.Rows {
		if i > 0 {
			o = append(o, ',')
		}
		o = append(o, b.Rows[i].JSON()...)
	}
	return fmt.Appendf(o, `],"dropped":%d,"last":%d}`, b.Dropped, b.Last)
}

// The most characters of texts in a row.
const (
	maxName = 120
	maxCall = 400
	maxWhy  = 300
)

// IsCall reports whether the row is about a call before it runs, or about an event that deserves to be
// seen beside those: one with an answer other than pass, a fault, or an act of a person.
func (r *Row) IsCall() bool {
	return r.Event == checkrein.PreToolUse.String() || r.Kind != ledger.KindEvent || r.Answer != Passed || r.Would != "" || r.Faults > 0
}

// NewRow returns the row of rec, the record in line. It reports false if people need no row of it.
func NewRow(rec *record.Record, line []byte) (Row, bool) {
	row := Row{Record: rec.Seq, Time: rec.Time, Kind: rec.Kind}
	switch rec.Kind {
	case ledger.KindEvent:
		row.fill(rec)
	case ledger.KindPerson:
		var act struct {
			Act, Handle, Call, By, Why string
			Rules                      []string
		}
		if json.Unmarshal(line, &act) != nil {
			return row, false
		}
		row.Event, row.Host, row.Call, row.Why = shorten(act.Act, maxName), shorten(act.By, maxName), shorten(act.Call, maxCall), shorten(act.Why, maxWhy)
		row.Handle, row.Rules = shorten(act.Handle, maxName), act.Rules
	default:
		return row, false
	}
	for i := range row.Rules {
		row.Rules[i] = shorten(row.Rules[i], maxName)
	}
	return row, true
}

// fill sets the members of r for an event.
func (r *Row) fill(rec *record.Record) {
	for _, each := range []struct {
		to   *string
		text string
		most int
	}{
		{&r.Host, rec.Host, maxName}, {&r.Session, rec.Session, maxName}, {&r.Agent, rec.Agent, maxName}, {&r.Root, rec.Root, maxCall},
		{&r.Event, rec.Event, maxName}, {&r.Call, rec.CallText(), maxCall}, {&r.Handle, rec.Handle, maxName}, {&r.Policy, rec.Policy, maxName},
	} {
		*each.to = shorten(each.text, each.most)
	}
	if rec.Event == checkrein.Other.String() {
		r.Event = shorten(rec.Native, maxName)
	}
	if rec.Tool != nil {
		r.Tool = shorten(rec.Tool.Name, maxName)
	}
	r.Rules, r.Saves, r.MS = rec.Deciders(), rec.Saved, rec.MS
	r.Answer = AnswerOf(rec)
	if rec.Shadow {
		r.Answer, r.Would = Passed, r.Answer
	}
	if rec.Fault != "" {
		r.Faults++
	}
	for i := range rec.Plan {
		if rec.Plan[i].Fault != "" {
			r.Faults++
		}
	}
	why := rec.Reason
	for _, s := range rec.DecidingSteps() {
		if s.Why != "" {
			why = s.Why
			break
		}
	}
	if why == "" {
		why = rec.Fault
	}
	r.Why = shorten(why, maxWhy)
}

// AnswerOf returns the answer in rec, as if it had been enforced.
func AnswerOf(rec *record.Record) string {
	switch {
	case rec.Decision == checkrein.Deny.String():
		return Denied
	case rec.Decision == checkrein.Ask.String():
		return Asked
	case rec.Answer == Saved, rec.Answer == Contained:
		return rec.Answer
	}
	return Passed
}

// shorten returns s in one line of visible characters, at most about most of them.
func shorten(s string, most int) string {
	if len(s) > 4*most {
		s = s[:4*most]
	}
	s = visible.EscapeLine(strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), ""))
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
