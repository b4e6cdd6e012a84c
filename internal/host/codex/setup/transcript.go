package setup

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript is how Codex writes its transcripts.
var Transcript = transcript.Form{
	Host: "codex", Line: line, InOrder: true,
	OwnKeys: [][]string{{"timestamp", "type", "payload"}},
	Needles: []transcript.Needle{{Rare: '_', Words: []string{`_call`, `"session_meta"`, `"item_completed"`, `_end"`}}},
}

// line reads a line of Codex: a kind and a payload. Calls and results are
// items of the model's protocol; beside them the host notes what it did itself.
func line(d *transcript.Reader, obj []byte) {
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
			item = d.ReadFields(&r, keys)
		default:
			r.Value()
		}
	})
	switch kind {
	case "session_meta":
		meta, _ := rawjson.Get(obj, "payload")
		codexMeta(d, meta)
	case "event_msg":
		event(d, &item)
	case "response_item":
		codexItem(d, &item, at)
	}
}

// keys are those of items and of what the host notes.
var keys = []string{"type", "call_id", "name", "namespace", "arguments", "input", "action", "output", "item", "success", "exit_code"}

// codexMeta reads whose file it is: a sub-agent's names its parent's session.
func codexMeta(d *transcript.Reader, item []byte) {
	if d.Session != "" {
		return // a fork has those of its parents, too
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

func codexItem(d *transcript.Reader, v *transcript.Fields, at time.Time) {
	id, name := transcript.Text(v[1]), transcript.Text(v[2])
	switch transcript.Text(v[0]) {
	case "function_call":
		tool, input := call(name, transcript.Text(v[3]), []byte(transcript.Text(v[4])))
		d.OpenCall(transcript.Call{ID: id, Session: d.Session, Agent: d.Agent, Tool: tool, At: at}, input)
	case "custom_tool_call":
		d.OpenCall(transcript.Call{ID: id, Session: d.Session, Agent: d.Agent, Tool: name, At: at}, command(transcript.Text(v[5])))
	case "local_shell_call":
		argv, _ := rawjson.Get(v[6], "command")
		d.OpenCall(transcript.Call{ID: id, Session: d.Session, Agent: d.Agent, Tool: "Bash", At: at}, command(script(argv)))
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "mcp_tool_call_output":
		c := d.CallOfResult(id, at)
		if c == nil {
			return
		}
		c.Outcome, c.Exited = outcome(c.Outcome, transcript.TextHead(v[7]), transcript.CountTexts(v[7]) == 1)
		d.EmitTexts(c, v[7])
		d.FinishCall(c)
	}
}

// event reads what the host did: that it did run a call.
func event(d *transcript.Reader, v *transcript.Fields) {
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

// call is a call as hooks hear it: they know one shell, and names with their
// servers.
func call(tool, space string, input []byte) (string, []byte) {
	if rawjson.CheckObject(input) != nil {
		return tool, nil // what the model wrote is no object
	}
	switch tool {
	case "exec_command", "shell_command", "shell", "container.exec", "local_shell":
		for _, key := range []string{"cmd", "command"} {
			v, ok := rawjson.Get(input, key)
			switch {
			case !ok:
			case rawjson.Kind(v) == '[':
				return "Bash", command(script(v))
			default:
				s, _ := rawjson.Text(v)
				return "Bash", command(s)
			}
		}
		return "Bash", input
	}
	switch {
	case strings.HasPrefix(space, "mcp__"):
		tool = strings.TrimSuffix(space, "__") + "__" + tool
	case tool != "spawn_agent":
		tool = space + tool // as they are told: multi_agent_v1wait_agent
	}
	return tool, input
}

// command is the input of a call that has a command alone.
func command(text string) []byte {
	return append(rawjson.AppendMember([]byte{'{'}, "command", rawjson.Quote(text)), '}')
}

// script is what a list of words runs: the text after bash -lc, else the words.
func script(argv []byte) string {
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
	denied  = []string{transcript.DenialPrefix, "Command blocked by PreToolUse hook", "Tool call blocked by PreToolUse hook", "Blocked by PreToolUse hook"}
	refused = []string{
		"failed to parse function arguments", "unsupported call", "unsupported custom tool call", "exec command rejected", "rejected by user", "patch rejected",
		"approval policy is ", "user rejected", "user cancelled",
	}
)

// outcome returns what came of a call: what the host itself noted counts first. One
// text alone stands in place of a call that did not run.
func outcome(noted transcript.Outcome, said string, alone bool) (o transcript.Outcome, exited bool) {
	exit, exited := transcript.FindExitStatus(said, "Process exited with code ", "Exit code: ")
	switch {
	case noted != transcript.Unknown:
		return noted, exited
	case transcript.HasAnyPrefix(said, denied) && strings.Contains(said, "\nOutput:"): // the words of a run
		return transcript.Ran, exited
	case alone && transcript.HasAnyPrefix(said, denied):
		return transcript.Denied, false
	case alone && transcript.HasAnyPrefix(said, refused):
		return transcript.Refused, false
	case strings.HasSuffix(said, "aborted by user"):
		return transcript.Unknown, false // nothing says how far it came
	case exited && exit != "0":
		return transcript.Failed, true
	}
	return transcript.Ran, exited
}
