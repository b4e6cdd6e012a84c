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

// money is an amount in billionths of a US dollar, so that sums of prices stay exact.
type money int64

const dollar money = 1e9

const maxDollars = 1e6 // larger amounts are probably mistakes

// parseMoney parses a non-negative amount of dollars.
func parseMoney(s string) (money, bool) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0 && x <= maxDollars) {
		return 0, false
	}
	return money(math.Round(x * float64(dollar))), true
}

// formatPrice returns the amount in dollars with four decimals.
func (m money) formatPrice() string {
	return "$" + strconv.FormatFloat(float64(m)/float64(dollar), 'f', 4, 64)
}

// formatExact returns the amount in dollars as an exact decimal number.
func (m money) formatExact() string {
	s := fmt.Sprintf("%d.%09d", m/dollar, m%dollar)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// A spending is the cost and the tokens of model calls.
type spending struct {
	Cost   money `json:"cost,omitempty"`
	Priced bool  `json:"priced,omitempty"` // the cost is known
	Input  int64 `json:"input,omitempty"`  // tokens, without cached ones
	Output int64 `json:"output,omitempty"`
	Read   int64 `json:"read,omitempty"`    // tokens from a cache
	Write  int64 `json:"written,omitempty"` // tokens to a cache
	// Unpriced counts the calls with an unknown price, which Cost does not include.
	Unpriced int64 `json:"unpriced,omitempty"`
}

// add adds o to s.
func (s *spending) add(o spending) {
	s.Cost += o.Cost
	s.Priced = s.Priced || o.Priced
	s.Input, s.Output, s.Read, s.Write = s.Input+o.Input, s.Output+o.Output, s.Read+o.Read, s.Write+o.Write
	s.Unpriced += o.Unpriced
}

// raiseTo makes each value of s at least that of o, and returns by how much they grew.
func (s *spending) raiseTo(o spending) spending {
	grown := spending{Cost: max(o.Cost-s.Cost, 0), Priced: o.Priced, Input: max(o.Input-s.Input, 0), Output: max(o.Output-s.Output, 0), Read: max(o.Read-s.Read, 0), Write: max(o.Write-s.Write, 0)}
	if !s.isKnown() {
		grown.Unpriced = o.Unpriced
	}
	s.add(grown)
	return grown
}

// eventSpending returns the cost and the tokens that ev reports for a model call or a whole turn.
func eventSpending(ev *checkrein.Event) spending {
	var s spending
	for _, name := range [...]string{"turn_cost_usd", "cost"} {
		if val := ev.Detail(name); rawjson.Kind(val) == '0' {
			s.Cost, s.Priced = parseMoney(string(val))
			break
		}
	}
	counts := ev.Detail("tokens")
	if rawjson.Kind(counts) != '{' {
		counts = ev.Detail("usage")
	}
	s.Input = tokenCount(counts, "input", "input_tokens")
	s.Output = tokenCount(counts, "output", "output_tokens")
	s.Read = tokenCount(counts, "cache_read", "cached_input_tokens")
	s.Write = tokenCount(counts, "cache_creation", "cached_write_tokens")
	if !s.Priced && s.hasTokens() {
		s.Unpriced = 1
	}
	return s
}

// tokenCount returns the number under the first of names that obj has, or 0.
func tokenCount(obj []byte, names ...string) int64 {
	for _, name := range names {
		val, _ := rawjson.Get(obj, name)
		if x, err := strconv.ParseFloat(string(val), 64); err == nil && x >= 0 && x <= 1e12 {
			return int64(x)
		}
	}
	return 0
}

// isKnown reports whether the cost or any tokens are known.
func (s *spending) isKnown() bool { return s.Priced || s.hasTokens() }

// hasTokens reports whether any tokens are known.
func (s *spending) hasTokens() bool { return s.Input > 0 || s.Output > 0 || s.Read > 0 || s.Write > 0 }

// eventModel returns the model that ev names, or "".
func eventModel(ev *checkrein.Event) string {
	for _, name := range [...]string{"model_id", "model"} {
		if s, _ := rawjson.Text(ev.Detail(name)); s != "" {
			return s
		}
	}
	return ""
}

// tallyTTL is how long the tallies of an inactive session are kept.
const tallyTTL = 7 * 24 * time.Hour

// A tally holds the spending of a session and of its current turn, which is everything between two
// prompts of the user.
type tally struct {
	Turn    spending `json:"turn"`
	Session spending `json:"session"`
	Calls   spending `json:"calls,omitzero"`   // since the last end of a turn
	Last    spending `json:"last,omitzero"`    // the turn that ended last
	Ended   bool     `json:"ended,omitempty"`  // the turn has ended, so that the next event belongs to another one
	Prompt  uint64   `json:"prompt,omitempty"` // a hash of the user's last message; 0 if unknown

	TurnTold    bool `json:"turn_told,omitempty"` // the user was warned about the turn
	SessionTold bool `json:"session_told,omitempty"`
}

// addEvent adds the spending of ev. At the end of a turn, the reported total counts only as far as it
// exceeds what the calls reported: hosts report the one, the other or both.
func (t *tally) addEvent(ev *checkrein.Event, spent spending) {
	prompt := promptHash(ev)
	if t.Ended || prompt != 0 && t.Prompt != 0 && prompt != t.Prompt {
		t.resetTurn()
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
	if endsAgain(ev) {
		t.Turn.add(t.Last)
		t.Calls.add(t.Last)
	}
	t.Turn.raiseTo(spent)
	t.Session.add(t.Calls.raiseTo(spent))
	t.Last, t.Calls, t.Ended = t.Turn, spending{}, true
}

// endsAgain reports whether ev is another end of the same turn, because a hook kept the agent working.
func endsAgain(ev *checkrein.Event) bool { return string(ev.Detail("stop_hook_active")) == "true" }

// beginTurn starts a new turn after a prompt of the user.
func (t *tally) beginTurn() {
	t.resetTurn()
	t.Calls, t.Last = spending{}, spending{}
}

// resetTurn starts what seems to be another turn. Its end may show that it was the same one.
func (t *tally) resetTurn() { t.Turn, t.Ended, t.Prompt, t.TurnTold = spending{}, false, 0, false }

// updateTally calls change with the tally of the hook which, one of possibly several with the builtin
// name, and stores the result.
func updateTally(c *builtin.Call, name, which string, change func(*tally)) error {
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

// beginTally starts a new turn, unless the prompt belongs to the current one.
func beginTally(c *builtin.Call, name, which string) error {
	if c.Event.Meanwhile() {
		return nil
	}
	return updateTally(c, name, which, (*tally).beginTurn)
}

// removeTally removes the tally of the hook which and returns it.
func removeTally(c *builtin.Call, name, which string) (tally, error) {
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

// promptHash returns a hash of the user's last message in ev, or 0 if there is none.
func promptHash(ev *checkrein.Event) uint64 {
	s, _ := rawjson.Text(ev.Detail("last_user_message"))
	if s == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // never returns an error
	return h.Sum64()
}
