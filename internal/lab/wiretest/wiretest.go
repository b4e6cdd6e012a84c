// Package wiretest compares a host's wire format with a model of the host: it sends every recorded
// payload, and broken ones, and answers with every verdict.
package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Reaction is what a host does with a reply. Its Model follows the host's contract to the letter,
// even where the contract is odd: a reply that the host rejects has no effect.
type Reaction struct {
	Decision checkrein.Decision
	Reason   string // reason of a denial or an ask, as the model gets it
	Shown    string // what the user sees of a denial; "" means Reason
	Context  string
	Notice   string // for the user
	Input    []byte // rewritten arguments of the tool; nil means unchanged
	Output   []byte // what the model sees instead of the tool's output; nil means unchanged
	Redo     string // the reason that keeps the agent going
	Stopped  bool   // the run ends
	Rejected string // why the host rejected the reply; "" if it did not
}

// A Model interprets a reply to an event as the host would. payload is the event's payload.
type Model func(native string, payload []byte, r wire.Reply) Reaction

// Host tests h with every verdict on every payload in testdata, with broken payloads, and checks its
// tables. Files are named EVENT.json, EVENT.what.json or EVENT@what.json.
func Host(t *testing.T, h *wire.Host, model Model) {
	t.Helper()
	for native, bodies := range readFixtures(t) {
		for name, body := range bodies {
			t.Run(name, func(t *testing.T) { testPayload(t, h, native, body, model) })
		}
	}
	t.Run("broken", func(t *testing.T) { testBrokenPayloads(t, h, model) })
	t.Run("table", func(t *testing.T) { testHostTable(t, h) })
}

// readFixtures returns the payloads in testdata, by event and name.
func readFixtures(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads in testdata: %v", err)
	}
	out := map[string]map[string][]byte{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		native, _, _ := strings.Cut(name, "@")
		if native == name {
			native = cutEvent(name)
		}
		if out[native] == nil {
			out[native] = map[string][]byte{}
		}
		out[native][name] = body
	}
	return out
}

// cutEvent returns the part of a fixture's name before the first dot. Fixtures of events with dots in
// their names, such as tool.execute.before, use @ as separator instead.
func cutEvent(name string) string {
	native, _, _ := strings.Cut(name, ".")
	return native
}

// testPayload tests one payload with every verdict.
func testPayload(t *testing.T, h *wire.Host, native string, body []byte, model Model) {
	name := ""
	if h.OmitsEvent {
		name = native
	}
	call := h.Read(h, body, name)
	if call.Err != nil {
		t.Fatalf("read: %v", call.Err)
	}
	if call.Native != native {
		t.Fatalf("read as %q, want %q", call.Native, native)
	}
	if call.Event == nil {
		t.Fatalf("%s has no row in the table", native)
	}
	for i := range call.Events {
		ev := &call.Events[i]
		if ev.Host != h.Name || ev.Native != native || !bytes.Equal(ev.Raw, body) {
			t.Errorf("event %d: host %q, native %q, raw kept: %v", i, ev.Host, ev.Native, bytes.Equal(ev.Raw, body))
		}
		if len(call.Event.Rows) > 0 && ev.Kind == checkrein.Other {
			t.Errorf("event %d has no kind", i)
		}
		for _, v := range allVerdicts(ev) {
			testVerdict(t, h, &call, i, v, body, model)
		}
	}
}

// longReason is a long message about a block. It must reach the model and the user uncut.
var longReason = "checkrein blocked " + strings.Repeat("a long command ", 10) + ": " + strings.Repeat("a long reason ", 20) + "[git/push-force]. " +
	"A person can allow it in another terminal: checkrein allow 4f2a\nguard.sh says:\n" + strings.Repeat("more of it\n", 100) + "Do not look for another way to do the same."

// allVerdicts returns the verdicts that hooks may give on an event.
func allVerdicts(ev *checkrein.Event) []checkrein.Verdict {
	odd := "no <b> \"quotes\" \\ é\nsecond line"
	out := []checkrein.Verdict{
		{},
		{Decision: checkrein.Allow}, {Decision: checkrein.Allow, Reason: odd},
		{Decision: checkrein.Ask, Reason: odd}, {Decision: checkrein.Ask},
		{Decision: checkrein.Deny, Reason: odd}, {Decision: checkrein.Deny}, {Decision: checkrein.Deny, Reason: " "},
		{Decision: checkrein.Deny, Reason: longReason}, {Decision: checkrein.Ask, Reason: longReason},
		{Decision: checkrein.Deny, Reason: odd, Context: []string{"a", odd}, Notice: []string{odd}, Halt: true},
		{Context: []string{odd}}, {Notice: []string{odd}}, {Context: []string{"a"}, Notice: []string{"b"}},
		{Halt: true}, {Halt: true, Reason: odd}, {Summary: odd}, {Metadata: map[string]string{"blast_radius": "high"}},
		{Append: odd}, {Messages: []byte(`[{"role":"user","content":"x"}]`)},
	}
	if ev.Tool != nil {
		input := []byte(`{"command":"echo changed","n":1e400}`)
		out = append(out, checkrein.Verdict{Input: input}, checkrein.Verdict{Decision: checkrein.Allow, Input: input},
			checkrein.Verdict{Decision: checkrein.Ask, Reason: odd, Input: input}, checkrein.Verdict{Decision: checkrein.Deny, Reason: odd, Input: input})
	}
	return append(out, checkrein.Verdict{Output: rawjson.Quote("clean")}, checkrein.Verdict{Output: rawjson.Quote("clean"), Context: []string{odd}, Notice: []string{odd}})
}

// testVerdict encodes one verdict on event i of a call, as the engine would, and checks the host's
// reaction.
func testVerdict(t *testing.T, h *wire.Host, call *wire.Call, i int, v checkrein.Verdict, body []byte, model Model) {
	t.Helper()
	ev := call.Events[i]
	row := checkrein.ContractOf(ev.Kind)
	v, _ = checkrein.Clamp(v, row, h.Honours(call.Native, ev.Kind))
	noted := v.Append != "" && v.Output == nil
	if applied, changed, err := checkrein.Apply(ev, &v); err == nil && changed {
		replacePatches(&v, ev, applied)
	} else if v.Input != nil || v.Output != nil || v.Append != "" {
		return // the rewrite does not fit the subject, which the engine reports
	}
	outs := make([]engine.Outcome, i+1)
	for j := range outs {
		outs[j].Event = call.Events[j]
	}
	outs[i].Verdict = v
	heard := model(call.Native, body, h.Encode(call, outs))
	said := fmt.Sprintf("%v: %+v", ev.Kind, v)
	if heard.Rejected != "" {
		t.Fatalf("%s: rejected: %s", said, heard.Rejected)
	}
	after := ev.Kind == checkrein.PostToolUse || ev.Kind == checkrein.PostToolUseFailure
	honours := h.Honours(call.Native, ev.Kind)
	if v.Decision == checkrein.Ask && v.Input != nil && heard.Decision == checkrein.Deny && strings.TrimSpace(heard.Reason) != "" {
		return // a host that cannot ask about a rewritten call may deny it
	}
	switch {
	case v.Redo != "" || v.Decision == checkrein.Deny && honours&checkrein.CanRedo != 0:
		if !strings.Contains(heard.Redo, strings.TrimSpace(v.Redo)) || strings.TrimSpace(heard.Redo) == "" {
			t.Errorf("%s: kept going with %q", said, heard.Redo)
		}
	case v.Decision == checkrein.Deny && after && honours&checkrein.CanDeny != 0:
		if !heard.Stopped {
			t.Errorf("%s: the run goes on", said)
		}
	case v.Decision == checkrein.Deny && honours&checkrein.CanDeny == 0:
		if !strings.Contains(heard.Reason+heard.Context+heard.Notice+string(heard.Output), firstWord(v.Reason)) {
			t.Errorf("%s: the host cannot deny here, and the reason reaches neither the model nor the user", said)
		}
		return
	case v.Decision == checkrein.Deny:
		why := strings.TrimSpace(v.Reason)
		if heard.Decision != checkrein.Deny || strings.TrimSpace(heard.Reason) == "" || !strings.Contains(heard.Reason, why) {
			t.Errorf("%s: the host's decision is %v %q", said, heard.Decision, heard.Reason)
		}
		if heard.Shown != "" && !strings.Contains(heard.Shown, why) {
			t.Errorf("%s: the user sees %q", said, heard.Shown)
		}
	case heard.Decision != v.Decision && !after:
		t.Errorf("%s: the host's decision is %v", said, heard.Decision)
	}
	if v.Decision != checkrein.Deny && heard.Redo != "" {
		t.Errorf("%s: kept going with %q", said, heard.Redo)
	}
	for _, c := range v.Context {
		if v.Decision != checkrein.Deny && !strings.Contains(heard.Context, c) {
			t.Errorf("%s: context %q", said, heard.Context)
		}
	}
	if v.Input != nil && v.Decision != checkrein.Deny && !rawjson.Equal(heard.Input, v.Input) {
		t.Errorf("%s: input %s", said, heard.Input)
	}
	if v.Input == nil && heard.Input != nil {
		t.Errorf("%s: input %s", said, heard.Input)
	}
	if noted && strings.Contains(heard.Context, outputMark(v.Output)) {
		v.Output = nil // the note reached the model beside the output
	}
	if v.Output != nil && !strings.Contains(string(heard.Output), outputMark(v.Output)) && heard.Notice == "" {
		t.Errorf("%s: output %s, without a notice", said, heard.Output)
	}
	if v.Output == nil && heard.Output != nil {
		t.Errorf("%s: output %s", said, heard.Output)
	}
	if v.Halt && honours&checkrein.CanHalt != 0 && v.Decision != checkrein.Deny && !heard.Stopped {
		t.Errorf("%s: the turn goes on", said)
	}
}

// firstWord returns the first word of reason, which every format preserves. Without a reason it
// returns the default message.
func firstWord(reason string) string {
	if f := strings.Fields(reason); len(f) > 0 {
		return f[0]
	}
	return "checkrein denied this"
}

// outputMark returns a part of a rewritten output by which it is recognized.
func outputMark(out []byte) string {
	if bytes.Contains(out, []byte("clean")) {
		return "clean"
	}
	return "second line"
}

// replacePatches replaces the rewrites in v with the complete subject, as in an Outcome. was and is
// are the event before and after.
func replacePatches(v *checkrein.Verdict, was, is checkrein.Event) {
	v.Append = ""
	if v.Input != nil {
		v.Input = is.Tool.Input
	}
	v.Output = nil
	switch {
	case checkrein.ContractOf(was.Kind).Subject == checkrein.SubjectText && is.Text != was.Text:
		v.Output = rawjson.Quote(is.Text)
	case is.Tool != nil && !rawjson.Equal(was.Tool.Output, is.Tool.Output):
		v.Output = is.Tool.Output
	}
}

// testBrokenPayloads reads payloads that no host should send. If the event may be a gate, the reply
// must be a denial that the host understands.
func testBrokenPayloads(t *testing.T, h *wire.Host, model Model) {
	var bodies [][]byte
	for _, b := range []string{"", " ", "null", "[]", "{", `{"hook_event_name":`, `"x"`, "\xff\xfe", strings.Repeat("[", 100000), `{"hook_event_name":7}`} {
		bodies = append(bodies, []byte(b))
	}
	for _, named := range readFixtures(t) {
		for _, body := range named {
			bodies = append(bodies, body[:len(body)/2], withListMembers(body))
		}
	}
	for _, body := range bodies {
		call := h.Read(h, body, "")
		if len(call.Events) == 0 {
			t.Fatalf("%.60q: no event", body)
		}
		if call.Err == nil {
			continue
		}
		out := engine.Outcome{Event: call.Events[0]}
		if call.IsGate() {
			out.Verdict = checkrein.Verdict{Decision: checkrein.Deny, Reason: "cannot be judged"}
		}
		heard := model(call.Native, body, h.Encode(&call, []engine.Outcome{out}))
		if heard.Rejected != "" {
			t.Errorf("%.60q: rejected: %s", body, heard.Rejected)
		}
		if call.IsGate() && heard.Decision != checkrein.Deny {
			t.Errorf("%.60q: the gate did not deny", body)
		}
	}
}

// withListMembers returns a payload in which every member but the event's name is a list.
func withListMembers(body []byte) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil {
		return nil
	}
	for k := range m {
		if k != "hook_event_name" && k != "hookName" && k != "agent_action_name" && k != "hook" {
			m[k] = []byte(`[1]`)
		}
	}
	out, _ := json.Marshal(m)
	return out
}

// testHostTable checks the tables of a host's events and quirks.
func testHostTable(t *testing.T, h *wire.Host) {
	seen := map[string]bool{}
	for _, e := range h.Events {
		if e.Native == "" || seen[e.Native] {
			t.Errorf("event %q is listed twice or has no name", e.Native)
		}
		seen[e.Native] = true
		for _, r := range e.Rows {
			if extra := r.Honours &^ checkrein.ContractOf(r.Kind).Effects; extra != 0 {
				t.Errorf("%s: honours %v on %v, which has no such effect", e.Native, extra.Words(), r.Kind)
			}
		}
	}
	ids := map[string]bool{}
	for _, q := range h.Quirks {
		if q.ID == "" || ids[q.ID] || q.Seen == "" || q.Does == "" || q.We == "" || q.Fixture == "" {
			t.Errorf("quirk %+v has an empty field or is listed twice", q)
		}
		ids[q.ID] = true
		if strings.HasSuffix(q.Fixture, ".json") {
			if _, err := os.Stat(filepath.Join("testdata", q.Fixture)); err != nil {
				t.Errorf("quirk %s: %v", q.ID, err)
			}
		}
	}
}

// DeniedOutcomes returns the outcomes of a call whose first event is denied.
func DeniedOutcomes(c *wire.Call, reason string) []engine.Outcome {
	return []engine.Outcome{{Event: c.Events[0], Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: reason}}}
}
