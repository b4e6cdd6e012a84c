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

// A Budget counts the questions and the costs of sessions. A question's part is reserved before it is
// asked, so that neither concurrent calls nor a crash exceed the budget.
type Budget struct {
	Dir state.Dir
	Now func() time.Time // nil means time.Now
	// Off reports whether usage is not counted now, so that nothing is asked; nil means that it is
	// counted.
	Off func() bool
}

// Folder is the directory of budgets in the state directory.
const Folder = "asked"

// budgetTTL is how long the budget of an idle session is kept.
const budgetTTL = 7 * 24 * time.Hour

// limits are the questions and the money, in millionths of a USD, that a session may use.
type limits struct{ calls, money int }

// moneyPerCall returns what a question may cost on average.
func (l limits) moneyPerCall() int { return max(1, l.money/l.calls) }

// A usage is what a session has used.
type usage struct {
	Calls    int      `json:"calls"`
	Money    int      `json:"money"`          // including what is reserved for pending questions
	Most     int      `json:"most,omitempty"` // highest cost of one question
	Notified []string `json:"told,omitempty"` // notices that the person has already seen
	// Stopped are the calls for which the judge returned ask or deny, by their digests, so that none
	// of them passes once the budget is used up.
	Stopped map[string]checkrein.Decision `json:"stopped,omitempty"`
}

// maxStopped limits the stopped calls that are kept per session.
const maxStopped = 256

// callDigest returns a digest that identifies a call within a session.
func callDigest(ev *checkrein.Event) string {
	h := sha256.New()
	for _, part := range [...]string{ev.Tool.Name, ev.Session.Dir, string(ev.Tool.Input)} {
		fmt.Fprintf(h, "%d %s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// A reservation is what was reserved for one question.
type reservation struct {
	money  int
	before checkrein.Decision // the judge's earlier decision, if it stopped the same call
	stops  bool               // the judge stopped some call of the session, and the budget is used up
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

// reserve reserves a question's part. Its cost is not known before, so it is a fair share, or as much
// as the most expensive question so far.
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

// settle replaces the reservation by the actual cost, and records a stopped call. A question that did
// not reach the model is returned; if the cost is unknown, the reservation counts.
func (b *Budget) settle(ev *checkrein.Event, h reservation, ans *checkrein.Answer, fault error) {
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
	_ = b.update(ev, func(u *usage) error { // if that fails, the reservation counts
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

// firstNotice reports whether the person has yet to see a notice in this session, and records it.
func (b *Budget) firstNotice(ev *checkrein.Event, what string) (first bool) {
	err := b.update(ev, func(u *usage) error {
		if first = !slices.Contains(u.Notified, what); first {
			u.Notified = append(u.Notified, what)
		}
		return nil
	})
	return first || err != nil && !errors.Is(err, errOff)
}
