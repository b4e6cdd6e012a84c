package export

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A signals is a collector of all signals, which refuses as many requests as refuse says.
type signals struct {
	mu      sync.Mutex
	refuse  int
	logs    []*logs.LogRecord
	spans   []*trace.Span
	metrics map[string]*metrics.Metric
}

func (s *signals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse > 0 {
		s.refuse--
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	body, _ := io.ReadAll(z)
	var l logs.LogsData
	var t trace.TracesData
	var m metrics.MetricsData
	switch r.URL.Path {
	case "/v1/logs":
		err = proto.Unmarshal(body, &l)
		s.logs = append(s.logs, l.ResourceLogs[0].ScopeLogs[0].LogRecords...)
	case "/v1/traces":
		err = proto.Unmarshal(body, &t)
		s.spans = append(s.spans, t.ResourceSpans[0].ScopeSpans[0].Spans...)
	case "/v1/metrics":
		err = proto.Unmarshal(body, &m)
		for _, one := range m.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			s.metrics[one.Name] = one
		}
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
	}
}

// TestLive checks that every record is a log record, that the events of a session are one trace, that
// figures add up, and that nothing is lost or sent twice if the collector fails.
func TestLive(t *testing.T) {
	t.Parallel()
	s := &signals{metrics: map[string]*metrics.Metric{}}
	server := httptest.NewServer(s)
	defer server.Close()
	l, err := NewLive(t.Context(), OTLPOptions{Endpoint: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	const events = 3
	for i := range events {
		l.Add(liveLine(i, "deny", "a"), nil)
	}
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	s.refuse = 2
	l.Add(liveLine(3, "none", "b"), nil)
	l.Add([]byte(`{"v":1,"seq":9,"kind":"person","time":"2026-10-01T12:00:00Z","hash":"00","act":"allow","call":"secret"}`), nil)
	l.Add([]byte("no record"), nil)
	for i := range 2 {
		if err := l.Flush(); err == nil {
			t.Errorf("flush %d: no error", i)
		}
	}
	if err := l.Flush(); err != nil {
		t.Error(err)
	}
	if err := l.Flush(); err != nil || len(s.logs) != events+2 || len(s.spans) != events+1 {
		t.Fatalf("%d log records and %d spans: %v", len(s.logs), len(s.spans), err)
	}
	first, other := s.spans[0], s.spans[events]
	if string(first.TraceId) != string(s.spans[1].TraceId) || string(first.TraceId) == string(other.TraceId) || string(first.SpanId) == string(s.spans[1].SpanId) || len(first.TraceId) != 16 || len(first.SpanId) != 8 {
		t.Errorf("%v", s.spans)
	}
	if a := attrs(first.Attributes); first.Name != "pre_tool_use Bash" || a["checkrein.decision"] != "deny" || first.EndTimeUnixNano-first.StartTimeUnixNano != 20e6 {
		t.Errorf("%s %v", first.Name, a)
	}
	counts := map[any]int64{}
	for _, p := range s.metrics["checkrein.events"].GetSum().DataPoints {
		counts[attrs(p.Attributes)["checkrein.answer"]] += p.GetAsInt()
	}
	if counts["deny"] != events || counts["none"] != 1 {
		t.Errorf("events: %v", counts)
	}
	for _, p := range s.metrics["checkrein.event.duration"].GetHistogram().DataPoints {
		if attrs(p.Attributes)["checkrein.answer"] == "deny" && (p.Count != events || p.GetSum() < .0599 || p.GetSum() > .0601 || p.BucketCounts[4] != events) {
			t.Errorf("durations: %v", p)
		}
	}
}

// liveLine returns the line of an event of a session.
func liveLine(n int, decision, session string) []byte {
	return fmt.Appendf(nil, `{"v":1,"seq":%d,"kind":"event","time":"2026-10-01T12:00:00Z","hash":"%016x%048d","event":"pre_tool_use","host":"claude","session":%q,"session_key":%q,"tool":{"name":"Bash"},"decision":%q,"ms":20}`, n+1, n+1, 0, session, session, decision)
}
