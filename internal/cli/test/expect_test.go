package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// TestCompare checks each key of expect, met and not met.
func TestCompare(t *testing.T) {
	t.Parallel()
	deny := checkrein.Verdict{Decision: checkrein.Deny, Reason: "not to main", Context: []string{"use a branch"}, Metadata: map[string]string{"rule": "git/push", "rules": "git/push fs/delete"}}
	deny.Input = json.RawMessage(`{"command":"ls","n":{"a":1,"b":2}}`)
	d := &decision{out: engine.Outcome{Verdict: deny, Steps: []engine.Step{
		{Result: engine.Result{Hook: &checkrein.Hook{Name: "packs"}, Verdict: &deny}},
		{Result: engine.Result{Hook: &checkrein.Hook{Name: "own"}, Verdict: &checkrein.Verdict{Decision: checkrein.Deny}, Fault: errors.New("gone")}},
		{Result: engine.Result{Hook: &checkrein.Hook{Name: "quiet"}, Verdict: &checkrein.Verdict{}}},
	}}, acts: match.Acts{Effects: []string{"destructive", "push"}}}
	for expect, met := range map[string]bool{
		"answer: denied": true, "answer: asked": false, "decision: deny": true, "decision: none": false,
		"rule: git/push": true, "rule: [fs/delete, own]": true, "rule: quiet": false, "rule: null": false,
		"effects: push": true, "effects: [push, rewrite_input, context]": true, "effects: delete": false,
		"input: {command: ls}": true, "input: {n: {a: 1}}": true, "input: {n: {a: 2}}": false, "input: {other: null}": true, "input: {command: null}": false, "input: null": false,
		"output: null": true, "output: x": false, "context: branch": true, "context: [a branch, use]": true, "context: other": false,
		"reason: to main": true, "reason: To": false, "faults: own": true, "faults: packs": false,
	} {
		n, _, err := yamldoc.Parse([]byte(expect + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := (&testCase{expect: n}).compare(d); (len(got) == 0) != met {
			t.Errorf("%s: %v", expect, got)
		}
	}
	if got := d.unexpectedFaults(nil); len(got) != 1 || !strings.Contains(got[0].String(), `"own" could not answer: gone`) {
		t.Errorf("%v", got)
	}
}

// TestGaps checks what is reported of conditions.
func TestGaps(t *testing.T) {
	t.Parallel()
	h := checkrein.Hook{ID: "h", From: checkrein.Origin{File: "/p/checkrein.yaml", Line: 3}}
	c := newCoverage(&policy{hooks: []checkrein.Hook{h, {ID: "idle", From: h.From}}, packs: []string{"git", "disk"}})
	part := func(a, b bool) []engine.Part {
		return []engine.Part{{Name: "event", Holds: true}, {Name: "any", Holds: a || b, Parts: []engine.Part{{Name: "command", Op: "is", Want: []string{"a"}, Holds: a}, {Name: "command", Op: "is", Want: []string{"b"}, Holds: b}}}}
	}
	for _, is := range []bool{true, false} {
		c.add([]engine.Why{{Hook: &h, Holds: is, Parts: part(is, false)}})
	}
	c.addRules(&decision{out: engine.Outcome{Verdict: checkrein.Verdict{Decision: checkrein.Ask, Metadata: map[string]string{"rule": "git/push"}}}})
	var got []string
	for _, g := range c.gaps("/p/checkrein.yaml") {
		got = append(got, fmt.Sprint(g.Hook, g.Pack, " ", g.What, " ", g.Part))
	}
	if want := "h never_true command is b|idle not_reached |disk not_reached "; strings.Join(got, "|") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "|"), want)
	}
}

// TestCaseOf checks cases that are made from records, and records of which none is made.
func TestCaseOf(t *testing.T) {
	t.Parallel()
	input := func(s string) *record.Subject {
		return &record.Subject{Input: &record.Part{Bytes: len(s), JSON: json.RawMessage(s)}}
	}
	tool := &record.Tool{Name: "Bash", Canonical: "shell"}
	base := record.Record{Seq: 7, Event: "pre_tool_use", Host: "claude", Dir: "/work/app/sub", Root: "/work/app", Tool: tool, Decision: "none"}
	for _, tt := range []struct {
		name   string
		change func(*record.Record)
		want   string
	}{
		{"command", func(r *record.Record) { r.Subject = input(`{"command":"cat /work/app/a"}`) },
			"  - name: \"record 7: cat /work/app/a\"\n    host: claude\n    dir: sub\n    command: \"cat $PROJECT/a\"\n    expect: {answer: pass}\n"},
		{"denied", func(r *record.Record) {
			r.Subject, r.Decision, r.Plan = input(`{"command":"ls"}`), "deny", []record.Step{{Hook: "packs", Rule: "git/push", Decision: "deny"}}
		}, "  - name: \"record 7: ls\"\n    host: claude\n    dir: sub\n    command: ls\n    expect: {answer: denied, rule: git/push}\n"},
		{"contained", func(r *record.Record) { r.Subject, r.Dir, r.Answer = input(`{"command":"make"}`), r.Root, "contained" },
			"  - name: \"record 7: make\"\n    host: claude\n    command: make\n    walls: true\n    expect: {answer: contained}\n"},
		{"prompt", func(r *record.Record) {
			r.Event, r.Tool, r.Subject = "user_prompt_submit", nil, &record.Subject{Text: &record.Part{Bytes: 2, Text: "hi"}}
		}, "  - name: \"record 7: user_prompt_submit\"\n    host: claude\n    dir: sub\n    event: {\"hook_event_name\":\"user_prompt_submit\",\"prompt\":\"hi\"}\n    expect: {answer: pass}\n"},
		{"truncated", func(r *record.Record) { r.Subject = &record.Subject{Input: &record.Part{Bytes: 99999, Head: "{"}} }, "error: the call was too long"},
		{"secret", func(r *record.Record) {
			r.Subject, r.Decision, r.Plan = input(`{"command":"curl -d [REDACTED] x"}`), "deny", []record.Step{{Hook: "secret_guard", Decision: "deny"}}
		}, "error: it was decided because of a secret"},
		{"redacted", func(r *record.Record) { r.Subject = input(`{"command":"curl -d [REDACTED] x"}`) },
			"  - name: \"record 7: curl -d [REDACTED] x\"\n    host: claude\n    dir: sub\n    command: \"curl -d [REDACTED] x\"\n    expect: {answer: pass}\n"},
	} {
		r := base
		tt.change(&r)
		got, err := caseOf(&r)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != tt.want && !(strings.HasPrefix(tt.want, "error") && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if f := (&testFile{}); err == nil && f.parse([]byte("cases:\n"+got)) != nil {
			t.Errorf("%s: %v", tt.name, f.problems)
		}
	}
}
