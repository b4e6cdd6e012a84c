package docgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/handler/rule"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/lab/conformance"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

var values = map[fields.Type]string{
	fields.AnyValue: `"x"`, fields.StringValue: `"x"`, fields.NumberValue: "1.5",
	fields.BoolValue: "true", fields.ObjectValue: `{"a":1}`, fields.ListValue: `["x"]`,
}

// fullEvent returns an event of the row c with all fields set.
func fullEvent(c *checkrein.Contract) checkrein.Event {
	ev := checkrein.Event{Kind: c.Kind, Session: checkrein.Session{ID: "s", Dir: "/tmp", Agent: "root"}, Host: "native"}
	if aboutTool(c) {
		ev.Tool = &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: "1", Category: "shell", Failed: true,
			Input: json.RawMessage(`{"command":"ls"}`), Output: json.RawMessage(`"out"`)}
	}
	if c.Text != "" {
		ev.Text = "x"
	}
	for _, name := range c.Fields {
		f, _ := fields.Find(name)
		ev.Details = append(ev.Details, checkrein.Detail{Name: name, Value: json.RawMessage(values[f.Type])})
	}
	return ev
}

// TestInputSchema validates the payloads of hooks, and checks that wrong values of every field are
// rejected.
func TestInputSchema(t *testing.T) {
	t.Parallel()
	src, _ := readSchema(t, "input")
	check := compileSchema(t, src)
	for _, c := range eventRows() {
		for _, ev := range []checkrein.Event{{Kind: c.Kind}, fullEvent(&c)} {
			for _, name := range []string{"native", "docker-agent"} { // the others have envelopes of their own
				d, _ := dialect.Lookup(name)
				payload, err := d.Encode(ev)
				if err == nil {
					err = check(payload)
				}
				if err != nil {
					t.Errorf("%s in %s: %v\n%s", c.Name, d.Name, err, payload)
				}
			}
		}
		names := append(fields.CommonNames(), ownFields(&c)...)
		if aboutTool(&c) {
			names = append(names, fields.ToolNames()...)
		}
		for _, name := range names {
			testWrongTypes(t, check, c.Name, name)
		}
	}
	for _, bad := range []string{`[]`, `{}`, `{"hook_event_name":"stop"}`, `{"session_id":"","cwd":"","hook_event_name":"Stop"}`} {
		if check([]byte(bad)) == nil {
			t.Errorf("accepted: %s", bad)
		}
	}
}

// testWrongTypes checks that a field is rejected with values of all wrong types.
func testWrongTypes(t *testing.T, check func([]byte) error, event, name string) {
	t.Helper()
	f, _ := fields.Find(name)
	for typ, val := range values {
		if typ == f.Type || f.Type == fields.AnyValue || val == values[f.Type] {
			continue
		}
		payload := map[string]json.RawMessage{
			"session_id": []byte(`""`), "cwd": []byte(`""`), "hook_event_name": []byte(`"` + event + `"`),
		}
		payload[name] = json.RawMessage(val)
		body, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		if check(body) == nil {
			t.Errorf("%s: accepted %s: %s", event, name, val)
		}
	}
}

// TestOutputSchema checks that the schema and the parser accept the same answers.
func TestOutputSchema(t *testing.T) {
	t.Parallel()
	src, _ := readSchema(t, "output")
	check := compileSchema(t, src)
	tests := []struct {
		ok  bool
		out string
	}{
		{true, `{}`},
		{true, `{"decision":"block","reason":"no"}`},
		{true, `{"decision":"approve"}`},
		{true, `{"decision":null,"reason":null,"updated_input":null}`},
		{true, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`},
		{true, `{"hook_specific_output":{"updated_input":{"cmd":"ls","x":null}}}`},
		{true, `{"hookSpecificOutput":null}`},
		{true, `{"continue":false,"stopReason":"no","suppressOutput":true,"systemMessage":"hi"}`},
		{true, `{"metadata":{"risk":"high"},"log":"seen","additionalContext":"c"}`},
		{true, `{"updated_output":{"any":["thing"]}}`},
		{true, `{"updated_messages":[{"role":"user"}]}`},
		{false, `[]`},
		{false, `{"decision":"maybe"}`},
		{false, `{"permission_decision":"block"}`},
		{false, `{"continue":"false"}`},
		{false, `{"reason":1}`},
		{false, `{"updated_input":[]}`},
		{false, `{"updated_messages":{}}`},
		{false, `{"metadata":{"risk":1}}`},
		{false, `{"desicion":"deny"}`},
		{false, `{"hookSpecificOutput":{"hookSpecificOutput":{}}}`},
		{false, `{"hookSpecificOutput":true}`},
	}
	h := checkrein.Hook{ID: "h", On: checkrein.PreToolUse, Dialect: "native"}
	for _, tt := range tests {
		err := check([]byte(tt.out))
		if got := err == nil; got != tt.ok {
			t.Errorf("schema: %v for %s (%v)", got, tt.out, err)
		}
		a, err := answer.ReadOutput(&h, &native.Dialect.Form, answer.Output{Stdout: []byte(tt.out)})
		if got := err == nil && len(a.Ignored) == 0; got != tt.ok {
			t.Errorf("reader: %v for %s (%v, ignored %q)", got, tt.out, err, a.Ignored)
		}
	}
	for _, k := range answer.Keys() {
		for _, name := range k.Names {
			for _, spelling := range spellings(name) {
				if err := check([]byte(`{"` + spelling + `":null}`)); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestVerdictSchema encodes outcomes with all fields set, and checks that the schema has the same
// members.
func TestVerdictSchema(t *testing.T) {
	t.Parallel()
	src, decoded := readSchema(t, "verdict")
	check := compileSchema(t, src)
	printed := map[string]bool{"event": true} // by eval itself, where a payload is several events
	for _, out := range []engine.Outcome{{}, fullOutcome(), engineOutcome()} {
		body := out.JSON(true)
		if err := check(body); err != nil {
			t.Errorf("%v\n%s", err, body)
		}
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		addPaths(printed, "", v)
	}
	described := map[string]bool{}
	addSchemaPaths(described, "", decoded, decoded)
	for _, name := range sortedPaths(described) {
		if !printed[name] {
			t.Errorf("%s is in the schema and was never printed", name)
		}
	}
	for _, name := range sortedPaths(printed) {
		if !described[name] {
			t.Errorf("%s is printed and not in the schema", name)
		}
	}
	for _, bad := range []string{`[]`, `{"decision":"none"}`, `{"halt":false}`, `{"steps":[{}]}`, `{"dropped":[{"effect":"x","why":"y"}]}`, `{"other":1}`} {
		if check([]byte(bad)) == nil {
			t.Errorf("accepted: %s", bad)
		}
	}
}

// addPaths adds the paths of the members of v, such as a.b, to out. Members of a list's elements count
// as the list's.
func addPaths(out map[string]bool, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, val := range v {
			out[at+k] = true
			if at+k != "metadata" && at+k != "updated_input" { // whose members are the hooks'
				addPaths(out, childPath(at, k), val)
			}
		}
	case []any:
		for _, val := range v {
			addPaths(out, at, val)
		}
	}
}

// addSchemaPaths adds the paths of the members that a schema describes to out.
func addSchemaPaths(out map[string]bool, at string, schema map[string]any, root any) {
	if to, ok := schema["$ref"].(string); ok {
		schema, _ = atPath(root, strings.TrimPrefix(to, "#/")).(map[string]any)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		addSchemaPaths(out, at, items, root)
	}
	members, _ := schema["properties"].(map[string]any)
	for k, val := range members {
		out[at+k] = true
		if childPath(at, k) != at {
			addSchemaPaths(out, childPath(at, k), val.(map[string]any), root)
		}
	}
}

// childPath returns the path of the member k of at. Parts that contain parts have the same path.
func childPath(at, k string) string {
	if k == "parts" && strings.HasSuffix(at, "parts.") {
		return at
	}
	return at + k + "."
}

func atPath(v any, path string) any { return memberAt(v, strings.Split(path, "/")...) }

func sortedPaths(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// TestFullOutcome checks that the outcome which is compared with the schema has a value in every
// field, so that new fields are not forgotten.
func TestFullOutcome(t *testing.T) {
	t.Parallel()
	unprinted := map[string]bool{ // which eval --json does not print
		"Outcome.Event": true, "Outcome.Overruled": true, "Outcome.Unasked": true, "Outcome.Acts": true, "Outcome.HostReason": true, "Outcome.Handle": true, "Outcome.Shadow": true, "Outcome.Tried": true, "Outcome.Doubted": true, // dropped has it, too
		"Step.Unapproved": true, "Step.Runs": true, "Step.Tried": true, "Lifted.Metadata": true, "Lifted.Because": true, "Passed.Metadata": true, "Passed.Because": true,
	}
	set := func(v any) {
		val := reflect.Indirect(reflect.ValueOf(v))
		for i := range val.NumField() {
			f := val.Type().Field(i)
			if name := val.Type().Name() + "." + f.Name; f.IsExported() && val.Field(i).IsZero() && !unprinted[name] {
				t.Errorf("fullOutcome leaves %s empty: fill it in, or say that it is not printed", name)
			}
		}
	}
	out := fullOutcome()
	set(out)
	set(out.Redo)
	set(out.Steps[0])
	set(out.Steps[0].Lifted)
	set(out.Steps[0].Passed)
	set(out.Dropped[0])
	set(out.Why[0])
	set(out.Why[0].Parts[0])
}

func fullOutcome() engine.Outcome {
	dropped := []checkrein.Dropped{{Hook: "h", Effect: "redo", Why: "w"}}
	verdict := checkrein.Verdict{
		Decision: checkrein.Deny, Reason: "[tag] sentence: rm -rf /", Context: []string{"c"}, Notice: []string{"n"},
		Input: json.RawMessage(`{}`), Output: json.RawMessage(`1`), Messages: json.RawMessage(`[]`),
		Redo: "r", Halt: true, Summary: "s", Metadata: map[string]string{"k": "v"},
	}
	hook := &checkrein.Hook{ID: "h", On: checkrein.PreToolUse, Run: "command", Match: "shell", From: checkrein.Origin{File: "f", Line: 1},
		Also: []checkrein.Origin{{File: "g"}}}
	return engine.Outcome{
		Verdict: verdict, Dropped: dropped, Redo: &engine.Redo{Reason: "r", Attempt: 1, Limit: 3}, Canceled: true, Ended: true,
		Steps: []engine.Step{
			{Result: engine.Result{Hook: hook, Stage: 1, Skipped: "s", Unmet: true, Took: time.Second, Fault: errors.New("f"), Verdict: &verdict, Dropped: dropped,
				Answer: &checkrein.Answer{Raw: []byte("raw"), Log: "log", Ignored: []string{"x"}}},
				Detached: true, Rejudged: true, Lifted: &engine.Lifted{Grant: "g1", Decision: checkrein.Deny, Reason: "r"}, Passed: &engine.Passed{By: "judge", Reason: "runs an unknown text"}, Stale: true},
			{Result: engine.Result{Hook: &checkrein.Hook{ID: "b", On: checkrein.Other, Broken: "b"}}},
		},
		Why: []engine.Why{{Hook: hook, Holds: true, Off: "o", Err: errors.New("f"), Parts: []engine.Part{
			{Name: "command", Op: "is", Want: []string{"w"}, Seen: []string{"s"}, Hit: 1, Holds: true, Fix: "f", Parts: []engine.Part{{Name: "any"}}},
		}}},
	}
}

// engineOutcome returns an outcome of a real engine, because only the engine can set which hooks it
// ran.
func engineOutcome() engine.Outcome {
	handler := checkrein.HandlerFunc(func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Ask, Reason: "r"}}, nil
	})
	e := engine.New(engine.Options{
		Hooks:    []checkrein.Hook{{ID: "h", On: checkrein.PreToolUse, Run: "command"}},
		Handlers: []checkrein.HandlerType{{Name: "command", New: func(checkrein.Hook) (checkrein.Handler, error) { return handler, nil }}},
	})
	return e.Decide(context.Background(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "Bash"}})
}

// loadNative parses a native file, compiles its hooks and returns the errors.
func loadNative(src []byte) error {
	file, err := native.Dialect.Parse(hookfile.Source{File: "checkrein.yaml", Data: src})
	stub := func(name string) checkrein.HandlerType {
		return checkrein.HandlerType{Name: name, New: func(checkrein.Hook) (checkrein.Handler, error) { return checkrein.HandlerFunc(nil), nil }}
	}
	e := engine.New(engine.Options{Hooks: file.Hooks, Handlers: []checkrein.HandlerType{
		stub("command"), stub("http"), stub("model"), rule.Type("", nil), guard.Type(guard.Env{}),
	}})
	return errors.Join(err, e.Check(nil))
}

// TestConfigSchema checks with examples that the schema and the parser accept the same files.
func TestConfigSchema(t *testing.T) {
	t.Parallel()
	src, _ := readSchema(t, "config")
	check := compileSchema(t, src)
	tests := []struct {
		ok  bool
		src string
	}{
		{true, "version: 1"},
		{true, "{version: 1, hooks: }"},
		{true, "{version: 1, include: other.yaml, packs: [], settings: {snapshot: true}, project_may_allow: true, self_approve: false, on_full: block}"},
		{true, "{version: 1, include: [a.yaml, b.yaml], on_full: warn}"},
		{false, "hooks: {}"},
		{false, "version: 2"},
		{false, "{version: 1, hook: {}}"},
		{false, "{version: 1, on_full: ignore}"},
		{false, "{version: 1, settings: {snapshots: true}}"},
		{false, "{version: 1, self_approve: 'yes'}"},
		{false, "{version: 1, include: ['']}"},
		{false, "{version: 1, packs: git}"},

		{true, "{version: 1, grants: []}"},
		{true, "{version: 1, grants: [{call: git push -f, rules: [git/push-force], in: ~/site, until: '2031-12-24', reason: r}]}"},
		{true, "{version: 1, grants: [{tool: Write, input: {a: 1}, rules: guard.sh, reason: r}]}"},
		{false, "{version: 1, grants: {call: x, reason: r}}"},
		{false, "{version: 1, grants: [{call: x}]}"},
		{false, "{version: 1, grants: [{call: x, tool: Write, input: {a: 1}, reason: r}]}"},
		{false, "{version: 1, grants: [{tool: Write, reason: r}]}"},
		{false, "{version: 1, grants: [{call: x, in: site, reason: r}]}"},
		{false, "{version: 1, grants: [{call: x, until: soon, reason: r}]}"},
		{false, "{version: 1, grants: [{call: x, rules: [], reason: r}]}"},
		{false, "{version: 1, grants: [{call: x, untill: '2031-12-24', reason: r}]}"},
		{true, "{version: 1, channels: {}}"},
		{true, "{version: 1, channels: {telegram: 'telegram://${env.T}@telegram?chats=@me', ops-2: '${env.OPS_URL}'}}"},
		{false, "{version: 1, channels: ['telegram://x']}"},
		{false, "{version: 1, channels: {outbox: 'telegram://x'}}"},
		{false, "{version: 1, channels: {Telegram: 'telegram://x'}}"},
		{false, "{version: 1, channels: {-x: 'telegram://x'}}"},
		{false, "{version: 1, channels: {telegram: me}}"},
		{false, "{version: 1, channels: {telegram: }}"},
		{true, "{version: 1, judge: {model: openai/gpt-4o-mini}}"},
		{true, "{version: 1, judge: {model: a/b/c, calls: 20, money: 0.10, prompt: '{{ .ToolName }}', timeout: 20s, on_spent: ask}}"},
		{true, "{version: 1, judge: {model: a/b, calls: 10000, money: 1000, timeout: 600, on_spent: none}}"},
		{true, "{version: 1, judge: {model: a/b, money: 0.000001, timeout: 1m30s, on_spent: deny}}"},
		{false, "{version: 1, judge: {}}"},
		{false, "{version: 1, judge: true}"},
		{false, "{version: 1, judge: openai/gpt-4o-mini}"},
		{false, "{version: 1, judge: {model: gpt-4o-mini}}"},
		{false, "{version: 1, judge: {model: 'a/b c'}}"},
		{false, "{version: 1, judge: {model: a/b, calls: 0}}"},
		{false, "{version: 1, judge: {model: a/b, calls: 10001}}"},
		{false, "{version: 1, judge: {model: a/b, calls: 1.5}}"},
		{false, "{version: 1, judge: {model: a/b, money: 0}}"},
		{false, "{version: 1, judge: {model: a/b, money: 1001}}"},
		{false, "{version: 1, judge: {model: a/b, money: '0.10'}}"},
		{false, "{version: 1, judge: {model: a/b, timeout: soon}}"},
		{false, "{version: 1, judge: {model: a/b, timeout: 0}}"},
		{false, "{version: 1, judge: {model: a/b, on_spent: allow}}"},
		{false, "{version: 1, judge: {model: a/b, prompt: ' '}}"},
		{false, "{version: 1, judge: {model: a/b, budget: 3}}"},
		{true, "{version: 1, ledger: {}}"},
		{true, "{version: 1, ledger: {keep_days: 90, keep_mib: 2048, witness: /mnt/worm/heads, witness_command: [logger, -t, 1]}}"},
		{true, "{version: 1, ledger: {keep_days: 1, keep_mib: 16, witness: ~/heads, witness_command: [/bin/x, '', ./y]}}"},
		{true, "{version: 1, ledger: {keep_days: 36500, keep_mib: 1048576, witness: /h, witness_command: [my prog]}}"},
		{true, "{version: 1, ledger: {keep_days: 2.0, witness_command: [7z]}}"},
		{false, "{version: 1, ledger: [keep_days]}"},
		{false, "{version: 1, ledger: {keep: 90}}"},
		{false, "{version: 1, ledger: {keep_days: 0}}"},
		{false, "{version: 1, ledger: {keep_days: 36501}}"},
		{false, "{version: 1, ledger: {keep_days: 1.5}}"},
		{false, "{version: 1, ledger: {keep_days: '90'}}"},
		{false, "{version: 1, ledger: {keep_mib: 15}}"},
		{false, "{version: 1, ledger: {keep_mib: 1048577}}"},
		{false, "{version: 1, ledger: {witness: heads}}"},
		{false, "{version: 1, ledger: {witness: ~root/heads}}"},
		{false, "{version: 1, ledger: {witness: ~/}}"},
		{false, "{version: 1, ledger: {witness: /mnt/}}"},
		{false, "{version: 1, ledger: {witness: ''}}"},
		{false, "{version: 1, ledger: {witness: [/h]}}"},
		{false, "{version: 1, ledger: {witness_command: logger}}"},
		{false, "{version: 1, ledger: {witness_command: []}}"},
		{false, "{version: 1, ledger: {witness_command: [' ']}}"},
		{false, "{version: 1, ledger: {witness_command: [logger, [x]]}}"},
		{false, "{version: 1, ledger: {witness_command: [./x]}}"},
		{false, "{version: 1, ledger: {witness_command: [~/x]}}"},

		{true, fileWithEntry("stop", "command: make test")},
		{true, fileWithEntry("stop", "")},
		{true, "{version: 1, hooks: {stop: {command: make test}}}"},
		{true, fileWithEntry("native:FileChanged", "command: x")},
		{false, fileWithEntry("native:", "command: x")},
		{false, fileWithEntry("Stop", "command: x")},
		{false, fileWithEntry("stopp", "command: x")},
		{false, fileWithEntry("other", "command: x")},
		{false, "{version: 1, hooks: {stop: make test}}"},
		{false, "{version: 1, hooks: {stop: [make test]}}"},
		{false, "{version: 1, hooks: []}"},

		{true, fileWithEntry("pre_tool_use", "matcher: shell, preempt_yolo: true, hooks: [{type: command, command: x}]")},
		{true, fileWithEntry("pre_tool_use", "hooks: {type: command, command: x}")},
		{true, fileWithEntry("post_tool_use", "matcher: shell|read, hooks: [{command: x}]")},
		{false, fileWithEntry("post_tool_use", "preempt_yolo: true, hooks: [{command: x}]")},
		{false, fileWithEntry("stop", "matcher: shell, hooks: [{command: x}]")},
		{false, fileWithEntry("stop", "matcher: shell, command: x")},
		{false, fileWithEntry("pre_tool_use", "hooks: []")},
		{false, fileWithEntry("pre_tool_use", "hooks: [{command: x}], command: x")},
		{false, fileWithEntry("pre_tool_use", "matcher: 1, hooks: [{command: x}]")},

		{true, fileWithEntry("pre_tool_use", "type: command, name: n, command: [a, b], timeout: 1.5, env: {A: b, C: 1}, working_dir: d, on_error: block, strict_output: true, matcher: shell, priority: 1000, gate: true, rewrites: false")},
		{true, fileWithEntry("stop", "command: x, async: true, timeout: 86400")},
		{false, fileWithEntry("stop", "command: x, timeout: 86401")},
		{false, fileWithEntry("stop", "command: x, timeout: -1")},
		{true, fileWithEntry("stop", "command: x, timeout: 5s")},
		{true, fileWithEntry("stop", "command: x, timeout: 1m30s")},
		{false, fileWithEntry("stop", "command: x, timeout: soon")},
		{false, fileWithEntry("stop", "command: x, priority: 1001")},
		{false, fileWithEntry("stop", "command: x, priority: 1.5")},
		{false, fileWithEntry("stop", "command: x, on_error: explode")},
		{false, fileWithEntry("session_end", "command: x, on_error: block")},
		{false, fileWithEntry("stop", "command: x, args: [y]")},
		{false, fileWithEntry("stop", "command: x, comand: y")},
		{false, fileWithEntry("stop", "type: command")},
		{false, fileWithEntry("stop", "type: shell, command: x")},
		{false, fileWithEntry("stop", "name: x")},
		{false, fileWithEntry("stop", "command: x, env: [A]")},
		{false, fileWithEntry("stop", "command: x, env: {A: {}}")},
		{true, fileWithEntry("stop", "command: x, sandbox: {read: [., /srv], write: [build], network: false}")},
		{true, fileWithEntry("stop", "command: x, sandbox: {}")},
		{true, fileWithEntry("stop", "command: x, sandbox: walls")},
		{true, fileWithEntry("stop", "command: x, sandbox: {profile: walls, network: false, write: [build]}")},
		{false, fileWithEntry("stop", "command: x, sandbox: wall")},
		{false, fileWithEntry("stop", "command: x, sandbox: {profile: x}")},
		{false, fileWithEntry("stop", "command: x, sandbox: true")},
		{false, fileWithEntry("stop", "command: x, sandbox: null")},
		{false, fileWithEntry("stop", "command: x, sandbox: {read: .}")},
		{false, fileWithEntry("stop", "command: x, sandbox: {network: none}")},
		{false, fileWithEntry("stop", "command: x, sandbox: {reads: [.]}")},
		{false, fileWithEntry("turn_start", "type: builtin, command: add_date, sandbox: {}")},

		{true, fileWithEntry("turn_start", "type: builtin, command: add_date")},
		{true, fileWithEntry("turn_start", "type: builtin, command: add_prompt_files, args: [README.md]")},
		{false, fileWithEntry("turn_start", "type: builtin, command: add_dat")},
		{false, fileWithEntry("turn_start", "type: builtin, command: [add_date]")},
		{false, fileWithEntry("turn_start", "type: builtin")},

		{true, fileWithEntry("stop", "url: https://example.com/, headers: {A: b}, allow_local: true")},
		{true, fileWithEntry("stop", "type: model, model: a/b, prompt: p, schema: pre_tool_use_decision, system_prompt: s, raw: true")},
		{false, fileWithEntry("stop", "type: http")},
		{false, fileWithEntry("stop", "url: https://example.com/, command: x")},
		{false, fileWithEntry("stop", "model: a/b")},
		{false, fileWithEntry("stop", "model: a/b, prompt: p, schema: other")},

		{true, fileWithEntry("pre_tool_use", "decision: deny, reason: 'r {{command}}', patch: {cmd: x, y: null, z: [1]}, context: c, notice: n")},
		{true, fileWithEntry("permission_request", "decision: allow")},
		{true, fileWithEntry("session_start", "context: c")},
		{true, fileWithEntry("session_start", "type: rule, decision: none, notice: n")},
		{false, fileWithEntry("stop", "decision: ask")},
		{false, fileWithEntry("stop", "decision: maybe")},
		{false, fileWithEntry("session_start", "decision: deny")},
		{false, fileWithEntry("permission_request", "decision: ask")},
		{false, fileWithEntry("post_tool_use", "decision: deny, patch: {a: b}")},
		{false, fileWithEntry("stop", "decision: deny, command: x")},

		{true, fileWithCondition("command: {regex: 'rm -rf'}")},
		{true, fileWithCondition("all: [{tool: {is: shell}}, {not: {paths: {under: .}}}]")},
		{true, fileWithCondition("any: [{tool: {in: [shell, write]}}, {tool_error: {is: true}}], cwd: {glob: ['/a/**', '/b']}")},
		{true, fileWithCondition("tool_input.count: {gt: 3}, tool_input.file.name: {is: x}, session_id: {exists: false}")},
		{false, fileWithCondition("")},
		{false, fileWithCondition("comand: {is: x}")},
		{false, fileWithCondition("command: {matches: x}")},
		{false, fileWithCondition("command: {is: 1}")},
		{false, fileWithCondition("command: {gt: 1}")},
		{false, fileWithCondition("command: rm")},
		{false, fileWithCondition("command: {}")},
		{false, fileWithCondition("tool_error: {contains: x}")},
		{false, fileWithCondition("tool: {in: []}")},
		{false, fileWithCondition("tool_input: {is: x}")},
		{false, fileWithCondition("all: []")},
		{false, fileWithCondition("all: {tool: {is: shell}}")},
		{false, fileWithCondition("not: [{tool: {is: shell}}]")},
	}
	for _, tt := range tests {
		node, _, err := yamldoc.Parse([]byte(tt.src))
		if err != nil {
			t.Errorf("%s: %v", tt.src, err)
			continue
		}
		err = check(node.JSON())
		if got := err == nil; got != tt.ok {
			t.Errorf("schema: %v for %s (%v)", got, tt.src, err)
		}
		err = loadNative([]byte(tt.src))
		if got := err == nil; got != tt.ok {
			t.Errorf("reader: %v for %s (%v)", got, tt.src, err)
		}
	}
}

// fileWithEntry returns a file with one hook.
func fileWithEntry(event, entry string) string {
	if entry == "" {
		return fmt.Sprintf("{version: 1, hooks: {%q: }}", event)
	}
	return fmt.Sprintf("{version: 1, hooks: {%q: [{%s}]}}", event, entry)
}

// fileWithCondition returns a file with one rule that has the condition cond.
func fileWithCondition(cond string) string {
	return fileWithEntry("pre_tool_use", "decision: deny, if: {"+cond+"}")
}

// TestExamplesInPages loads the configuration files that the pages contain.
func TestExamplesInPages(t *testing.T) {
	t.Parallel()
	src, _ := readSchema(t, "config")
	check := compileSchema(t, src)
	found := 0
	for _, f := range files(t) {
		if !strings.HasSuffix(f.Path, ".md") {
			continue
		}
		for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(f.Data), -1) {
			found++
			node, _, err := yamldoc.Parse([]byte(block[1]))
			if err == nil {
				err = errors.Join(check(node.JSON()), loadNative([]byte(block[1])))
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", f.Path, err, block[1])
			}
		}
	}
	if found == 0 {
		t.Error("no page has an example")
	}
}

// TestLinks checks the links between the generated pages, and from them to other pages.
func TestLinks(t *testing.T) {
	t.Parallel()
	made := map[string][]byte{}
	for _, f := range files(t) {
		made[f.Path] = f.Data
	}
	for _, f := range files(t) {
		for _, link := range regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`).FindAllStringSubmatch(string(f.Data), -1) {
			target := f.Path
			if link[1] != "" {
				target = path.Join(path.Dir(f.Path), link[1])
			}
			data, ok := made[target]
			if !ok {
				var err error
				if data, err = os.ReadFile(filepath.Join(root, filepath.FromSlash(target))); err != nil {
					t.Errorf("%s: %s leads nowhere", f.Path, link[0])
					continue
				}
			}
			if anchor := strings.TrimPrefix(link[2], "#"); anchor != "" && !conformance.HasHeading(data, anchor) {
				t.Errorf("%s: %s leads to no heading", f.Path, link[0])
			}
		}
	}
}
