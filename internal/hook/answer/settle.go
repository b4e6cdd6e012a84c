package answer

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Fit maps a rewrite of a call to what the event's host can run.
type Fit func(checkrein.Event, json.RawMessage) (json.RawMessage, error)

// Settle fits an answer to the event that it is about: a rewrite is put into
// the host's words and given to fit, unless that is nil, and what the dialect has rules
// for is held to them. An error is a fault.
func Settle(d *hookfile.Dialect, ev *checkrein.Event, ans *checkrein.Answer, fit Fit) error {
	if ans.Input != nil && d.Localize != nil {
		input, err := d.Localize(*ev, ans.Input)
		if err != nil {
			return err
		}
		ans.Input = input
	}
	if ans.Input != nil && fit != nil {
		input, err := fit(*ev, ans.Input)
		if err != nil {
			return err
		}
		ans.Input = input
	}
	if d.Form.KnownKeys && ans.Input != nil {
		keepKnown(ev, ans)
	}
	if len(ans.Notice) > 0 && slices.Contains(d.Form.NoteOn, ev.Kind) {
		ans.Append = strings.Join(ans.Notice, "\n")
	}
	return nil
}

// keepKnown drops the keys of a rewrite that the call does not have.
func keepKnown(ev *checkrein.Event, ans *checkrein.Answer) {
	out := []byte{'{'}
	rawjson.Each(ans.Input, func(key string, val []byte) bool {
		var has bool
		if ev.Tool != nil {
			_, has = rawjson.Get(ev.Tool.Input, key)
		}
		if !has {
			ans.Ignored = append(ans.Ignored, "tool_input."+key+" (the call has no such argument)")
			return true
		}
		out = rawjson.AppendMember(out, key, val)
		return true
	})
	if ans.Input = append(out, '}'); len(out) == 1 {
		ans.Input = nil
	}
}
