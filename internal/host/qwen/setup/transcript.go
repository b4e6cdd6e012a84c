//go:build ignore

package transcript

import (
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// qwen is how Qwen Code writes its transcripts.
var qwen = form{
	host: "qwen", line: qwenLine,
	own:     [][]string{{"uuid", "sessionId", "type"}},
	needles: []needle{{'R', []string{`"functionResponse"`, `"toolCallResult"`}}, {'C', []string{`"functionCall"`}}, {'_', []string{`.tool_call"`}}},
}

// qwenLine reads a line of Qwen Code: a message with the model's calls, one with the
// results, or a figure. In older builds the calls of sub-agents are in figures alone,
// without IDs and without results; newer ones keep a file for each sub-agent.
func qwenLine(d *desk, obj []byte) {
	var m qwenMessage
	r := rawjson.NewReader(obj)
	d.members(&r, func(key []byte) {
		switch string(key) {
		case "timestamp":
			m.at = clock(r.Value())
		case "sessionId":
			m.session = str(r.Value())
		case "agentId":
			m.agent = str(r.Value())
		case "systemPayload":
			m.figure = d.take(&r, []string{"uiEvent"})[0]
		case "toolCallResult":
			m.sum = d.take(&r, []string{"status", "errorType"})
		case "message":
			m.parts = m.parts[:0]
			d.tooMany(m.read(d, &r))
		default:
			r.Value()
		}
	})
	if m.figure != nil {
		qwenFigure(d, m.figure, m.session)
		return
	}
	for i := range m.parts {
		if d.err != nil {
			return
		}
		p := &m.parts[i]
		if v := &p.call; p.isCall() {
			tool, args := qwenTool(d, str(v[1]), v[2])
			d.called(Call{ID: str(v[0]), Session: m.session, Agent: m.agent, Tool: tool, At: m.at}, args)
		}
		if p.isResult() {
			d.session, d.agent = m.session, m.agent
			qwenResult(d, &p.result, &m.sum, m.at)
		}
	}
}

// A qwenMessage is what counts of a line.
type qwenMessage struct {
	at             time.Time
	session, agent string
	figure         []byte
	sum            fields // how the host sums a result up
	parts          []qwenPart
}

// A qwenPart is a call, or a result, or neither.
type qwenPart struct{ call, result [3][]byte }

func (p *qwenPart) isCall() bool   { return p.call[0] != nil || p.call[1] != nil }
func (p *qwenPart) isResult() bool { return p.result[0] != nil || p.result[1] != nil }

// read reads the parts of the message at hand that are about calls, and counts those for
// which there is no room.
func (m *qwenMessage) read(d *desk, r *rawjson.Reader) (more int) {
	d.members(r, func(key []byte) {
		if string(key) != "parts" {
			r.Value()
			return
		}
		elements(r, func() {
			var p qwenPart
			d.members(r, func(key []byte) {
				switch string(key) {
				case "functionCall":
					v := d.take(r, []string{"id", "name", "args"})
					p.call = [3][]byte(v[:3])
				case "functionResponse":
					v := d.take(r, []string{"id", "name", "response"})
					p.result = [3][]byte(v[:3])
				default:
					r.Value()
				}
			})
			switch {
			case !p.isCall() && !p.isResult():
			case len(m.parts) < maxParts:
				m.parts = append(m.parts, p)
			default:
				more++
			}
		})
	})
	return more
}

// qwenTool is the tool that a call is for: tools that the model has to search for first
// are called through another one, of which hooks hear nothing.
func qwenTool(d *desk, tool string, args []byte) (string, []byte) {
	if tool != "tool_call" {
		return tool, args
	}
	v := d.pick(args, "name", "arguments")
	if v[0] == nil || v[1] == nil {
		return tool, args
	}
	return str(v[0]), v[1]
}

// qwenResult reads what the model was given of a call, and how the host sums it up.
func qwenResult(d *desk, v *[3][]byte, sum *fields, at time.Time) {
	c := d.of(str(v[0]), at)
	if c == nil {
		return
	}
	if c.Orphan {
		c.Tool = name(str(v[1]))
	}
	c.Outcome = qwenOutcome(d, str(sum[0]), str(sum[1]), v[2])
	d.text(c, v[2])
	d.done(c)
}

// qwenFigure reads the call of a sub-agent: who asked is session#agent#turn.
func qwenFigure(d *desk, ev []byte, session string) {
	v := d.pick(ev, "event.name", "prompt_id", "function_args", "event.timestamp", "duration_ms", "function_name", "error", "status", "error_type", "call_id")
	if !strings.HasSuffix(str(v[0]), ".tool_call") {
		return
	}
	_, who, _ := strings.Cut(str(v[1]), "#")
	agent, turn, ok := strings.Cut(who, "#")
	if !ok || agent == "" || strings.Contains(turn, "#") || v[9] != nil {
		return // its calls are in messages: the session's own, and those of newer builds
	}
	done := clock(v[3])
	at := done
	if ms, err := strconv.ParseUint(string(v[4]), 10, 32); err == nil {
		at = done.Add(-time.Duration(ms) * time.Millisecond)
	}
	c := d.heard(Call{Session: session, Agent: agent, Tool: str(v[5]), At: at, Done: done}, v[2])
	c.Outcome = qwenOutcome(d, str(v[7]), str(v[8]), v[6])
	d.done(c)
}

// qwenRefused is what Qwen Code says of a call that nobody approved; it has one kind
// of error for that and for hooks.
var qwenRefused = []string{"Qwen Code requires permission to use", "Tool \"", "Permission denied", "User denied"}

func qwenOutcome(d *desk, status, kind string, result []byte) Outcome {
	said, _, also := geminiSaid(d, result)
	switch {
	case also:
	case status == "cancelled", kind == "invalid_tool_params", kind == "tool_not_registered":
		return Refused
	case kind == "execution_denied" && starts(said, qwenRefused):
		return Refused
	case kind == "execution_denied":
		return Denied
	}
	return geminiOutcome(d, status, result)
}
