//go:build ignore

package transcript

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// gemini is how Gemini CLI writes its transcripts.
var gemini = form{
	host: "gemini", line: geminiLine, whole: isJSON, retells: true, session: geminiSession,
	own:     [][]string{{"sessionId", "projectHash"}, {"id", "timestamp", "type"}, {"$set"}},
	needles: []needle{{'C', []string{`"toolCalls"`}}, {'R', []string{`"functionResponse"`}}, {'I', []string{`"sessionId"`}}},
}

// geminiLine reads a line of Gemini CLI. A message is written again as it grows,
// calls with their results in it; what the model was given follows as the next
// message. A line may also set many messages at once, and older builds wrote all
// of them as one value.
func geminiLine(d *desk, obj []byte) {
	r := rawjson.NewReader(obj)
	m := geminiRead(d, &r)
	if m.set != nil {
		r = rawjson.NewReader(m.set)
		m = geminiRead(d, &r)
	}
	if id := m.session; id != "" && d.agent == "" {
		if d.session == "" || d.session == id {
			d.session = id
		} else {
			d.agent = id // the folder is named after the session that it belongs to
		}
	}
	m.tell(d)
	r = rawjson.NewReader(m.messages)
	elements(&r, func() {
		if m := geminiRead(d, &r); d.err == nil {
			m.tell(d)
		}
	})
}

// A geminiMessage is what counts of a line, or of a message in one.
type geminiMessage struct {
	set, messages, content []byte
	session                string
	at                     time.Time
	calls                  []fields
}

var (
	geminiCallKeys   = []string{"id", "name", "args", "status", "timestamp", "result"}
	geminiResultKeys = []string{"id", "name", "response"}
)

func geminiRead(d *desk, r *rawjson.Reader) (m geminiMessage) {
	d.members(r, func(key []byte) {
		switch string(key) {
		case "$set":
			m.set = r.Value()
		case "sessionId":
			m.session = str(r.Value())
		case "messages":
			m.messages = r.Value()
		case "timestamp":
			m.at = clock(r.Value())
		case "content":
			m.content = r.Value()
		case "toolCalls":
			m.calls = d.each(r, geminiCallKeys)
		default:
			r.Value()
		}
	})
	return m
}

// tell reports the calls of a message.
func (m *geminiMessage) tell(d *desk) {
	for i := range m.calls {
		if d.err == nil {
			geminiCall(d, &m.calls[i], m.at)
		}
	}
	if d.o.Text == nil {
		return
	}
	r := rawjson.NewReader(m.content)
	elements(&r, func() {
		d.members(&r, func(key []byte) {
			if string(key) != "functionResponse" {
				r.Value()
			} else if v := d.take(&r, geminiResultKeys); d.err == nil {
				geminiResult(d, &v, m.at)
			}
		})
	})
}

// geminiResult hands on what the model was given.
func geminiResult(d *desk, v *fields, at time.Time) {
	c := d.last[name(str(v[0]))]
	if c == nil { // it was read before, or long ago
		c = d.orphan(str(v[0]), at)
		c.Tool = name(str(v[1]))
	}
	d.text(c, v[2])
}

func geminiCall(d *desk, v *fields, at time.Time) {
	c := d.called(Call{ID: str(v[0]), Session: d.session, Agent: d.agent, Tool: str(v[1]), At: at}, v[2])
	status := str(v[3])
	switch status {
	case "success", "error", "cancelled":
	default:
		return // it is under way
	}
	if c == nil {
		if c = d.again(name(str(v[0])), at); c == nil {
			return
		}
	}
	d.ended(c, clock(v[4]))
	c.Outcome = geminiOutcome(d, status, v[5])
	if d.o.Text != nil {
		rawjson.Elements(v[5], func(_ int, part []byte) bool {
			said, ok := rawjson.Lookup(part, "functionResponse", "response")
			if !ok {
				said = part
			}
			d.text(c, said)
			return d.err == nil
		})
	}
	d.done(c)
}

var (
	geminiDenied  = []string{ours, "Tool execution blocked: "}
	geminiRefused = []string{
		"params must have ", "params/", "Invalid parameters", "Tool execution denied by policy", "Tool execution for ", "[Operation Cancelled]",
		"User denied execution", "Unknown tool",
	}
)

// geminiOutcome tells what came of a call by its status and by what the model was
// given: an output or an error.
func geminiOutcome(d *desk, status string, result []byte) Outcome {
	said, wrong, also := geminiSaid(d, result)
	switch {
	case status == "cancelled" && !also:
		return Refused
	case status == "success", status == "" && !wrong:
		if exit, ok := exitIn(said, "\nExit Code: "); ok && exit != "0" {
			return Failed
		}
		return Ran
	case also: // what did not run has an error alone
		return Failed
	case starts(said, geminiDenied):
		return Denied
	case starts(said, geminiRefused), strings.HasPrefix(said, `Tool "`) && strings.Contains(said, "not found"):
		return Refused
	}
	return Failed
}

// geminiSaid finds the text of a result, whether it is one of an error, and whether there
// is an output beside that.
func geminiSaid(d *desk, val []byte) (said string, wrong, also bool) {
	if v := geminiResponse(d, val); v != nil {
		val = v
	}
	var mistake, text []byte
	r := rawjson.NewReader(val)
	if r.Kind() != '{' {
		return head(val), false, false
	}
	d.members(&r, func(key []byte) {
		v := r.Value()
		switch {
		case string(key) == "error":
			mistake = v
		case rawjson.Kind(v) == '"' && (text == nil || string(key) == "text"):
			text = v
		}
	})
	if mistake != nil {
		return head(mistake), true, str(text) != ""
	}
	return head(text), false, false
}

// geminiResponse is what the first part of a result has for the model; nil for none.
func geminiResponse(d *desk, val []byte) (response []byte) {
	r := rawjson.NewReader(val)
	if r.Kind() != '[' {
		return nil
	}
	if r.Enter(); !r.Element() {
		return nil
	}
	d.members(&r, func(key []byte) {
		if string(key) != "functionResponse" {
			r.Value()
			return
		}
		response = d.take(&r, []string{"response"})[0]
	})
	return response
}

// geminiSession is the session of a sub-agent's file, which its folder names.
func geminiSession(path string) string {
	if parent := filepath.Base(filepath.Dir(path)); parent != "chats" {
		return parent
	}
	return ""
}
