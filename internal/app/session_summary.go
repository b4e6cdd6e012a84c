package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A tally counts calls of a session that grants lifted, and calls that were blocked without a handle;
// other blocks are counted by the store of blocks. The store has one tally for each call, and they are
// added up. A tally with Told set starts from zero.
type tally struct {
	Blocked int       `json:"blocked,omitempty"`
	Lifted  int       `json:"lifted,omitempty"`
	Told    time.Time `json:"told,omitzero"`  // when the last summary was shown
	Last    string    `json:"last,omitempty"` // the last call that was counted, since some hosts send a call twice
}

// tallyKey returns the key of the tallies of the session of ev.
func tallyKey(ev *checkrein.Event) string {
	return "tally\x00" + sessionKey(ev.Host, ev.Session.ID)
}

// countCall saves a tally for a call that was blocked without a handle or that grants lifted.
func (k *Kit) countCall(ev *checkrein.Event, out *engine.Outcome) {
	if ev.Session.ID == "" || ev.Tool == nil || k.standing.foreign {
		return
	}
	lifted := false
	for i := range out.Steps {
		lifted = lifted || out.Steps[i].Lifted != nil
	}
	blocked := out.Verdict.Decision == checkrein.Deny
	if !blocked && !lifted || blocked && out.Handle != "" || !k.called {
		return
	}
	what := "lifted"
	if blocked {
		what = "blocked"
	}
	// Whether the session gets a summary is checked when it ends, because examining the host's
	// process takes longer than saving a tally.
	b := rawjson.Object{'{'}
	b.Int(what, 1)
	if id := ev.Tool.CallID; id != "" {
		b.Text("last", id+" "+strconv.FormatBool(blocked))
	}
	b.Close()
	_ = k.memory.store.AppendText(tallyKey(ev), append(b, '\n')) // if this fails, the summary lacks the call
}

// readTally returns what was counted in the session of ev since its last summary.
func (k *Kit) readTally(ev *checkrein.Event) (sum tally) {
	text, _ := k.memory.store.Text(tallyKey(ev)) // if this fails, the summary lacks these calls
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var t tally
		switch err := dec.Decode(&t); {
		case err != nil:
			return sum
		case !t.Told.IsZero():
			sum = t
		case t.Last == "" || t.Last != sum.Last:
			sum.Blocked, sum.Lifted, sum.Last = sum.Blocked+t.Blocked, sum.Lifted+t.Lifted, t.Last
		}
	}
}

// sessionSummary returns a notice about blocked and lifted calls when an unattended session ends, or
// nil if there were none.
func (k *Kit) sessionSummary(ev *checkrein.Event) []string {
	if ev.Kind != checkrein.SessionEnd || ev.Session.ID == "" || !k.called {
		return nil
	}
	if h, ok := host.Find(ev.Host); !ok || !h.IsUnattended(k.callerProcess) {
		return nil
	}
	t := k.readTally(ev)
	blocks, _ := k.grants.Blocks() // if this fails, the summary lacks these calls
	for _, b := range blocks {
		if b.Host == ev.Host && b.Session == ev.Session.ID && b.Decision == checkrein.Deny.String() && b.At.Wall.After(t.Told) {
			t.Blocked += b.Times
		}
	}
	if t.Blocked+t.Lifted == 0 {
		return nil
	}
	if told, err := json.Marshal(tally{Told: k.now()}); err == nil {
		_ = k.memory.store.AppendText(tallyKey(ev), append(told, '\n')) // if this fails, the summary is repeated
	}
	blocked := fmt.Sprintf("%d calls were blocked", t.Blocked)
	if t.Blocked == 1 {
		blocked = "1 call was blocked"
	}
	lifted := fmt.Sprintf(" and %d were allowed by grants", t.Lifted)
	switch t.Lifted {
	case 0:
		lifted = ""
	case 1:
		lifted = " and 1 was allowed by a grant"
	}
	command := "checkrein audit summary"
	if strings.Trim(ev.Session.ID, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" { // needs no quoting
		command += " --session " + ev.Session.ID
	}
	return []string{blocked + lifted + " in this session. For details, run " + command}
}
