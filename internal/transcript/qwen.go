package transcript

import (
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/rawjson"
)

// qwenLine reads a line of Qwen Code: a message with the model's calls, one with the
// results, or a figure. The calls of sub-agents are in figures alone, without IDs and
// without results.
func qwenLine(d *desk, obj []byte) {
	top := pick(obj, "timestamp", "sessionId", "agentId", "systemPayload", "message", "toolCallResult")
	at, session, agent := clock(top[0]), str(top[1]), str(top[2])
	if ev, ok := rawjson.Get(top[3], "uiEvent"); ok {
		qwenFigure(d, ev, session)
		return
	}
	parts, _ := rawjson.Get(top[4], "parts")
	rawjson.Elements(parts, func(_ int, part []byte) bool {
		v := pick(part, "functionCall", "functionResponse")
		if v[0] != nil {
			call := pick(v[0], "id", "name", "args")
			d.called(Call{ID: str(call[0]), Session: session, Agent: agent, Tool: str(call[1]), At: at}, call[2])
		}
		if v[1] != nil {
			d.session, d.agent = session, agent
			qwenResult(d, pick(v[1], "id", "name", "response"), top[5], at)
		}
		return d.err == nil
	})
}

// qwenResult reads what the model was given of a call, and how the host sums it up.
func qwenResult(d *desk, v [8][]byte, sum []byte, at time.Time) {
	c := d.of(str(v[0]), at)
	if c == nil {
		return
	}
	if c.Orphan {
		c.Tool = name(str(v[1]))
	}
	state := pick(sum, "status", "errorType")
	c.Outcome = qwenOutcome(str(state[0]), str(state[1]), v[2])
	d.text(c, v[2])
	d.done(c)
}

// qwenFigure reads the call of a sub-agent: who asked is session#agent#turn.
func qwenFigure(d *desk, ev []byte, session string) {
	if !strings.HasSuffix(get(ev, "event.name"), ".tool_call") {
		return
	}
	who := strings.Split(get(ev, "prompt_id"), "#")
	if len(who) != 3 || who[1] == "" {
		return // the session's own: its calls are in messages
	}
	args, _ := rawjson.Get(ev, "function_args")
	done := timeOf(ev, "event.timestamp")
	at := done
	took, _ := rawjson.Get(ev, "duration_ms")
	if ms, err := strconv.ParseUint(string(took), 10, 32); err == nil {
		at = done.Add(-time.Duration(ms) * time.Millisecond)
	}
	c := d.called(Call{Session: session, Agent: who[1], Tool: get(ev, "function_name"), At: at, Done: done}, args)
	said, _ := rawjson.Get(ev, "error")
	c.Outcome = qwenOutcome(get(ev, "status"), get(ev, "error_type"), said)
	d.done(c)
}

// qwenRefused is what Qwen Code says of a call that nobody approved; it has one kind
// of error for that and for hooks.
var qwenRefused = []string{"Qwen Code requires permission to use", "Tool \"", "Permission denied", "User denied"}

func qwenOutcome(status, kind string, result []byte) Outcome {
	said, _ := geminiSaid(result)
	switch {
	case status == "cancelled", kind == "invalid_tool_params", kind == "tool_not_registered":
		return Refused
	case kind == "execution_denied" && starts(said, qwenRefused):
		return Refused
	case kind == "execution_denied":
		return Denied
	}
	return geminiOutcome(status, result)
}
