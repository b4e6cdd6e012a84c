package setup

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript is how Gemini CLI writes its transcripts.
var Transcript = transcript.Form{
	Host: "gemini", Line: line, RepeatsCalls: true, Session: session,
	OwnKeys: [][]string{{"sessionId", "projectHash"}, {"id", "timestamp", "type"}, {"$set"}},
	Needles: []transcript.Needle{{Rare: 'C', Words: []string{`"toolCalls"`}}, {Rare: 'R', Words: []string{`"functionResponse"`}}, {Rare: 'I', Words: []string{`"sessionId"`}}},
}

// line reads a line of Gemini CLI. A message is written again as it grows,
// calls with their results in it; what the model was given follows as the next
// message. A line may also set many messages at once.
func line(d *transcript.Reader, obj []byte) {
	r := rawjson.NewReader(obj)
	m := read(d, &r)
	if m.set != nil {
		r = rawjson.NewReader(m.set)
		m = read(d, &r)
	}
	if id := m.session; id != "" && d.Agent == "" {
		if d.Session == "" || d.Session == id {
			d.Session = id
		} else {
			d.Agent = id // the folder is named after the session that it belongs to
		}
	}
	m.tell(d)
	r = rawjson.NewReader(m.messages)
	transcript.EachElement(&r, func() {
		if m := read(d, &r); d.Err == nil {
			m.tell(d)
		}
	})
}

// An entry is what counts of a line, or of a message in one.
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

func read(d *transcript.Reader, r *rawjson.Reader) (m entry) {
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

// tell reports the calls of a message.
func (m *entry) tell(d *transcript.Reader) {
	for i := range m.calls {
		if d.Err == nil {
			call(d, &m.calls[i], m.at)
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
				geminiResult(d, &v, m.at)
			}
		})
	})
}

// geminiResult hands on what the model was given.
func geminiResult(d *transcript.Reader, v *transcript.Fields, at time.Time) {
	c := d.Recent[transcript.TruncateName(transcript.Text(v[0]))]
	if c == nil { // it was read before, or long ago
		c = d.NewOrphan(transcript.Text(v[0]), at)
		c.Tool = transcript.TruncateName(transcript.Text(v[1]))
	}
	d.EmitTexts(c, v[2])
}

func call(d *transcript.Reader, v *transcript.Fields, at time.Time) {
	c := d.OpenCall(transcript.Call{ID: transcript.Text(v[0]), Session: d.Session, Agent: d.Agent, Tool: transcript.Text(v[1]), At: at}, v[2])
	status := transcript.Text(v[3])
	switch status {
	case "success", "error", "cancelled":
	default:
		return // it is under way
	}
	if c == nil {
		if c = d.ReopenCall(transcript.TruncateName(transcript.Text(v[0])), at); c == nil {
			return
		}
	}
	d.SetDone(c, transcript.ParseTime(v[4]))
	c.Outcome = Outcome(d, status, v[5])
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
	denied  = []string{transcript.DenialPrefix, "Tool execution blocked: "}
	refused = []string{
		"params must have ", "params/", "Invalid parameters", "Tool execution denied by policy", "Tool execution for ", "[Operation Cancelled]",
		"User denied execution", "Unknown tool",
	}
)

// Outcome returns what came of a call by its status and by what the model was
// given: an output or an error.
func Outcome(d *transcript.Reader, status string, result []byte) transcript.Outcome {
	said, wrong, also := Said(d, result)
	switch {
	case status == "cancelled" && !also:
		return transcript.Refused
	case status == "success", status == "" && !wrong:
		if exit, ok := transcript.FindExitStatus(said, "\nExit Code: "); ok && exit != "0" {
			return transcript.Failed
		}
		return transcript.Ran
	case also: // what did not run has an error alone
		return transcript.Failed
	case transcript.HasAnyPrefix(said, denied):
		return transcript.Denied
	case transcript.HasAnyPrefix(said, refused), strings.HasPrefix(said, `Tool "`) && strings.Contains(said, "not found"):
		return transcript.Refused
	}
	return transcript.Failed
}

// Said finds the text of a result, whether it is one of an error, and whether there
// is an output beside that.
func Said(d *transcript.Reader, val []byte) (said string, wrong, also bool) {
	if v := geminiResponse(d, val); v != nil {
		val = v
	}
	var mistake, text []byte
	r := rawjson.NewReader(val)
	if r.Kind() != '{' {
		return transcript.TextHead(val), false, false
	}
	d.EachMember(&r, func(key []byte) {
		v := r.Value()
		switch {
		case string(key) == "error":
			mistake = v
		case rawjson.Kind(v) == '"' && (text == nil || string(key) == "text"):
			text = v
		}
	})
	if mistake != nil {
		return transcript.TextHead(mistake), true, transcript.Text(text) != ""
	}
	return transcript.TextHead(text), false, false
}

// geminiResponse is what the first part of a result has for the model; nil for none.
func geminiResponse(d *transcript.Reader, val []byte) (response []byte) {
	r := rawjson.NewReader(val)
	if r.Kind() != '[' {
		return nil
	}
	if r.Enter(); !r.Element() {
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

// session is the session of a sub-agent's file, which its folder names.
func session(path string) string {
	if parent := filepath.Base(filepath.Dir(path)); parent != "chats" {
		return parent
	}
	return ""
}
