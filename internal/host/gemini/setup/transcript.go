package setup

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript describes the transcripts of Gemini CLI.
var Transcript = transcript.Form{
	Host: "gemini", Line: readLine, RepeatsCalls: true, Session: sessionOfPath,
	OwnKeys: [][]string{{"sessionId", "projectHash"}, {"id", "timestamp", "type"}, {"$set"}},
	Needles: []transcript.Needle{{Rare: 'C', Words: []string{`"toolCalls"`}}, {Rare: 'R', Words: []string{`"functionResponse"`}}, {Rare: 'I', Words: []string{`"sessionId"`}}},
}

// readLine reads a line of a transcript of Gemini CLI. The host writes a message again as it grows,
// with its calls and their results; the next message has what the model got. A line may also set many
// messages at once.
func readLine(d *transcript.Reader, obj []byte) {
	r := rawjson.NewReader(obj)
	m := readEntry(d, &r)
	if m.set != nil {
		r = rawjson.NewReader(m.set)
		m = readEntry(d, &r)
	}
	if id := m.session; id != "" && d.Agent == "" {
		if d.Session == "" || d.Session == id {
			d.Session = id
		} else {
			d.Agent = id // the folder names the main session
		}
	}
	m.reportCalls(d)
	r = rawjson.NewReader(m.messages)
	transcript.EachElement(&r, func() {
		if m := readEntry(d, &r); d.Err == nil {
			m.reportCalls(d)
		}
	})
}

// An entry is a line, or a message in one.
type entry struct {
	set, messages, content []byte
	session                string
	at                     time.Time
	calls                  []transcript.Fields
}

var (
	callKeys   = []string{"id", "name", "args", "status", "timestamp", "result"}
	resultKeys = []string{"id", "name", "response"}
)

func readEntry(d *transcript.Reader, r *rawjson.Reader) (m entry) {
	d.EachMember(r, func(key []byte) {
		switch string(key) {
		case "$set":
			m.set = r.Value()
		case "sessionId":
			m.session = transcript.Text(r.Value())
		case "messages":
			m.messages = r.Value()
		case "timestamp":
			m.at = transcript.ParseTime(r.Value())
		case "content":
			m.content = r.Value()
		case "toolCalls":
			m.calls = d.ReadElements(r, callKeys)
		default:
			r.Value()
		}
	})
	return m
}

// reportCalls reports the calls of a message and emits the texts of results.
func (m *entry) reportCalls(d *transcript.Reader) {
	for i := range m.calls {
		if d.Err == nil {
			readCall(d, &m.calls[i], m.at)
		}
	}
	if d.Options.Text == nil {
		return
	}
	r := rawjson.NewReader(m.content)
	transcript.EachElement(&r, func() {
		d.EachMember(&r, func(key []byte) {
			if string(key) != "functionResponse" {
				r.Value()
			} else if v := d.ReadFields(&r, resultKeys); d.Err == nil {
				emitResult(d, &v, m.at)
			}
		})
	})
}

// emitResult emits the texts of a result that the model got.
func emitResult(d *transcript.Reader, v *transcript.Fields, at time.Time) {
	c := d.Recent[transcript.TruncateName(transcript.Text(v[0]))]
	if c == nil { // the call is no longer in Recent
		c = d.NewOrphan(transcript.Text(v[0]), at)
		c.Tool = transcript.TruncateName(transcript.Text(v[1]))
	}
	d.EmitTexts(c, v[2])
}

// readCall reads a call and, if it has ended, its result.
func readCall(d *transcript.Reader, v *transcript.Fields, at time.Time) {
	c := d.OpenCall(transcript.Call{ID: transcript.Text(v[0]), Session: d.Session, Agent: d.Agent, Tool: transcript.Text(v[1]), At: at}, v[2])
	status := transcript.Text(v[3])
	switch status {
	case "success", "error", "cancelled":
	default:
		return // it is still running
	}
	if c == nil {
		if c = d.ReopenUnlessRun(transcript.TruncateName(transcript.Text(v[0])), at); c == nil {
			return
		}
	}
	d.SetDone(c, transcript.ParseTime(v[4]))
	c.Outcome = OutcomeOf(d, status, v[5])
	if d.Options.Text != nil {
		rawjson.Elements(v[5], func(_ int, part []byte) bool {
			said, ok := rawjson.Lookup(part, "functionResponse", "response")
			if !ok {
				said = part
			}
			d.EmitTexts(c, said)
			return d.Err == nil
		})
	}
	d.FinishCall(c)
}

var (
	deniedPrefixes  = []string{transcript.DenialPrefix, "Tool execution blocked: "}
	refusedPrefixes = []string{
		"params must have ", "params/", "Invalid parameters", "Tool execution denied by policy", "Tool execution for ", "[Operation Cancelled]",
		"User denied execution", "Unknown tool",
	}
)

// OutcomeOf returns the outcome of a call from its status and from the result that the model got, an
// output or an error.
func OutcomeOf(d *transcript.Reader, status string, result []byte) transcript.Outcome {
	said, isError, hasOutput := ResultText(d, result)
	switch {
	case status == "cancelled" && !hasOutput:
		return transcript.Refused
	case status == "success", status == "" && !isError:
		if exit, ok := transcript.FindExitStatus(said, "\nExit Code: "); ok && exit != "0" {
			return transcript.Failed
		}
		return transcript.Ran
	case hasOutput: // a call that did not run has only an error
		return transcript.Failed
	case transcript.HasAnyPrefix(said, deniedPrefixes):
		return transcript.Denied
	case transcript.HasAnyPrefix(said, refusedPrefixes), strings.HasPrefix(said, `Tool "`) && strings.Contains(said, "not found"):
		return transcript.Refused
	}
	return transcript.Failed
}

// ResultText returns the beginning of a result's text, and reports whether it is an error and whether
// there is also an output.
func ResultText(d *transcript.Reader, val []byte) (text string, isError, hasOutput bool) {
	if v := firstResponse(d, val); v != nil {
		val = v
	}
	var failure, output []byte
	r := rawjson.NewReader(val)
	if r.Kind() != '{' {
		return transcript.TextHead(val), false, false
	}
	d.EachMember(&r, func(key []byte) {
		v := r.Value()
		switch {
		case string(key) == "error":
			failure = v
		case rawjson.Kind(v) == '"' && (output == nil || string(key) == "text"):
			output = v
		}
	})
	if failure != nil {
		return transcript.TextHead(failure), true, transcript.Text(output) != ""
	}
	return transcript.TextHead(output), false, false
}

// firstResponse returns the response in the first part of a result, or nil if there is none.
func firstResponse(d *transcript.Reader, val []byte) (response []byte) {
	r := rawjson.NewReader(val)
	if r.Kind() != '[' {
		return nil
	}
	if r.Enter(); !r.NextElement() {
		return nil
	}
	d.EachMember(&r, func(key []byte) {
		if string(key) != "functionResponse" {
			r.Value()
			return
		}
		response = d.ReadFields(&r, []string{"response"})[0]
	})
	return response
}

// sessionOfPath returns the main session of a sub-agent's file, which is the name of its directory. It
// returns "" for other files.
func sessionOfPath(path string) string {
	if parent := filepath.Base(filepath.Dir(path)); parent != "chats" {
		return parent
	}
	return ""
}
