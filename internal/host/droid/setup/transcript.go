package setup

import (
	"strings"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript describes the transcripts of Droid.
var Transcript = transcript.Form{
	Host: "droid", Line: readLine,
	OwnKeys: [][]string{{"type", "id", "message"}, {"type", "id", "cwd"}},
	Needles: []transcript.Needle{{Rare: '_', Words: []string{`"tool_use`, `"tool_result`, `"session_start"`}}},
}

// readLine reads a line of a transcript of Droid: the first one, which names the session, or a message with
// blocks, some of which are calls or results. Each sub-agent has its own session and file.
func readLine(d *transcript.Reader, obj []byte) {
	top := d.PickFields(obj, "type", "id", "timestamp", "message", "callingSessionId")
	if transcript.Text(top[0]) == "session_start" {
		if d.Session = transcript.Text(top[1]); transcript.Text(top[4]) != "" {
			d.Agent = d.Session
		}
		return
	}
	at := transcript.ParseTime(top[2])
	content, _ := rawjson.Get(top[3], "content")
	r := rawjson.NewReader(content)
	for _, block := range d.ReadElements(&r, []string{"type", "id", "name", "input", "tool_use_id", "content", "is_error"}) {
		if d.Err != nil {
			return
		}
		switch transcript.Text(block[0]) {
		case "tool_use":
			d.OpenCall(transcript.Call{ID: transcript.Text(block[1]), Session: d.Session, Agent: d.Agent, Tool: transcript.Text(block[2]), At: at}, block[3])
		case "tool_result":
			if c := d.CallOfResult(transcript.Text(block[4]), at); c != nil {
				c.Outcome, c.Exited = outcomeOf(string(block[6]) == "true", block[5])
				d.EmitTexts(c, block[5])
				d.FinishCall(c)
			}
		}
	}
}

// outcomeOf returns the outcome of a call, and whether its result has an exit status.
func outcomeOf(wrong bool, content []byte) (o transcript.Outcome, exited bool) {
	said := transcript.TextHead(content)
	switch {
	case !wrong:
		return transcript.Ran, false
	case strings.HasPrefix(said, "Error: Command failed (exit code: "):
		return transcript.Failed, true
	case strings.HasPrefix(said, "Error: "+transcript.DenialPrefix):
		return transcript.Denied, false
	}
	return transcript.Failed, false
}
