package setup

import (
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript is how Claude Code writes its transcripts.
var Transcript = transcript.Form{
	Host: "claude", Line: line, InOrder: true,
	OwnKeys: [][]string{{"type", "sessionId"}, {"type", "uuid"}, {"type", "leafUuid"}},
	Needles: []transcript.Needle{{Rare: '_', Words: []string{`"tool_use`, `"tool_result`, `"mcp_tool_`}}},
}

// line reads a line of Claude Code: a message with blocks in it, some of
// which are calls and some results. Sub-agents have files of their own, whose lines
// name them.
func line(d *transcript.Reader, obj []byte) {
	var at time.Time
	var session, agent string
	var unasked bool
	var blocks []transcript.Fields
	var made []byte // what the tool returned; a text where it did not run or failed
	r := rawjson.NewReader(obj)
	d.EachMember(&r, func(key []byte) {
		switch string(key) {
		case "message":
			blocks = claudeBlocks(d, &r)
		case "toolUseResult":
			made = r.Value()
		case "timestamp":
			at = transcript.ParseTime(r.Value())
		case "sessionId":
			session = transcript.Text(r.Value())
		case "agentId":
			agent = transcript.Text(r.Value())
		case "entrypoint": // cli at a terminal; sdk-cli of claude -p, sdk-ts and sdk-py of programs
			d.Headless = strings.HasPrefix(transcript.Text(r.Value()), "sdk-")
		case "permissionDecision": // user_temporary or user_permanent, if a person was asked
			why := r.Value()
			unasked = rawjson.GetText(why, "source") == "config" && rawjson.GetText(why, "decision") == "accept"
		default:
			d.SkipRespelled(key, lineKeys)
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
				c.Outcome, c.Exited = outcome(c, string(block[6]) == "true", block[5], made)
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

var keys = []string{"type", "id", "name", "input", "tool_use_id", "content", "is_error"}

var messageKeys = []string{"content"}

// claudeBlocks returns the blocks of the message that is at hand.
func claudeBlocks(d *transcript.Reader, r *rawjson.Reader) (blocks []transcript.Fields) {
	if r.Kind() == '"' { // the message as a text
		inner := []byte(transcript.Text(r.Value()))
		if rawjson.CheckObject(inner) != nil {
			return nil
		}
		within := rawjson.NewReader(inner)
		r = &within
	}
	d.EachMember(r, func(key []byte) {
		if string(key) != "content" {
			d.SkipRespelled(key, messageKeys)
			r.Value()
			return
		}
		blocks = d.ReadElements(r, keys)
	})
	return blocks
}

var (
	// denied is how Claude Code begins what it says of a call that a hook
	// stopped by its exit status. A reason that a hook gives in JSON stands alone.
	denied = []string{transcript.DenialPrefix, "PreToolUse:", "Hook PreToolUse", "Execution stopped by PreToolUse hook", "Blocked by hook"}
	// refused is what it says of calls that it did not even begin.
	refused = []string{
		"<tool_use_error>InputValidationError", "<tool_use_error>File has not been read yet", "<tool_use_error>File has been modified since read", "<tool_use_error>String to replace not found", "<tool_use_error>Error: No such tool", "InputValidationError",
		"Claude requested permissions to ", "Permission to use ", "This command requires approval", "Permission for this action has been denied",
		"The user doesn't want to proceed with this tool use", "The user doesn't want to take this action", "[Request interrupted by user", "Error: No such tool available",
	}
)

// outcome returns what came of a call. In place of a call that did not run there is
// one text, and no value that a tool returned.
func outcome(c *transcript.Call, wrong bool, content, made []byte) (o transcript.Outcome, exited bool) {
	said := transcript.TextHead(content)
	instead := transcript.CountTexts(content) == 1 && rawjson.Kind(made) != '{' && rawjson.Kind(made) != '['
	switch {
	case !wrong:
		return transcript.Ran, false
	case strings.HasPrefix(said, "Exit code "):
		return transcript.Failed, true
	case instead && transcript.HasAnyPrefix(said, denied):
		return transcript.Denied, false
	case instead && transcript.HasAnyPrefix(said, refused) && refusal(c, said, content):
		return transcript.Refused, false
	}
	return transcript.Failed, false
}

// words are what a person says why is told after; it may be long.
var words = []string{"the user said:", "reason for the rejection:"}

// refusal reports whether a text that begins as a refusal is no more than one.
// Refusals quote what the call was about.
func refusal(c *transcript.Call, said string, content []byte) bool {
	if strings.HasPrefix(said, "<tool_use_error>") {
		return strings.HasSuffix(transcript.TextTail(content), "</tool_use_error>")
	}
	if len(c.Command) >= transcript.MaxSubject || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) }) {
		return true
	}
	return len(content) <= transcript.MaxRefusal+2*len(c.Command)+2*len(c.Path)
}
