//go:build ignore

package transcript

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// copilot is how Copilot CLI writes its transcripts.
var copilot = form{
	host: "copilot", line: copilotLine, session: copilotSession,
	own:     [][]string{{"type", "data", "id", "timestamp"}},
	needles: []needle{{'.', []string{`"tool.`, `"session.start"`, `"session.resume"`}}},
}

// copilotLine reads a line of Copilot CLI: an event with its data. Sub-agents write
// into the file of their session, and hooks hear them as sessions of their own.
func copilotLine(d *desk, obj []byte) {
	top := d.pick(obj, "type", "data", "timestamp", "agentId")
	data, at, agent := top[1], clock(top[2]), name(str(top[3]))
	switch str(top[0]) {
	case "session.start", "session.resume":
		if id := get(data, "sessionId"); id != "" {
			d.session = id
		}
	case "tool.execution_start":
		v := d.pick(data, "toolCallId", "toolName", "arguments")
		c := Call{ID: str(v[0]), Session: d.session, Root: d.session, Tool: str(v[1]), At: at}
		if agent != "" {
			c.Session, c.Agent = agent, agent
		}
		d.called(c, v[2])
	case "tool.execution_complete":
		c := d.of(get(data, "toolCallId"), at)
		if c == nil {
			return
		}
		if c.Orphan && agent != "" {
			c.Session, c.Agent = agent, agent
		}
		v := d.pick(data, "result", "error", "success", "shellExecution")
		c.Outcome, c.Exited = copilotOutcome(v[0], v[1], v[2], v[3])
		// detailedContent is for the person.
		said, _ := rawjson.Get(v[0], "content")
		d.text(c, said)
		said, _ = rawjson.Get(v[1], "message")
		d.text(c, said)
		d.done(c)
	}
}

// copilotOutcome tells what came of a call. One that did not run has an error, and neither
// a result nor an exit status.
func copilotOutcome(result, wrong, success, shell []byte) (o Outcome, exited bool) {
	exit, exited := rawjson.Get(shell, "exitCode")
	if string(success) == "true" {
		if exited && string(exit) != "0" {
			return Failed, true
		}
		return Ran, exited
	}
	said := get(wrong, "message")
	switch code := get(wrong, "code"); {
	case exited || get(result, "content") != "":
	case strings.HasPrefix(said, "Denied by preToolUse hook"), strings.HasPrefix(said, ours):
		return Denied, false
	case code == "denied", code == "rejected":
		return Refused, false
	case strings.HasPrefix(said, `"`) && strings.HasSuffix(said, ": Required"):
		return Refused, false // an argument is missing
	}
	return Failed, exited
}

// copilotSession is the session of a file, which its folder names.
func copilotSession(path string) string {
	if dir, base := filepath.Split(path); strings.EqualFold(base, "events.jsonl") {
		return filepath.Base(dir)
	}
	return ""
}
