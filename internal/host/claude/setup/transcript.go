package setup

import (
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript describes the transcripts of Claude Code.
var Transcript = transcript.Form{
	Host: "claude", Line: readLine, InOrder: true,
	OwnKeys: [][]string{{"type", "sessionId"}, {"type", "uuid"}, {"type", "leafUuid"}},
	Needles: []transcript.Needle{{Rare: '_', Words: []string{`"tool_use`, `"tool_result`, `"mcp_tool_`}}},
}

// readLine reads a line of a transcript of Claude Code: a message with blocks, some of which are calls
// or results. Each sub-agent has its own file, whose lines name the sub-agent.
func readLine(d *transcript.Reader, obj []byte) {
	var at time.Time
	var session, agent string
	var unasked bool
	var blocks []transcript.Fields
	var made []byte // the tool's return value; a string if the tool did not run or failed
	r := rawjson.NewReader(obj)
	d.EachMember(&r, func(key []byte) {
		switch string(key) {
		case "message":
			blocks = readBlocks(d, &r)
		case "toolUseResult":
			made = r.Value()
		case "timestamp":
			at = transcript.ParseTime(r.Value())
		case "sessionId":
			session = transcript.Text(r.Value())
		case "agentId":
			agent = transcript.Text(r.Value())
		case "entrypoint": // cli at a terminal, sdk-cli for claude -p, sdk-ts and sdk-py for programs
			d.Headless = strings.HasPrefix(transcript.Text(r.Value()), "sdk-")
		case "permissionDecision": // its source is user_temporary or user_permanent if the user was asked
			why := r.Value()
			unasked = rawjson.GetText(why, "source") == "config" && rawjson.GetText(why, "decision") == "accept"
		default:
			d.ReportRespelledKey(key, lineKeys)
			r.Value()
		}
	})
	for i := range blocks {
		block := &blocks[i]
		switch strings.ToLower(transcript.Text(block[0])) {
		case "tool_use", "mcp_tool_use":
			d.OpenCall(transcript.Call{ID: transcript.Text(block[1]), Session: session, Agent: agent, Tool: transcript.Text(block[2]), At: at}, block[3])
		case "tool_result", "mcp_tool_result":
			d.Session, d.Agent = session, agent
			if c := d.CallOfResult(transcript.Text(block[4]), at); c != nil {
				c.Outcome, c.Exited = outcomeOf(c, string(block[6]) == "true", block[5], made)
				c.Unasked = unasked
				d.EmitTexts(c, block[5])
				d.FinishCall(c)
			}
		}
		if d.Err != nil {
			return
		}
	}
}

var lineKeys = []string{"message", "timestamp", "sessionId"}

var blockKeys = []string{"type", "id", "name", "input", "tool_use_id", "content", "is_error"}

var messageKeys = []string{"content"}

// readBlocks returns the blocks of the next value of r, a message.
func readBlocks(d *transcript.Reader, r *rawjson.Reader) (blocks []transcript.Fields) {
	if r.Kind() == '"' { // the message is JSON in a string
		inner := []byte(transcript.Text(r.Value()))
		if rawjson.CheckObject(inner) != nil {
			return nil
		}
		within := rawjson.NewReader(inner)
		r = &within
	}
	d.EachMember(r, func(key []byte) {
		if string(key) != "content" {
			d.ReportRespelledKey(key, messageKeys)
			r.Value()
			return
		}
		blocks = d.ReadElements(r, blockKeys)
	})
	return blocks
}

var (
	// deniedPrefixes begin the result of a call that a hook blocked by its exit status. A reason that
	// a hook gives in JSON has no prefix.
	deniedPrefixes = []string{transcript.DenialPrefix, "PreToolUse:", "Hook PreToolUse", "Execution stopped by PreToolUse hook", "Blocked by hook"}
	// refusedPrefixes begin the result of a call that Claude Code did not start.
	refusedPrefixes = []string{
		"<tool_use_error>InputValidationError", "<tool_use_error>File has not been read yet", "<tool_use_error>File has been modified since read", "<tool_use_error>String to replace not found", "<tool_use_error>Error: No such tool", "InputValidationError",
		"Claude requested permissions to ", "Permission to use ", "This command requires approval", "Permission for this action has been denied",
		"The user doesn't want to proceed with this tool use", "The user doesn't want to take this action", "[Request interrupted by user", "Error: No such tool available",
	}
)

// outcomeOf returns the outcome of c, and whether its result has an exit status. wrong is set if the
// result is an error, content is its text, and made is the tool's return value. A call that did not
// run has a single text and no return value of the tool.
func outcomeOf(c *transcript.Call, wrong bool, content, made []byte) (o transcript.Outcome, exited bool) {
	said := transcript.TextHead(content)
	instead := transcript.CountTexts(content) == 1 && rawjson.Kind(made) != '{' && rawjson.Kind(made) != '['
	switch {
	case !wrong:
		return transcript.Ran, false
	case strings.HasPrefix(said, "Exit code "):
		return transcript.Failed, true
	case instead && transcript.HasAnyPrefix(said, deniedPrefixes):
		return transcript.Denied, false
	case instead && transcript.HasAnyPrefix(said, refusedPrefixes) && isRefusal(c, said, content):
		return transcript.Refused, false
	}
	return transcript.Failed, false
}

// reasonMarkers precede a user's reason, which may be long.
var reasonMarkers = []string{"the user said:", "reason for the rejection:"}

// isRefusal reports whether content, which begins like a refusal, is nothing else. Refusals quote the
// subject of the call.
func isRefusal(c *transcript.Call, said string, content []byte) bool {
	if strings.HasPrefix(said, "<tool_use_error>") {
		return strings.HasSuffix(transcript.TextTail(content), "</tool_use_error>")
	}
	if len(c.Command) >= transcript.MaxSubject || slices.ContainsFunc(reasonMarkers, func(w string) bool { return strings.Contains(said, w) }) {
		return true
	}
	return len(content) <= transcript.MaxRefusal+2*len(c.Command)+2*len(c.Path)
}
