package mockmodel

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHTTPFaults checks that faults that are HTTP errors have the format of each protocol, and end
// after their number of tries.
func TestHTTPFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind   FaultKind
		status map[Protocol]int // the entry for "" applies to all others
		code   map[Protocol]string
	}{
		{Unauthorized, map[Protocol]int{"": 401, Gemini: 400}, map[Protocol]string{"": "invalid_api_key", Anthropic: "authentication_error", Gemini: "API_KEY_INVALID"}},
		{Forbidden, map[Protocol]int{"": 403}, map[Protocol]string{"": "unsupported_country", Anthropic: "permission_error", Gemini: "PERMISSION_DENIED"}},
		{RateLimited, map[Protocol]int{"": 429}, map[Protocol]string{"": "rate_limit_exceeded", Anthropic: "rate_limit_error", Gemini: "RESOURCE_EXHAUSTED"}},
		{Failing, map[Protocol]int{"": 500}, map[Protocol]string{"": "server_error", Anthropic: "api_error", Gemini: "INTERNAL"}},
		{Overloaded, map[Protocol]int{"": 503, Anthropic: 529}, map[Protocol]string{"": "server_error", Anthropic: "overloaded_error", Gemini: "UNAVAILABLE"}},
		{Overflow, map[Protocol]int{"": 400, Responses: 200}, map[Protocol]string{"": "context_length_exceeded", Anthropic: "prompt is too long", Gemini: "exceeds the maximum number of tokens"}},
		{Blocked, map[Protocol]int{"": 400, Gemini: 200}, map[Protocol]string{"": "content_policy_violation", Anthropic: "content filtering", Gemini: "blockReason"}},
	}
	for _, p := range peers() {
		of := func(m map[Protocol]string) string {
			if s := m[p.protocol]; s != "" {
				return s
			}
			return m[""]
		}
		for _, tt := range tests {
			srv := startServer(t, Script{Turns: []Turn{{Text: "at last", Fault: Fault{Kind: tt.kind, After: "7", Times: 2}}}})
			want := tt.status[p.protocol]
			if want == 0 {
				want = tt.status[""]
			}
			for range 2 {
				res := post(t, srv.URL()+p.path(true), p.request(true, true, ""))
				body, err := io.ReadAll(res.Body)
				if err != nil || res.StatusCode != want || !strings.Contains(string(body), of(tt.code)) {
					t.Errorf("%s, %s: %d %s, %v", p.protocol, tt.kind, res.StatusCode, body, err)
				}
				if want != 200 && res.Header.Get("Retry-After") != "7" {
					t.Errorf("%s, %s: header %v", p.protocol, tt.kind, res.Header)
				}
			}
			if got := p.send(t, srv, true, true, ""); got.Text != "at last" || srv.Record()[2].Try != 3 {
				t.Errorf("%s, %s: then %+v", p.protocol, tt.kind, got)
			}
		}
	}
}

// TestInterruptedStream interrupts answers in the middle of a text and of a call.
func TestInterruptedStream(t *testing.T) {
	t.Parallel()
	for _, p := range peers() {
		for _, kind := range []FaultKind{Cut, Ended, ErrorEvent, Garbage} {
			for _, calls := range [][]Call{nil, {Shell("touch ran"), Shell("touch " + strings.Repeat("x", 999) + "second")}} {
				srv := startServer(t, Script{Turns: []Turn{{Text: "first and last", Calls: calls, Fault: Fault{Kind: kind}}}})
				res := post(t, srv.URL()+p.path(true), p.request(true, true, ""))
				body, err := io.ReadAll(res.Body)
				if lost := errors.Is(err, io.ErrUnexpectedEOF); lost != (kind == Cut) {
					t.Errorf("%s, %s: %v", p.protocol, kind, err)
				}
				got := string(body)
				if !strings.Contains(got, "first a") || strings.Contains(got, "and last") != (calls != nil) || strings.Contains(got, "second") {
					t.Errorf("%s, %s: %s", p.protocol, kind, got)
				}
				for _, end := range []string{"[DONE]", "message_stop", "response.completed", `"finishReason"`} {
					if strings.Contains(got, end) && !(p.protocol == Gemini && kind == Cut) {
						t.Errorf("%s, %s: has an end: %s", p.protocol, kind, got)
					}
				}
				if strings.Contains(got, "had an error") != (kind == ErrorEvent) || strings.Contains(got, "{{{") != (kind == Garbage) {
					t.Errorf("%s, %s: %s", p.protocol, kind, got)
				}
			}
		}
	}
}

// TestInterruptedBody interrupts answers that are not streamed.
func TestInterruptedBody(t *testing.T) {
	t.Parallel()
	for _, p := range peers() {
		srv := startServer(t, Script{Turns: []Turn{{Text: "all", Fault: Fault{Kind: Cut}}}})
		res := post(t, srv.URL()+p.path(false), p.request(false, true, ""))
		if body, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) || len(body) == 0 {
			t.Errorf("%s: %s, %v", p.protocol, body, err)
		}
		srv.Play(Script{Turns: []Turn{{Text: "all", Fault: Fault{Kind: ErrorEvent}}}})
		if res := post(t, srv.URL()+p.path(false), p.request(false, true, "")); res.StatusCode != 500 {
			t.Errorf("%s: %s", p.protocol, res.Status)
		}
		srv.Play(Script{Turns: []Turn{{Fault: Fault{Kind: Cut}}}})
		if res, err := http.Post(srv.URL()+p.path(true), "application/json", strings.NewReader(mustJSON(p.request(true, true, "")))); err == nil {
			t.Errorf("%s: %s, want no answer at all", p.protocol, res.Status)
			_ = res.Body.Close()
		}
	}
}

// TestSilenceAndFlood disconnects from servers that never finish their answer.
func TestSilenceAndFlood(t *testing.T) {
	t.Parallel()
	for _, p := range peers() {
		for _, stream := range []bool{false, true} {
			srv := startServer(t, Script{Turns: []Turn{{Text: "first and last", Fault: Fault{Kind: Flood}}}})
			res := post(t, srv.URL()+p.path(stream), p.request(stream, true, ""))
			if n, err := io.CopyN(io.Discard, res.Body, 3<<20); err != nil {
				t.Errorf("%s: %d bytes, %v", p.protocol, n, err)
			}
			_ = res.Body.Close()

			srv.Play(Script{Turns: []Turn{{Text: "first and last", Fault: Fault{Kind: Silence}}}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, "POST", srv.URL()+p.path(stream), strings.NewReader(mustJSON(p.request(stream, true, ""))))
			if err != nil {
				t.Fatal(err)
			}
			if !stream { // without streaming, no status is sent before the body
				go func() {
					for len(srv.Record()) == 0 {
						time.Sleep(time.Millisecond)
					}
					cancel()
				}()
			}
			res, err = http.DefaultClient.Do(req)
			if !stream {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v", p.protocol, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			heard := make([]byte, 1<<10)
			n, _ := res.Body.Read(heard)
			cancel()
			if _, err := io.ReadAll(res.Body); n == 0 || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %d bytes, %v", p.protocol, n, err)
			}
			_ = res.Body.Close()
		}
	}
}

// TestFinishReasons checks answers with unusual finish reasons.
func TestFinishReasons(t *testing.T) {
	t.Parallel()
	tests := []struct {
		turn Turn
		why  map[Protocol]string
	}{
		{Turn{Text: "x", Fault: Fault{Kind: Empty}}, map[Protocol]string{Chat: "stop", Anthropic: "end_turn", Gemini: "STOP"}},
		{Turn{Text: "x", Fault: Fault{Kind: Length}}, map[Protocol]string{Chat: "length", Anthropic: "max_tokens", Gemini: "MAX_TOKENS"}},
		{Turn{Text: "I will not", Fault: Fault{Kind: Refusal}}, map[Protocol]string{Chat: "stop", Anthropic: "refusal", Gemini: "SAFETY"}},
		{Turn{Fault: Fault{Kind: Refusal}}, map[Protocol]string{Chat: "content_filter", Anthropic: "refusal", Gemini: "SAFETY"}},
	}
	for _, p := range peers() {
		for _, stream := range []bool{false, true} {
			for _, tt := range tests {
				srv := startServer(t, Script{Turns: []Turn{tt.turn}})
				if p.protocol == Responses {
					res := post(t, srv.URL()+p.path(stream), p.request(stream, true, ""))
					body, err := io.ReadAll(res.Body)
					incomplete := tt.turn.Fault.Kind == Length || tt.turn.Text == ""
					if err != nil || strings.Contains(string(body), `"incomplete"`) != incomplete {
						t.Errorf("%s: %s, %v", tt.turn.Fault.Kind, body, err)
					}
					continue
				}
				got := p.send(t, srv, stream, true, "")
				if got.FinishReason != tt.why[p.protocol] || tt.turn.Fault.Kind == Empty && got.Text != "" {
					t.Errorf("%s, %s: %+v", p.protocol, tt.turn.Fault.Kind, got)
				}
			}
		}
	}
}

// TestUsage checks the usage in the fields of each protocol.
func TestUsage(t *testing.T) {
	t.Parallel()
	words := map[Protocol][]string{
		Chat:      {`"prompt_tokens":100`, `"cached_tokens":40`, `"completion_tokens":30`, `"reasoning_tokens":12`, `"total_tokens":130`},
		Responses: {`"input_tokens":100`, `"cached_tokens":40`, `"output_tokens":30`, `"reasoning_tokens":12`, `"total_tokens":130`},
		Anthropic: {`"input_tokens":55`, `"cache_read_input_tokens":40`, `"cache_creation_input_tokens":5`, `"output_tokens":30`, `"thinking_tokens":12`},
		Gemini:    {`"promptTokenCount":100`, `"cachedContentTokenCount":40`, `"candidatesTokenCount":18`, `"thoughtsTokenCount":12`, `"totalTokenCount":130`},
	}
	used := Usage{Input: 100, Output: 30, CachedRead: 40, CachedWrite: 5, Reasoning: 12}
	for _, p := range peers() {
		for _, stream := range []bool{false, true} {
			for _, offer := range []bool{false, true} {
				srv := startServer(t, Script{Turns: []Turn{{Text: "x", Usage: used}}, SideUsage: used})
				res := post(t, srv.URL()+p.path(stream), p.request(stream, offer, ""))
				body, err := io.ReadAll(res.Body)
				for _, w := range words[p.protocol] {
					if err != nil || !strings.Contains(string(body), w) {
						t.Errorf("%s: no %s in %s, %v", p.protocol, w, body, err)
					}
				}
			}
		}
	}
}

// TestSchemaAndKey checks that the record has the schema that an agent requests, and its key.
func TestSchemaAndKey(t *testing.T) {
	t.Parallel()
	want := objectSchema("decision")
	ask := map[Protocol]obj{
		Chat:      {"response_format": obj{"type": "json_schema", "json_schema": obj{"name": "n", "strict": true, "schema": want}}},
		Responses: {"text": obj{"format": obj{"type": "json_schema", "name": "n", "schema": want}}},
		Anthropic: {"output_config": obj{"format": obj{"type": "json_schema", "schema": want}}},
		Gemini:    {"generationConfig": obj{"responseJsonSchema": want}},
	}
	header := map[Protocol][2]string{Anthropic: {"X-Api-Key", "k"}, Gemini: {"X-Goog-Api-Key", "k"}}
	for _, p := range peers() {
		srv := startServer(t, Script{})
		body := p.request(true, true, "")
		for k, v := range ask[p.protocol] {
			body[k] = v
		}
		req, err := http.NewRequest("POST", srv.URL()+p.path(true), strings.NewReader(mustJSON(body)))
		if err != nil {
			t.Fatal(err)
		}
		h, ok := header[p.protocol]
		if !ok {
			h = [2]string{"Authorization", "Bearer k"}
		}
		req.Header.Set(h[0], h[1])
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if q, ok := srv.Record().LastTurn(); !ok || q.Key != "k" || string(q.Schema) != mustJSON(want) {
			t.Errorf("%s: key %q, schema %s", p.protocol, q.Key, q.Schema)
		}
		post(t, srv.URL()+p.path(true), p.request(true, true, ""))
		if q := srv.Record()[1]; q.Schema != nil || q.Key != "" {
			t.Errorf("%s: key %q, schema %s", p.protocol, q.Key, q.Schema)
		}
	}
}

// TestParallelCalls checks several calls in one turn.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	for _, p := range peers() {
		for _, stream := range []bool{false, true} {
			srv := startServer(t, Script{Turns: []Turn{{Calls: []Call{Shell("one"), Shell("two"), Shell("three")}}}})
			got := p.send(t, srv, stream, true, "")
			var ids []string
			for _, c := range got.Calls {
				ids = append(ids, c.ID)
			}
			if !slices.Equal(ids, []string{"call0n0", "call0n1", "call0n2"}) || !strings.Contains(got.Calls[2].Args, "three") {
				t.Errorf("%s: %+v", p.protocol, got)
			}
		}
	}
}
