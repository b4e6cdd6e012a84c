package setup

import (
	"strconv"
	"strings"
	"time"

	gemini "github.com/checkrein/checkrein/internal/host/gemini/setup"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript is how Qwen Code writes its transcripts.
var Transcript = transcript.Form{
	Host: "qwen", Line: line,
	Own:     [][]string{{"uuid", "sessionId", "type"}},
	Needles: []transcript.Needle{{Rare: 'R', Words: []string{`"functionResponse"`, `"toolCallResult"`}}, {Rare: 'C', Words: []string{`"functionCall"`}}, {Rare: '_', Words: []string{`.tool_call"`}}},
}

// line reads a line of Qwen Code: a message with the model's calls, one with the
// results, or a figure. In older builds the calls of sub-agents are in figures alone,
// without IDs and without results; newer ones keep a file for each sub-agent.
func line(d *transcript.Reader, obj []byte) {
	var m entry
	r := rawjson.NewReader(obj)
	d.Members(&r, func(key []byte) {
		switch string(key) {
		case "timestamp":
			m.at = transcript.Clock(r.Value())
		case "sessionId":
			m.session = transcript.Text(r.Value())
		case "agentId":
			m.agent = transcript.Text(r.Value())
		case "systemPayload":
			m.figure = d.Take(&r, []string{"uiEvent"})[0]
		case "toolCallResult":
			m.sum = d.Take(&r, []string{"status", "errorType"})
		case "message":
			m.parts = m.parts[:0]
			d.TooMany(m.read(d, &r))
		default:
			r.Value()
		}
	})
	if m.figure != nil {
		figure(d, m.figure, m.session)
		return
	}
	for i := range m.parts {
		if d.Err != nil {
			return
		}
		p := &m.parts[i]
		if v := &p.call; p.isCall() {
			tool, args := qwenTool(d, transcript.Text(v[1]), v[2])
			d.Called(transcript.Call{ID: transcript.Text(v[0]), Session: m.session, Agent: m.agent, Tool: tool, At: m.at}, args)
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
	figure         []byte
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
	d.Members(r, func(key []byte) {
		if string(key) != "parts" {
			r.Value()
			return
		}
		transcript.Elements(r, func() {
			var p part
			d.Members(r, func(key []byte) {
				switch string(key) {
				case "functionCall":
					v := d.Take(r, []string{"id", "name", "args"})
					p.call = [3][]byte(v[:3])
				case "functionResponse":
					v := d.Take(r, []string{"id", "name", "response"})
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
	v := d.Pick(args, "name", "arguments")
	if v[0] == nil || v[1] == nil {
		return tool, args
	}
	return transcript.Text(v[0]), v[1]
}

// qwenResult reads what the model was given of a call, and how the host sums it up.
func qwenResult(d *transcript.Reader, v *[3][]byte, sum *transcript.Fields, at time.Time) {
	c := d.Of(transcript.Text(v[0]), at)
	if c == nil {
		return
	}
	if c.Orphan {
		c.Tool = transcript.Name(transcript.Text(v[1]))
	}
	c.Outcome = outcome(d, transcript.Text(sum[0]), transcript.Text(sum[1]), v[2])
	d.Text(c, v[2])
	d.Done(c)
}

// figure reads the call of a sub-agent: who asked is session#agent#turn.
func figure(d *transcript.Reader, ev []byte, session string) {
	v := d.Pick(ev, "event.name", "prompt_id", "function_args", "event.timestamp", "duration_ms", "function_name", "error", "status", "error_type", "call_id")
	if !strings.HasSuffix(transcript.Text(v[0]), ".tool_call") {
		return
	}
	_, who, _ := strings.Cut(transcript.Text(v[1]), "#")
	agent, turn, ok := strings.Cut(who, "#")
	if !ok || agent == "" || strings.Contains(turn, "#") || v[9] != nil {
		return // its calls are in messages: the session's own, and those of newer builds
	}
	done := transcript.Clock(v[3])
	at := done
	if ms, err := strconv.ParseUint(string(v[4]), 10, 32); err == nil {
		at = done.Add(-time.Duration(ms) * time.Millisecond)
	}
	c := d.Heard(transcript.Call{Session: session, Agent: agent, Tool: transcript.Text(v[5]), At: at, Done: done}, v[2])
	c.Outcome = outcome(d, transcript.Text(v[7]), transcript.Text(v[8]), v[6])
	d.Done(c)
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
	case kind == "execution_denied" && transcript.BeginsWith(said, refused):
		return transcript.Refused
	case kind == "execution_denied":
		return transcript.Denied
	}
	return gemini.Outcome(d, status, result)
}
