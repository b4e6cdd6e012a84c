package frame

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Query selects records. It is the query of an address, so that each list can be kept as a bookmark.
type Query struct {
	url.Values
	Since time.Time
	After uint64 // the number of the record at which the list ends
}

// The parameters of a query. A record must match each; it matches a parameter that is repeated if it
// matches one of its values.
const (
	ByAnswer  = "answer"
	ByHost    = "host"
	ByMachine = "machine" // of a fleet
	BySession = "session"
	ByProject = "project"
	ByTool    = "tool"
	ByEvent   = "event"
	ByRule    = "rule" // a rule or a hook
	ByText    = "q"
	BySince   = "since" // an age, such as 7d
	AllEvents = "all"   // also events that are not about calls
	FromPlace = "from"  // where an earlier page of the list ended
)

// filters lists the parameters that restrict a query, in the order in which people see them.
var filters = []string{ByAnswer, ByMachine, ByHost, BySession, ByProject, ByTool, ByEvent, ByRule, ByText, BySince}

// ages has the periods that a query can select.
var ages = map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour}

// ParseQuery returns the query of an address.
func ParseQuery(v url.Values, now time.Time) Query {
	q := Query{Values: url.Values{}}
	for _, name := range append([]string{AllEvents, FromPlace}, filters...) {
		for _, value := range v[name] {
			if value = strings.TrimSpace(value); value != "" && !slices.Contains(q.Values[name], value) {
				q.Add(name, value)
			}
		}
	}
	if age := ages[q.Get(BySince)]; age > 0 {
		q.Since = now.Add(-age)
	} else {
		q.Del(BySince)
	}
	return q
}

// With returns the address of the list at path with a value of a parameter added, or removed if it is
// there.
func (q *Query) With(path, name, value string) string {
	v := url.Values{}
	for key, list := range q.Values {
		if key != FromPlace {
			v[key] = slices.Clone(list)
		}
	}
	if i := slices.Index(v[name], value); i >= 0 {
		v[name] = slices.Delete(v[name], i, i+1)
	} else {
		v.Add(name, value)
	}
	if s := v.Encode(); s != "" {
		return path + "?" + s
	}
	return path
}

// IsFiltered reports whether the query leaves out records.
func (q *Query) IsFiltered() bool {
	return slices.ContainsFunc(filters, q.Has)
}

// Member returns the member name with the string value as it is in a record.
func Member(name, value string) []byte {
	return append([]byte(`"`+name+`":`), rawjson.Quote(value)...)
}

// Needles returns texts that the line of each selected record contains.
func (q *Query) Needles() (out [][]byte) {
	one := func(name string) string {
		if list := q.Values[name]; len(list) == 1 {
			return list[0]
		}
		return ""
	}
	switch answer := one(ByAnswer); answer {
	case "denied":
		out = append(out, Member("decision", "deny"))
	case "asked":
		out = append(out, Member("decision", "ask"))
	case "saved", "contained":
		out = append(out, Member("answer", answer))
	}
	if text := plainRun(q.Get(ByText)); text != "" {
		out = append(out, []byte(text))
	}
	if rule := one(ByRule); rule != "" {
		out = append(out, rawjson.Quote(rule))
	}
	for _, p := range [...][2]string{{BySession, "session"}, {ByTool, "name"}, {ByEvent, "event"}, {ByHost, "host"}} {
		if value := one(p[0]); value != "" {
			out = append(out, Member(p[1], value))
		}
	}
	return out
}

// excludesDecision reports whether q selects only calls that were denied or asked about, and no record
// with this decision.
func (q *Query) excludesDecision(decision string) bool {
	stopped := map[string]string{"denied": checkrein.Deny.String(), "asked": checkrein.Ask.String()}
	return q.Has(ByAnswer) && !slices.ContainsFunc(q.Values[ByAnswer], func(answer string) bool {
		want, ok := stopped[answer]
		return !ok || want == decision
	})
}

// plainRun returns the longest part of text that JSON never escapes.
func plainRun(text string) (longest string) {
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`"\/<>&'`, c) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// Matches reports whether the record r, which has the given row, is selected.
func (q *Query) Matches(r *record.Record, is *Row) bool {
	if !q.Has(AllEvents) && !IsCall(r) {
		return false
	}
	names := append(slices.Clone(is.Rules), stepNames(r)...)
	for name, values := range map[string][]string{
		ByAnswer: {is.Answer}, ByMachine: {is.Machine}, ByHost: {is.Host}, BySession: {is.Session}, ByProject: {is.Project}, ByTool: {is.Tool}, ByEvent: {is.Event}, ByRule: names,
	} {
		if want := q.Values[name]; len(want) > 0 && !slices.ContainsFunc(want, func(w string) bool { return slices.Contains(values, w) }) {
			return false
		}
	}
	text := q.Get(ByText)
	return text == "" || slices.ContainsFunc([]string{CallText(r), r.Reason, is.Why, strings.Join(is.Rules, " "), r.Session, r.Dir, r.Handle, r.Host}, func(s string) bool {
		return strings.Contains(s, text)
	})
}

// stepNames returns the names of the hooks that did something in r.
func stepNames(r *record.Record) (out []string) {
	for i := range r.Plan {
		if r.Plan[i].Outcome != "silent" {
			out = append(out, r.Plan[i].Hook)
		}
	}
	return out
}

// A List is a part of the records that a query selects, newest first.
type List struct {
	Rows   []Row
	Hidden int       // calls among those that were looked at which filters hide
	Read   int64     // bytes that were looked at
	Oldest time.Time // of the records that were looked at; zero means none
	More   string    // where to go on; "" means that the list ends here
	Newest uint64    // the number of the newest record that was looked at
}

// Add adds the record in line, which is of machine in a fleet, if q selects it, and returns its row then.
func (l *List) Add(q *Query, line *ledger.Line, machine string) *Row {
	l.Oldest, l.Newest = line.Time, max(l.Newest, line.Seq)
	if q.excludesDecision(rawjson.GetText(line.Raw, "decision")) { // most records need not be decoded
		if rawjson.GetText(line.Raw, "event") == checkrein.PreToolUse.String() {
			l.Hidden++
		}
		return nil
	}
	r, err := record.Decode(bytes.Clone(line.Raw))
	if err != nil {
		return nil
	}
	is := NewRow(r)
	is.Machine = machine
	switch {
	case q.Matches(r, &is):
		l.Rows = append(l.Rows, is)
		return &l.Rows[len(l.Rows)-1]
	case IsCall(r):
		l.Hidden++
	}
	return nil
}
