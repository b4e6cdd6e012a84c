//go:build ignore

package transcript

import (
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// claude is how Claude Code writes its transcripts.
var claude = form{
	host: "claude", line: claudeLine, inOrder: true,
	own:     [][]string{{"type", "sessionId"}, {"type", "uuid"}, {"type", "leafUuid"}},
	needles: []needle{{'_', []string{`"tool_use`, `"tool_result`, `"mcp_tool_`}}},
}

// claudeLine reads a line of Claude Code: a message with blocks in it, some of
// which are calls and some results. Sub-agents have files of their own, whose lines
// name them.
func claudeLine(d *desk, obj []byte) {
	var at time.Time
	var session, agent string
	var unasked bool
	var blocks []fields
	var made []byte // what the tool returned; a text where it did not run or failed
	r := rawjson.NewReader(obj)
	d.members(&r, func(key []byte) {
		switch string(key) {
		case "message":
			blocks = claudeBlocks(d, &r)
		case "toolUseResult":
			made = r.Value()
		case "timestamp":
			at = clock(r.Value())
		case "sessionId":
			session = str(r.Value())
		case "agentId":
			agent = str(r.Value())
		case "entrypoint": // cli at a terminal; sdk-cli of claude -p, sdk-ts and sdk-py of programs
			d.headless = strings.HasPrefix(str(r.Value()), "sdk-")
		case "permissionDecision": // user_temporary or user_permanent, if a person was asked
			why := r.Value()
			unasked = rawjson.GetText(why, "source") == "config" && rawjson.GetText(why, "decision") == "accept"
		default:
			d.respelled(key, claudeLineKeys)
			r.Value()
		}
	})
	for i := range blocks {
		block := &blocks[i]
		switch strings.ToLower(str(block[0])) {
		case "tool_use", "mcp_tool_use":
			d.called(Call{ID: str(block[1]), Session: session, Agent: agent, Tool: str(block[2]), At: at}, block[3])
		case "tool_result", "mcp_tool_result":
			d.session, d.agent = session, agent
			if c := d.of(str(block[4]), at); c != nil {
				c.Outcome, c.Exited = claudeOutcome(c, string(block[6]) == "true", block[5], made)
				c.Unasked = unasked
				d.text(c, block[5])
				d.done(c)
			}
		}
		if d.err != nil {
			return
		}
	}
}

var claudeLineKeys = []string{"message", "timestamp", "sessionId"}

var claudeKeys = []string{"type", "id", "name", "input", "tool_use_id", "content", "is_error"}

var claudeMessageKeys = []string{"content"}

// claudeBlocks returns the blocks of the message that is at hand.
func claudeBlocks(d *desk, r *rawjson.Reader) (blocks []fields) {
	if r.Kind() == '"' { // the message as a text
		inner := []byte(str(r.Value()))
		if rawjson.CheckObject(inner) != nil {
			return nil
		}
		within := rawjson.NewReader(inner)
		r = &within
	}
	d.members(r, func(key []byte) {
		if string(key) != "content" {
			d.respelled(key, claudeMessageKeys)
			r.Value()
			return
		}
		blocks = d.each(r, claudeKeys)
	})
	return blocks
}

var (
	// claudeDenied is how Claude Code begins what it says of a call that a hook
	// stopped by its exit status. A reason that a hook gives in JSON stands alone.
	claudeDenied = []string{ours, "PreToolUse:", "Hook PreToolUse", "Execution stopped by PreToolUse hook", "Blocked by hook"}
	// claudeRefused is what it says of calls that it did not even begin.
	claudeRefused = []string{
		"<tool_use_error>InputValidationError", "<tool_use_error>File has not been read yet", "<tool_use_error>File has been modified since read", "<tool_use_error>String to replace not found", "<tool_use_error>Error: No such tool", "InputValidationError",
		"Claude requested permissions to ", "Permission to use ", "This command requires approval", "Permission for this action has been denied",
		"The user doesn't want to proceed with this tool use", "The user doesn't want to take this action", "[Request interrupted by user", "Error: No such tool available",
	}
)

// claudeOutcome tells what came of a call. In place of a call that did not run there is
// one text, and no value that a tool returned.
func claudeOutcome(c *Call, wrong bool, content, made []byte) (o Outcome, exited bool) {
	said := head(content)
	instead := texts(content) == 1 && rawjson.Kind(made) != '{' && rawjson.Kind(made) != '['
	switch {
	case !wrong:
		return Ran, false
	case strings.HasPrefix(said, "Exit code "):
		return Failed, true
	case instead && starts(said, claudeDenied):
		return Denied, false
	case instead && starts(said, claudeRefused) && claudeRefusal(c, said, content):
		return Refused, false
	}
	return Failed, false
}

// claudeWords are what a person says why is told after; it may be long.
var claudeWords = []string{"the user said:", "reason for the rejection:"}

// claudeRefusal reports whether a text that begins as a refusal is no more than one.
// Refusals quote what the call was about.
func claudeRefusal(c *Call, said string, content []byte) bool {
	if strings.HasPrefix(said, "<tool_use_error>") {
		return strings.HasSuffix(tail(content), "</tool_use_error>")
	}
	if len(c.Command) >= maxSubject || slices.ContainsFunc(claudeWords, func(w string) bool { return strings.Contains(said, w) }) {
		return true
	}
	return len(content) <= maxRefusal+2*len(c.Command)+2*len(c.Path)
}
