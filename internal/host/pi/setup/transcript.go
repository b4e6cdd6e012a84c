package setup

import (
	"strings"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript describes the transcripts of Pi.
var Transcript = transcript.Form{
	Host: "pi", Line: readLine,
	OwnKeys: [][]string{{"type", "id", "timestamp"}},
	Needles: []transcript.Needle{{Rare: 'C', Words: []string{`"toolCall`}}, {Rare: 'v', Words: []string{`"version"`}}},
}

// readLine reads a line of a transcript of Pi: the first one, which names the session, or a message, which
// has calls of the model or is the result of one.
func readLine(d *transcript.Reader, obj []byte) {
	top := d.PickFields(obj, "type", "id", "timestamp", "message")
	if transcript.Text(top[0]) == "session" {
		d.Session = transcript.Text(top[1])
		return
	}
	at := transcript.ParseTime(top[2])
	m := d.PickFields(top[3], "role", "content", "toolCallId", "isError")
	if transcript.Text(m[0]) == "toolResult" {
		if c := d.CallOfResult(transcript.Text(m[2]), at); c != nil {
			c.Outcome, c.Exited = outcomeOf(string(m[3]) == "true", m[1])
			d.EmitTexts(c, m[1]) // details are not read, because only the user sees them
			d.FinishCall(c)
		}
		return
	}
	r := rawjson.NewReader(m[1])
	for _, block := range d.ReadElements(&r, []string{"type", "id", "name", "arguments"}) {
		if transcript.Text(block[0]) == "toolCall" && d.Err == nil {
			d.OpenCall(transcript.Call{ID: transcript.Text(block[1]), Session: d.Session, Tool: transcript.Text(block[2]), At: at}, block[3])
		}
	}
}

// outcomeOf returns the outcome of a call, and whether its result has an exit status. A call that did not
// run has a single text, which the shell tools never end with how their command ended.
func outcomeOf(wrong bool, content []byte) (o transcript.Outcome, exited bool) {
	said, end := transcript.TextHead(content), transcript.TextTail(content)
	switch {
	case !wrong:
		return transcript.Ran, false
	case strings.Contains(end, "Command exited with code "):
		return transcript.Failed, true
	case transcript.CountTexts(content) != 1, strings.Contains(end, "\nCommand "):
	case strings.HasPrefix(said, transcript.DenialPrefix):
		return transcript.Denied, false
	case strings.HasPrefix(said, `Validation failed for tool "`), strings.HasPrefix(said, "Tool ") && strings.HasSuffix(end, " not found"):
		return transcript.Refused, false
	}
	return transcript.Failed, false
}
