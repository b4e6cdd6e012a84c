// Package models_test holds the providers against each other: whatever a server does,
// all of them make the same of it.
package models_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/models/anthropic"
	"github.com/checkrein/checkrein/models/google"
	"github.com/checkrein/checkrein/models/openai"
	"github.com/checkrein/checkrein/models/provider"
)

type wire struct {
	name string
	ask  provider.Wire
	base string // behind the server's address
}

func wires() []wire {
	return []wire{{line.OpenAI, openai.Ask, "/v1"}, {line.Anthropic, anthropic.Ask, ""}, {line.Google, google.Ask, ""}}
}

// testKey looks like one that opens nothing, and was never seen before.
var testKey = "sk-test-" + rand.Text() + rand.Text()

// A heard is what came of a call.
type heard struct {
	answer model.Answer
	kind   line.Kind // "" = there is an answer
	err    error
	text   string // as it came
	waits  []time.Duration
	record mockmodel.Record
}

// play plays a script on a wire.
func (w wire) play(t *testing.T, script mockmodel.Script, req model.Request, limits line.Limits) heard {
	t.Helper()
	srv := serve(t, script)
	h := w.call(t, t.Context(), srv.URL()+w.base, req, limits)
	h.record = srv.Record()
	if p := srv.Problems(); len(p) > 0 {
		t.Error(p)
	}
	return h
}

func serve(t *testing.T, script mockmodel.Script) *mockmodel.Server {
	t.Helper()
	srv, err := mockmodel.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return srv
}

func (w wire) call(t *testing.T, ctx context.Context, base string, req model.Request, limits line.Limits) heard {
	t.Helper()
	if limits.Idle == 0 {
		limits.Idle = time.Hour
	}
	limits.Connect = time.Hour
	c, err := provider.New(line.Settings{Wire: w.name, Provider: w.name, Model: "m", BaseURL: base, TokenKey: "KEY", Limits: limits}, req,
		func(string) string { return testKey })
	if err != nil {
		t.Fatal(err)
	}
	var h heard
	c.Wait = func(_ context.Context, d time.Duration) error {
		h.waits = append(h.waits, d)
		return nil
	}
	h.answer, h.err = c.Do(ctx, w.ask, func(s string) { h.text += s })
	var f *line.Fault
	if errors.As(h.err, &f) {
		h.kind = f.Kind
	}
	if h.err != nil && strings.Contains(h.err.Error(), testKey) {
		t.Errorf("the key is in the error: %v", h.err)
	}
	return h
}

func request() model.Request {
	return model.Request{
		Messages: []model.Message{{Role: model.System, Content: "You help."}, {Role: model.User, Content: "go"}},
		Tools:    []model.Definition{{Name: "shell", Description: "runs", Parameters: json.RawMessage(`{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"]}`)}},
	}
}

func shell(cmd string) mockmodel.Call {
	return mockmodel.Native("shell", map[string]any{"cmd": cmd})
}

// each runs a test on every wire.
func each(t *testing.T, f func(*testing.T, wire)) {
	t.Helper()
	for _, w := range wires() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			f(t, w)
		})
	}
}

// A row is something that a server does, and what comes of it on every wire.
type row struct {
	name    string
	turn    mockmodel.Turn
	limits  line.Limits
	kind    line.Kind
	text    string // heard while it came
	says    string // in the error
	tries   int    // at the server; negative = none or one
	waits   []time.Duration
	calls   int
	refused bool
}

func rows() []row {
	long := strings.Repeat("x", 999)
	calls := []mockmodel.Call{shell("ls"), shell("pwd"), shell(long)}
	fault := func(kind mockmodel.FaultKind) mockmodel.Fault { return mockmodel.Fault{Kind: kind} }
	passing := func(kind mockmodel.FaultKind, after string, times int) mockmodel.Fault {
		return mockmodel.Fault{Kind: kind, After: after, Times: times}
	}
	again := line.Limits{Retries: 2}
	replaced := line.Limits{Retries: 2, Replaced: true}
	said := mockmodel.Turn{Text: "first and last"}
	with := func(t mockmodel.Turn, f mockmodel.Fault) mockmodel.Turn { t.Fault = f; return t }
	silent := mockmodel.Turn{}
	calling := mockmodel.Turn{Text: "I look", Calls: calls}
	s := time.Second
	return []row{
		{name: "a text", turn: said, text: "first and last", tries: 1},
		{name: "text and calls", turn: calling, text: "I look", calls: 3, tries: 1},
		{name: "calls", turn: mockmodel.Turn{Calls: calls}, calls: 3, tries: 1},

		{name: "wrong key", turn: with(said, fault(mockmodel.Unauthorized)), limits: again, kind: line.Auth, says: "the key in the environment variable KEY was sent", tries: 1},
		{name: "status 401", turn: mockmodel.Turn{Status: 401, Text: testKey + " is wrong"}, limits: again, kind: line.Auth, says: "KEY was sent", tries: 1},
		{name: "forbidden", turn: with(said, fault(mockmodel.Forbidden)), limits: again, kind: line.Auth, says: "403 Forbidden", tries: 1},
		{name: "status 404", turn: mockmodel.Turn{Status: 404, Text: "no such model"}, kind: line.Refused, says: "does the server have the model", tries: 1},
		{name: "limited for a while", turn: with(said, passing(mockmodel.RateLimited, "7", 2)), limits: again, text: "first and last", tries: 3, waits: []time.Duration{7 * s, 7 * s}},
		{name: "limited", turn: with(said, fault(mockmodel.RateLimited)), limits: again, kind: line.Limit, says: "429 Too Many Requests", tries: 3, waits: []time.Duration{s, 2 * s}},
		{name: "limited for an hour", turn: with(said, passing(mockmodel.RateLimited, "3600", 0)), limits: again, kind: line.Limit, says: "it asks to wait for 1h0m0s", tries: 1},
		{name: "limited and replaced", turn: with(said, fault(mockmodel.RateLimited)), limits: replaced, kind: line.Limit, tries: 1},
		{name: "failing", turn: with(said, fault(mockmodel.Failing)), limits: again, kind: line.Other, says: "500 Internal Server Error", tries: 1},
		{name: "failing and replaced", turn: with(said, fault(mockmodel.Failing)), limits: replaced, kind: line.Other, tries: 3, waits: []time.Duration{s, 2 * s}},
		{name: "overloaded for a while", turn: with(said, passing(mockmodel.Overloaded, "", 1)), limits: again, text: "first and last", tries: 2, waits: []time.Duration{s}},
		{name: "overloaded", turn: with(said, passing(mockmodel.Overloaded, "3", 0)), limits: again, kind: line.Overloaded, tries: 3, waits: []time.Duration{3 * s, 3 * s}},
		{name: "too long a conversation", turn: with(said, fault(mockmodel.Overflow)), limits: again, kind: line.Overflow, tries: 1},
		{name: "blocked", turn: with(said, fault(mockmodel.Blocked)), limits: again, kind: line.Refused, tries: 1},

		{name: "an error in the stream", turn: with(said, fault(mockmodel.ErrorEvent)), limits: again, kind: line.Other, text: "first a", says: "had an error", tries: 1},
		{name: "an error and no more", turn: with(silent, fault(mockmodel.ErrorEvent)), limits: again, kind: line.Other, says: "had an error", tries: 1},
		{name: "cut in a text", turn: with(said, fault(mockmodel.Cut)), limits: again, kind: line.Broken, text: "first a", says: "broke off", tries: 1},
		{name: "cut in a call", turn: with(calling, fault(mockmodel.Cut)), limits: again, kind: line.Broken, text: "I look", says: "broke off", tries: 1},
		{name: "cut at once", turn: with(silent, fault(mockmodel.Cut)), limits: again, kind: line.Broken, says: "broke off", tries: 1},
		{name: "ended in a text", turn: with(said, fault(mockmodel.Ended)), limits: again, kind: line.Broken, text: "first a", says: "broke off", tries: 1},
		{name: "ended in a call", turn: with(calling, fault(mockmodel.Ended)), limits: again, kind: line.Broken, text: "I look", says: "broke off", tries: 1},
		{name: "ended at once", turn: with(silent, fault(mockmodel.Ended)), limits: again, kind: line.Broken, says: "broke off", tries: 1},
		{name: "garbage in a text", turn: with(said, fault(mockmodel.Garbage)), limits: again, kind: line.Garbled, text: "first a", says: "garbled at", tries: 1},
		{name: "garbage at once", turn: with(silent, fault(mockmodel.Garbage)), limits: again, kind: line.Garbled, says: "garbled at", tries: 1},
		{name: "without end", turn: with(silent, fault(mockmodel.Flood)), limits: again, kind: line.Garbled, says: "longer than", tries: 1, text: "*"},
		{name: "silence at once", turn: with(silent, fault(mockmodel.Silence)), limits: line.Limits{Idle: 50 * time.Millisecond, Retries: 2}, kind: line.Broken, says: "nothing arrived for 50ms", tries: -1},
		{name: "silence in a text", turn: with(said, fault(mockmodel.Silence)), limits: line.Limits{Idle: 50 * time.Millisecond, Retries: 2}, kind: line.Broken, says: "nothing arrived for 50ms", tries: -1, text: "*"},

		{name: "empty", turn: with(said, fault(mockmodel.Empty)), limits: again, kind: line.Broken, says: "empty", tries: 1},
		{name: "all that fits", turn: with(said, fault(mockmodel.Length)), limits: again, text: "first and last", tries: 1},
		{name: "nothing fits", turn: with(silent, fault(mockmodel.Length)), limits: again, kind: line.Broken, says: "max_tokens", tries: 1},
		{name: "a call that does not fit", turn: with(calling, fault(mockmodel.Length)), limits: again, kind: line.Broken, text: "I look", says: "raise max_tokens", tries: 1},
		{name: "a refusal with a reason", turn: with(said, fault(mockmodel.Refusal)), limits: again, text: "first and last", tries: 1, refused: true},
		{name: "a refusal", turn: with(silent, fault(mockmodel.Refusal)), limits: again, kind: line.Refused, says: "content filter", tries: 1},
	}
}

func TestEveryFaultOnEveryWire(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, w wire) {
				r.check(t, w.play(t, mockmodel.Script{Turns: []mockmodel.Turn{r.turn}}, request(), r.limits))
			})
		})
	}
}

func (r row) check(t *testing.T, h heard) {
	t.Helper()
	if h.kind != r.kind || (h.err == nil) != (r.kind == "") {
		t.Errorf("kind %q, want %q: %v", h.kind, r.kind, h.err)
	}
	if h.err != nil && !strings.Contains(h.err.Error(), r.says) {
		t.Errorf("error %v, want %s", h.err, r.says)
	}
	if len(h.record) != r.tries && (r.tries >= 0 || len(h.record) > 1) || !slices.Equal(h.waits, r.waits) {
		t.Errorf("%d tries, waits %v; want %d, %v", len(h.record), h.waits, r.tries, r.waits)
	}
	if r.text != "*" && h.text != r.text || h.err == nil && h.answer.Text != r.text {
		t.Errorf("it said %q, in the end %q, want %q", h.text, h.answer.Text, r.text)
	}
	if len(h.answer.ToolCalls) != r.calls || h.answer.Refused != r.refused {
		t.Errorf("%d calls, refused %v", len(h.answer.ToolCalls), h.answer.Refused)
	}
	for i, c := range h.answer.ToolCalls {
		var args struct{ Cmd string }
		if json.Unmarshal([]byte(c.Function.Arguments), &args) != nil || args.Cmd != r.turn.Calls[i].Args["cmd"] || c.Function.Name != "shell" || c.Type != "function" || c.ID == "" {
			t.Errorf("call %+v", c)
		}
	}
	for _, q := range h.record {
		if q.Key != testKey || !q.Stream || q.Model != "m" {
			t.Errorf("request %d: key %q, stream %v, model %s", q.N, q.Key, q.Stream, q.Model)
		}
	}
}

// A server may say with a date how long it wants to be left alone.
func TestRetryAfterADate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w wire) {
		at := time.Now().Add(50 * time.Second).UTC().Format(http.TimeFormat)
		fault := mockmodel.Fault{Kind: mockmodel.RateLimited, After: at, Times: 1}
		h := w.play(t, mockmodel.Script{Turns: []mockmodel.Turn{{Text: "then", Fault: fault}}}, request(), line.Limits{Retries: 1})
		if h.err != nil || len(h.waits) != 1 || h.waits[0] > 50*time.Second || h.waits[0] < 0 {
			t.Errorf("waits %v, %v", h.waits, h.err)
		}
	})
}

// A call that is given up ends at once, wherever it is.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	stop := errors.New("the person pressed Ctrl-C")
	for _, turn := range []mockmodel.Turn{{}, {Text: "first and last"}, {Calls: []mockmodel.Call{shell("ls")}}} {
		turn.Fault.Kind = mockmodel.Silence
		each(t, func(t *testing.T, w wire) {
			srv := serve(t, mockmodel.Script{Turns: []mockmodel.Turn{turn}})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			go func() {
				for len(srv.Record()) == 0 && ctx.Err() == nil {
					time.Sleep(time.Millisecond)
				}
				cancel(stop)
			}()
			if h := w.call(t, ctx, srv.URL()+w.base, request(), line.Limits{Retries: 2}); !errors.Is(h.err, stop) || len(srv.Record()) != 1 {
				t.Errorf("%v after %d tries", h.err, len(srv.Record()))
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w wire) {
		srv := serve(t, mockmodel.Script{})
		_ = srv.Close()
		if h := w.call(t, t.Context(), srv.URL()+w.base, request(), line.Limits{}); h.kind != line.Unreachable || !strings.Contains(h.err.Error(), "is base_url correct?") {
			t.Errorf("%s: %v", h.kind, h.err)
		}
	})
}

// What was consumed, as far as each provider says it.
func TestUsage(t *testing.T) {
	t.Parallel()
	used := mockmodel.Usage{Input: 100, Output: 30, CachedRead: 40, CachedWrite: 5, Reasoning: 12}
	each(t, func(t *testing.T, w wire) {
		want := model.Usage{Input: 100, Output: 30, CachedInput: 40, Reasoning: 12}
		if w.name == line.Anthropic { // the others do not count what they keep
			want.CachedWrite = 5
		}
		h := w.play(t, mockmodel.Script{Turns: []mockmodel.Turn{{Text: "x", Usage: used}}}, request(), line.Limits{})
		if h.err != nil || h.answer.Usage == nil || *h.answer.Usage != want {
			t.Errorf("usage %+v, %v, want %+v", h.answer.Usage, h.err, want)
		}
	})
}

// An answer may have to be of a form.
func TestSchema(t *testing.T) {
	t.Parallel()
	schema := `{"additionalProperties":false,"properties":{"decision":{"enum":["allow","deny"],"type":"string"}},"required":["decision"],"type":"object"}`
	each(t, func(t *testing.T, w wire) {
		req := request()
		req.Tools, req.Schema = nil, &model.Schema{Name: "verdict", JSON: json.RawMessage(schema)}
		h := w.play(t, mockmodel.Script{Side: `{"decision":"deny"}`}, req, line.Limits{})
		if h.err != nil || h.answer.Text != `{"decision":"deny"}` {
			t.Fatalf("%+v, %v", h.answer, h.err)
		}
		var got any
		if err := json.Unmarshal(h.record[0].Schema, &got); err != nil {
			t.Fatalf("no schema was sent: %s", h.record[0].Body)
		}
		if b, _ := json.Marshal(got); string(b) != schema {
			t.Errorf("schema %s", b)
		}
	})
}

// A conversation arrives as it is: instructions, texts, calls and what came of them,
// also where another model or a hook wrote a part of it.
func TestConversation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w wire) {
		req := request()
		call := func(id, args string) model.ToolCall {
			return model.ToolCall{ID: id, Type: "function", Function: model.Function{Name: "shell", Arguments: args}}
		}
		req.Messages = append(req.Messages,
			model.Message{Role: model.Assistant, Content: "I look", ToolCalls: []model.ToolCall{call("a1", `{"cmd":"ls <x> & y"}`), call("a2", "{broken")}},
			model.Message{Role: model.ToolRole, ToolCallID: "a1", Content: "a.txt"},
			model.Message{Role: model.User, Content: "a word of a hook"},
			model.Message{Role: model.ToolRole, ToolCallID: "a2", Content: "denied", IsError: true},
			model.Message{Role: model.Assistant, ToolCalls: []model.ToolCall{call("a3", `{"cmd":"true"}`)}},
			model.Message{Role: model.ToolRole, ToolCallID: "a3"},
			model.Message{Role: model.System, Content: "Be brief."},
			model.Message{Role: model.User, Content: "so\xff?"},
		)
		h := w.play(t, mockmodel.Script{}, req, line.Limits{})
		if h.err != nil || h.answer.Text != "done" {
			t.Fatalf("%+v, %v", h.answer, h.err)
		}
		q := h.record[0]
		all := strings.Join(q.Texts(), "|")
		for _, s := range []string{"You help.", "go", "I look", "a word of a hook", "Be brief.", "so\ufffd?"} {
			if strings.Count(all, s) != 1 {
				t.Errorf("%q is not in %s", s, all)
			}
		}
		var calls []string
		for _, m := range q.Messages {
			for _, c := range m.Calls {
				args := map[string]any{} // which Google's wire leaves out
				_ = json.Unmarshal([]byte(c.Args), &args)
				b, _ := json.Marshal(args)
				calls = append(calls, c.ID+" "+c.Name+" "+string(b))
			}
		}
		if got, want := strings.Join(calls, "|"), `a1 shell {"cmd":"ls \u003cx\u003e \u0026 y"}|a2 shell {}|a3 shell {"cmd":"true"}`; got != want {
			t.Errorf("calls %s\nwant  %s", got, want)
		}
		var results []string
		for _, r := range q.Results() {
			results = append(results, fmt.Sprint(r.ID, " ", r.Text, " ", r.IsError))
		}
		failed := w.name != line.OpenAI // whose wire has no word for it
		if got, want := strings.Join(results, "|"), fmt.Sprintf("a1 a.txt false|a2 denied %v|a3  false", failed); got != want {
			t.Errorf("results %s\nwant    %s", got, want)
		}
		if len(q.Tools) != 1 || q.Tools[0].Name != "shell" || q.Tools[0].Params["cmd"].Type != "string" || !slices.Equal(q.Tools[0].Required, []string{"cmd"}) {
			t.Errorf("tools %+v", q.Tools)
		}
	})
}

// Instructions alone are a question, too.
func TestInstructionsAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w wire) {
		h := w.play(t, mockmodel.Script{}, model.Request{Messages: []model.Message{{Role: model.System, Content: "Say ok."}}}, line.Limits{})
		if h.err != nil || h.answer.Text != "ok" || !h.record.ModelSaw("Say ok.") {
			t.Errorf("%+v, %v", h.answer, h.err)
		}
	})
}
