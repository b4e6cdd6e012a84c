//go:build ignore

package transcript

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// codex is how Codex writes its transcripts.
var codex = form{
	host: "codex", line: codexLine, inOrder: true, began: codexBegan,
	own:     [][]string{{"timestamp", "type", "payload"}, {"type", "call_id"}, {"type", "role", "content"}, {"id", "timestamp", "instructions"}},
	needles: []needle{{'_', []string{`_call`, `"session_meta"`, `"item_completed"`, `_end"`}}},
}

// codexLine reads a line of Codex: a kind and a payload. Calls and results are
// items of the model's protocol; beside them the host notes what it did itself.
// Before there were payloads the items stood alone.
func codexLine(d *desk, obj []byte) {
	var kind string
	var at time.Time
	var item fields
	wrapped := false
	r := rawjson.NewReader(obj)
	d.members(&r, func(key []byte) {
		switch string(key) {
		case "type":
			kind = str(r.Value())
		case "timestamp":
			at = clock(r.Value())
		case "payload":
			item, wrapped = d.take(&r, codexKeys), true
		default:
			r.Value()
		}
	})
	if !wrapped {
		item = d.pick(obj, codexKeys...)
		if at.IsZero() {
			at = d.clock // such items had no times
		}
	}
	switch {
	case kind == "session_meta":
		meta, ok := rawjson.Get(obj, "payload")
		if !ok {
			meta = obj
		}
		codexMeta(d, meta)
	case kind == "event_msg":
		codexEvent(d, &item)
	case kind == "response_item" || !wrapped:
		codexItem(d, &item, at)
	}
}

// codexBegan is when a session began, by the name of its file: it is the only time where
// items have none.
func codexBegan(base string) time.Time {
	const form = "rollout-2006-01-02T15-04-05"
	if len(base) < len(form) {
		return time.Time{}
	}
	at, _ := time.ParseInLocation(form, strings.ToLower(base[:len("rollout-")])+base[len("rollout-"):len(form)], time.Local)
	return at
}

// codexKeys are those of items and of what the host notes.
var codexKeys = []string{"type", "call_id", "name", "namespace", "arguments", "input", "action", "output", "item", "success", "exit_code"}

// codexMeta reads whose file it is: a sub-agent's names its parent's session.
func codexMeta(d *desk, item []byte) {
	if d.session != "" {
		return // a fork has those of its parents, too
	}
	own := get(item, "id")
	d.headless = get(item, "originator") == "codex_exec" || get(item, "source") == "exec"
	d.session, d.agent = own, ""
	for _, parent := range []string{get(item, "session_id"), get(item, "parent_thread_id"), get(item, "source", "subagent", "thread_spawn", "parent_thread_id")} {
		if parent != "" && parent != own {
			d.session, d.agent = parent, own
			return
		}
	}
}

func codexItem(d *desk, v *fields, at time.Time) {
	id, name := str(v[1]), str(v[2])
	switch str(v[0]) {
	case "function_call":
		tool, input := codexCall(name, str(v[3]), []byte(str(v[4])))
		d.called(Call{ID: id, Session: d.session, Agent: d.agent, Tool: tool, At: at}, input)
	case "custom_tool_call":
		d.called(Call{ID: id, Session: d.session, Agent: d.agent, Tool: name, At: at}, command(str(v[5])))
	case "local_shell_call":
		argv, _ := rawjson.Get(v[6], "command")
		d.called(Call{ID: id, Session: d.session, Agent: d.agent, Tool: "Bash", At: at}, command(script(argv)))
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "mcp_tool_call_output":
		c := d.of(id, at)
		if c == nil {
			return
		}
		c.Outcome, c.Exited = codexOutcome(c.Outcome, head(v[7]), texts(v[7]) == 1)
		d.text(c, v[7])
		d.done(c)
	}
}

// codexEvent reads what the host did: that it did run a call.
func codexEvent(d *desk, v *fields) {
	kind, id, exit := str(v[0]), str(v[1]), v[10]
	ok := v[9] == nil || string(v[9]) == "true"
	switch {
	case kind == "item_completed":
		done := d.pick(v[8], "id", "status", "exit_code")
		id, exit = str(done[0]), done[2]
		ok = str(done[1]) == "completed"
	case !strings.HasSuffix(kind, "_end"):
		return
	}
	c := d.open[id]
	if c == nil {
		return
	}
	if c.Outcome = Ran; !ok || exit != nil && string(exit) != "0" {
		c.Outcome = Failed
	}
}

// codexCall is a call as hooks hear it: they know one shell, and names with their
// servers.
func codexCall(tool, space string, input []byte) (string, []byte) {
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
	codexDenied  = []string{ours, "Command blocked by PreToolUse hook", "Tool call blocked by PreToolUse hook", "Blocked by PreToolUse hook"}
	codexRefused = []string{
		"failed to parse function arguments", "unsupported call", "unsupported custom tool call", "exec command rejected", "rejected by user", "patch rejected",
		"approval policy is ", "user rejected", "user cancelled",
	}
)

// codexOutcome tells what came of a call: what the host itself noted counts first. One
// text alone stands in place of a call that did not run.
func codexOutcome(noted Outcome, said string, alone bool) (o Outcome, exited bool) {
	exit, exited := exitIn(said, "Process exited with code ", "Exit code: ")
	switch {
	case noted != Unknown:
		return noted, exited
	case starts(said, codexDenied) && strings.Contains(said, "\nOutput:"): // the words of a run
		return Ran, exited
	case alone && starts(said, codexDenied):
		return Denied, false
	case alone && starts(said, codexRefused):
		return Refused, false
	case strings.HasSuffix(said, "aborted by user"):
		return Unknown, false // nothing says how far it came
	case exited && exit != "0":
		return Failed, true
	}
	return Ran, exited
}
