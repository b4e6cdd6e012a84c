package usage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// A budget is the cost of a turn and of a session at which the user is warned; 0 means no limit.
type budget struct {
	turn, session money
	which         string // distinguishes the hook from others with the same builtin
}

// NewBudgetAlert returns the builtin that warns, once each, when a turn or a session reaches its
// budget. It stops nothing.
func NewBudgetAlert(args []string) (builtin.Func, error) {
	b := budget{which: strings.Join(args, " ")}
	for _, arg := range args {
		to, amount := &b.turn, strings.TrimPrefix(arg, "turn=")
		if rest, ok := strings.CutPrefix(arg, "session="); ok {
			to, amount = &b.session, rest
		}
		m, ok := parseMoney(strings.TrimPrefix(amount, "$"))
		switch {
		case !ok || m == 0:
			return nil, fmt.Errorf("%q is not a valid amount in US dollars: use a form such as 0.50, turn=0.50 or session=5", arg)
		case *to != 0:
			return nil, fmt.Errorf("%q is a second limit of the same kind: remove one", arg)
		}
		*to = m
	}
	if len(args) == 0 {
		return nil, errors.New("needs an amount in US dollars, such as 0.50, turn=0.50 or session=5")
	}
	return b.checkBudget, nil
}

// checkBudget counts the cost of an event and returns a warning if a budget has been reached.
func (b *budget) checkBudget(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	const name = "budget_alert"
	ev := &call.Event
	var warning string
	var err error
	switch ev.Kind {
	case checkrein.UserPromptSubmit, checkrein.UserFollowupSubmit:
		err = beginTally(&call, name, b.which)
	case checkrein.AfterLLMCall, checkrein.OnResponseEnd:
		err = updateTally(&call, name, b.which, func(t *tally) {
			t.addEvent(ev, eventSpending(ev))
			warning = b.newWarning(t)
		})
	case checkrein.SessionEnd:
		_, err = removeTally(&call, name, b.which)
	}
	switch {
	case err != nil || warning == "":
		return checkrein.Verdict{}, err
	case ev.Kind == checkrein.OnResponseEnd && strings.TrimSpace(ev.Text) != "":
		return builtin.AppendParagraph(ev.Text, "⚠️ "+warning), nil
	}
	return checkrein.Verdict{Notice: []string{warning}}, nil
}

// newWarning returns a warning about budgets that have been reached and were not reported before, or
// "" if there are none.
func (b *budget) newWarning(t *tally) string {
	var over []string
	look := func(what string, spent, limit money, told *bool) {
		if limit > 0 && spent >= limit && !*told {
			*told = true
			over = append(over, fmt.Sprintf("this %s has cost %s; its budget is %s", what, spent.formatPrice(), limit.formatPrice()))
		}
	}
	look("turn", t.Turn.Cost, b.turn, &t.TurnTold)
	look("session", t.Session.Cost, b.session, &t.SessionTold)
	if len(over) == 0 {
		return ""
	}
	return "Budget: " + strings.Join(over, "; ") + "."
}
