package transcript

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/rawjson"
)

// isJSON reports whether a file of Gemini CLI is one value, as older builds wrote it.
func isJSON(path string) bool { return strings.HasSuffix(path, ".json") }

// geminiLine reads a line of Gemini CLI. A message is written again as it grows,
// calls with their results in it; what the model was given follows as the next
// message. A line may also set many messages at once, and older builds wrote all
// of them as one value.
func geminiLine(d *desk, obj []byte) {
	m := pick(obj, geminiKeys...)
	if m[0] != nil {
		m = pick(m[0], geminiKeys...)
	}
	if id := str(m[1]); id != "" && d.agent == "" {
		if d.session == "" || d.session == id {
			d.session = id
		} else {
			d.agent = id // the folder is named after the session that it belongs to
		}
	}
	geminiMessage(d, m)
	rawjson.Elements(m[2], func(_ int, obj []byte) bool {
		geminiMessage(d, pick(obj, geminiKeys...))
		return d.err == nil
	})
}

var geminiKeys = []string{"$set", "sessionId", "messages", "timestamp", "toolCalls", "content"}

func geminiMessage(d *desk, m [8][]byte) {
	at := clock(m[3])
	rawjson.Elements(m[4], func(_ int, c []byte) bool {
		geminiCall(d, c, at)
		return d.err == nil
	})
	if d.o.Text == nil {
		return
	}
	rawjson.Elements(m[5], func(_ int, part []byte) bool {
		res, ok := rawjson.Get(part, "functionResponse")
		if !ok {
			return true
		}
		v := pick(res, "id", "name", "response")
		c := d.last[name(str(v[0]))]
		if c == nil { // it was read before, or long ago
			c = d.orphan(str(v[0]), at)
			c.Tool = name(str(v[1]))
		}
		d.text(c, v[2])
		return d.err == nil
	})
}

func geminiCall(d *desk, val []byte, at time.Time) {
	v := pick(val, "id", "name", "args", "status", "timestamp", "result")
	c := d.called(Call{ID: str(v[0]), Session: d.session, Agent: d.agent, Tool: str(v[1]), At: at}, v[2])
	status := str(v[3])
	switch status {
	case "success", "error", "cancelled":
	default:
		return // it is under way
	}
	if c == nil {
		return
	}
	c.Done = clock(v[4])
	c.Outcome = geminiOutcome(status, v[5])
	rawjson.Elements(v[5], func(_ int, part []byte) bool {
		said, ok := rawjson.Lookup(part, "functionResponse", "response")
		if !ok {
			said = part
		}
		d.text(c, said)
		return d.err == nil
	})
	d.done(c)
}

var (
	geminiDenied  = []string{ours, "Tool execution blocked: "}
	geminiRefused = []string{
		"params must have ", "params/", "Invalid parameters", "Tool \"", "Tool execution denied by policy", "Tool execution for ", "[Operation Cancelled]",
		"User denied execution", "Unknown tool",
	}
)

// geminiOutcome tells what came of a call by its status and by what the model was
// given: an output or an error.
func geminiOutcome(status string, result []byte) Outcome {
	said, wrong := geminiSaid(result)
	switch {
	case status == "cancelled":
		return Refused
	case status == "success", status == "" && !wrong:
		if exit, ok := exitIn(said, "\nExit Code: "); ok && exit != "0" {
			return Failed
		}
		return Ran
	case starts(said, geminiDenied):
		return Denied
	case starts(said, geminiRefused):
		return Refused
	}
	return Failed
}

// geminiSaid finds the text of a result, and whether it is one of an error.
func geminiSaid(val []byte) (said string, wrong bool) {
	if rawjson.Kind(val) == '[' {
		if v, ok := rawjson.Lookup(val, "0", "functionResponse", "response"); ok {
			val = v
		}
	}
	if v, ok := rawjson.Get(val, "error"); ok {
		return head(v), true
	}
	return head(val), false
}
