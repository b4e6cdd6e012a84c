package app

import (
	"errors"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Spending is what the hooks of a session spent on models. Hosts do not count it.
type Spending struct {
	Calls    int     `json:"calls"`
	Again    int     `json:"again,omitempty"` // cached verdicts that were used again
	Input    int     `json:"input_tokens,omitempty"`
	Output   int     `json:"output_tokens,omitempty"`
	Cost     float64 `json:"cost,omitempty"`     // in USD, for calls with a known price
	Unpriced int     `json:"unpriced,omitempty"` // calls without a known price
}

// add adds what one hook spent.
func (s *Spending) add(one *checkrein.Usage) {
	if one.Again {
		s.Again++
		return
	}
	s.Calls++
	s.Input += one.Input
	s.Output += one.Output
	if one.Cost == nil {
		s.Unpriced++
	} else {
		s.Cost += *one.Cost
	}
}

// SpentOn returns what the hooks on the event of out spent. It reports false if no model was called.
func SpentOn(out *engine.Outcome) (sum Spending, any bool) {
	all := out.AllSteps()
	for i := range all {
		if a := all[i].Answer; a != nil && a.Usage != nil {
			sum.add(a.Usage)
			any = true
		}
	}
	return sum, any
}

// spentKey returns the key of a session's spending. Spending is kept beyond the end of a turn, unlike
// the rest of a session's memory.
func spentKey(session string) string { return session + "\x00spent" }

// SessionSpending returns what hooks have spent so far in the session of ev.
func (k *Kit) SessionSpending(ev checkrein.Event) (Spending, error) {
	ev = k.withSession(ev)
	var s Spending
	_, err := k.memory.store.Get(spentKey(sessionKey(ev.Host, ev.Session.ID)), &s)
	return s, err
}

// countSpent adds what the hooks of an event spent to the spending of its session.
func (k *Kit) countSpent(session string, out *engine.Outcome) {
	one, any := SpentOn(out)
	if !any || k.memory.frozen || k.readOnly {
		return
	}
	var s Spending
	count := func() error {
		s = Spending{s.Calls + one.Calls, s.Again + one.Again, s.Input + one.Input, s.Output + one.Output, s.Cost + one.Cost, s.Unpriced + one.Unpriced}
		return nil
	}
	key := spentKey(session)
	if err := k.memory.store.Update(key, &s, count); errors.Is(err, state.ErrDamaged) {
		_ = k.memory.store.Delete(key)
		_ = k.memory.store.Update(key, &s, count)
	}
}
