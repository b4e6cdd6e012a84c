package records

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// RedactedIn returns the step of a record that redacted the value with a marker's id; nil =
// none did. A managed one comes first: no grant lifts it.
func RedactedIn(r *record.Record, id string) (found *record.Step) {
	for i := range r.Plan {
		s := &r.Plan[i]
		if s.Value(id) != nil && (found == nil || s.Scope == checkrein.ScopeManaged.String()) {
			found = s
		}
	}
	return found
}

// MaxShown is how many bytes of a value of a record are shown to people; the
// record itself has more of it.
const MaxShown = 4 << 10

// PartText is a value as people read it: redacted already, and of a long one
// the head and the tail.
func PartText(p *record.Part) string {
	if p == nil {
		return ""
	}
	var text string
	switch {
	case len(p.JSON) > 0:
		text = string(bytes.TrimSpace(p.JSON))
	case p.Text != "":
		text = p.Text
	case p.Head != "" || p.Tail != "":
		left := max(0, p.Bytes-len(p.Head)-len(p.Tail))
		return Clip(p.Head) + fmt.Sprintf("\n[… about %s left out …]\n", base.Amount(left, "byte")) + Clip(p.Tail)
	case p.Bytes == 0:
		return "(empty)"
	default:
		return fmt.Sprintf("(%s, not kept)", base.Amount(p.Bytes, "byte"))
	}
	return Clip(text)
}

// Clip cuts a value that is too long to read, at a character.
func Clip(s string) string {
	if len(s) <= MaxShown {
		return s
	}
	cutAt := MaxShown
	for cutAt > 0 && s[cutAt]&0xC0 == 0x80 {
		cutAt--
	}
	return s[:cutAt] + fmt.Sprintf(" [… %s more: --json shows them]", base.Amount(len(s)-cutAt, "byte"))
}

// Quoted lists names for a sentence.
func Quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = `"` + visible.Line(n) + `"`
	}
	return strings.Join(out, ", ")
}

// FindRecord is find for a command, with what to tell when there is nothing.
func FindRecord(ctx context.Context, env *console.Env, dir, id string) ([]byte, error) {
	if err := CheckBegun(env, dir); err != nil {
		return nil, err
	}
	raw, err := Find(ctx, env, dir, id)
	return raw, base.Failed(err)
}

// LiftedSteps are the steps whose decision a grant took away.
func LiftedSteps(r *record.Record) []*record.Step {
	var out []*record.Step
	for i := range r.Plan {
		if r.Plan[i].Lifted != nil {
			out = append(out, &r.Plan[i])
		}
	}
	return out
}

// DecisionOf reads a record's word for a decision; an unknown one is none.
func DecisionOf(word string) checkrein.Decision {
	d, _ := checkrein.ParseDecision(word)
	return d
}

func Decides(word string) bool { return DecisionOf(word) != checkrein.NoOpinion }

// Unrecorded is how many calls could not be recorded.
type Unrecorded struct {
	Told    uint64 `json:"told"`    // that records tell
	Waiting uint64 `json:"waiting"` // that the next record will tell
	Why     string `json:"why"`     // of the newest

	times int // how many records tell it, the next one included
}

// UnrecordedIn looks for them in a stretch of time.
func UnrecordedIn(ctx context.Context, ix *index.Index, dir string, since, until time.Time) (*Unrecorded, error) {
	u := &Unrecorded{}
	_, err := Hits(ctx, ix, dir, index.Filter{Kind: ledger.KindGap, Since: since, Until: until, Oldest: true}, func(raw []byte) {
		n, err := strconv.ParseUint(memberText(raw, "missed"), 10, 64)
		if err == nil {
			u.times++
			u.Told += n
			u.Why = memberText(raw, "why")
		}
	})
	if err != nil {
		return nil, err
	}
	if until.IsZero() {
		loss, err := waiting(dir)
		if err != nil {
			u.Why = err.Error()
		} else if loss.Count > 0 {
			u.times++
			u.Waiting, u.Why = loss.Count, loss.String()
		}
	}
	if u.Why == "" {
		return nil, nil
	}
	return u, nil
}

// waiting is what no record tells yet.
func waiting(dir string) (ledger.Loss, error) {
	key, err := seal.ReadKey(dir)
	if err != nil {
		return ledger.Loss{}, nil // a copy without its key
	}
	m, err := ledger.ReadMissed(dir, key)
	if errors.Is(err, fs.ErrNotExist) {
		return ledger.Loss{}, nil
	}
	if err != nil {
		return ledger.Loss{}, fmt.Errorf("the number of unrecorded calls cannot be read: %w", err)
	}
	return m.Since(0), nil
}

func (u *Unrecorded) Text() string {
	if u.times < 2 {
		return u.Why
	}
	return fmt.Sprintf("%d calls were not recorded; the newest: %s", u.Told+u.Waiting, u.Why)
}

// WarnUnrecorded tells beside an answer of what it cannot have in it.
func WarnUnrecorded(ctx context.Context, env *console.Env, ix *index.Index, dir string, choose *Selection) error {
	if choose.Kind == ledger.KindGap {
		return nil
	}
	u, err := UnrecordedIn(ctx, ix, dir, choose.Since, choose.Until)
	if u != nil {
		fmt.Fprintf(env.Stderr, "missing from this list: %s (to see them, run checkrein audit query --kind gap)\n", u.Text())
	}
	return err
}

// memberText is a member of a line: the text of a string, anything else as it is spelt.
func memberText(raw []byte, name string) string {
	val, _ := rawjson.Get(raw, name)
	if text, ok := rawjson.Text(val); ok {
		return text
	}
	return string(val)
}

// timeForms are how a moment may be written, beside words and durations.
var timeForms = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"}

// ParseMoment reads what --since and --until say: how long ago (90m, 7d), a day
// (2026-11-15, today) or a moment (RFC 3339). A day is all of it: with end, its
// end is meant. Times without a zone are those of now's.
func ParseMoment(text string, now time.Time, end bool) (time.Time, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	days := 0
	if end {
		days = 1
	}
	switch word {
	case "now":
		return now, nil
	case "today":
		return midnight(now, days), nil
	case "yesterday":
		return midnight(now, days-1), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, word, now.Location()); err == nil {
		return midnight(day, days), nil
	}
	for _, form := range timeForms {
		if at, err := time.ParseInLocation(form, strings.ToUpper(word), now.Location()); err == nil {
			return at, nil
		}
	}
	switch ago, err := ago(word); {
	case err == nil:
		return now.Add(-ago), nil
	case errors.Is(err, errTooLong):
		return time.Time{}, fmt.Errorf("%q %w: give at most %dd", text, err, math.MaxInt64/Day)
	}
	return time.Time{}, fmt.Errorf("%q is not a valid time: give an age (90m, 2h, 7d), a day (2026-11-15, today, yesterday) or a point in time (2026-11-15T09:00:00Z)", text)
}

// midnight is the beginning of the day that is so many days after t's.
func midnight(t time.Time, days int) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day+days, 0, 0, 0, 0, t.Location())
}

const Day = 24 * time.Hour

var (
	errNoAge   = errors.New("is not an age")
	errTooLong = errors.New("is too long ago")
)

// ago reads a duration that may begin with weeks, days and hours: 2w, 1d12h, 90m.
func ago(word string) (time.Duration, error) {
	var total time.Duration
	for _, unit := range []struct {
		letter string
		length time.Duration
	}{{"w", 7 * Day}, {"d", Day}, {"h", time.Hour}} {
		number, rest, found := strings.Cut(word, unit.letter)
		if !found || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n > int64((math.MaxInt64-total)/unit.length) {
			return 0, errTooLong
		}
		total += time.Duration(n) * unit.length
		if word = rest; word == "" {
			return total, nil
		}
	}
	d, err := time.ParseDuration(word)
	switch {
	case err != nil || d < 0:
		return 0, errNoAge
	case d > math.MaxInt64-total:
		return 0, errTooLong
	}
	return total + d, nil
}
