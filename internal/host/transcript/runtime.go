package transcript

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// native is how checkrein's runtime writes its transcripts.
var native = form{
	host: "native", line: runtimeLine, session: runtimeSession,
	own:     [][]string{{"kind", "at"}},
	needles: []needle{{'_', []string{`"tool_calls"`, `"tool_call_id"`}}},
}

// runtimeLine reads a line of checkrein's own runtime, see package session: native, as
// the ledger calls it. The session is the file's name. Secrets are not in it: they
// were taken out before.
func runtimeLine(d *desk, obj []byte) {
	var kind string
	var at time.Time
	var m fields
	r := rawjson.NewReader(obj)
	d.members(&r, func(key []byte) {
		switch string(key) {
		case "kind":
			kind = str(r.Value())
		case "at":
			at = clock(r.Value())
		case "message":
			m = d.take(&r, []string{"tool_calls", "tool_call_id", "content", "is_error"})
		default:
			r.Value()
		}
	})
	if kind != "message" {
		return
	}
	r = rawjson.NewReader(m[0])
	elements(&r, func() {
		c := d.take(&r, []string{"id", "function"})
		f := d.pick(c[1], "name", "arguments")
		input := []byte(str(f[1]))
		if rawjson.Check(input) != nil {
			input = nil // what the model wrote is not JSON
		}
		if d.err == nil {
			d.called(Call{ID: str(c[0]), Session: d.session, Tool: str(f[0]), At: at}, input)
		}
	})
	if id := str(m[1]); id != "" {
		if c := d.of(id, at); c != nil {
			c.Outcome = runtimeOutcome(string(m[3]) == "true", texts(m[2]) == 1, head(m[2]))
			d.text(c, m[2])
			d.done(c)
		}
	}
}

var (
	runtimeDenied  = []string{"the call did not run: rejected by a pre_tool_use hook", "the call did not run: rejected by a permission_request hook"}
	runtimeRefused = []string{"the call did not run: "}
)

// runtimeOutcome tells what came of a call: one text stands in place of one that did not
// run.
func runtimeOutcome(wrong, alone bool, said string) Outcome {
	switch {
	case !wrong:
		return Ran
	case !alone:
		return Failed
	case starts(said, runtimeDenied):
		return Denied
	case starts(said, runtimeRefused), said == "the call was canceled",
		strings.HasPrefix(said, "tool ") && strings.HasSuffix(said, " is not available: use only the tools that you were given"),
		strings.HasPrefix(said, "the arguments of ") && strings.HasSuffix(said, " are not a JSON object"):
		return Refused
	}
	return Failed
}

// runtimeSession is the session of a file, which is named after it.
func runtimeSession(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
