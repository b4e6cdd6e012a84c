package answer

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A FitFunc converts a rewrite of the tool's input to one that the event's host can run.
type FitFunc func(checkrein.Event, json.RawMessage) (json.RawMessage, error)

// FitToEvent adapts ans to the event ev: a rewrite is translated from the names of dialect d to the
// host's and then converted by fit, which may be nil. It also applies the dialect's rules for answers.
// An error is a fault.
func FitToEvent(d *hookfile.Dialect, ev *checkrein.Event, ans *checkrein.Answer, fit FitFunc) error {
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
		dropUnknownKeys(ev, ans)
	}
	if len(ans.Notice) > 0 && slices.Contains(d.Form.NoteOn, ev.Kind) {
		ans.Append = strings.Join(ans.Notice, "\n")
	}
	return nil
}

// dropUnknownKeys removes the keys of the rewrite in ans that the call does not have, and lists them
// as ignored.
func dropUnknownKeys(ev *checkrein.Event, ans *checkrein.Answer) {
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
