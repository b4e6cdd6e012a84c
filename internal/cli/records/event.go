package records

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Missing is what a record lacks of its event.
type Missing uint8

const (
	Complete  Missing = iota
	Redacted          // secrets
	Truncated         // the middle of a long call
)

// EventOf returns the event of the record r as far as the ledger has it, and what it lacks.
func EventOf(r *record.Record) (ev checkrein.Event, missing Missing) {
	kind, _ := hookfile.KindOf(r.Event)
	ev = checkrein.Event{Kind: kind, Host: r.Host, Native: r.Native, Session: checkrein.Session{ID: r.Session, Dir: r.Dir, Root: r.Root, Agent: r.Agent}}
	var input, output, text *record.Part
	if r.Subject != nil {
		input, output, text = r.Subject.Input, r.Subject.Output, r.Subject.Text
	}
	if r.Tool != nil {
		ev.Tool = &checkrein.Tool{Name: r.Tool.Name, Canonical: r.Tool.Canonical, CallID: r.Tool.CallID, Failed: r.Tool.Failed, Input: json.RawMessage("{}")}
		if input != nil && input.JSON != nil {
			ev.Tool.Input = input.JSON
		}
		switch {
		case output != nil && output.JSON != nil:
			ev.Tool.Output = output.JSON
		case output != nil && output.Text != "":
			ev.Tool.Output = rawjson.Quote(output.Text)
		}
	}
	if text != nil {
		ev.Text = cmp.Or(text.Text, text.Head)
	}
	for _, p := range []*record.Part{input, output, text} {
		switch {
		case p == nil:
		case p.JSON == nil && p.Text == "" && p.Bytes > 0:
			return ev, Truncated
		case strings.Contains(string(p.JSON), secret.Marker) || strings.Contains(p.Text, secret.Marker):
			missing = Redacted
		}
	}
	return ev, missing
}
