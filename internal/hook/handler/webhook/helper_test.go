package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
)

// names is a resolver that gives the same answers every time.
type names map[string][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	found, ok := n[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var out []netip.Addr
	for _, s := range found {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

// resolver is a function that is a Resolver.
type resolver func(ctx context.Context, host string) ([]netip.Addr, error)

func (f resolver) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	return f(ctx, host)
}

// makeHandler returns a handler created through its handler type.
func makeHandler(t *testing.T, opts Options, hook checkrein.Hook) *handler {
	t.Helper()
	h, err := tryHandler(opts, hook)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func tryHandler(opts Options, hook checkrein.Hook) (*handler, error) {
	if opts.Dialect == nil {
		opts.Dialect = dialect.Lookup
	}
	if opts.Environ == nil {
		opts.Environ = []string{}
	}
	if opts.Resolver == nil {
		opts.Resolver = names{}
	}
	if hook.On == checkrein.Other {
		hook.On = checkrein.PreToolUse
	}
	hook.ID, hook.Run = "h", "http"
	return newHandler(opts, hook) // with encryption or without
}

// localSettings returns the settings of a hook that calls a server of the test.
func localSettings(url string, more ...string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"url":%q,"allow_local":true%s}`, url, strings.Join(append([]string{""}, more...), ",")))
}

// shellEvent returns the event of a shell call on a host with its own names.
func shellEvent() checkrein.Event {
	return checkrein.Event{Kind: checkrein.PreToolUse, Host: "claude", Session: checkrein.Session{ID: "s", Dir: "/w"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: json.RawMessage(`{"command":"rm -rf /","n":12345678901234567890}`)}}
}

// serve runs a server that logs nothing.
func serve(t *testing.T, fn http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewUnstartedServer(fn)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Start()
	t.Cleanup(srv.Close)
	return srv
}

// respondWith returns a server handler that always sends the same response.
func respondWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// A requestLog records the requests of a server.
type requestLog struct {
	mu       sync.Mutex
	requests []request
}

type request struct {
	method, path, host string
	header             http.Header
	body               string
}

func (s *requestLog) watch(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, request{r.Method, r.URL.RequestURI(), r.Host, r.Header.Clone(), string(body)})
		s.mu.Unlock()
		next(w, r)
	}
}

func (s *requestLog) all() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// connectTo makes h connect to srv whatever address was checked. It returns a function that returns
// the addresses that were requested.
func connectTo(h *handler, srv *httptest.Server) func() []string {
	var mu sync.Mutex
	var asked []string
	h.guard.connect = func(ctx context.Context, network, addr string) (net.Conn, error) {
		mu.Lock()
		asked = append(asked, addr)
		mu.Unlock()
		return new(net.Dialer).DialContext(ctx, network, srv.Listener.Addr().String())
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return asked
	}
}

// wantError checks that err contains want.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one with %q", err, want)
	}
}
