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

// A Budget counts what sessions ask and spend. Whoever would ask takes a part of it
// first, so that neither calls at the same time nor a crash lead beyond it.
type Budget struct {
	Dir state.Dir
	Now func() time.Time // nil = time.Now
	// Off reports whether usage is not counted now, so that no question follows; nil = it is counted.
	Off func() bool
}

// Folder is where budgets lie in the state directory.
const Folder = "asked"

// keptFor is how long the budget of a session that is not heard of is remembered.
const keptFor = 7 * 24 * time.Hour

// limits are what a session may ask and spend, in millionths of a USD.
type limits struct{ calls, money int }

// share is what a question may cost on average.
func (l limits) share() int { return max(1, l.money/l.calls) }

// used is what a session has used up.
type used struct {
	Calls int      `json:"calls"`
	Money int      `json:"money"`          // with what questions that are under way may cost
	Most  int      `json:"most,omitempty"` // that one question cost
	Told  []string `json:"told,omitempty"` // what the person knows already
	// Stopped are the calls that the judge asked about or denied, by their digests, so
	// that none of them passes when nothing is left to ask.
	Stopped map[string]checkrein.Decision `json:"stopped,omitempty"`
}

// maxStopped bounds what is remembered of a session.
const maxStopped = 256

// digest distinguishes calls of a session.
func digest(ev *checkrein.Event) string {
	h := sha256.New()
	for _, part := range [...]string{ev.Tool.Name, ev.Session.Dir, string(ev.Tool.Input)} {
		fmt.Fprintf(h, "%d %s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// held is what was taken for one question.
type held struct {
	money  int
	before checkrein.Decision // what the judge said of the same call before, if it stopped it
	stops  bool               // it stopped some call of the session, and nothing is left to ask
}

var (
	errSpent = errors.New("the budget is used up")
	errOff   = errors.New("the session belongs to another agent")
)

func (b *Budget) update(ev *checkrein.Event, change func(*used) error) error {
	if b.Off != nil && b.Off() {
		return errOff
	}
	var u used
	return b.Dir.Store(Folder, keptFor, b.Now).Update(ev.Host+"\x00"+ev.Session.ID, &u, func() error { return change(&u) })
}

// take takes a question's part. How much it costs is not known before: a fair share,
// or as much as the dearest so far.
func (b *Budget) take(ev *checkrein.Event, l limits) (held, error) {
	var h held
	err := b.update(ev, func(u *used) error {
		h.before = u.Stopped[digest(ev)]
		h.money = max(l.share(), u.Most)
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

// settle puts the price in place of what was taken, and remembers what was stopped. A
// question that nobody had to answer is given back; one whose price is not known costs
// what was taken for it.
func (b *Budget) settle(ev *checkrein.Event, h held, ans *checkrein.Answer, fault error) {
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
	_ = b.update(ev, func(u *used) error { // else it costs what was taken for it
		u.Money += cost - h.money
		u.Calls -= calls
		if s != nil && s.Cost != nil {
			u.Most = max(u.Most, cost)
		}
		if stopped && len(u.Stopped) < maxStopped {
			if u.Stopped == nil {
				u.Stopped = map[string]checkrein.Decision{}
			}
			u.Stopped[digest(ev)] = ans.Decision
		}
		return nil
	})
}

// tell reports whether the person is to be told something, once a session.
func (b *Budget) tell(ev *checkrein.Event, what string) (first bool) {
	err := b.update(ev, func(u *used) error {
		if first = !slices.Contains(u.Told, what); first {
			u.Told = append(u.Told, what)
		}
		return nil
	})
	return first || err != nil && !errors.Is(err, errOff)
}
