package records

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// RedactedIn returns the step of r that redacted the value with the marker's id, or nil if there is
// none. A managed step takes precedence, since no grant can lift it.
func RedactedIn(r *record.Record, id string) (found *record.Step) {
	for i := range r.Plan {
		s := &r.Plan[i]
		if s.FindRedacted(id) != nil && (found == nil || s.Scope == checkrein.ScopeManaged.String()) {
			found = s
		}
	}
	return found
}

// MaxShown is how many bytes of a recorded value are shown to people. The record may have more.
const MaxShown = 4 << 10

// PartText returns a recorded value for people. Of a long value, only the head and the tail are
// recorded. Secrets were redacted before.
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
		return fmt.Sprintf("(%s, not recorded)", base.Amount(p.Bytes, "byte"))
	}
	return Clip(text)
}

// Clip returns s. If s is longer than MaxShown, it returns the beginning, up to a character boundary,
// and how much is left out.
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

// QuoteNames returns names in quotes, joined with commas.
func QuoteNames(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = `"` + visible.EscapeLine(n) + `"`
	}
	return strings.Join(out, ", ")
}

// FindRecord is Find for a command. It first checks that the ledger has records.
func FindRecord(ctx context.Context, env *console.Env, dir, id string) ([]byte, error) {
	if err := CheckBegun(env, dir); err != nil {
		return nil, err
	}
	raw, err := Find(ctx, env, dir, id)
	return raw, base.AsFailure(err)
}

// LiftedSteps returns the steps of r whose decision a grant lifted.
func LiftedSteps(r *record.Record) []*record.Step {
	var out []*record.Step
	for i := range r.Plan {
		if r.Plan[i].Lifted != nil {
			out = append(out, &r.Plan[i])
		}
	}
	return out
}

// Unrecorded counts calls that could not be recorded.
type Unrecorded struct {
	Told    uint64 `json:"told"`    // how many calls gap records count
	Waiting uint64 `json:"waiting"` // how many calls the next record will count
	Why     string `json:"why"`     // the newest reason

	times int // the number of gap records, including the next one
}

// UnrecordedIn counts the calls between since and until that could not be recorded. It returns nil if
// there are none. A zero until means now.
func UnrecordedIn(ctx context.Context, ix *index.Index, dir string, since, until time.Time) (*Unrecorded, error) {
	u := &Unrecorded{}
	_, err := EachHit(ctx, ix, dir, index.Filter{Kind: ledger.KindGap, Since: since, Until: until, Oldest: true}, func(raw []byte) {
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
		loss, err := unreportedLoss(dir)
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

// unreportedLoss returns how many calls could not be recorded and are not counted in a record yet.
func unreportedLoss(dir string) (ledger.Loss, error) {
	key, err := seal.ReadKey(dir)
	if err != nil {
		return ledger.Loss{}, nil // the ledger is a copy without a key
	}
	m, err := ledger.ReadMissed(dir, key)
	if errors.Is(err, fs.ErrNotExist) {
		return ledger.Loss{}, nil
	}
	if err != nil {
		return ledger.Loss{}, fmt.Errorf("the number of unrecorded calls cannot be read: %w", err)
	}
	return m.LossSince(0), nil
}

// Text returns a sentence about the calls, with the newest reason.
func (u *Unrecorded) Text() string {
	if u.times < 2 {
		return u.Why
	}
	return fmt.Sprintf("%d calls were not recorded; the newest: %s", u.Told+u.Waiting, u.Why)
}

// WarnUnrecorded prints a warning about calls that a list of the selected records lacks because they
// could not be recorded.
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

// memberText returns the member name of the JSON object raw: the text of a string, and other values as
// JSON.
func memberText(raw []byte, name string) string {
	val, _ := rawjson.Get(raw, name)
	if text, ok := rawjson.Text(val); ok {
		return text
	}
	return string(val)
}
