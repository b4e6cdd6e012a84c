package setup

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript describes the transcripts of Codex CLI.
var Transcript = transcript.Form{
	Host: "codex", Line: readLine, InOrder: true,
	OwnKeys: [][]string{{"timestamp", "type", "payload"}},
	Needles: []transcript.Needle{{Rare: '_', Words: []string{`_call`, `"session_meta"`, `"item_completed"`, `_end"`}}},
}

// readLine reads a line of a transcript of Codex, which has a type and a payload. Calls and results
// are items of the model's protocol; events record what the host did.
func readLine(d *transcript.Reader, obj []byte) {
	var kind string
	var at time.Time
	var item transcript.Fields
	r := rawjson.NewReader(obj)
	d.EachMember(&r, func(key []byte) {
		switch string(key) {
		case "type":
			kind = transcript.Text(r.Value())
		case "timestamp":
			at = transcript.ParseTime(r.Value())
		case "payload":
			item = d.ReadFields(&r, itemKeys)
		default:
			r.Value()
		}
	})
	switch kind {
	case "session_meta":
		meta, _ := rawjson.Get(obj, "payload")
		readMeta(d, meta)
	case "event_msg":
		readEvent(d, &item)
	case "response_item":
		readItem(d, &item, at)
	}
}

// itemKeys lists the keys of items and events.
var itemKeys = []string{"type", "call_id", "name", "namespace", "arguments", "input", "action", "output", "item", "success", "exit_code"}

// readMeta sets the session of the file from its first session_meta item. The file of a sub-agent
// names the session of its parent.
func readMeta(d *transcript.Reader, item []byte) {
	if d.Session != "" {
		return // a forked session also has the lines of its parents
	}
	own := transcript.GetText(item, "id")
	d.Headless = transcript.GetText(item, "originator") == "codex_exec" || transcript.GetText(item, "source") == "exec"
	d.Session, d.Agent = own, ""
	for _, parent := range []string{transcript.GetText(item, "session_id"), transcript.GetText(item, "parent_thread_id"), transcript.GetText(item, "source", "subagent", "thread_spawn", "parent_thread_id")} {
		if parent != "" && parent != own {
			d.Session, d.Agent = parent, own
			return
		}
	}
}

func readItem(d *transcript.Reader, v *transcript.Fields, at time.Time) {
	id, name := transcript.Text(v[1]), transcript.Text(v[2])
	switch transcript.Text(v[0]) {
	case "function_call":
		tool, input := hookCall(name, transcript.Text(v[3]), []byte(transcript.Text(v[4])))
		d.OpenCall(transcript.Call{ID: id, Session: d.Session, Agent: d.Agent, Tool: tool, At: at}, input)
	case "custom_tool_call":
		d.OpenCall(transcript.Call{ID: id, Session: d.Session, Agent: d.Agent, Tool: name, At: at}, commandInput(transcript.Text(v[5])))
	case "local_shell_call":
		argv, _ := rawjson.Get(v[6], "command")
		d.OpenCall(transcript.Call{ID: id, Session: d.Session, Agent: d.Agent, Tool: "Bash", At: at}, commandInput(commandText(argv)))
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "mcp_tool_call_output":
		c := d.CallOfResult(id, at)
		if c == nil {
			return
		}
		c.Outcome, c.Exited = outcomeOf(c.Outcome, transcript.TextHead(v[7]), transcript.CountTexts(v[7]) == 1)
		d.EmitTexts(c, v[7])
		d.FinishCall(c)
	}
}

// readEvent sets the outcome of an open call from an event about its end.
func readEvent(d *transcript.Reader, v *transcript.Fields) {
	kind, id, exit := transcript.Text(v[0]), transcript.Text(v[1]), v[10]
	ok := v[9] == nil || string(v[9]) == "true"
	switch {
	case kind == "item_completed":
		done := d.PickFields(v[8], "id", "status", "exit_code")
		id, exit = transcript.Text(done[0]), done[2]
		ok = transcript.Text(done[1]) == "completed"
	case !strings.HasSuffix(kind, "_end"):
		return
	}
	c := d.Open[id]
	if c == nil {
		return
	}
	if c.Outcome = transcript.Ran; !ok || exit != nil && string(exit) != "0" {
		c.Outcome = transcript.Failed
	}
}

// hookCall returns the tool and the input of a call as hooks get them: all shell tools have one name,
// and the name of an MCP tool includes its server.
func hookCall(tool, space string, input []byte) (string, []byte) {
	if rawjson.CheckObject(input) != nil {
		return tool, nil // the model did not write an object
	}
	switch tool {
	case "exec_command", "shell_command", "shell", "container.exec", "local_shell":
		for _, key := range []string{"cmd", "command"} {
			v, ok := rawjson.Get(input, key)
			switch {
			case !ok:
			case rawjson.Kind(v) == '[':
				return "Bash", commandInput(commandText(v))
			default:
				s, _ := rawjson.Text(v)
				return "Bash", commandInput(s)
			}
		}
		return "Bash", input
	}
	switch {
	case strings.HasPrefix(space, "mcp__"):
		tool = strings.TrimSuffix(space, "__") + "__" + tool
	case tool != "spawn_agent":
		tool = space + tool // as hooks get it: multi_agent_v1wait_agent
	}
	return tool, input
}

// commandInput returns the input of a call that has only a command.
func commandInput(text string) []byte {
	return append(rawjson.AppendMember([]byte{'{'}, "command", rawjson.Quote(text)), '}')
}

// commandText returns the command in argv, a JSON array of words: the text after bash -lc, or the
// joined words.
func commandText(argv []byte) string {
	var words []string
	rawjson.Elements(argv, func(_ int, v []byte) bool {
		s, _ := rawjson.Text(v)
		words = append(words, s)
		return true
	})
	if len(words) == 3 && (words[1] == "-lc" || words[1] == "-c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

var (
	deniedPrefixes  = []string{transcript.DenialPrefix, "Command blocked by PreToolUse hook", "Tool call blocked by PreToolUse hook", "Blocked by PreToolUse hook"}
	refusedPrefixes = []string{
		"failed to parse function arguments", "unsupported call", "unsupported custom tool call", "exec command rejected", "rejected by user", "patch rejected",
		"approval policy is ", "user rejected", "user cancelled",
	}
)

// outcomeOf returns the outcome of a call, and whether its result has an exit status. recorded is the
// outcome that the host itself recorded, which takes precedence; said is the beginning of the result's
// text, and alone is set if that is the only text. A call that did not run has a single text.
func outcomeOf(recorded transcript.Outcome, said string, alone bool) (o transcript.Outcome, exited bool) {
	exit, exited := transcript.FindExitStatus(said, "Process exited with code ", "Exit code: ")
	switch {
	case recorded != transcript.Unknown:
		return recorded, exited
	case transcript.HasAnyPrefix(said, deniedPrefixes) && strings.Contains(said, "\nOutput:"): // the output of a call that ran
		return transcript.Ran, exited
	case alone && transcript.HasAnyPrefix(said, deniedPrefixes):
		return transcript.Denied, false
	case alone && transcript.HasAnyPrefix(said, refusedPrefixes):
		return transcript.Refused, false
	case strings.HasSuffix(said, "aborted by user"):
		return transcript.Unknown, false // it is unknown whether it ran
	case exited && exit != "0":
		return transcript.Failed, true
	}
	return transcript.Ran, exited
}
