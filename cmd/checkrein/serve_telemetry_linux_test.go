package main

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A collector gets all signals while the server runs, the last ones when it ends, and never the text of
// a call.
func TestServeSendsTelemetry(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string]string{}
	all := make(chan struct{}, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, _ := io.ReadAll(z)
		mu.Lock()
		defer mu.Unlock()
		if got[r.URL.Path] += string(body); len(got) == 3 {
			all <- struct{}{}
		}
	}))
	defer collector.Close()
	d := newDesk(t, "version: 1\n", "version: 1\n")
	if code, said := d.run("serve", "--otlp", "nowhere"); code != 2 || !strings.Contains(said, "OTLP endpoint") {
		t.Errorf("exit %d, %s", code, said)
	}
	s := d.serve("--otlp", collector.URL)
	send := func(session string) {
		t.Helper()
		if status, said, _ := s.post("/v1/events", `{"event":"pre_tool_use","session_id":"`+session+`","tool_name":"bash","tool_input":{"command":"echo hidden"}}`, "Authorization: Bearer "+s.token); status != 200 {
			t.Fatalf("%d %s", status, said)
		}
	}
	send("first")
	<-all
	send("last")
	s.interrupt()
	mu.Lock()
	defer mu.Unlock()
	for _, path := range []string{"/v1/logs", "/v1/traces"} {
		if !strings.Contains(got[path], "http:first") || !strings.Contains(got[path], "http:last") || strings.Contains(got[path], "hidden") {
			t.Errorf("%s: %q", path, got[path])
		}
	}
	if !strings.Contains(got["/v1/metrics"], "checkrein.event.duration") {
		t.Errorf("metrics: %q", got["/v1/metrics"])
	}
}
