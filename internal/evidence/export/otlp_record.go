package export

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// logRecord returns r, decoded from line, as an OpenTelemetry log record. An event becomes a
// `checkrein.decision`; a record about the ledger itself becomes a `checkrein.ledger.<kind>`, since
// monitors should see a gap; an action of a person about decisions becomes a `checkrein.person`.
//
// Attributes follow the GenAI conventions where there are any, and are otherwise under `checkrein.`.
// Tool input and output and what users wrote are not sent, because the conventions make them opt-in,
// and the ledger contains them.
func logRecord(r *record.Record, line []byte, now time.Time) *logs.LogRecord {
	out := &logs.LogRecord{
		TimeUnixNano:         unixNano(r.Time),
		ObservedTimeUnixNano: unixNano(now),
	}
	var a attributes
	switch r.Kind {
	case ledger.KindEvent:
		out.EventName = "checkrein.decision"
		out.SeverityNumber = decisionSeverity(r)
		out.Body = stringValue(eventSentence(r))
		a.addGenAI(r)
		a.addDecision(r)
	case ledger.KindPerson:
		out.EventName = "checkrein.person"
		out.SeverityNumber = ledgerSeverity(r.Kind)
		out.Body = stringValue(personSentence(line))
		a.addMembers(line, "checkrein.person.", "call") // call contains tool input
	default:
		out.EventName = "checkrein.ledger." + r.Kind
		out.SeverityNumber = ledgerSeverity(r.Kind)
		out.Body = stringValue("ledger: " + r.Kind)
		a.addMembers(line, "checkrein.ledger.", "")
	}
	a.addInt("checkrein.seq", int64(r.Seq))
	a.addText("checkrein.hash", r.Hash)
	out.SeverityText = severityText(out.SeverityNumber)
	out.Attributes = a
	return out
}

// decisionSeverity returns the severity of the decision in r. A denial is a warning and not an error,
// since ERROR in OpenTelemetry means that something went wrong, and a denial is correct operation. An
// event that could not be read is an error; a hook that failed is a warning.
func decisionSeverity(r *record.Record) logs.SeverityNumber {
	switch {
	case r.Fault != "":
		return logs.SeverityNumber_SEVERITY_NUMBER_ERROR
	case r.Decision == "deny":
		return logs.SeverityNumber_SEVERITY_NUMBER_WARN2
	case r.Decision == "ask", len(faultTexts(r)) > 0:
		return logs.SeverityNumber_SEVERITY_NUMBER_WARN
	}
	return logs.SeverityNumber_SEVERITY_NUMBER_INFO
}

// ledgerSeverity returns the severity of a record of this kind, which is about the ledger itself or a
// person.
func ledgerSeverity(kind string) logs.SeverityNumber {
	switch kind {
	case ledger.KindGap:
		return logs.SeverityNumber_SEVERITY_NUMBER_ERROR
	case ledger.KindTorn, ledger.KindDerived:
		return logs.SeverityNumber_SEVERITY_NUMBER_WARN
	}
	return logs.SeverityNumber_SEVERITY_NUMBER_INFO
}

// severityText returns the short name that the data model has for n.
func severityText(n logs.SeverityNumber) string {
	return n.String()[len("SEVERITY_NUMBER_"):]
}

// personSentence describes what a person did, according to line, for a list of logs.
func personSentence(line []byte) string {
	var a struct{ Act, Handle, Grant, Scope, By, Why string }
	if json.Unmarshal(line, &a) != nil {
		return "person"
	}
	text := a.Act
	for _, part := range []struct{ before, value string }{{" ", a.Handle}, {" ", a.Grant}, {" ", a.Scope}, {" by ", a.By}, {": ", a.Why}} {
		if part.value != "" {
			text += part.before + part.value
		}
	}
	return text
}

// eventSentence describes the event and decision of r, for a list of logs.
func eventSentence(r *record.Record) string {
	s := r.Decision + " " + r.Event
	if r.Tool != nil {
		s += " " + r.Tool.Name
	}
	if r.Reason != "" {
		s += ": " + r.Reason
	}
	return s
}

// attributes holds the attributes of one record. Empty values are left out.
type attributes []*common.KeyValue

// addGenAI adds the attributes of the GenAI conventions. error.type is unreadable_event, tool_failed
// or canceled, but never a hook's fault, since the operation is that of the tool.
func (a *attributes) addGenAI(r *record.Record) {
	if t := r.Tool; t != nil {
		a.addText("gen_ai.operation.name", "execute_tool")
		a.addText("gen_ai.tool.name", t.Name)
		a.addText("gen_ai.tool.call.id", t.CallID)
	}
	a.addText("gen_ai.conversation.id", r.Session)
	a.addText("gen_ai.agent.name", r.Agent)
	switch {
	case r.Fault != "":
		a.addText("error.type", "unreadable_event")
	case r.Tool != nil && r.Tool.Failed:
		a.addText("error.type", "tool_failed")
	case r.Canceled:
		a.addText("error.type", "canceled")
	}
}

// addDecision adds the attributes that are specific to checkrein.
func (a *attributes) addDecision(r *record.Record) {
	a.addText("checkrein.decision", r.Decision)
	a.addText("checkrein.reason", r.Reason)
	a.addText("checkrein.event", r.Event)
	a.addText("checkrein.native_event", r.Native)
	a.addText("checkrein.host", r.Host)
	if r.Tool != nil {
		a.addText("checkrein.canonical_tool", r.Tool.Canonical)
	}
	a.addList("checkrein.hooks", hookNames(r))
	a.addList("checkrein.effects", r.Effects)
	a.addList("checkrein.faults", faultTexts(r))
	a.addList("checkrein.dropped", droppedTexts(r))
	if r.Redo != nil {
		a.addInt("checkrein.redo_attempt", int64(r.Redo.Attempt))
	}
	a.addText("checkrein.policy", r.Policy)
	a.addText("checkrein.program", r.Program)
	a.addText("checkrein.session_key", r.Key)
	a.add("checkrein.duration_ms", doubleValue(r.MS))
}

// addMembers adds the record's own members in line under prefix, sorted, except for the member
// without.
func (a *attributes) addMembers(line []byte, prefix, without string) {
	all := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber() // a float cannot represent all positions
	if d.Decode(&all) != nil {
		return // cannot happen: the line was decoded before
	}
	var names []string
	for name := range all {
		switch name {
		case "v", "seq", "kind", "time", "boot", "mono", "prev", "seal", "len", "hash", without:
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		a.add(prefix+name, anyValue(all[name]))
	}
}

func (a *attributes) add(key string, v *common.AnyValue) {
	*a = append(*a, &common.KeyValue{Key: key, Value: v})
}

func (a *attributes) addText(key, s string) {
	if s != "" {
		a.add(key, stringValue(s))
	}
}

func (a *attributes) addInt(key string, n int64) { a.add(key, intValue(n)) }

func (a *attributes) addList(key string, all []string) {
	if len(all) == 0 {
		return
	}
	values := make([]*common.AnyValue, len(all))
	for i, s := range all {
		values[i] = stringValue(s)
	}
	a.add(key, &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: values}}})
}

// anyValue returns v, a decoded JSON value. Objects and lists stay JSON text.
func anyValue(v any) *common.AnyValue {
	switch v := v.(type) {
	case string:
		return stringValue(v)
	case bool:
		return &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: v}}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return intValue(n)
		}
		f, _ := v.Float64()
		return doubleValue(f)
	}
	text, _ := json.Marshal(v) // cannot fail: v was decoded from JSON
	return stringValue(string(text))
}

func stringValue(s string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: s}}
}

func intValue(n int64) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: n}}
}

func doubleValue(f float64) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: f}}
}

// unixNano returns t for the protocol, in which 0 means unknown.
func unixNano(t time.Time) uint64 {
	return uint64(max(0, t.UnixNano()))
}
