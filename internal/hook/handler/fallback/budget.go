package fallback

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Budget counts the questions and their costs per session. The cost of a question is reserved before
// it is asked, so that neither concurrent calls nor a crash can exceed the budget.
type Budget struct {
	Dir state.Dir
	Now func() time.Time // nil means time.Now
	// Off reports whether usage is currently not counted, so that the judge must not be asked; nil
	// means never.
	Off func() bool
}

// Folder is the name of the directory with the budgets in the state directory.
const Folder = "asked"

// budgetTTL is how long the budget of an idle session is kept.
const budgetTTL = 7 * 24 * time.Hour

// limits holds the number of questions that a session may ask, and their maximum cost in millionths of a USD.
type limits struct{ calls, money int }

// moneyPerCall returns how much a question may cost on average.
func (l limits) moneyPerCall() int { return max(1, l.money/l.calls) }

// A usage is how much of its budget a session has used.
type usage struct {
	Calls    int      `json:"calls"`
	Money    int      `json:"money"`          // including reservations for pending questions
	Most     int      `json:"most,omitempty"` // the highest cost of a question so far
	Notified []string `json:"told,omitempty"` // notices that the user has already seen
	// Stopped maps the digests of calls to the ask or deny that the judge returned, so that they
	// stay stopped once the budget is used up.
	Stopped map[string]checkrein.Decision `json:"stopped,omitempty"`
}

// maxStopped limits how many stopped calls are remembered per session.
const maxStopped = 256

// callDigest returns a digest of the tool, the directory and the arguments of ev.
func callDigest(ev *checkrein.Event) string {
	h := sha256.New()
	for _, part := range [...]string{ev.Tool.Name, ev.Session.Dir, string(ev.Tool.Input)} {
		fmt.Fprintf(h, "%d %s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// A reservation is the part of the budget that is reserved for one question.
type reservation struct {
	money  int
	before checkrein.Decision // the judge's earlier decision, if it stopped the same call
	stops  bool               // the budget is used up, and the judge has stopped some call of the session
}

var (
	errSpent = errors.New("the budget is used up")
	errOff   = errors.New("the session belongs to another agent")
)

func (b *Budget) update(ev *checkrein.Event, change func(*usage) error) error {
	if b.Off != nil && b.Off() {
		return errOff
	}
	var u usage
	return b.Dir.OpenStore(Folder, budgetTTL, b.Now).Update(ev.Host+"\x00"+ev.Session.ID, &u, func() error { return change(&u) })
}

// reserve reserves the cost of one question. The cost is unknown in advance, so it reserves the
// average, or the highest cost so far if that is more. It returns errSpent if the budget is used up.
func (b *Budget) reserve(ev *checkrein.Event, l limits) (reservation, error) {
	var h reservation
	err := b.update(ev, func(u *usage) error {
		h.before = u.Stopped[callDigest(ev)]
		h.money = max(l.moneyPerCall(), u.Most)
		if u.Calls >= l.calls || u.Calls < 0 || u.Money < 0 || u.Money+h.money > l.money {
			h.stops = len(u.Stopped) > 0
			return errSpent
		}
		u.Calls++
		u.Money += h.money
		return nil
	})
	return h, err
}

// settleReservation replaces the reservation by the actual cost in ans, and records a call that the
// judge stopped. A question that did not reach the model does not count. If the cost is unknown, the
// reservation stays.
func (b *Budget) settleReservation(ev *checkrein.Event, h reservation, ans *checkrein.Answer, fault error) {
	s, cost, calls := ans.Usage, h.money, 0
	switch {
	case s != nil && s.Again:
		cost, calls = 0, 1
	case s != nil && s.Cost != nil:
		cost = int(math.Ceil(min(max(*s.Cost, 0)*1e6, math.MaxInt32)))
	}
	stopped := fault == nil && ans.Decision >= checkrein.Ask
	if cost == h.money && calls == 0 && !stopped {
		return
	}
	_ = b.update(ev, func(u *usage) error { // if the update fails, the reservation counts
		u.Money += cost - h.money
		u.Calls -= calls
		if s != nil && s.Cost != nil {
			u.Most = max(u.Most, cost)
		}
		if stopped && len(u.Stopped) < maxStopped {
			if u.Stopped == nil {
				u.Stopped = map[string]checkrein.Decision{}
			}
			u.Stopped[callDigest(ev)] = ans.Decision
		}
		return nil
	})
}

// markNotified records the notice what as shown in this session, and reports whether it is the
// first.
func (b *Budget) markNotified(ev *checkrein.Event, what string) (first bool) {
	err := b.update(ev, func(u *usage) error {
		if first = !slices.Contains(u.Notified, what); first {
			u.Notified = append(u.Notified, what)
		}
		return nil
	})
	return first || err != nil && !errors.Is(err, errOff)
}
