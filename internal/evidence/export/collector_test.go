package export

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/protobuf/proto"
)

// A collector is an OTLP receiver on loopback that answers as a test configures it.
type collector struct {
	url     string
	answers []answer // used up one by one, then all is well
	onHang  func()

	mu       sync.Mutex
	requests []*http.Request
	got      []*logs.LogsData
}

type answer struct {
	code     int
	kind     string
	body     []byte
	after    string
	location string
	hangUp   bool
	hang     bool // half-way if there is a code
}

func newCollector(t testing.TB) *collector {
	c := &collector{}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// newSink returns a sink that sends to the collector. Its clock stands still, and it fails if it
// waits, unless the test allows that.
func (c *collector) newSink(t testing.TB, o OTLPOptions) *otlpSink {
	return c.sinkCtx(t.Context(), t, o)
}

func (c *collector) sinkCtx(ctx context.Context, t testing.TB, o OTLPOptions) *otlpSink {
	t.Helper()
	if o.Endpoint == "" {
		o.Endpoint = c.url
	}
	sink, err := OTLP(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	s := sink.(*otlpSink)
	s.now = func() time.Time { return at(1000) }
	return s
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, err := readLogs(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	a := answer{code: http.StatusOK}
	if len(c.answers) > 0 {
		a, c.answers = c.answers[0], c.answers[1:]
	}
	c.requests = append(c.requests, r)
	c.got = append(c.got, data)
	if a.hangUp {
		panic(http.ErrAbortHandler)
	}
	for name, v := range map[string]string{"Content-Type": a.kind, "Retry-After": a.after, "Location": a.location} {
		if v != "" {
			w.Header().Set(name, v)
		}
	}
	if a.hang {
		if a.code != 0 {
			w.Header().Set("Content-Length", "10")
			w.WriteHeader(a.code)
			w.(http.Flusher).Flush()
		}
		c.onHang()
		<-r.Context().Done() // the client has gone
		return
	}
	w.WriteHeader(a.code)
	w.Write(a.body)
}

func readLogs(r *http.Request) (*logs.LogsData, error) {
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	var data logs.LogsData
	return &data, proto.Unmarshal(raw, &data)
}

// attrs returns attributes as Go values.
func attrs(all []*common.KeyValue) map[string]any {
	out := map[string]any{}
	for _, kv := range all {
		switch v := kv.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[kv.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			out[kv.Key] = v.IntValue
		case *common.AnyValue_DoubleValue:
			out[kv.Key] = v.DoubleValue
		case *common.AnyValue_BoolValue:
			out[kv.Key] = v.BoolValue
		case *common.AnyValue_ArrayValue:
			var list []string
			for _, e := range v.ArrayValue.Values {
				list = append(list, e.GetStringValue())
			}
			out[kv.Key] = list
		}
	}
	return out
}
