package ahp

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// The error codes of JSON-RPC 2.0, and cannotDeny, which is checkrein's own.
const (
	parseError     = -32700
	invalidRequest = -32600
	notFound       = -32601
	invalidParams  = -32602
	cannotDeny     = -32000
)

// A message is a parsed line. If code is not 0, the line is invalid and cannot be judged.
type message struct {
	id      []byte // nil = a notification
	method  string
	version string
	event   []byte
	effects []string // the effects that the answer may have
	code    int
	why     string
}

func (m *message) Error() string { return m.why }

// fail marks m as invalid, and returns it.
func (m *message) fail(code int, why string) *message {
	m.code, m.why = code, why
	return m
}

// parseMessage parses a line. It never fails: an invalid line has a code.
func parseMessage(line []byte) *message {
	line = bytes.TrimSpace(line)
	m := &message{}
	if id, ok := rawjson.Get(line, "id"); ok { // even if the rest of the line is invalid
		m.id = []byte("null")
		if k := rawjson.Kind(id); (k == '"' || k == '0') && rawjson.Check(id) == nil {
			m.id = id
		}
	}
	if rawjson.Check(line) != nil {
		m.requireAnswer()
		return m.fail(parseError, "the line is not JSON")
	}
	m.method = rawjson.GetText(line, "method")
	params, _ := rawjson.Get(line, "params")
	m.event, _ = rawjson.Get(params, "event")
	m.version = rawjson.GetText(params, "protocolVersion")
	if list, ok := rawjson.Lookup(params, "capabilities", "effects"); ok {
		rawjson.Elements(list, func(_ int, val []byte) bool {
			s, _ := rawjson.Text(val)
			m.effects = append(m.effects, s)
			return true
		})
	}
	switch {
	case rawjson.Kind(line) != '{' || rawjson.GetText(line, "jsonrpc") != "2.0" || m.method == "":
		m.requireAnswer()
		return m.fail(invalidRequest, "the line is not a JSON-RPC 2.0 request")
	case m.id != nil && string(m.id) == "null":
		return m.fail(invalidRequest, "the id is neither a string nor a number")
	case m.method != "hooks/intercept" && m.method != "hooks/observe":
		return m.fail(notFound, "unknown method "+strconv.Quote(m.method))
	case m.method == "hooks/observe" && m.id != nil:
		return m.fail(invalidRequest, "hooks/observe is a notification and has no id")
	case m.version != "0.1" && m.version != "draft":
		return m.fail(invalidParams, "params.protocolVersion must be 0.1 or draft")
	case rawjson.Kind(m.event) != '{' || rawjson.GetText(m.event, "type") == "":
		return m.fail(invalidParams, "params.event.type is missing")
	}
	return m
}

// requireAnswer sets the ID of a line without one to null, because the line may have been a request.
func (m *message) requireAnswer() {
	if m.id == nil {
		m.id = []byte("null")
	}
}

// encode answers a request with one line, and a notification with none.
func encode(c *wire.Call, outs []engine.Outcome) wire.Reply {
	s, m := c.Combine(outs), parseMessage(c.Events[0].Raw)
	var r wire.Reply
	if s.Stop != "" {
		s.Notice = append(s.Notice, "a hook tried to stop the run, but the Agent Hooks Protocol does not support that: "+s.Stop)
	}
	if len(s.Notice) > 0 {
		r.Stderr = []byte(wire.JoinLines(s.Notice) + "\n")
	}
	if m.id == nil {
		return r
	}
	denies := s.Decision == checkrein.Deny
	if m.code == 0 && denies && !slices.Contains(m.effects, "deny") {
		m.fail(cannotDeny, "checkrein denies this, but the request does not offer the deny effect: "+wire.Reason(&s.Verdict))
	}
	o := rawjson.Object{'{'}
	o.Text("jsonrpc", "2.0")
	o.Raw("id", m.id)
	if m.code != 0 {
		o.Open("error")
		o.Int("code", m.code)
		o.Text("message", m.why)
		o.Close()
	} else {
		o.Open("result")
		o.Text("protocolVersion", m.version)
		o.Raw("effects", encodeEffects(denies, &s))
		o.Close()
	}
	o.Close()
	r.Stdout = append(o, '\n')
	return r
}

func encodeEffects(denies bool, s *wire.Combined) []byte {
	if !denies {
		return []byte("[]")
	}
	o := rawjson.Object{'[', '{'}
	o.Text("type", "deny")
	o.Text("reason", wire.Reason(&s.Verdict))
	o.Close()
	return append(o, ']')
}
