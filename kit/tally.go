package kit

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/livehost"
)

// A tally is how many calls of a session were lifted, and blocked without a handle:
// the others are kept as blocks.
type tally struct {
	Blocked int       `json:"blocked,omitempty"`
	Lifted  int       `json:"lifted,omitempty"`
	Told    time.Time `json:"told,omitzero"`  // when the session's end was said last
	Last    string    `json:"last,omitempty"` // the call that was counted last: hosts ask twice about one
}

func tallyKey(ev *checkrein.Event) string { return "tally\x00" + sessionKey(ev) }

// count notes what became of a call, if it was blocked or lifted.
func (k *Kit) count(ev *checkrein.Event, out *engine.Outcome) {
	if ev.Session.ID == "" || ev.Tool == nil || k.standing.foreign {
		return
	}
	lifted := false
	for i := range out.Steps {
		lifted = lifted || out.Steps[i].Lifted != nil
	}
	blocked := out.Verdict.Decision == checkrein.Deny
	if !blocked && !lifted || blocked && out.Handle != "" || !k.summedUp(ev) {
		return
	}
	var t tally
	_ = k.memory.store.Update(tallyKey(ev), &t, func() error { // else the session's end says less
		last := fmt.Sprint(ev.Tool.CallID, " ", blocked)
		if ev.Tool.CallID != "" && last == t.Last {
			return nil
		}
		t.Last = last
		if blocked {
			t.Blocked++
		} else {
			t.Lifted++
		}
		return nil
	})
}

// summedUp reports whether the end of the session says what became of its calls: no
// person sits before its host.
func (k *Kit) summedUp(ev *checkrein.Event) bool {
	h, ok := host.Named(ev.Host)
	return k.called && ok && h.Unattended(livehost.Caller)
}

// sumUp says at the end of a session before which no person sits what was blocked and
// lifted in it, if anything was.
func (k *Kit) sumUp(ev *checkrein.Event) []string {
	if ev.Kind != checkrein.SessionEnd || ev.Session.ID == "" || !k.summedUp(ev) {
		return nil
	}
	var t tally
	_, _ = k.memory.store.Get(tallyKey(ev), &t)
	blocks, _ := k.grants.Blocks() // else the session's end says less
	for _, b := range blocks {
		if b.Host == ev.Host && b.Session == ev.Session.ID && b.Decision == checkrein.Deny.String() && b.At.Wall.After(t.Told) {
			t.Blocked += b.Times
		}
	}
	if t.Blocked+t.Lifted == 0 {
		return nil
	}
	var told tally
	_ = k.memory.store.Update(tallyKey(ev), &told, func() error { // else it is said again
		told = tally{Told: k.now()}
		return nil
	})
	blocked := fmt.Sprintf("%d calls were blocked", t.Blocked)
	if t.Blocked == 1 {
		blocked = "1 call was blocked"
	}
	lifted := fmt.Sprintf("%d were lifted", t.Lifted)
	if t.Lifted == 1 {
		lifted = "1 was lifted"
	}
	command := "checkrein audit summary"
	if strings.Trim(ev.Session.ID, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" { // as shells read it
		command += " --session " + ev.Session.ID
	}
	return []string{blocked + " and " + lifted + " by grants in this session: " + command}
}
