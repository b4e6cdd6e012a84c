package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Reason is why a call cannot be decided again.
type Reason struct {
	Kind string // one of the constants below, or an [app.GapKind]
	What string // which hook, field or state; "" = the kind is enough
}

// Kinds of reasons that records show by themselves.
const (
	Truncated  = "truncated"  // the record has only the beginning and the end of the event
	Secrets    = "secrets"    // secrets in the event were redacted
	Unreadable = "unreadable" // the agent's event could not be read
	Files      = "files"      // files or repositories that it read are gone or differ
	Time       = "time"       // the decision was cut short
)

var reasonTexts = map[string]string{
	Truncated: "the record has only a part of the event", Secrets: "secrets in it were redacted", Unreadable: "the agent's event could not be read",
	Files: "files that it read are gone or differ now", Time: "the agent did not wait for all hooks",
	string(app.GapProgram): "runs", string(app.GapPayload): "records lack", string(app.GapState): "depends on the state then:",
}

// String returns the reason in words.
func (r Reason) String() string {
	return strings.TrimSpace(cmp.Or(reasonTexts[r.Kind], r.Kind) + " " + r.What)
}

// A past is a record as far as it is needed to decide the call again.
type past struct {
	event checkrein.Event
	at    time.Time

	decision, answer, unasked, handle, program, policy string

	shadow bool          // the decision was not enforced
	trial  *record.Trial // nil = all or no hooks counted

	redo      *record.Redo
	off       []string
	effects   []string
	rewritten json.RawMessage
	plan      func() []record.Step
	rawPlan   []byte
	facts     []byte
	why       Reason // why it cannot be decided again, or zero
}

// decodePast decodes a line of a ledger.
func decodePast(line []byte) *past {
	p := &past{}
	var subject, tool []byte
	rawjson.EachRaw(line, func(key, val []byte) bool {
		switch string(key) {
		case "time":
			p.at, _ = time.Parse(time.RFC3339Nano, text(val))
		case "event":
			p.event.Kind = kinds()[text(val)]
		case "native":
			p.event.Native = text(val)
		case "host":
			if p.event.Host = text(val); p.event.Host == "native" {
				p.event.Host = ""
			}
		case "session":
			p.event.Session.ID = text(val)
		case "agent":
			p.event.Session.Agent = text(val)
		case "dir":
			p.event.Session.Dir = text(val)
		case "root":
			p.event.Session.Root = text(val)
		case "tool":
			tool = val
		case "decision":
			p.decision = text(val)
		case "answer":
			p.answer = text(val)
		case "unasked":
			p.unasked = text(val)
		case "handle":
			p.handle = text(val)
		case "program":
			p.program = text(val)
		case "policy":
			p.policy = text(val)
		case "shadow":
			p.shadow = true
		case "trial":
			p.trial = new(record.Trial)
			_ = json.Unmarshal(val, p.trial) // then nothing counted
		case "redo":
			p.redo = new(record.Redo)
			_ = json.Unmarshal(val, p.redo) // a zero count is as good
		case "packs_off":
			_ = json.Unmarshal(val, &p.off)
		case "effects":
			_ = json.Unmarshal(val, &p.effects)
		case "plan":
			p.rawPlan = val
		case "facts":
			p.facts = val
		case "subject":
			subject = val
		case "fault":
			p.why = Reason{Kind: Unreadable}
		case "canceled":
			p.why = Reason{Kind: Time}
		case "reply", "lines", "ms":
			return false // nothing after the subject is needed
		}
		return true
	})
	p.plan = sync.OnceValue(func() (list []record.Step) {
		_ = json.Unmarshal(p.rawPlan, &list) // then no hook ran
		return list
	})
	if p.shadow {
		p.setCounted()
	}
	p.setTool(tool)
	p.setSubject(subject)
	p.checkState()
	return p
}

// setCounted sets what was enforced, in place of what would have been.
func (p *past) setCounted() {
	counted := checkrein.NoOpinion
	p.effects = nil
	for _, s := range p.countedSteps() {
		d, _ := hookfile.ParseDecision(s.Decision)
		counted, p.effects = max(counted, d), append(p.effects, s.Effects...)
	}
	p.decision = counted.String()
	if p.trial != nil {
		p.decision = p.trial.Counted
	}
}

// countedSteps returns the steps whose answers counted.
func (p *past) countedSteps() []record.Step {
	r := &record.Record{Shadow: p.shadow, Trial: p.trial}
	return slices.DeleteFunc(slices.Clone(p.plan()), func(s record.Step) bool { return !r.Counts(&s) })
}

// text returns the text of a JSON string, or "".
func text(val []byte) string {
	s, _ := rawjson.Text(val)
	return s
}

// kinds returns the kinds of events by name.
var kinds = sync.OnceValue(func() map[string]checkrein.Kind {
	out := map[string]checkrein.Kind{}
	for i, row := range checkrein.Contracts() {
		out[row.Name] = checkrein.Kind(i)
	}
	return out
})

// setTool sets the tool of the event.
func (p *past) setTool(val []byte) {
	if val == nil {
		return
	}
	t := &checkrein.Tool{}
	rawjson.EachRaw(val, func(key, val []byte) bool {
		switch string(key) {
		case "name":
			t.Name = text(val)
		case "canonical":
			t.Canonical = text(val)
		case "call_id":
			t.CallID = text(val)
		case "failed":
			t.Failed = true
		}
		return true
	})
	p.event.Tool = t
}

// setSubject sets the contents of the event.
func (p *past) setSubject(val []byte) {
	rawjson.EachRaw(val, func(key, val []byte) bool {
		if string(key) == "rewritten" {
			p.rewritten, _ = rawjson.Get(val, "json")
			return true
		}
		content := p.part(val)
		switch t := p.event.Tool; {
		case string(key) == "input" && t != nil:
			t.Input = content
		case string(key) == "output" && t != nil:
			t.Output = content
		case string(key) == "text":
			p.event.Text = string(content)
		case string(key) == "messages":
			p.event.Messages = content
		}
		return true
	})
}

// redacted begins all markers that replace secrets.
var redacted = []byte("[REDACTED")

// part returns the value of a part of the subject. It sets p.why if the record does not have all of it.
func (p *past) part(val []byte) (out []byte) {
	rawjson.EachRaw(val, func(key, val []byte) bool {
		switch string(key) {
		case "json":
			out = val
		case "text":
			out = []byte(text(val))
		case "head", "tail":
			p.setReason(Reason{Kind: Truncated})
		}
		return true
	})
	if bytes.Contains(val, redacted) {
		p.setReason(Reason{Kind: Secrets})
	}
	return out
}

// setReason sets p.why unless it is set.
func (p *past) setReason(r Reason) {
	if p.why == (Reason{}) {
		p.why = r
	}
}

// checkState sets p.why if what was decided depends on what a person had granted, or is not explained
// by the hooks.
func (p *past) checkState() {
	if bytes.Contains(p.rawPlan, []byte(`"lifted":`)) || bytes.Contains(p.rawPlan, []byte(`"excused":`)) {
		for _, s := range p.plan() {
			if len(s.Excused) > 0 || s.Lifted != nil && slices.ContainsFunc(strings.Split(s.Lifted.Grant, ","), isStored) {
				p.setReason(Reason{string(app.GapState), "a grant"})
			}
		}
	}
	if w := p.word(); (w == "denied" || w == "asked") && len(p.deciders()) == 0 {
		p.setReason(Reason{string(app.GapState), "a check of checkrein's own"})
	}
}

// isStored reports whether id is that of a grant by checkrein allow, not of one in a file.
func isStored(id string) bool {
	return len(id) > 1 && id[0] == 'g' && strings.Trim(id[1:], "0123456789") == ""
}

// word returns the word for the decision. A question that reached no person counts as asked.
func (p *past) word() string {
	switch p.decision {
	case "deny":
		if p.unasked != "" {
			return "asked"
		}
		return "denied"
	case "ask":
		return "asked"
	case "allow":
		return cmp.Or(p.answer, "allowed")
	}
	return cmp.Or(p.answer, "pass")
}

// deciders returns the hooks and rules that decided.
func (p *past) deciders() []Decider {
	decision := p.decision
	if p.unasked != "" {
		decision = "ask"
	}
	if decision == "none" {
		return nil
	}
	var out []Decider
	for _, s := range p.countedSteps() {
		if s.Decision == decision {
			out = append(out, newDecider(s.Hook, s.Type, s.Rule, s.Rules, s.Reason))
		}
	}
	return out
}

// recordedAnswer returns what was decided.
func (p *past) recordedAnswer() Answer {
	return Answer{Word: p.word(), By: p.deciders(), Effects: weighty(p.effects)}
}
