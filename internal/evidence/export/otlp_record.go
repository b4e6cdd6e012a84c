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

// logRecord returns a record as OpenTelemetry knows it. An event is a
// `checkrein.decision`; what the ledger says of itself is a
// `checkrein.ledger.<kind>`, since a gap is what a monitor should see; what a person
// did about decisions is a `checkrein.person`.
//
// Attributes are those of the GenAI conventions where there are any, else under
// `checkrein.`. What tools were given and returned, and what people wrote, is
// not sent: the conventions make it opt-in, and the ledger has it.
func logRecord(r *record.Record, line []byte, now time.Time) *logs.LogRecord {
	out := &logs.LogRecord{
		TimeUnixNano:         unixNano(r.Time),
		ObservedTimeUnixNano: unixNano(now),
	}
	var a attributes
	switch r.Kind {
	case ledger.KindEvent:
		out.EventName = "checkrein.decision"
		out.SeverityNumber = severity(r)
		out.Body = stringValue(sentence(r))
		a.genAI(r)
		a.decision(r)
	case ledger.KindPerson:
		out.EventName = "checkrein.person"
		out.SeverityNumber = ledgerSeverity(r.Kind)
		out.Body = stringValue(personSentence(line))
		a.members(line, "checkrein.person.", "call") // which is what a tool was given
	default:
		out.EventName = "checkrein.ledger." + r.Kind
		out.SeverityNumber = ledgerSeverity(r.Kind)
		out.Body = stringValue("ledger: " + r.Kind)
		a.members(line, "checkrein.ledger.", "")
	}
	a.whole("checkrein.seq", int64(r.Seq))
	a.text("checkrein.hash", r.Hash)
	out.SeverityText = severityText(out.SeverityNumber)
	out.Attributes = a
	return out
}

// severity of a decision. A denial is a warning and no error: from ERROR on,
// OpenTelemetry means that something went wrong, and here it went right. Wrong
// is an event that could not be read; a hook that failed is worth a warning.
func severity(r *record.Record) logs.SeverityNumber {
	switch {
	case r.Fault != "":
		return logs.SeverityNumber_SEVERITY_NUMBER_ERROR
	case r.Decision == "deny":
		return logs.SeverityNumber_SEVERITY_NUMBER_WARN2
	case r.Decision == "ask", len(faults(r)) > 0:
		return logs.SeverityNumber_SEVERITY_NUMBER_WARN
	}
	return logs.SeverityNumber_SEVERITY_NUMBER_INFO
}

// ledgerSeverity is that of what the ledger says of itself.
func ledgerSeverity(kind string) logs.SeverityNumber {
	switch kind {
	case ledger.KindGap:
		return logs.SeverityNumber_SEVERITY_NUMBER_ERROR
	case ledger.KindTorn, ledger.KindDerived:
		return logs.SeverityNumber_SEVERITY_NUMBER_WARN
	}
	return logs.SeverityNumber_SEVERITY_NUMBER_INFO
}

// severityText returns the short name that the data model gives a number.
func severityText(n logs.SeverityNumber) string {
	return n.String()[len("SEVERITY_NUMBER_"):]
}

// personSentence returns what a person did, as sentence does of events.
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

// sentence is what people see in a list of logs.
func sentence(r *record.Record) string {
	s := r.Decision + " " + r.Event
	if r.Tool != nil {
		s += " " + r.Tool.Name
	}
	if r.Reason != "" {
		s += ": " + r.Reason
	}
	return s
}

// attributes are those of one record; empty values are left out.
type attributes []*common.KeyValue

// genAI adds what the GenAI conventions have names for. Values of error.type:
// unreadable_event, tool_failed, canceled. A hook's fault is none of them: the
// operation is the tool's.
func (a *attributes) genAI(r *record.Record) {
	if t := r.Tool; t != nil {
		a.text("gen_ai.operation.name", "execute_tool")
		a.text("gen_ai.tool.name", t.Name)
		a.text("gen_ai.tool.call.id", t.CallID)
	}
	a.text("gen_ai.conversation.id", r.Session)
	a.text("gen_ai.agent.name", r.Agent)
	switch {
	case r.Fault != "":
		a.text("error.type", "unreadable_event")
	case r.Tool != nil && r.Tool.Failed:
		a.text("error.type", "tool_failed")
	case r.Canceled:
		a.text("error.type", "canceled")
	}
}

// decision adds what only checkrein has.
func (a *attributes) decision(r *record.Record) {
	a.text("checkrein.decision", r.Decision)
	a.text("checkrein.reason", r.Reason)
	a.text("checkrein.event", r.Event)
	a.text("checkrein.native_event", r.Native)
	a.text("checkrein.host", r.Host)
	if r.Tool != nil {
		a.text("checkrein.canonical_tool", r.Tool.Canonical)
	}
	a.list("checkrein.hooks", hooks(r))
	a.list("checkrein.effects", r.Effects)
	a.list("checkrein.faults", faults(r))
	a.list("checkrein.dropped", dropped(r))
	if r.Redo != nil {
		a.whole("checkrein.redo_attempt", int64(r.Redo.Attempt))
	}
	a.text("checkrein.policy", r.Policy)
	a.text("checkrein.program", r.Program)
	a.text("checkrein.session_key", r.Key)
	a.add("checkrein.duration_ms", doubleValue(r.MS))
}

// members adds a record's own members under `checkrein.ledger.`, sorted.
func (a *attributes) members(line []byte, prefix, without string) {
	all := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber() // positions are larger than a float is exact
	if d.Decode(&all) != nil {
		return // decode has read it before
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

func (a *attributes) text(key, s string) {
	if s != "" {
		a.add(key, stringValue(s))
	}
}

func (a *attributes) whole(key string, n int64) { a.add(key, intValue(n)) }

func (a *attributes) list(key string, all []string) {
	if len(all) == 0 {
		return
	}
	values := make([]*common.AnyValue, len(all))
	for i, s := range all {
		values[i] = stringValue(s)
	}
	a.add(key, &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: values}}})
}

// anyValue returns a decoded JSON value; what is nested stays JSON.
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
	text, _ := json.Marshal(v) // it came from JSON
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

// unixNano returns a time for the wire, where 0 means unknown.
func unixNano(t time.Time) uint64 {
	return uint64(max(0, t.UnixNano()))
}
