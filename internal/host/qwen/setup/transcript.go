package setup

import (
	"time"

	gemini "github.com/checkrein/checkrein/internal/host/gemini/setup"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript is how Qwen Code writes its transcripts.
var Transcript = transcript.Form{
	Host: "qwen", Line: line,
	OwnKeys: [][]string{{"uuid", "sessionId", "type"}},
	Needles: []transcript.Needle{{Rare: 'R', Words: []string{`"functionResponse"`, `"toolCallResult"`}}, {Rare: 'C', Words: []string{`"functionCall"`}}},
}

// line reads a line of Qwen Code: a message with the model's calls, or one with the
// results. Each sub-agent has a file of its own.
func line(d *transcript.Reader, obj []byte) {
	var m entry
	r := rawjson.NewReader(obj)
	d.EachMember(&r, func(key []byte) {
		switch string(key) {
		case "timestamp":
			m.at = transcript.ParseTime(r.Value())
		case "sessionId":
			m.session = transcript.Text(r.Value())
		case "agentId":
			m.agent = transcript.Text(r.Value())
		case "toolCallResult":
			m.sum = d.ReadFields(&r, []string{"status", "errorType"})
		case "message":
			m.parts = m.parts[:0]
			d.SkipParts(m.read(d, &r))
		default:
			r.Value()
		}
	})
	for i := range m.parts {
		if d.Err != nil {
			return
		}
		p := &m.parts[i]
		if v := &p.call; p.isCall() {
			tool, args := qwenTool(d, transcript.Text(v[1]), v[2])
			d.OpenCall(transcript.Call{ID: transcript.Text(v[0]), Session: m.session, Agent: m.agent, Tool: tool, At: m.at}, args)
		}
		if p.isResult() {
			d.Session, d.Agent = m.session, m.agent
			qwenResult(d, &p.result, &m.sum, m.at)
		}
	}
}

// An entry is what counts of a line.
type entry struct {
	at             time.Time
	session, agent string
	sum            transcript.Fields // how the host sums a result up
	parts          []part
}

// A part is a call, or a result, or neither.
type part struct{ call, result [3][]byte }

func (p *part) isCall() bool   { return p.call[0] != nil || p.call[1] != nil }
func (p *part) isResult() bool { return p.result[0] != nil || p.result[1] != nil }

// read reads the parts of the message at hand that are about calls, and counts those for
// which there is no room.
func (m *entry) read(d *transcript.Reader, r *rawjson.Reader) (more int) {
	d.EachMember(r, func(key []byte) {
		if string(key) != "parts" {
			r.Value()
			return
		}
		transcript.EachElement(r, func() {
			var p part
			d.EachMember(r, func(key []byte) {
				switch string(key) {
				case "functionCall":
					v := d.ReadFields(r, []string{"id", "name", "args"})
					p.call = [3][]byte(v[:3])
				case "functionResponse":
					v := d.ReadFields(r, []string{"id", "name", "response"})
					p.result = [3][]byte(v[:3])
				default:
					r.Value()
				}
			})
			switch {
			case !p.isCall() && !p.isResult():
			case len(m.parts) < transcript.MaxParts:
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
func qwenTool(d *transcript.Reader, tool string, args []byte) (string, []byte) {
	if tool != "tool_call" {
		return tool, args
	}
	v := d.PickFields(args, "name", "arguments")
	if v[0] == nil || v[1] == nil {
		return tool, args
	}
	return transcript.Text(v[0]), v[1]
}

// qwenResult reads what the model was given of a call, and how the host sums it up.
func qwenResult(d *transcript.Reader, v *[3][]byte, sum *transcript.Fields, at time.Time) {
	c := d.CallOfResult(transcript.Text(v[0]), at)
	if c == nil {
		return
	}
	if c.Orphan {
		c.Tool = transcript.TruncateName(transcript.Text(v[1]))
	}
	c.Outcome = outcome(d, transcript.Text(sum[0]), transcript.Text(sum[1]), v[2])
	d.EmitTexts(c, v[2])
	d.FinishCall(c)
}

// refused is what Qwen Code says of a call that nobody approved; it has one kind
// of error for that and for hooks.
var refused = []string{"Qwen Code requires permission to use", "Tool \"", "Permission denied", "User denied"}

func outcome(d *transcript.Reader, status, kind string, result []byte) transcript.Outcome {
	said, _, also := gemini.Said(d, result)
	switch {
	case also:
	case status == "cancelled", kind == "invalid_tool_params", kind == "tool_not_registered":
		return transcript.Refused
	case kind == "execution_denied" && transcript.HasAnyPrefix(said, refused):
		return transcript.Refused
	case kind == "execution_denied":
		return transcript.Denied
	}
	return gemini.Outcome(d, status, result)
}
