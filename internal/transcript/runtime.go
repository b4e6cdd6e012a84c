package transcript

import "github.com/checkrein/checkrein/internal/rawjson"

// runtimeLine reads a line of checkrein's own runtime, see package session: native, as
// the ledger calls it. The session is the file's name. Secrets are not in it: they
// were taken out before.
func runtimeLine(d *desk, obj []byte) {
	top := pick(obj, "kind", "at", "message")
	if str(top[0]) != "message" {
		return
	}
	at := clock(top[1])
	m := pick(top[2], "tool_calls", "tool_call_id", "content", "is_error")
	rawjson.Elements(m[0], func(_ int, c []byte) bool {
		input := []byte(get(c, "function", "arguments"))
		if rawjson.Check(input) != nil {
			input = nil // what the model wrote is not JSON
		}
		d.called(Call{ID: get(c, "id"), Session: d.session, Tool: get(c, "function", "name"), At: at}, input)
		return d.err == nil
	})
	if id := str(m[1]); id != "" {
		if c := d.of(id, at); c != nil {
			c.Outcome = runtimeOutcome(string(m[3]) == "true", head(m[2]))
			d.text(c, m[2])
			d.done(c)
		}
	}
}

var (
	runtimeDenied  = []string{"the call did not run: rejected by a pre_tool_use hook", "the call did not run: rejected by a permission_request hook"}
	runtimeRefused = []string{"the call did not run: ", "the call was canceled", "tool ", "the arguments of "}
)

func runtimeOutcome(wrong bool, said string) Outcome {
	switch {
	case !wrong:
		return Ran
	case starts(said, runtimeDenied):
		return Denied
	case starts(said, runtimeRefused):
		return Refused
	}
	return Failed
}
