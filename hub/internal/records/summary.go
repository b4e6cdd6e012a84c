package records

import (
	"fmt"
	"math/bits"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Summary says what the records of a batch contain.
type Summary struct {
	User        string    `json:"user"`
	Records     int       `json:"records"`
	Withheld    int       `json:"withheld,omitempty"`
	Checkpoints int       `json:"checkpoints,omitempty"` // that are signed with the ledger's key
	From        time.Time `json:"from"`                  // of the first record, by the machine's clock
	To          time.Time `json:"to"`
	// Policies has the figures of events by the version of the policy that was in force.
	Policies map[string]*Figures `json:"policies,omitempty"`
	Findings []Finding           `json:"findings,omitempty"`
	Break    string              `json:"break,omitempty"` // why the batch does not continue the one before it
}

// Figures are the figures of some events.
type Figures struct {
	Events    int            `json:"events"`
	Denied    int            `json:"denied,omitempty"`
	Asked     int            `json:"asked,omitempty"`
	Would     int            `json:"would,omitempty"`    // denials that were not enforced, in shadow mode
	Faults    int            `json:"faults,omitempty"`   // hooks that failed
	Disputed  int            `json:"disputed,omitempty"` // denials that a person called wrong
	Loosened  int            `json:"loosened,omitempty"` // events while guards were off
	Foreign   int            `json:"foreign,omitempty"`  // events that did not come from the host of their session
	Durations [maxBucket]int `json:"durations"`          // by the power of two of their microseconds
}

// maxBucket is one more than the highest power of two in Figures.Durations.
const maxBucket = 28

// A Finding is something that people should look at.
type Finding struct {
	Record uint64    `json:"record"`
	Time   time.Time `json:"time"`
	Kind   string    `json:"kind"` // gap, torn, pruned, break, key or checkpoint
	Text   string    `json:"text"`
}

// maxFindings limits the findings of a batch.
const maxFindings = 20

func newSummary(h *protocol.BatchHeader, c *chain) *Summary {
	s := &Summary{User: h.User, Policies: map[string]*Figures{}, Break: h.Break}
	if c.key != "" && c.key != h.Key {
		s.add(Finding{Record: h.After + 1, Kind: "key", Text: "the ledger has another key than before, so its checkpoints prove nothing about older records"})
	}
	return s
}

func (s *Summary) add(f Finding) {
	if len(s.Findings) < maxFindings {
		s.Findings = append(s.Findings, f)
	}
}

// Flags returns what people should look at, as of now.
func (s *Summary) Flags(now time.Time) (out []protocol.Flag) {
	text := s.Break
	for i := range s.Findings {
		text = s.Findings[i].Text // the last one
	}
	if text != "" {
		out = append(out, protocol.Flag{Kind: protocol.FlagGap, Text: "the ledger of " + s.User + ": " + text, Time: now})
	}
	for _, f := range s.Policies {
		if f.Loosened > 0 {
			return append(out, protocol.Flag{Kind: protocol.FlagGuards, Text: s.User + " worked while guards were off", Time: now})
		}
	}
	return out
}

// visitor returns the functions that add the lines of a batch to s. key is the ledger's public key.
func (s *Summary) visitor(key string) protocol.Visitor {
	public, ok := parseKey(key)
	return protocol.Visitor{
		Record:   s.addRecord,
		Withheld: func(protocol.Withheld) { s.Records++; s.Withheld++ },
		Checkpoint: func(c *seal.Checkpoint) {
			if ok && c.IsSignedBy(public) {
				s.Checkpoints++
			} else {
				s.add(Finding{Record: c.Seq, Time: c.Time, Kind: "checkpoint", Text: "the checkpoint is not signed with the ledger's key"})
			}
		},
	}
}

// addRecord adds a record.
func (s *Summary) addRecord(l *ledger.Line) {
	s.Records++
	if s.From.IsZero() {
		s.From = l.Time
	}
	s.To = l.Time
	switch l.Kind {
	case ledger.KindEvent:
		s.addEvent(l)
	case ledger.KindGap:
		s.add(Finding{l.Seq, l.Time, l.Kind, "the machine's ledger has a gap: " + l.Text("why")})
	case ledger.KindTorn:
		if n := l.Text("unvouched"); n != "" {
			s.add(Finding{l.Seq, l.Time, l.Kind, fmt.Sprintf("the ledger had %s lines that none of its writers wrote", n)})
		}
	case ledger.KindPerson:
		if l.Text("act") == "wrong" {
			s.figures(l.Text("policy")).Disputed++
		}
	}
}

// figures returns the figures of events under a policy.
func (s *Summary) figures(policy string) *Figures {
	f := s.Policies[policy]
	if f == nil {
		f = &Figures{}
		s.Policies[policy] = f
	}
	return f
}

// addEvent adds an event. It reads only the members that it needs, in one pass.
func (s *Summary) addEvent(l *ledger.Line) {
	var one Figures
	policy, decision, shadow, would := "", "", false, ""
	rawjson.EachRaw(l.Raw, func(key, val []byte) bool {
		switch string(key) {
		case "policy":
			policy, _ = rawjson.Text(val)
		case "decision":
			decision, _ = rawjson.Text(val)
		case "shadow":
			shadow = string(val) == "true"
		case "foreign":
			one.Foreign = 1
		case "packs_off":
			one.Loosened = 1
		case "trial":
			would = rawjson.GetText(val, "would")
		case "plan":
			rawjson.Elements(val, func(_ int, step []byte) bool {
				if _, ok := rawjson.Get(step, "fault"); ok {
					one.Faults++
				}
				return true
			})
		case "ms":
			ms, _ := strconv.ParseFloat(string(val), 64)
			one.Durations[min(bits.Len64(uint64(max(ms, 0)*1000)), maxBucket-1)] = 1
		}
		return true
	})
	one.Events = 1
	if shadow {
		one.Loosened = 1
	}
	switch {
	case decision == "deny" && shadow, would == "deny":
		one.Would = 1
	case decision == "deny":
		one.Denied = 1
	case decision == "ask":
		one.Asked = 1
	}
	s.figures(policy).Add(&one)
}

// Add adds other to f.
func (f *Figures) Add(other *Figures) {
	f.Events += other.Events
	f.Denied += other.Denied
	f.Asked += other.Asked
	f.Would += other.Would
	f.Faults += other.Faults
	f.Disputed += other.Disputed
	f.Loosened += other.Loosened
	f.Foreign += other.Foreign
	for i, n := range other.Durations {
		f.Durations[i] += n
	}
}

// Quantile returns the duration that a share q of the events did not exceed, to a factor of two.
func (f *Figures) Quantile(q float64) time.Duration {
	left := int(q * float64(f.Events))
	for i, n := range f.Durations {
		if left -= n; left < 0 || i == maxBucket-1 {
			return time.Duration(1<<i) * time.Microsecond
		}
	}
	return 0
}
