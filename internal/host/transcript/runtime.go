package transcript

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Runtime is the form of the transcripts that checkrein's own runtime writes.
var Runtime = Form{
	Host: "native", Line: readRuntimeLine, Session: runtimeSession,
	OwnKeys: [][]string{{"kind", "at"}},
	Needles: []Needle{{'_', []string{`"tool_calls"`, `"tool_call_id"`}}},
}

// readRuntimeLine reads a line of checkrein's own runtime, which the ledger calls native; see package
// session. Secrets were redacted before the line was written.
func readRuntimeLine(d *Reader, obj []byte) {
	var kind string
	var at time.Time
	var m Fields
	r := rawjson.NewReader(obj)
	d.EachMember(&r, func(key []byte) {
		switch string(key) {
		case "kind":
			kind = Text(r.Value())
		case "at":
			at = ParseTime(r.Value())
		case "message":
			m = d.ReadFields(&r, []string{"tool_calls", "tool_call_id", "content", "is_error"})
		default:
			r.Value()
		}
	})
	if kind != "message" {
		return
	}
	r = rawjson.NewReader(m[0])
	EachElement(&r, func() {
		c := d.ReadFields(&r, []string{"id", "function"})
		f := d.PickFields(c[1], "name", "arguments")
		input := []byte(Text(f[1]))
		if rawjson.Check(input) != nil {
			input = nil // the model did not write JSON
		}
		if d.Err == nil {
			d.OpenCall(Call{ID: Text(c[0]), Session: d.Session, Tool: Text(f[0]), At: at}, input)
		}
	})
	if id := Text(m[1]); id != "" {
		if c := d.CallOfResult(id, at); c != nil {
			c.Outcome = runtimeOutcome(string(m[3]) == "true", CountTexts(m[2]) == 1, TextHead(m[2]))
			d.EmitTexts(c, m[2])
			d.FinishCall(c)
		}
	}
}

var (
	runtimeDenied  = []string{"the call did not run: rejected by a pre_tool_use hook", "the call did not run: rejected by a permission_request hook"}
	runtimeRefused = []string{"the call did not run: "}
)

// runtimeOutcome returns the outcome of a call from its result: wrong is set if it is an error, alone
// if it is a single text, and said is the beginning of that text. A call that did not run has a single
// text in place of its output.
func runtimeOutcome(wrong, alone bool, said string) Outcome {
	switch {
	case !wrong:
		return Ran
	case !alone:
		return Failed
	case HasAnyPrefix(said, runtimeDenied):
		return Denied
	case HasAnyPrefix(said, runtimeRefused), said == "the call was canceled",
		strings.HasPrefix(said, "tool ") && strings.HasSuffix(said, " is not available: use only the tools that you were given"),
		strings.HasPrefix(said, "the arguments of ") && strings.HasSuffix(said, " are not a JSON object"):
		return Refused
	}
	return Failed
}

// runtimeSession returns the session whose transcript is at path: the file name without its extension.
func runtimeSession(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
