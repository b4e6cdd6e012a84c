package export

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/build"
)

func TestOTLPRecords(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	lines := [][]byte{line(1, ledger.KindEvent, denied), line(2, ledger.KindPruned, pruned)}
	hashes := []string{hashOf(t, lines[0]), hashOf(t, lines[1])}
	s := c.newSink(t, OTLPOptions{Headers: map[string]string{"X-Key": "k", "Content-Type": "text/plain"}})
	writeAll(t, s, lines...)

	req := c.requests[0]
	if req.Method != http.MethodPost || req.URL.Path != "/v1/logs" {
		t.Errorf("%s %s", req.Method, req.URL)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip", "X-Key": "k", "User-Agent": "checkrein/" + build.Version,
	} {
		if got := req.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	data := c.got[0].ResourceLogs[0]
	if diff := cmp.Diff(map[string]any{"service.name": "checkrein", "service.version": build.Version}, attrs(data.Resource.Attributes)); diff != "" {
		t.Error(diff)
	}
	scope := data.ScopeLogs[0]
	if scope.Scope.Name != "checkrein" || scope.Scope.Version != build.Version {
		t.Errorf("scope %v", scope.Scope)
	}
	decision, own := scope.LogRecords[0], scope.LogRecords[1]
	if got := []any{decision.EventName, decision.SeverityText, int(decision.SeverityNumber), decision.Body.GetStringValue(), decision.TimeUnixNano, decision.ObservedTimeUnixNano}; !cmp.Equal(got,
		[]any{"checkrein.decision", "WARN2", 14, "deny pre_tool_use Bash: no force push", uint64(at(1).UnixNano()), uint64(at(1000).UnixNano())}) {
		t.Errorf("got %v", got)
	}
	if diff := cmp.Diff(map[string]any{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "Bash", "gen_ai.tool.call.id": "c1",
		"gen_ai.conversation.id": "s1", "gen_ai.agent.name": "coder",
		"checkrein.decision": "deny", "checkrein.reason": "no force push", "checkrein.event": "pre_tool_use",
		"checkrein.native_event": "PreToolUse", "checkrein.host": "claude", "checkrein.canonical_tool": "shell",
		"checkrein.hooks": []string{"guard", "lint"}, "checkrein.effects": []string{"deny", "context"},
		"checkrein.faults":       []string{"lint: exit 3"},
		"checkrein.dropped":      []string{"lint: rewrite_input: the host cannot", "allow: unsure"},
		"checkrein.redo_attempt": int64(2), "checkrein.policy": "sha256:aa", "checkrein.program": "checkrein 1.2",
		"checkrein.session_key": "k1", "checkrein.duration_ms": 1.5, "checkrein.seq": int64(1), "checkrein.hash": hashes[0],
	}, attrs(decision.Attributes)); diff != "" {
		t.Error(diff)
	}
	if own.EventName != "checkrein.ledger.pruned" || own.SeverityText != "INFO" || own.TimeUnixNano != uint64(at(2).UnixNano()) {
		t.Errorf("got %v", own)
	}
	if diff := cmp.Diff(map[string]any{
		"checkrein.ledger.segments": "[1,2]", "checkrein.ledger.reason": int64(7), "checkrein.ledger.plan": "age",
		"checkrein.ledger.bytes": int64(9007199254740993), "checkrein.ledger.signed": true, "checkrein.ledger.ratio": 0.5,
		"checkrein.seq": int64(2), "checkrein.hash": hashes[1],
	}, attrs(own.Attributes)); diff != "" {
		t.Error(diff)
	}
}

// An action of a person is a log record of its own, without the call, which contains a tool's input.
func TestOTLPPerson(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	raw := line(1, ledger.KindPerson, `"act":"allow","handle":"4f2a","grant":"g1","scope":"once","call":"git push --force","rules":["git/push-force"],"by":"me","why":"a release"`)
	hash := hashOf(t, raw)
	writeAll(t, c.newSink(t, OTLPOptions{}), raw)
	got := c.got[0].ResourceLogs[0].ScopeLogs[0].LogRecords[0]
	if got.EventName != "checkrein.person" || got.SeverityText != "INFO" || got.Body.GetStringValue() != "allow 4f2a g1 once by me: a release" {
		t.Errorf("got %v", got)
	}
	if diff := cmp.Diff(map[string]any{
		"checkrein.person.act": "allow", "checkrein.person.handle": "4f2a", "checkrein.person.grant": "g1", "checkrein.person.scope": "once",
		"checkrein.person.rules": `["git/push-force"]`, "checkrein.person.by": "me", "checkrein.person.why": "a release",
		"checkrein.seq": int64(1), "checkrein.hash": hash,
	}, attrs(got.Attributes)); diff != "" {
		t.Error(diff)
	}
}

func TestOTLPSeverity(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind, members string
		severity, errorType string
	}{
		{"none", "event", `"decision":"none"`, "INFO", ""},
		{"allow", "event", `"decision":"allow"`, "INFO", ""},
		{"ask", "event", `"decision":"ask"`, "WARN", ""},
		{"deny", "event", `"decision":"deny"`, "WARN2", ""},
		{"hook fault", "event", `"decision":"allow","plan":[{"hook":"h","outcome":"fault","fault":"exit 1"}]`, "WARN", ""},
		{"unreadable", "event", `"decision":"deny","fault":"no JSON"`, "ERROR", "unreadable_event"},
		{"tool failed", "event", `"decision":"none","tool":{"name":"t","failed":true}`, "INFO", "tool_failed"},
		{"canceled", "event", `"decision":"none","canceled":true`, "INFO", "canceled"},
		{"segment", "segment", ``, "INFO", ""},
		{"torn", "torn", ``, "WARN", ""},
		{"gap", "gap", ``, "ERROR", ""},
		{"unheard of", "news", ``, "INFO", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := line(1, tt.kind, tt.members)
			r, err := decodeRecord(raw)
			if err != nil {
				t.Fatal(err)
			}
			got := logRecord(r, raw, at(2))
			if got.SeverityText != tt.severity {
				t.Errorf("severity %s, want %s", got.SeverityText, tt.severity)
			}
			if e, _ := attrs(got.Attributes)["error.type"].(string); e != tt.errorType {
				t.Errorf("error.type %q, want %q", e, tt.errorType)
			}
		})
	}
}

func TestOTLPBatches(t *testing.T) {
	t.Parallel()
	const most = 64 << 10
	big := map[string]any{"reason": strings.Repeat("x", most/4)}
	tests := []struct {
		name    string
		batch   int
		records int
		more    map[string]any
		want    []int
	}{
		{"none", 2, 0, nil, nil},
		{"by number", 2, 5, nil, []int{2, 2, 1}},
		{"exactly", 2, 4, nil, []int{2, 2}},
		{"default", 0, defaultBatch + 1, nil, []int{defaultBatch, 1}},
		{"by size", 100, 5, big, []int{4, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t)
			var lines [][]byte
			for i := range tt.records {
				lines = append(lines, event(uint64(i), tt.more))
			}
			s := c.newSink(t, OTLPOptions{Batch: tt.batch})
			if tt.more != nil {
				s.maxBytes = most
			}
			writeAll(t, s, lines...)
			var got []int
			for _, data := range c.got {
				got = append(got, len(data.ResourceLogs[0].ScopeLogs[0].LogRecords))
			}
			if !cmp.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// status returns a google.rpc.Status, rejected an ExportLogsServiceResponse.
func status(message string) []byte {
	return protowire.AppendString(protowire.AppendTag(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 3), 2, protowire.BytesType), message)
}

func rejected(n uint64, message string) []byte {
	partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), n)
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), message)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
}

// The first of two batches of three is accepted; the collector's answer to the second varies.
func TestOTLPAnswers(t *testing.T) {
	t.Parallel()
	date := at(1000).Add(7 * time.Second).Format(http.TimeFormat)
	tests := []struct {
		name    string
		answers []answer // to the second batch; then 200
		waits   []string // before each try
		err     []string // in the error, nil = none
	}{
		{"busy, then not", []answer{{code: 503}, {code: 429}, {code: 502}, {code: 504}}, []string{"250ms-500ms", "500ms-1s", "1s-2s", "2s-4s"}, nil},
		{"busy for long", []answer{{code: 503}, {code: 503}, {code: 503}, {code: 503}, {code: 503, body: []byte("no")}}, []string{"250ms-500ms", "500ms-1s", "1s-2s", "2s-4s"},
			[]string{"503 Service Unavailable", `"no"`, "5 attempts", "delivered before that: 3"}},
		{"when to come back", []answer{{code: 429, after: "3"}, {code: 503, after: date}, {code: 503, after: "soon"}}, []string{"3s-3s", "6s-7s", "1s-2s"}, nil},
		{"much later", []answer{{code: 429, after: "3600"}}, nil, []string{"429", "wait for 1h0m0s", "delivered before that: 3"}},
		{"dropped connection", []answer{{hangUp: true}}, []string{"250ms-500ms"}, nil},
		{"bad data", []answer{{code: 400, kind: protobufType, body: status("seq is odd")}}, nil, []string{"400 Bad Request", `"seq is odd"`, "delivered before that: 3"}},
		{"long text", []answer{{code: 401, kind: "text/plain", body: []byte(strings.Repeat("a", quoteMax) + "b")}}, nil, []string{`401 Unauthorized: "` + strings.Repeat("a", quoteMax) + `";`}},
		{"control characters", []answer{{code: 500, body: []byte("\x1b[2J\xff")}}, nil, []string{`"\x1b[2J\xff"`}},
		{"too large", []answer{{code: 413}}, nil, []string{"413", "delivered before that: 3"}},
		{"some rejected", []answer{{code: 200, kind: protobufType, body: rejected(2, "too old")}}, nil, []string{`rejected by the receiver: 2: "too old"`, "delivered before that: 4"}},
		{"some rejected, in JSON", []answer{{code: 200, kind: "application/json; charset=utf-8", body: []byte(`{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"x"}}`)}}, nil, []string{`rejected by the receiver: 1: "x"`, "delivered before that: 5"}},
		{"more rejected than sent", []answer{{code: 200, kind: protobufType, body: rejected(99, "")}}, nil, []string{"rejected by the receiver: 99;", "delivered before that: 3"}},
		{"only advice", []answer{{code: 200, kind: protobufType, body: rejected(0, "upgrade")}}, nil, nil},
		{"no content", []answer{{code: 204}}, nil, nil},
		{"garbage", []answer{{code: 200, kind: protobufType, body: []byte{0xff, 0xff}}}, nil, nil},
		{"a web page", []answer{{code: 200, kind: "text/html", body: []byte("<html>")}}, nil, []string{"web page", "delivered before that: 3"}},
		{"sent elsewhere", []answer{{code: 307, location: "http://elsewhere.invalid/v1/logs?key=1"}}, nil, []string{"redirects to http://elsewhere.invalid/v1/logs,", "delivered before that: 3"}},
		{"sent to a page", []answer{{code: 302, location: "/login"}}, nil, []string{"redirects to http://127.0.0.1", "/login,"}},
		{"sent next door", []answer{{code: 308, location: "/other/v1/logs"}}, nil, nil},
		{"sent round and round", []answer{{code: 307, location: "/a"}, {code: 307, location: "/b"}, {code: 307, location: "/a"}, {code: 307, location: "/b"}}, nil, []string{"redirects to"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t)
			c.answers = append([]answer{{code: 200}}, tt.answers...)
			s := c.newSink(t, OTLPOptions{Batch: 3})
			var waits []time.Duration
			s.pause = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
			var err error
			for i := range uint64(6) {
				err = errors.Join(err, s.Write(event(i, nil)))
			}
			checkError(t, err, tt.err)
			checkWaits(t, waits, tt.waits)
			if again := s.Close(); (again == nil) != (err == nil) {
				t.Errorf("Close: %v", again)
			}
			if err == nil && s.delivered != 6 {
				t.Errorf("%d delivered", s.delivered)
			}
		})
	}
}

func checkError(t *testing.T, err error, want []string) {
	t.Helper()
	if (err != nil) != (want != nil) {
		t.Fatalf("got error %v, want %q", err, want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("no %q in %q", w, err)
		}
	}
}

func checkWaits(t *testing.T, got []time.Duration, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("waited %v, want %v", got, want)
	}
	for i, w := range want {
		from, to, _ := strings.Cut(w, "-")
		least, _ := time.ParseDuration(from)
		most, _ := time.ParseDuration(to)
		if got[i] < least || got[i] > most {
			t.Errorf("wait %d: %v, want %s", i+1, got[i], w)
		}
	}
}

// A receiver that hangs, or asks for a pause, is abandoned when the context is canceled.
func TestOTLPCanceled(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	for name, hanging := range map[string]answer{"hangs": {hang: true}, "hangs half-way": {code: 200, hang: true}, "asks to wait": {code: 503, after: "59"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t)
			c.answers = []answer{{code: 200}, hanging}
			ctx, cancel := context.WithCancelCause(t.Context())
			s := c.sinkCtx(ctx, t, OTLPOptions{Batch: 2})
			s.pause = func(ctx context.Context, d time.Duration) error { cancel(enough); return sleep(ctx, d) }
			c.onHang = func() { cancel(enough) }
			var err error
			for i := range uint64(4) {
				err = s.Write(event(i, nil))
			}
			if !errors.Is(err, enough) {
				t.Fatalf("got %v", err)
			}
			checkError(t, err, []string{"delivered before that: 2"})
			if err := s.Close(); !errors.Is(err, enough) {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

func TestOTLPUnreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	endpoint := server.URL
	server.Close()
	sink, err := OTLP(t.Context(), OTLPOptions{Endpoint: endpoint + "/?key=k" + "1"})
	if err != nil {
		t.Fatal(err)
	}
	s, waits := sink.(*otlpSink), 0
	s.pause = func(context.Context, time.Duration) error { waits++; return nil }
	if err := s.Write(event(1, nil)); err != nil {
		t.Fatal(err)
	}
	err = s.Close()
	checkError(t, err, []string{"5 attempts", "delivered before that: 0", endpoint + "/v1/logs"})
	if strings.Contains(err.Error(), "k1") {
		t.Errorf("the key shows: %v", err)
	}
	if waits != maxTries-1 {
		t.Errorf("waited %d times", waits)
	}
}

// A permanent error, here a server without TLS, is not retried.
func TestOTLPPermanentError(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := c.newSink(t, OTLPOptions{Endpoint: strings.Replace(c.url, "http:", "https:", 1)})
	s.pause = func(context.Context, time.Duration) error { t.Error("waited"); return nil }
	if err := s.Write(event(1, nil)); err != nil {
		t.Fatal(err)
	}
	checkError(t, s.Close(), []string{"HTTP response to HTTPS client"})
}

func TestOTLPBadLine(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := c.newSink(t, OTLPOptions{})
	if s.Write([]byte(`{`)) == nil {
		t.Error("it was taken")
	}
	writeAll(t, s, event(1, nil))
	if s.delivered != 1 {
		t.Errorf("%d delivered", s.delivered)
	}
}

// Names of tools come from models and may not be UTF-8, which protobuf rejects.
func TestOTLPNotUTF8(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	writeAll(t, c.newSink(t, OTLPOptions{}), []byte("{\"seq\":1,\"kind\":\"event\",\"tool\":{\"name\":\"\xff\"}}"), []byte("{\"seq\":2,\"kind\":\"gap\",\"a\xff\":[\"\xfe\"]}"))
	records := c.got[0].ResourceLogs[0].ScopeLogs[0].LogRecords
	if got := attrs(records[0].Attributes)["gen_ai.tool.name"]; got != "\uFFFD" {
		t.Errorf("got %q", got)
	}
	if got := attrs(records[1].Attributes)["checkrein.ledger.a\uFFFD"]; got != "[\"\uFFFD\"]" {
		t.Errorf("got %q", got)
	}
}

func TestOTLPEndpoint(t *testing.T) {
	t.Parallel()
	secret := "pass" + "word"
	tests := []struct{ in, want, err string }{
		{"http://localhost:4318", "http://localhost:4318/v1/logs", ""},
		{"http://localhost:4318/", "http://localhost:4318/v1/logs", ""},
		{"https://x.example/otlp", "https://x.example/otlp/v1/logs", ""},
		{"https://x.example/otlp//", "https://x.example/otlp/v1/logs", ""},
		{"HTTPS://x.example", "https://x.example/v1/logs", ""},
		{"https://x.example/v1/logs", "https://x.example/v1/logs", ""},
		{"https://x.example/a/v1/logs?key=1#f", "https://x.example/a/v1/logs?key=1", ""},
		{"https://x.example/?key=1", "https://x.example/v1/logs?key=1", ""},
		{"", "", "no OTLP endpoint"},
		{"localhost:4318", "", "neither http nor https"},
		{"grpc://localhost:4317", "", "neither http nor https"},
		{"unix:///run/x", "", "neither http nor https"},
		{"http://:4318", "", "names no host"},
		{"https:///v1/logs", "", "names no host"},
		{"http://u:" + secret + "@x y/", "", "not a URL"},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			got, err := signalURL(tt.in, "logs", false)
			if tt.err != "" {
				checkError(t, err, []string{tt.err, "such as http://localhost:4318"})
				if strings.Contains(fmt.Sprint(err), secret) {
					t.Errorf("the password shows: %v", err)
				}
				return
			}
			if err != nil || got.String() != tt.want {
				t.Errorf("got %v, %v", got, err)
			}
			if again, err := signalURL(got.String(), "logs", false); err != nil || again.String() != got.String() {
				t.Errorf("again: %v, %v", again, err)
			}
		})
	}
}

func TestOTLPHeaders(t *testing.T) {
	t.Parallel()
	secret := "to" + "ken"
	for name, value := range map[string]string{"": "x", "a b": "x", "a:": "x", "ä": "x", "A": secret + "\r\nB: c", "B": secret + "\x00"} {
		_, err := OTLP(t.Context(), OTLPOptions{Endpoint: "http://localhost", Headers: map[string]string{name: value}})
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %q: got %v", name, value, err)
		}
	}
}

func TestExactEndpoint(t *testing.T) {
	t.Parallel()
	u, err := signalURL("http://localhost:4318/ingest?x=1", "logs", true)
	if err != nil || u.String() != "http://localhost:4318/ingest?x=1" {
		t.Errorf("got %v, %v", u, err)
	}
}
