package setup

import (
	"time"

	gemini "github.com/checkrein/checkrein/internal/host/gemini/setup"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript describes the transcripts of Qwen Code.
var Transcript = transcript.Form{
	Host: "qwen", Line: readLine,
	OwnKeys: [][]string{{"uuid", "sessionId", "type"}},
	Needles: []transcript.Needle{{Rare: 'R', Words: []string{`"functionResponse"`, `"toolCallResult"`}}, {Rare: 'C', Words: []string{`"functionCall"`}}},
}

// readLine reads a line of a transcript of Qwen Code: a message with calls of the model or with
// results. Each sub-agent has its own file.
func readLine(d *transcript.Reader, obj []byte) {
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
			m.summary = d.ReadFields(&r, []string{"status", "errorType"})
		case "message":
			m.parts = m.parts[:0]
			d.ReportSkippedParts(m.readParts(d, &r))
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
			tool, args := calledTool(d, transcript.Text(v[1]), v[2])
			d.OpenCall(transcript.Call{ID: transcript.Text(v[0]), Session: m.session, Agent: m.agent, Tool: tool, At: m.at}, args)
		}
		if p.isResult() {
			d.Session, d.Agent = m.session, m.agent
			readResult(d, &p.result, &m.summary, m.at)
		}
	}
}

// An entry holds what is read from a line.
type entry struct {
	at             time.Time
	session, agent string
	summary        transcript.Fields // the host's summary of a result
	parts          []part
}

// A part is a part of a message: a call, a result, or neither.
type part struct{ call, result [3][]byte }

func (p *part) isCall() bool   { return p.call[0] != nil || p.call[1] != nil }
func (p *part) isResult() bool { return p.result[0] != nil || p.result[1] != nil }

// readParts reads the parts of the next value of r, a message, that are about calls. It returns how
// many of them exceeded MaxParts and were skipped.
func (m *entry) readParts(d *transcript.Reader, r *rawjson.Reader) (skipped int) {
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
				skipped++
			}
		})
	})
	return skipped
}

// calledTool returns the tool that a call is for, and its arguments. Tools for which the model must
// search are called through tool_call, which hooks do not see.
func calledTool(d *transcript.Reader, tool string, args []byte) (string, []byte) {
	if tool != "tool_call" {
		return tool, args
	}
	v := d.PickFields(args, "name", "arguments")
	if v[0] == nil || v[1] == nil {
		return tool, args
	}
	return transcript.Text(v[0]), v[1]
}

// readResult reads v, the result of a call that the model got, and sum, the host's summary of it.
func readResult(d *transcript.Reader, v *[3][]byte, sum *transcript.Fields, at time.Time) {
	c := d.CallOfResult(transcript.Text(v[0]), at)
	if c == nil {
		return
	}
	if c.Orphan {
		c.Tool = transcript.TruncateName(transcript.Text(v[1]))
	}
	c.Outcome = outcomeOf(d, transcript.Text(sum[0]), transcript.Text(sum[1]), v[2])
	d.EmitTexts(c, v[2])
	d.FinishCall(c)
}

// refusedPrefixes begin the result of a call that was not approved. Qwen Code has the same kind of
// error for that as for hooks.
var refusedPrefixes = []string{"Qwen Code requires permission to use", "Tool \"", "Permission denied", "User denied"}

func outcomeOf(d *transcript.Reader, status, kind string, result []byte) transcript.Outcome {
	said, _, hasOutput := gemini.ResultText(d, result)
	switch {
	case hasOutput:
	case status == "cancelled", kind == "invalid_tool_params", kind == "tool_not_registered":
		return transcript.Refused
	case kind == "execution_denied" && transcript.HasAnyPrefix(said, refusedPrefixes):
		return transcript.Refused
	case kind == "execution_denied":
		return transcript.Denied
	}
	return gemini.OutcomeOf(d, status, result)
}
