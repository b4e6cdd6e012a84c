package mockmodel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// startServer starts a server that is closed when the test ends.
func startServer(t *testing.T, s Script) *Server {
	t.Helper()
	srv, err := Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

func post(t *testing.T, url string, body any) *http.Response {
	t.Helper()
	b, ok := body.([]byte)
	if !ok {
		var err error
		if b, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	res, err := http.Post(url, "application/json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// A clientAnswer is an answer as a client reads it.
type clientAnswer struct {
	Text         string
	Calls        []ToolCall
	FinishReason string // why the model stopped
}

// A streamEvent is an event of a stream.
type streamEvent struct {
	name string
	data obj
	raw  string
}

func readEvents(t *testing.T, res *http.Response) []streamEvent {
	t.Helper()
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("content type %q, want a stream", got)
	}
	var all []streamEvent
	var next streamEvent
	for sc := bufio.NewScanner(res.Body); sc.Scan(); {
		line := sc.Text()
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			next.name = name
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			next.raw = data
			_ = json.Unmarshal([]byte(data), &next.data) // [DONE] is not JSON
		}
		if line == "" {
			all = append(all, next)
			next = streamEvent{}
		}
	}
	return all
}

func readObject(t *testing.T, res *http.Response) obj {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var v obj
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("answer %q: %v", b, err)
	}
	return v
}

// lookup returns the value at path in decoded JSON: strings are keys, numbers are indexes. It returns
// nil if there is none.
func lookup(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func lookupString(v any, path ...any) string { s, _ := lookup(v, path...).(string); return s }

func lookupList(v any, path ...any) []any { l, _ := lookup(v, path...).([]any); return l }

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// A wireConn is a connection with the bytes that were read from it and not yet used.
type wireConn struct {
	net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, srv *Server) wireConn {
	t.Helper()
	c, err := net.Dial("tcp", srv.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return wireConn{c, bufio.NewReader(c)}
}

func readResponse(t *testing.T, c wireConn, method string) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	return res
}
