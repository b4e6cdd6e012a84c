package guard

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/usage"
)

// ledgerLines returns the lines of file without the members with which all lines begin.
func ledgerLines(d *desk, file string) []string {
	var out []string
	for _, l := range d.files[file] {
		_, rest, _ := strings.Cut(l, `"event":`)
		out = append(out, strings.Replace(rest, `,"session":"s","cwd":"/home/u/p"`, "", 1))
	}
	return out
}

func TestCostLedger(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, ev := range []checkrein.Event{
		guardtest.SessionEvent(checkrein.UserPromptSubmit, "do it"),
		guardtest.SessionEvent(checkrein.AfterLLMCall, "x", "model_id", `"p/m"`, "cost", "0.1", "usage", `{"input_tokens":10,"output_tokens":1}`),
		guardtest.SessionEvent(checkrein.AfterLLMCall, "x", "model_id", `"p/m"`, "cost", "0.2", "usage", `{"input_tokens":20,"output_tokens":2,"cached_input_tokens":5}`),
		guardtest.SessionEvent(checkrein.OnResponseEnd, "done", "cost", "0.2"),
		guardtest.SessionEvent(checkrein.UserPromptSubmit, "more"),
		guardtest.SessionEvent(checkrein.AfterLLMCall, "x", "usage", `{"input_tokens":7}`),
		guardtest.SessionEvent(checkrein.Stop, "done"),
		guardtest.SessionEvent(checkrein.SessionEnd, ""),
	} {
		if v := d.runBuiltin(ev, "cost_ledger"); !v.IsZero() {
			t.Errorf("it says something: %+v", v)
		}
	}
	guardtest.CheckEqual(t, strings.Join(ledgerLines(d, "costs.jsonl"), "\n"), guardtest.JoinLines(
		`"after_llm_call","model":"p/m","call":{"cost":0.1,"input_tokens":10,"output_tokens":1},"turn":{"cost":0.1,"input_tokens":10,"output_tokens":1},"total":{"cost":0.1,"input_tokens":10,"output_tokens":1}}`,
		`"after_llm_call","model":"p/m","call":{"cost":0.2,"input_tokens":20,"output_tokens":2,"cached_input_tokens":5},"turn":{"cost":0.3,"input_tokens":30,"output_tokens":3,"cached_input_tokens":5},"total":{"cost":0.3,"input_tokens":30,"output_tokens":3,"cached_input_tokens":5}}`,
		`"on_response_end","turn":{"cost":0.3,"input_tokens":30,"output_tokens":3,"cached_input_tokens":5},"total":{"cost":0.3,"input_tokens":30,"output_tokens":3,"cached_input_tokens":5}}`,
		`"after_llm_call","call":{"input_tokens":7,"unpriced":1},"turn":{"input_tokens":7,"unpriced":1},"total":{"cost":0.3,"input_tokens":37,"output_tokens":3,"cached_input_tokens":5,"unpriced":1}}`,
		`"session_end","total":{"cost":0.3,"input_tokens":37,"output_tokens":3,"cached_input_tokens":5,"unpriced":1}}`,
	))
	if len(d.kept) != 0 {
		t.Errorf("it still remembers %s", d.kept)
	}
}

// TestCostLedgerTurns checks hosts that report only turns, or nothing.
func TestCostLedgerTurns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.runBuiltin(guardtest.SessionEvent(checkrein.OnResponseEnd, "a", "model", `"m"`, "turn_cost_usd", "0.5", "tokens", `{"input":3,"output":4}`), "cost_ledger")
	d.runBuiltin(guardtest.SessionEvent(checkrein.OnResponseEnd, "b", "turn_cost_usd", "0.25"), "cost_ledger")
	guardtest.CheckEqual(t, strings.Join(ledgerLines(d, "costs.jsonl"), "\n"), guardtest.JoinLines(
		`"on_response_end","model":"m","turn":{"cost":0.5,"input_tokens":3,"output_tokens":4},"total":{"cost":0.5,"input_tokens":3,"output_tokens":4}}`,
		`"on_response_end","turn":{"cost":0.25},"total":{"cost":0.75,"input_tokens":3,"output_tokens":4}}`,
	))
	d = newDesk(t)
	for _, kind := range []checkrein.Kind{checkrein.UserPromptSubmit, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.SessionEnd} {
		d.runBuiltin(guardtest.SessionEvent(kind, "x", "model", `"m"`), "cost_ledger")
	}
	if len(d.files) != 0 || len(d.kept) != 0 {
		t.Errorf("of nothing it wrote %q and kept %s", d.files, d.kept)
	}
}

// TestCostLedgerCountsSeparately checks that sessions, and ledgers in different files, are counted
// separately, and that there are no totals without a session.
func TestCostLedgerCountsSeparately(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	call := guardtest.SessionEvent(checkrein.AfterLLMCall, "x", "cost", "1")
	d.runBuiltin(call, "cost_ledger")
	d.runBuiltin(call, "cost_ledger", "path=/l")
	other := call
	other.Session.ID = "t"
	d.runBuiltin(other, "cost_ledger", "path=/l")
	nobody := call
	nobody.Session.ID = ""
	d.runBuiltin(nobody, "cost_ledger", "path=/l")
	d.runBuiltin(guardtest.SessionEvent(checkrein.SessionEnd, ""), "cost_ledger")
	d.runBuiltin(call, "cost_ledger", "path=/l")
	for i, want := range []string{`"total":{"cost":1}`, `"total":{"cost":1}`, `"turn":{"cost":1}}`, `"total":{"cost":2}`} {
		if !strings.Contains(d.files["/l"][i], want) {
			t.Errorf("line %d: %s, want %s", i, d.files["/l"][i], want)
		}
	}
	if _, err := usage.NewCostLedger(usage.Env{}, []string{"x"}); err == nil {
		t.Error("an unknown argument is no mistake")
	}
}
