package records

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

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
