package transcript

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/rawjson"
)

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
			r.Value()
		}
	})
	for i := range blocks {
		block := &blocks[i]
		switch str(block[0]) {
		case "tool_use":
			d.called(Call{ID: str(block[1]), Session: session, Agent: agent, Tool: str(block[2]), At: at}, block[3])
		case "tool_result":
			d.session, d.agent = session, agent
			if c := d.of(str(block[4]), at); c != nil {
				c.Outcome, c.Exited = claudeOutcome(string(block[6]) == "true", block[5], made)
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

var claudeKeys = []string{"type", "id", "name", "input", "tool_use_id", "content", "is_error"}

// claudeBlocks returns the blocks of the message that is at hand.
func claudeBlocks(d *desk, r *rawjson.Reader) (blocks []fields) {
	d.members(r, func(key []byte) {
		if string(key) != "content" {
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
func claudeOutcome(wrong bool, content, made []byte) (o Outcome, exited bool) {
	said := head(content)
	instead := texts(content) == 1 && rawjson.Kind(made) != '{' && rawjson.Kind(made) != '['
	switch {
	case !wrong:
		return Ran, false
	case strings.HasPrefix(said, "Exit code "):
		return Failed, true
	case instead && starts(said, claudeDenied):
		return Denied, false
	case instead && starts(said, claudeRefused):
		return Refused, false
	}
	return Failed, false
}
