package setup

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript describes the transcripts of GitHub Copilot CLI.
var Transcript = transcript.Form{
	Host: "copilot", Line: readLine, Session: sessionOfPath,
	OwnKeys: [][]string{{"type", "data", "id", "timestamp"}},
	Needles: []transcript.Needle{{Rare: '.', Words: []string{`"tool.`, `"session.start"`, `"session.resume"`}}},
}

// readLine reads a line of a transcript of Copilot CLI, which is an event with its data. Sub-agents
// write to the file of their session, but hooks get them as separate sessions.
func readLine(d *transcript.Reader, obj []byte) {
	top := d.PickFields(obj, "type", "data", "timestamp", "agentId")
	data, at, agent := top[1], transcript.ParseTime(top[2]), transcript.TruncateName(transcript.Text(top[3]))
	switch transcript.Text(top[0]) {
	case "session.start", "session.resume":
		if id := transcript.GetText(data, "sessionId"); id != "" {
			d.Session = id
		}
	case "tool.execution_start":
		v := d.PickFields(data, "toolCallId", "toolName", "arguments")
		c := transcript.Call{ID: transcript.Text(v[0]), Session: d.Session, Root: d.Session, Tool: transcript.Text(v[1]), At: at}
		if agent != "" {
			c.Session, c.Agent = agent, agent
		}
		d.OpenCall(c, v[2])
	case "tool.execution_complete":
		c := d.CallOfResult(transcript.GetText(data, "toolCallId"), at)
		if c == nil {
			return
		}
		if c.Orphan && agent != "" {
			c.Session, c.Agent = agent, agent
		}
		v := d.PickFields(data, "result", "error", "success", "shellExecution")
		c.Outcome, c.Exited = outcomeOf(v[0], v[1], v[2], v[3])
		// detailedContent is not read, because only the user sees it.
		said, _ := rawjson.Get(v[0], "content")
		d.EmitTexts(c, said)
		said, _ = rawjson.Get(v[1], "message")
		d.EmitTexts(c, said)
		d.FinishCall(c)
	}
}

// outcomeOf returns the outcome of a call, and whether it has an exit status. A call that did not run
// has an error, and neither a result nor an exit status.
func outcomeOf(result, wrong, success, shell []byte) (o transcript.Outcome, exited bool) {
	exit, exited := rawjson.Get(shell, "exitCode")
	if string(success) == "true" {
		if exited && string(exit) != "0" {
			return transcript.Failed, true
		}
		return transcript.Ran, exited
	}
	said := transcript.GetText(wrong, "message")
	switch code := transcript.GetText(wrong, "code"); {
	case exited || transcript.GetText(result, "content") != "":
	case strings.HasPrefix(said, "Denied by preToolUse hook"), strings.HasPrefix(said, transcript.DenialPrefix):
		return transcript.Denied, false
	case code == "denied", code == "rejected":
		return transcript.Refused, false
	case strings.HasPrefix(said, `"`) && strings.HasSuffix(said, ": Required"):
		return transcript.Refused, false // an argument is missing
	}
	return transcript.Failed, exited
}

// sessionOfPath returns the session of a file, which is the name of its directory if the file is
// events.jsonl, or "".
func sessionOfPath(path string) string {
	if dir, base := filepath.Split(path); strings.EqualFold(base, "events.jsonl") {
		return filepath.Base(dir)
	}
	return ""
}
