package usage

import (
	"context"
	"strconv"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// NewCostLedger returns the builtin that writes the cost of model calls, turns and sessions to a file,
// as one line of JSON each, with running totals.
func NewCostLedger(env Env, args []string) (builtin.Func, error) {
	file, err := parseLineFile(args, "costs.jsonl")
	if err != nil {
		return nil, err
	}
	return env.bindEnv(func(_ context.Context, call *Call) (checkrein.Verdict, error) {
		return builtin.ObserverVerdict(&call.Event, "cost_ledger", file.addCost(call))
	}), nil
}

// addCost counts the event and writes a line for it, if it reports a cost.
func (f *lineFile) addCost(call *Call) error {
	const name = "cost_ledger"
	ev := &call.Event
	switch ev.Kind {
	case checkrein.UserPromptSubmit, checkrein.UserFollowupSubmit:
		return beginTally(&call.Call, name, f.path)
	case checkrein.AfterLLMCall, checkrein.OnResponseEnd:
		spent := eventSpending(ev)
		var t tally
		err := updateTally(&call.Call, name, f.path, func(sum *tally) { sum.addEvent(ev, spent); t = *sum })
		if err != nil || !t.Turn.isKnown() {
			return err
		}
		return f.addLine(call, costLine(call, &spent, &t))
	case checkrein.SessionEnd:
		t, err := removeTally(&call.Call, name, f.path)
		if err != nil || !t.Session.isKnown() {
			return err
		}
		return f.addLine(call, costLine(call, nil, &t))
	}
	return nil
}

// costLine returns the line with the spending of the event, the turn and the session.
func costLine(call *Call, spent *spending, t *tally) rawjson.Object {
	ev := &call.Event
	o := beginLine(call)
	if model := eventModel(ev); model != "" {
		o.Text("model", model)
	}
	if ev.Kind == checkrein.AfterLLMCall {
		o.Raw("call", spent.encodeJSON())
	}
	if ev.Kind != checkrein.SessionEnd {
		o.Raw("turn", t.Turn.encodeJSON())
	}
	if ev.Session.ID != "" && call.Machine.Keep != nil { // otherwise there are no totals
		o.Raw("total", t.Session.encodeJSON())
	}
	o.Close()
	return o
}

// encodeJSON returns the spending as a JSON object without unknown values: an unknown price is not
// zero.
func (s *spending) encodeJSON() []byte {
	o := rawjson.Object{'{'}
	if s.Priced {
		o.Raw("cost", []byte(s.Cost.formatExact()))
	}
	number := func(name string, n int64) {
		if n > 0 {
			o.Raw(name, strconv.AppendInt(nil, n, 10))
		}
	}
	number("input_tokens", s.Input)
	number("output_tokens", s.Output)
	number("cached_input_tokens", s.Read)
	number("cached_write_tokens", s.Write)
	number("unpriced", s.Unpriced)
	o.Close()
	return o
}
