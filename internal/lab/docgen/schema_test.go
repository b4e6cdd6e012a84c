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

// event is one of a row with everything in it.
func event(c *checkrein.Contract) checkrein.Event {
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

// TestInputSchema validates what hooks of the shared envelope are sent, and wrong
// values of every field.
func TestInputSchema(t *testing.T) {
	t.Parallel()
	src, _ := schema(t, "input")
	check := compile(t, src)
	for _, c := range eventRows() {
		for _, ev := range []checkrein.Event{{Kind: c.Kind}, event(&c)} {
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
			wrong(t, check, c.Name, name)
		}
	}
	for _, bad := range []string{`[]`, `{}`, `{"hook_event_name":"stop"}`, `{"session_id":"","cwd":"","hook_event_name":"Stop"}`} {
		if check([]byte(bad)) == nil {
			t.Errorf("accepted: %s", bad)
		}
	}
}

// wrong puts values of all wrong types in one field.
func wrong(t *testing.T, check func([]byte) error, event, name string) {
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

// TestOutputSchema compares the schema with the reader: what one accepts the
// other does.
func TestOutputSchema(t *testing.T) {
	t.Parallel()
	src, _ := schema(t, "output")
	check := compile(t, src)
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

// TestVerdictSchema prints outcomes that have everything in them: all of it is
// in the schema, and nothing else is.
func TestVerdictSchema(t *testing.T) {
	t.Parallel()
	src, decoded := schema(t, "verdict")
	check := compile(t, src)
	printed := map[string]bool{"event": true} // by eval itself, where a payload is several events
	for _, out := range []engine.Outcome{{}, fullOutcome(), ranOutcome()} {
		body := out.JSON(true)
		if err := check(body); err != nil {
			t.Errorf("%v\n%s", err, body)
		}
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		notePaths(printed, "", v)
	}
	described := map[string]bool{}
	describedPaths(described, "", decoded, decoded)
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

// notePaths notes the members of a value, as a.b; those of a list's elements are the list's.
func notePaths(out map[string]bool, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, val := range v {
			out[at+k] = true
			if at+k != "metadata" && at+k != "updated_input" { // whose members are the hooks'
				notePaths(out, below(at, k), val)
			}
		}
	case []any:
		for _, val := range v {
			notePaths(out, at, val)
		}
	}
}

// describedPaths notes the same of a schema.
func describedPaths(out map[string]bool, at string, schema map[string]any, root any) {
	if to, ok := schema["$ref"].(string); ok {
		schema, _ = atPath(root, strings.TrimPrefix(to, "#/")).(map[string]any)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		describedPaths(out, at, items, root)
	}
	members, _ := schema["properties"].(map[string]any)
	for k, val := range members {
		out[at+k] = true
		if below(at, k) != at {
			describedPaths(out, below(at, k), val.(map[string]any), root)
		}
	}
}

// below is where the members of a member are: parts have parts, which are the same.
func below(at, k string) string {
	if k == "parts" && strings.HasSuffix(at, "parts.") {
		return at
	}
	return at + k + "."
}

func atPath(v any, path string) any { return at(v, strings.Split(path, "/")...) }

func sortedPaths(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// TestFullOutcome: what the schema is held against has something in every field, so that
// a new one is not forgotten.
func TestFullOutcome(t *testing.T) {
	t.Parallel()
	unprinted := map[string]bool{ // which eval --json does not print
		"Outcome.Event": true, "Outcome.Overruled": true, "Outcome.Unasked": true, "Outcome.Acts": true, "Outcome.HostReason": true, "Outcome.Handle": true, "Outcome.Shadow": true, "Outcome.Doubted": true, // dropped has it, too
		"Step.Unapproved": true, "Step.Runs": true, "Lifted.Metadata": true, "Lifted.Because": true, "Passed.Metadata": true, "Passed.Because": true,
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
		Verdict: verdict, Dropped: dropped, Redo: &engine.Redo{Reason: "r", Attempt: 1, Limit: 3}, Canceled: true,
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

// ranOutcome comes from an engine: only it knows which hooks it asked.
func ranOutcome() engine.Outcome {
	handler := checkrein.HandlerFunc(func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Ask, Reason: "r"}}, nil
	})
	e := engine.New(engine.Options{
		Hooks:    []checkrein.Hook{{ID: "h", On: checkrein.PreToolUse, Run: "command"}},
		Handlers: []checkrein.HandlerType{{Name: "command", New: func(checkrein.Hook) (checkrein.Handler, error) { return handler, nil }}},
	})
	return e.Decide(context.Background(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "Bash"}})
}

// loads reports what is wrong with a native file, handlers included.
func loads(src []byte) error {
	file, err := native.Dialect.Parse(hookfile.Source{File: "checkrein.yaml", Data: src})
	stub := func(name string) checkrein.HandlerType {
		return checkrein.HandlerType{Name: name, New: func(checkrein.Hook) (checkrein.Handler, error) { return nil, nil }}
	}
	e := engine.New(engine.Options{Hooks: file.Hooks, Handlers: []checkrein.HandlerType{
		stub("command"), stub("http"), stub("model"), rule.Type("", nil), guard.Type(guard.Env{}),
	}})
	return errors.Join(err, e.Check(nil))
}

// TestConfigSchema compares the schema with the reader on examples: both
// accept them, or both refuse them.
func TestConfigSchema(t *testing.T) {
	t.Parallel()
	src, _ := schema(t, "config")
	check := compile(t, src)
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

		{true, on("stop", "command: make test")},
		{true, on("stop", "")},
		{true, "{version: 1, hooks: {stop: {command: make test}}}"},
		{true, on("native:FileChanged", "command: x")},
		{false, on("native:", "command: x")},
		{false, on("Stop", "command: x")},
		{false, on("stopp", "command: x")},
		{false, on("other", "command: x")},
		{false, "{version: 1, hooks: {stop: make test}}"},
		{false, "{version: 1, hooks: {stop: [make test]}}"},
		{false, "{version: 1, hooks: []}"},

		{true, on("pre_tool_use", "matcher: shell, preempt_yolo: true, hooks: [{type: command, command: x}]")},
		{true, on("pre_tool_use", "hooks: {type: command, command: x}")},
		{true, on("post_tool_use", "matcher: shell|read, hooks: [{command: x}]")},
		{false, on("post_tool_use", "preempt_yolo: true, hooks: [{command: x}]")},
		{false, on("stop", "matcher: shell, hooks: [{command: x}]")},
		{false, on("stop", "matcher: shell, command: x")},
		{false, on("pre_tool_use", "hooks: []")},
		{false, on("pre_tool_use", "hooks: [{command: x}], command: x")},
		{false, on("pre_tool_use", "matcher: 1, hooks: [{command: x}]")},

		{true, on("pre_tool_use", "type: command, name: n, command: [a, b], timeout: 1.5, env: {A: b, C: 1}, working_dir: d, on_error: block, strict_output: true, matcher: shell, priority: 1000, gate: true, rewrites: false")},
		{true, on("stop", "command: x, async: true, timeout: 86400")},
		{false, on("stop", "command: x, timeout: 86401")},
		{false, on("stop", "command: x, timeout: -1")},
		{true, on("stop", "command: x, timeout: 5s")},
		{true, on("stop", "command: x, timeout: 1m30s")},
		{false, on("stop", "command: x, timeout: soon")},
		{false, on("stop", "command: x, priority: 1001")},
		{false, on("stop", "command: x, priority: 1.5")},
		{false, on("stop", "command: x, on_error: explode")},
		{false, on("session_end", "command: x, on_error: block")},
		{false, on("stop", "command: x, args: [y]")},
		{false, on("stop", "command: x, comand: y")},
		{false, on("stop", "type: command")},
		{false, on("stop", "type: shell, command: x")},
		{false, on("stop", "name: x")},
		{false, on("stop", "command: x, env: [A]")},
		{false, on("stop", "command: x, env: {A: {}}")},
		{true, on("stop", "command: x, sandbox: {read: [., /srv], write: [build], network: false}")},
		{true, on("stop", "command: x, sandbox: {}")},
		{false, on("stop", "command: x, sandbox: true")},
		{false, on("stop", "command: x, sandbox: null")},
		{false, on("stop", "command: x, sandbox: {read: .}")},
		{false, on("stop", "command: x, sandbox: {network: none}")},
		{false, on("stop", "command: x, sandbox: {reads: [.]}")},
		{false, on("turn_start", "type: builtin, command: add_date, sandbox: {}")},

		{true, on("turn_start", "type: builtin, command: add_date")},
		{true, on("turn_start", "type: builtin, command: add_prompt_files, args: [README.md]")},
		{false, on("turn_start", "type: builtin, command: add_dat")},
		{false, on("turn_start", "type: builtin, command: [add_date]")},
		{false, on("turn_start", "type: builtin")},

		{true, on("stop", "url: https://example.com/, headers: {A: b}, allow_local: true")},
		{true, on("stop", "type: model, model: a/b, prompt: p, schema: pre_tool_use_decision, system_prompt: s, raw: true")},
		{false, on("stop", "type: http")},
		{false, on("stop", "url: https://example.com/, command: x")},
		{false, on("stop", "model: a/b")},
		{false, on("stop", "model: a/b, prompt: p, schema: other")},

		{true, on("pre_tool_use", "decision: deny, reason: 'r {{command}}', patch: {cmd: x, y: null, z: [1]}, context: c, notice: n")},
		{true, on("permission_request", "decision: allow")},
		{true, on("session_start", "context: c")},
		{true, on("session_start", "type: rule, decision: none, notice: n")},
		{false, on("stop", "decision: ask")},
		{false, on("stop", "decision: maybe")},
		{false, on("session_start", "decision: deny")},
		{false, on("permission_request", "decision: ask")},
		{false, on("post_tool_use", "decision: deny, patch: {a: b}")},
		{false, on("stop", "decision: deny, command: x")},

		{true, rules("command: {regex: 'rm -rf'}")},
		{true, rules("all: [{tool: {is: shell}}, {not: {paths: {under: .}}}]")},
		{true, rules("any: [{tool: {in: [shell, write]}}, {tool_error: {is: true}}], cwd: {glob: ['/a/**', '/b']}")},
		{true, rules("tool_input.count: {gt: 3}, tool_input.file.name: {is: x}, session_id: {exists: false}")},
		{false, rules("")},
		{false, rules("comand: {is: x}")},
		{false, rules("command: {matches: x}")},
		{false, rules("command: {is: 1}")},
		{false, rules("command: {gt: 1}")},
		{false, rules("command: rm")},
		{false, rules("command: {}")},
		{false, rules("tool_error: {contains: x}")},
		{false, rules("tool: {in: []}")},
		{false, rules("tool_input: {is: x}")},
		{false, rules("all: []")},
		{false, rules("all: {tool: {is: shell}}")},
		{false, rules("not: [{tool: {is: shell}}]")},
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
		err = loads([]byte(tt.src))
		if got := err == nil; got != tt.ok {
			t.Errorf("reader: %v for %s (%v)", got, tt.src, err)
		}
	}
}

// on is a file with one entry.
func on(event, entry string) string {
	if entry == "" {
		return fmt.Sprintf("{version: 1, hooks: {%q: }}", event)
	}
	return fmt.Sprintf("{version: 1, hooks: {%q: [{%s}]}}", event, entry)
}

// rules is a file with one condition.
func rules(cond string) string { return on("pre_tool_use", "decision: deny, if: {"+cond+"}") }

// TestExamplesInPages loads the files that the pages show.
func TestExamplesInPages(t *testing.T) {
	t.Parallel()
	src, _ := schema(t, "config")
	check := compile(t, src)
	found := 0
	for _, f := range files(t) {
		if !strings.HasSuffix(f.Path, ".md") {
			continue
		}
		for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(f.Data), -1) {
			found++
			node, _, err := yamldoc.Parse([]byte(block[1]))
			if err == nil {
				err = errors.Join(check(node.JSON()), loads([]byte(block[1])))
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

// TestLinks follows the links between the pages, and to pages that people wrote.
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
