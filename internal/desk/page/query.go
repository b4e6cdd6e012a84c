package page

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A query selects records. It is the query of an address, so that each list can be kept as a bookmark.
type query struct {
	url.Values
	since time.Time
	after uint64 // the number of the record at which the list ends
}

// The parameters of a query. A record must match each; it matches a parameter that is repeated if it
// matches one of its values.
const (
	byAnswer  = "answer"
	byHost    = "host"
	bySession = "session"
	byProject = "project"
	byTool    = "tool"
	byEvent   = "event"
	byRule    = "rule" // a rule or a hook
	byText    = "q"
	bySince   = "since" // an age, such as 7d
	allEvents = "all"   // also events that are not about calls
	fromPlace = "from"  // where an earlier page of the list ended
)

// filters lists the parameters that restrict a query, in the order in which people see them.
var filters = []string{byAnswer, byHost, bySession, byProject, byTool, byEvent, byRule, byText, bySince}

// ages has the periods that a query can select.
var ages = map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour}

// parseQuery returns the query of an address.
func parseQuery(v url.Values, now time.Time) query {
	q := query{Values: url.Values{}}
	for _, name := range append([]string{allEvents, fromPlace}, filters...) {
		for _, value := range v[name] {
			if value = strings.TrimSpace(value); value != "" && !slices.Contains(q.Values[name], value) {
				q.Add(name, value)
			}
		}
	}
	if age := ages[q.Get(bySince)]; age > 0 {
		q.since = now.Add(-age)
	} else {
		q.Del(bySince)
	}
	return q
}

// with returns the address of the list at path with a value of a parameter added, or removed if it is
// there.
func (q *query) with(path, name, value string) string {
	v := url.Values{}
	for key, list := range q.Values {
		if key != fromPlace {
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

// isFiltered reports whether the query leaves out records.
func (q *query) isFiltered() bool {
	return slices.ContainsFunc(filters, q.Has)
}

// member returns the member name with the string value as it is in a record.
func member(name, value string) []byte {
	return append([]byte(`"`+name+`":`), rawjson.Quote(value)...)
}

// needles returns texts that the line of each selected record contains.
func (q *query) needles() (out [][]byte) {
	one := func(name string) string {
		if list := q.Values[name]; len(list) == 1 {
			return list[0]
		}
		return ""
	}
	switch answer := one(byAnswer); answer {
	case "denied":
		out = append(out, member("decision", "deny"))
	case "asked":
		out = append(out, member("decision", "ask"))
	case "saved", "contained":
		out = append(out, member("answer", answer))
	}
	if text := plainRun(q.Get(byText)); text != "" {
		out = append(out, []byte(text))
	}
	if rule := one(byRule); rule != "" {
		out = append(out, rawjson.Quote(rule))
	}
	for _, p := range [...][2]string{{bySession, "session"}, {byTool, "name"}, {byEvent, "event"}, {byHost, "host"}} {
		if value := one(p[0]); value != "" {
			out = append(out, member(p[1], value))
		}
	}
	return out
}

// excludesDecision reports whether q selects only calls that were denied or asked about, and no record
// with this decision.
func (q *query) excludesDecision(decision string) bool {
	stopped := map[string]string{"denied": checkrein.Deny.String(), "asked": checkrein.Ask.String()}
	return q.Has(byAnswer) && !slices.ContainsFunc(q.Values[byAnswer], func(answer string) bool {
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

// matches reports whether the record r, which has the given row, is selected.
func (q *query) matches(r *record.Record, is *frame.Row) bool {
	if !q.Has(allEvents) && !frame.IsCall(r) {
		return false
	}
	names := append(slices.Clone(is.Rules), stepNames(r)...)
	for name, values := range map[string][]string{
		byAnswer: {is.Answer}, byHost: {is.Host}, bySession: {is.Session}, byProject: {is.Project}, byTool: {is.Tool}, byEvent: {is.Event}, byRule: names,
	} {
		if want := q.Values[name]; len(want) > 0 && !slices.ContainsFunc(want, func(w string) bool { return slices.Contains(values, w) }) {
			return false
		}
	}
	text := q.Get(byText)
	return text == "" || slices.ContainsFunc([]string{frame.CallText(r), r.Reason, is.Why, strings.Join(is.Rules, " "), r.Session, r.Dir, r.Handle, r.Host}, func(s string) bool {
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

// A list is a part of the records that a query selects, newest first.
type list struct {
	Rows   []frame.Row
	Hidden int       // calls among those that were looked at which filters hide
	Read   int64     // bytes that were looked at
	Oldest time.Time // of the records that were looked at; zero means none
	More   string    // where to go on; "" means that the list ends here
	Newest uint64    // the number of the newest record that was looked at
}

// A budget limits how far back a list looks.
type budget struct {
	rows, records int // 0 means no limit
	time          time.Duration
}

// find returns the newest records that q selects. If hidden is set, it looks at every record and
// counts what filters hide.
func (p *Page) find(ctx context.Context, q *query, limit budget, hidden bool) (out list, err error) {
	var needles [][]byte
	if !hidden {
		needles = q.needles()
	}
	from := parsePlace(q.Get(fromPlace))
	reader, err := ledger.NewBackwardReader(p.opts.Ledger, from, append(needles, member("kind", ledger.KindEvent))...)
	if err != nil {
		return out, err
	}
	defer reader.Close()
	end := p.opts.Now().Add(limit.time)
	for looked := 0; ; {
		entries, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		for i := range entries {
			e := &entries[i]
			if e.Line.Time.Before(q.since) || e.Line.Seq <= q.after {
				return out, nil
			}
			out.add(q, e)
			if looked++; limit.rows > 0 && len(out.Rows) == limit.rows || limit.records > 0 && looked == limit.records {
				out.More = formatPlace(e.At)
				return out, nil
			}
		}
		if at := reader.Position(); ctx.Err() != nil || p.opts.Now().After(end) {
			out.More = formatPlace(at)
			return out, ctx.Err()
		}
	}
}

// add adds the record in e if q selects it.
func (l *list) add(q *query, e *ledger.Entry) {
	l.Oldest, l.Newest = e.Line.Time, max(l.Newest, e.Line.Seq)
	if q.excludesDecision(rawjson.GetText(e.Line.Raw, "decision")) { // most records need not be decoded
		if rawjson.GetText(e.Line.Raw, "event") == checkrein.PreToolUse.String() {
			l.Hidden++
		}
		return
	}
	r, err := record.Decode(bytes.Clone(e.Line.Raw))
	if err != nil {
		return
	}
	is := frame.NewRow(r)
	switch {
	case q.matches(r, &is):
		l.Rows = append(l.Rows, is)
	case frame.IsCall(r):
		l.Hidden++
	}
}

// formatPlace returns a position in the ledger as a parameter of an address.
func formatPlace(at ledger.Position) string {
	return strconv.Itoa(at.Segment) + "." + strconv.FormatInt(at.Offset, 10)
}

// parsePlace returns the position in text, or the zero Position, which is the end of the ledger.
func parsePlace(text string) ledger.Position {
	segment, offset, _ := strings.Cut(text, ".")
	s, err1 := strconv.Atoi(segment)
	o, err2 := strconv.ParseInt(offset, 10, 64)
	if err1 != nil || err2 != nil || s < 1 || o < 0 {
		return ledger.Position{}
	}
	return ledger.Position{Segment: s, Offset: o}
}
