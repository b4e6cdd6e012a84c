package usage

import (
	"context"
	"strconv"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// NewCostLedger writes what model calls, turns and sessions cost to a file, a
// line of JSON each, with the sums so far.
func NewCostLedger(env Env, args []string) (builtin.Func, error) {
	file, err := readLineFile(args, "costs.jsonl")
	if err != nil {
		return nil, err
	}
	return env.bind(func(_ context.Context, call *Call) (checkrein.Verdict, error) {
		return builtin.ObserverVerdict(&call.Event, "cost_ledger", file.cost(call))
	}), nil
}

func (f *lineFile) cost(call *Call) error {
	const name = "cost_ledger"
	ev := &call.Event
	switch ev.Kind {
	case checkrein.UserPromptSubmit, checkrein.UserFollowupSubmit:
		return beginTally(&call.Call, name, f.path)
	case checkrein.AfterLLMCall, checkrein.OnResponseEnd:
		spent := spentOn(ev)
		var t tally
		err := tallied(&call.Call, name, f.path, func(sum *tally) { sum.take(ev, spent); t = *sum })
		if err != nil || !t.Turn.known() {
			return err
		}
		return f.add(call, costLine(call, &spent, &t))
	case checkrein.SessionEnd:
		t, err := untallied(&call.Call, name, f.path)
		if err != nil || !t.Session.known() {
			return err
		}
		return f.add(call, costLine(call, nil, &t))
	}
	return nil
}

// costLine returns what was spent just now, in the turn, and in the session.
func costLine(call *Call, spent *spending, t *tally) rawjson.Object {
	ev := &call.Event
	o := lineHead(call)
	if model := modelOf(ev); model != "" {
		o.Text("model", model)
	}
	if ev.Kind == checkrein.AfterLLMCall {
		o.Raw("call", spent.line())
	}
	if ev.Kind != checkrein.SessionEnd {
		o.Raw("turn", t.Turn.line())
	}
	if ev.Session.ID != "" && call.Machine.Keep != nil { // else there are no sums
		o.Raw("total", t.Session.line())
	}
	o.Close()
	return o
}

// line is the spending as an object. What is not known is left out: no price is
// not the price of nothing.
func (s *spending) line() []byte {
	o := rawjson.Object{'{'}
	if s.Priced {
		o.Raw("cost", []byte(s.Cost.plain()))
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
