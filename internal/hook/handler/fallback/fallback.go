// Package fallback implements the handler with which a model judges calls whose effects the guards
// cannot determine, within a budget for each session. The judge setting of checkrein's own files
// declares its hook.
//
// The engine calls it last, if nothing else has decided. If it fails, the verdict is the same as
// without a judge, and the user gets a notice once per session.
//
//	fallback.go the handler
//	budget.go   what a session may ask and spend
package fallback

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Name is the name of the handler type, and of its hook.
const Name = "judge"

// Options configure the handler.
type Options struct {
	Model  func(checkrein.Hook) (checkrein.Handler, error) // creates the handler of a hook of type model
	Budget Budget
}

// defaultPrompt is the judge's prompt if the file sets none.
const defaultPrompt = `An autonomous agent wants to make the tool call below. Rules have looked at it and object to nothing, but something in it could not be read: a program, an option or a script that they do not know, or text that is evaluated.

Decide what is to happen:
- allow, if it surely does nothing that a careful developer would want to be asked about: it reads, builds, tests, or changes files of the project only.
- deny, if it destroys or sends away data, weakens what guards the agent, or hides what it does.
- ask, in all other cases, and whenever you are not sure: a person decides then.

Tool: {{ .ToolName }}
Directory: {{ .Cwd }}
Arguments: {{ .ToolInput | toJSON | truncate 8000 }}
`

// NewHook returns the hook for the judge s.
func NewHook(s *setting.Judge) checkrein.Hook {
	prompt := s.Prompt
	if prompt == "" {
		prompt = defaultPrompt
	}
	with := rawjson.Object{'{'}
	with.Text("model", s.Model)
	with.Text("prompt", prompt)
	with.Text("schema", "pre_tool_use_decision")
	with.Int("calls", s.Calls)
	with.Int("money", s.Money)
	with.Text("on_spent", s.OnSpent.String())
	with.Close()
	return checkrein.Hook{ID: Name, Name: Name, On: checkrein.PreToolUse, Run: Name, With: json.RawMessage(with), Timeout: s.Timeout + grace,
		Priority: hookfile.DefaultPriority, OnFault: checkrein.FaultWarn, Dialect: "native", From: s.From}
}

// grace is added to the model's time limit, so that this handler and not the engine reports a late
// model. Only the handler can limit the notice to once per session.
const grace = 2 * time.Second

// Type returns the handler type.
func Type(opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: Name,
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			u, err := newHandler(opts, h)
			if err != nil {
				return nil, err
			}
			return u, nil
		},
		Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Unsure: true} },
	}
}

// A budgetedJudge asks a judge within a budget and a time limit; otherwise it answers without a
// decision.
type budgetedJudge struct {
	budget  Budget
	judge   checkrein.Handler
	model   string
	limits  limits
	onSpent checkrein.Decision
	timeout time.Duration
}

// newHandler returns the handler for h, or an error if its settings are invalid or there is no model.
func newHandler(opts Options, h checkrein.Hook) (*budgetedJudge, error) {
	u := &budgetedJudge{budget: opts.Budget, model: rawjson.GetText(h.With, "model"), timeout: h.Limit() - grace}
	number := func(key string) int {
		val, _ := rawjson.Get(h.With, key)
		n, _ := strconv.Atoi(string(val))
		return n
	}
	u.limits = limits{calls: number("calls"), money: number("money")}
	if u.limits.calls < 1 || u.limits.money < 1 || u.timeout <= 0 {
		return nil, errors.New("hook settings: a judge needs calls, money and a timeout greater than 0")
	}
	u.onSpent, _ = hookfile.ParseDecision(rawjson.GetText(h.With, "on_spent"))
	if opts.Model == nil {
		return nil, errors.New("no model client is available")
	}
	h.Run, h.Timeout = "model", u.timeout
	var err error
	u.judge, err = opts.Model(h)
	return u, err
}

// Handle asks the judge if the session's budget permits. The question is counted before it is asked.
func (u *budgetedJudge) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	held, err := u.budget.reserve(&ev, u.limits)
	switch {
	case errors.Is(err, errSpent):
		return u.answerOverBudget(&ev, held), nil
	case err != nil:
		err = fmt.Errorf("cannot count the judge's budget, so the judge is not asked: %w", err)
		return checkrein.Answer{Verdict: checkrein.Verdict{Notice: []string{err.Error()}}}, err
	}
	ctx, cancel := context.WithTimeout(ctx, u.timeout)
	defer cancel()
	ans, err := u.judge.Handle(ctx, ev)
	u.budget.settleReservation(&ev, held, &ans, err)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("no answer within %s", u.timeout)
		}
		out := checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Usage: ans.Usage}
		if u.budget.markNotified(&ev, "fault") {
			out.Notice = []string{fmt.Sprintf("the judge %s could not judge a call: %v. Such calls are decided without the judge. This is shown once per session; to see every case, run checkrein audit query", u.model, err)}
		}
		return out, err
	}
	// Only the decision counts, with a reason that names the judge.
	ans.Verdict = checkrein.Verdict{Decision: ans.Decision, Reason: ans.Reason}
	if ans.Decision != checkrein.NoOpinion {
		ans.Reason = fmt.Sprintf("the judge %s: %s", u.model, ans.Reason)
	}
	return ans, nil
}

// answerOverBudget returns the answer for a session whose budget is used up. A call that the judge has
// stopped before stays stopped.
func (u *budgetedJudge) answerOverBudget(ev *checkrein.Event, h reservation) checkrein.Answer {
	var out checkrein.Answer
	what := fmt.Sprintf("%d calls or %s USD per session", u.limits.calls, strconv.FormatFloat(float64(u.limits.money)/1e6, 'f', -1, 64))
	switch {
	case h.before >= max(u.onSpent, checkrein.Ask) && h.before <= checkrein.Deny:
		out.Decision, out.Reason = h.before, "the judge "+u.model+" has already stopped the same call"
	case u.onSpent != checkrein.NoOpinion:
		out.Decision, out.Reason = u.onSpent, "the effect of this call is unknown, and the budget of the judge "+u.model+" is used up ("+what+")"
	case h.stops: // the stopped call may be repeated in another form
		out.Decision, out.Reason = checkrein.Ask, "the judge "+u.model+" stopped a call of this session, its budget is used up ("+what+"), and the effect of this call is unknown"
	}
	if u.budget.markNotified(ev, "spent") {
		out.Notice = []string{"the budget of the judge " + u.model + " is used up (" + what + "): it is not asked again in this session. To raise the budget, set judge.calls and judge.money in your checkrein.yaml"}
	}
	return out
}
