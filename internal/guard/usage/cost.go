package usage

import (
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// money is in billionths of a US dollar: sums of prices stay exact.
type money int64

const dollar money = 1e9

const maxDollars = 1e6 // more is a mistake

// readMoney reads an amount of dollars that is not negative.
func readMoney(s string) (money, bool) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0 && x <= maxDollars) {
		return 0, false
	}
	return money(math.Round(x * float64(dollar))), true
}

// short is an amount as people read a price, with four decimals.
func (m money) short() string {
	return "$" + strconv.FormatFloat(float64(m)/float64(dollar), 'f', 4, 64)
}

// plain is the amount in full, as a number.
func (m money) plain() string {
	s := fmt.Sprintf("%d.%09d", m/dollar, m%dollar)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// A spending is what model calls took.
type spending struct {
	Cost   money `json:"cost,omitempty"`
	Priced bool  `json:"priced,omitempty"` // a price is known; an unknown one is not zero
	Input  int64 `json:"input,omitempty"`  // tokens, those of caches beside them
	Output int64 `json:"output,omitempty"`
	Read   int64 `json:"read,omitempty"`    // from a cache
	Write  int64 `json:"written,omitempty"` // to a cache
	// Unpriced counts the calls whose price is unknown: the cost is that of the
	// others.
	Unpriced int64 `json:"unpriced,omitempty"`
}

func (s *spending) add(o spending) {
	s.Cost += o.Cost
	s.Priced = s.Priced || o.Priced
	s.Input, s.Output, s.Read, s.Write = s.Input+o.Input, s.Output+o.Output, s.Read+o.Read, s.Write+o.Write
	s.Unpriced += o.Unpriced
}

// raise makes s at least o and returns by how much it grew.
func (s *spending) raise(o spending) spending {
	grown := spending{Cost: max(o.Cost-s.Cost, 0), Priced: o.Priced, Input: max(o.Input-s.Input, 0), Output: max(o.Output-s.Output, 0), Read: max(o.Read-s.Read, 0), Write: max(o.Write-s.Write, 0)}
	if !s.known() {
		grown.Unpriced = o.Unpriced
	}
	s.add(grown)
	return grown
}

// spentOn is what an event says that a model call, or a whole turn, took.
func spentOn(ev *checkrein.Event) spending {
	var s spending
	for _, name := range [...]string{"turn_cost_usd", "cost"} {
		if val := ev.Detail(name); rawjson.Kind(val) == '0' {
			s.Cost, s.Priced = readMoney(string(val))
			break
		}
	}
	counts := ev.Detail("tokens")
	if rawjson.Kind(counts) != '{' {
		counts = ev.Detail("usage")
	}
	s.Input = count(counts, "input", "input_tokens")
	s.Output = count(counts, "output", "output_tokens")
	s.Read = count(counts, "cache_read", "cached_input_tokens")
	s.Write = count(counts, "cache_creation", "cached_write_tokens")
	if !s.Priced && s.tokens() {
		s.Unpriced = 1
	}
	return s
}

// count reads a number of tokens, under one of two names.
func count(obj []byte, names ...string) int64 {
	for _, name := range names {
		val, _ := rawjson.Get(obj, name)
		if x, err := strconv.ParseFloat(string(val), 64); err == nil && x >= 0 && x <= 1e12 {
			return int64(x)
		}
	}
	return 0
}

// known reports whether there is anything to tell.
func (s *spending) known() bool { return s.Priced || s.tokens() }

// tokens reports whether any are known.
func (s *spending) tokens() bool { return s.Input > 0 || s.Output > 0 || s.Read > 0 || s.Write > 0 }

// modelOf is the model that an event names, "" for none.
func modelOf(ev *checkrein.Event) string {
	for _, name := range [...]string{"model_id", "model"} {
		if s, _ := rawjson.Text(ev.Detail(name)); s != "" {
			return s
		}
	}
	return ""
}

// tallyTTL is how long the sums of a session that is not heard of are kept.
const tallyTTL = 7 * 24 * time.Hour

// A tally is what a session has taken so far, and its latest turn: all that
// happens between two prompts of a person.
type tally struct {
	Turn    spending `json:"turn"`
	Session spending `json:"session"`
	Calls   spending `json:"calls,omitzero"`   // since a turn ended last
	Last    spending `json:"last,omitzero"`    // the turn that ended last
	Ended   bool     `json:"ended,omitempty"`  // the turn is over: what comes next is another's
	Prompt  uint64   `json:"prompt,omitempty"` // tells the person's last message from others; 0 = unknown

	TurnTold    bool `json:"turn_told,omitempty"` // the person knows what it comes to
	SessionTold bool `json:"session_told,omitempty"`
}

// take counts what an event says. A turn's own total, at its end, counts for as
// much as its calls did not say already: hosts tell of the one, the other or
// both.
func (t *tally) take(ev *checkrein.Event, spent spending) {
	prompt := promptOf(ev)
	if t.Ended || prompt != 0 && t.Prompt != 0 && prompt != t.Prompt {
		t.next()
	}
	if prompt != 0 {
		t.Prompt = prompt
	}
	if ev.Kind != checkrein.OnResponseEnd {
		t.Turn.add(spent)
		t.Calls.add(spent)
		t.Session.add(spent)
		return
	}
	if again(ev) {
		t.Turn.add(t.Last)
		t.Calls.add(t.Last)
	}
	t.Turn.raise(spent)
	t.Session.add(t.Calls.raise(spent))
	t.Last, t.Calls, t.Ended = t.Turn, spending{}, true
}

// again reports whether a turn ends that has ended before: a hook kept the agent
// going.
func again(ev *checkrein.Event) bool { return string(ev.Detail("stop_hook_active")) == "true" }

// begin begins a turn, because the person said something.
func (t *tally) begin() {
	t.next()
	t.Calls, t.Last = spending{}, spending{}
}

// next begins what seems to be another turn: its end will tell.
func (t *tally) next() { t.Turn, t.Ended, t.Prompt, t.TurnTold = spending{}, false, 0, false }

// tallied changes the tally of one of the hooks of a builtin: there may be several,
// and each counts for itself.
func tallied(c *builtin.Call, name, which string, change func(*tally)) error {
	var all map[string]tally
	return c.Keep(name, tallyTTL, &all, func() error {
		if all == nil {
			all = map[string]tally{}
		}
		t := all[which]
		change(&t)
		all[which] = t
		return nil
	})
}

// beginTally begins a turn, unless what the person says is for the turn at hand.
func beginTally(c *builtin.Call, name, which string) error {
	if c.Event.Meanwhile() {
		return nil
	}
	return tallied(c, name, which, (*tally).begin)
}

// untallied forgets it and returns what it was.
func untallied(c *builtin.Call, name, which string) (tally, error) {
	var all map[string]tally
	var t tally
	err := c.Keep(name, tallyTTL, &all, func() error {
		t = all[which]
		delete(all, which)
		return nil
	})
	if err == nil && len(all) == 0 {
		err = c.Forget(name)
	}
	return t, err
}

func promptOf(ev *checkrein.Event) uint64 {
	s, _ := rawjson.Text(ev.Detail("last_user_message"))
	if s == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // it never fails
	return h.Sum64()
}
