package conduct

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// Freeze is the name of the builtin that denies tools for a time.
const Freeze = "freeze"

// A freeze says until when tools are denied, by whom and why.
type freeze struct {
	until      time.Time
	by, reason string
}

// NewFreeze returns the builtin Freeze. The end is compared with the clock at each call, so that it holds
// although nothing removes the hook.
func NewFreeze(args []string) (builtin.Func, error) {
	var f freeze
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		var err error
		switch key {
		case "until":
			f.until, err = time.Parse(time.RFC3339, value)
		case "by":
			f.by = value
		case "reason":
			f.reason = value
		default:
			err = errors.New("use until=, by= or reason=")
		}
		if err != nil {
			return nil, fmt.Errorf("argument %q: %w", arg, err)
		}
	}
	if f.until.IsZero() {
		return nil, errors.New(`until is missing: write its end as in args: ["until=2030-01-31T18:00:00Z"]`)
	}
	return f.deny, nil
}

// deny denies every tool call before the end.
func (f freeze) deny(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	now := time.Now()
	if call.Machine.Now != nil {
		now = call.Machine.Now()
	}
	if !builtin.IsGated(&call.Event) || !now.Before(f.until) {
		return checkrein.Verdict{}, nil
	}
	why := "all tools are frozen until " + f.until.In(now.Location()).Format("2006-01-02 15:04 MST")
	if f.by != "" {
		why += ", by " + f.by
	}
	if f.reason != "" {
		why += ": " + f.reason
	}
	return builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny, Reason: "Denied, because " + why + ". Do not try other tools; tell the user."},
		Freeze+"/frozen", why), nil
}
