package webhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/checkrein/checkrein"
)

// TestRebinding checks that only checked addresses are dialled, even if a name server first returns a
// public address and then this machine.
func TestRebinding(t *testing.T) {
	t.Parallel()
	srv := serve(t, respondWith(200, `{"decision":"block","reason":"no"}`))
	lookups := 0
	rebind := resolver(func(context.Context, string) ([]netip.Addr, error) {
		if lookups++; lookups == 1 {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	})
	h := makeHandler(t, Options{Resolver: rebind}, checkrein.Hook{With: []byte(`{"url":"http://rebind.example:8080/"}`)})
	asked := connectTo(h, srv)

	ans, err := h.Handle(t.Context(), shellEvent())
	if err != nil || ans.Decision != checkrein.Deny {
		t.Fatalf("got %v, %v", ans.Decision, err)
	}
	if got := asked(); !slices.Equal(got, []string{"93.184.216.34:8080"}) || lookups != 1 {
		t.Errorf("dialled %v after %d look-ups", got, lookups)
	}
	_, err = h.Handle(t.Context(), shellEvent())
	wantError(t, err, "the host rebind.example: 127.0.0.1 is this machine")
	if got := asked(); len(got) != 1 || lookups != 2 {
		t.Errorf("dialled %v after %d look-ups", got, lookups)
	}
}

// TestSocketIsGuarded checks that no forbidden address is reached even without resolve.
func TestSocketIsGuarded(t *testing.T) {
	t.Parallel()
	srv := serve(t, respondWith(200, "{}"))
	addr := srv.Listener.Addr().String()
	conn, err := newGuard(nil, false).connect(t.Context(), "tcp", addr)
	if err == nil {
		_ = conn.Close()
	}
	wantError(t, err, "127.0.0.1 is this machine")
	conn, err = newGuard(nil, true).connect(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	wantError(t, newGuard(nil, true).checkSocket(t.Context(), "tcp", "nonsense", nil), "not a valid address")
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		answers    []string
		allowLocal bool
		want       []string
		err        string
	}{
		{name: "public", answers: []string{"8.8.8.8", "2606:4700::1111"}, want: []string{"8.8.8.8", "2606:4700::1111"}},
		{name: "mapped", answers: []string{"::ffff:8.8.8.8"}, want: []string{"8.8.8.8"}},
		{name: "no answer", err: "has no address"},
		{name: "this machine", answers: []string{"127.0.0.1"}, err: "allow_local"},
		{name: "the last is forbidden", answers: []string{"8.8.8.8", "10.0.0.1"}, err: "10.0.0.1 is in a private network"},
		{name: "the first is forbidden", answers: []string{"::1", "8.8.8.8"}, err: "::1 is this machine"},
		{name: "mapped and forbidden", answers: []string{"::ffff:192.168.1.1"}, err: "(192.168.1.1) is in a private network"},
		{name: "local and permitted", answers: []string{"127.0.0.1", "8.8.8.8"}, allowLocal: true, want: []string{"127.0.0.1", "8.8.8.8"}},
		{name: "metadata among permitted", answers: []string{"127.0.0.1", "169.254.169.254"}, allowLocal: true, err: "hooks may not call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, respondWith(200, "{}"))
			h := makeHandler(t, Options{Resolver: names{"hook.example": tt.answers}},
				checkrein.Hook{With: fmt.Appendf(nil, `{"url":"http://hook.example/","allow_local":%v}`, tt.allowLocal)})
			asked := connectTo(h, srv)
			_, err := h.Handle(t.Context(), shellEvent())
			if tt.err != "" {
				wantError(t, err, tt.err)
				if got := asked(); got != nil {
					t.Errorf("dialled %v", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := asked(); !slices.Equal(got, []string{net.JoinHostPort(tt.want[0], "80")}) {
				t.Errorf("dialled %v, want the first of %v", got, tt.want)
			}
			got, err := h.guard.resolve(t.Context(), "hook.example")
			if err != nil || strings.Join(tt.want, " ") != strings.Trim(fmt.Sprint(got), "[]") {
				t.Errorf("got %v, %v, want %v", got, err, tt.want)
			}
		})
	}
	t.Run("unknown name", func(t *testing.T) {
		t.Parallel()
		h := makeHandler(t, Options{}, checkrein.Hook{With: []byte(`{"url":"https://nowhere.example/"}`)})
		_, err := h.Handle(t.Context(), shellEvent())
		wantError(t, err, "no such host")
	})
}

// TestDialTriesAll checks that the next address is tried if one refuses or does not respond.
func TestDialTriesAll(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for _, tt := range []struct {
		name   string
		silent bool // addresses that fail do not even refuse
		good   string
		want   []string
		err    error
		after  time.Duration
	}{
		{"the first", false, "1.1.1.1:80", []string{"1.1.1.1:80"}, nil, 0},
		{"the last, others refuse", false, "1.1.1.3:80", []string{"1.1.1.1:80", "1.1.1.2:80", "1.1.1.3:80"}, nil, 0},
		{"the last, others are silent", true, "1.1.1.3:80", []string{"1.1.1.1:80", "1.1.1.2:80", "1.1.1.3:80"}, nil, 2 * dialTimeout},
		{"none, all refuse", false, "", []string{"1.1.1.1:80", "1.1.1.2:80", "1.1.1.3:80"}, refused, 0},
		{"none, all are silent", true, "", []string{"1.1.1.1:80", "1.1.1.2:80", "1.1.1.3:80"}, context.DeadlineExceeded, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				g := newGuard(names{"a.example": {"1.1.1.1", "1.1.1.2", "1.1.1.3"}}, false)
				var got []string
				g.connect = func(ctx context.Context, _, addr string) (net.Conn, error) {
					got = append(got, addr)
					switch {
					case addr == tt.good:
						conn, _ := net.Pipe()
						return conn, nil
					case tt.silent:
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return nil, refused
				}
				began := time.Now()
				conn, err := g.dial(ctx, "tcp", "a.example:80")
				if !errors.Is(err, tt.err) || (conn == nil) != (tt.err != nil) {
					t.Errorf("got %v, %v, want %v", conn, err, tt.err)
				}
				if took := time.Since(began); took != tt.after || !slices.Equal(got, tt.want) {
					t.Errorf("tried %v in %v, want %v in %v", got, took, tt.want, tt.after)
				}
			})
		})
	}
	t.Run("a deadline ends the row", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		g := newGuard(names{"a.example": {"1.1.1.1", "1.1.1.2"}}, false)
		tries := 0
		g.connect = func(ctx context.Context, _, _ string) (net.Conn, error) {
			tries++
			cancel()
			return nil, ctx.Err()
		}
		if _, err := g.dial(ctx, "tcp", "a.example:80"); !errors.Is(err, context.Canceled) || tries != 1 {
			t.Errorf("got %v after %d tries", err, tries)
		}
	})
	t.Run("port 65536 is not valid", func(t *testing.T) {
		t.Parallel()
		_, err := newGuard(names{}, false).dial(t.Context(), "tcp", "a.example")
		wantError(t, err, "missing port")
	})
}

// TestContextEndsConnecting checks that the context limits lookups, connection attempts and
// handshakes, and that nothing continues after it ends.
func TestContextEndsConnecting(t *testing.T) {
	t.Parallel()
	type stage struct {
		with    string
		opts    Options
		prepare func(h *handler)
	}
	for _, tt := range []struct {
		name string
		// stage returns a hook that gets stuck; it reports on stuck when it
		// is, and on ended when what was stuck came to its end.
		stage func(t *testing.T, stuck, ended chan<- struct{}) stage
	}{
		{"looking up", func(_ *testing.T, stuck, ended chan<- struct{}) stage {
			return stage{with: `{"url":"http://a.example/"}`, opts: Options{Resolver: resolver(func(ctx context.Context, _ string) ([]netip.Addr, error) {
				close(stuck)
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			})}}
		}},
		{"looking up, by one that minds no context", func(t *testing.T, stuck, ended chan<- struct{}) stage {
			release := make(chan struct{})
			t.Cleanup(func() { close(release) })
			return stage{with: `{"url":"http://a.example/"}`, opts: Options{Resolver: resolver(func(context.Context, string) ([]netip.Addr, error) {
				close(stuck)
				close(ended) // only Handle has to come back
				<-release
				return nil, errors.New("late")
			})}}
		}},
		{"connecting", func(_ *testing.T, stuck, ended chan<- struct{}) stage {
			return stage{with: `{"url":"http://8.8.8.8/"}`, prepare: func(h *handler) {
				h.guard.connect = func(ctx context.Context, _, _ string) (net.Conn, error) {
					close(stuck)
					<-ctx.Done()
					close(ended)
					return nil, ctx.Err()
				}
			}}
		}},
		{"shaking hands", func(t *testing.T, stuck, ended chan<- struct{}) stage {
			addr := silentServer(t, stuck, ended)
			return stage{with: string(localSettings("https://" + addr + "/"))}
		}},
		{"waiting for an answer", func(t *testing.T, stuck, ended chan<- struct{}) stage {
			addr := silentServer(t, stuck, ended)
			return stage{with: string(localSettings("http://" + addr + "/"))}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stuck, ended := make(chan struct{}), make(chan struct{})
			s := tt.stage(t, stuck, ended)
			h := makeHandler(t, s.opts, checkrein.Hook{With: []byte(s.with)})
			if s.prepare != nil {
				s.prepare(h)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-stuck
				cancel()
			}()
			ans, err := h.Handle(ctx, shellEvent())
			if !errors.Is(err, context.Canceled) || !ans.IsZero() {
				t.Errorf("got %+v, %v", ans, err)
			}
			<-ended
		})
	}
	t.Run("a deadline", func(t *testing.T) {
		t.Parallel()
		stuck, ended := make(chan struct{}), make(chan struct{})
		h := makeHandler(t, Options{}, checkrein.Hook{With: localSettings("http://" + silentServer(t, stuck, ended) + "/")})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := h.Handle(ctx, shellEvent())
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// silentServer returns the address of a server that reads but never answers. It signals the first byte
// of a connection on stuck and its end on ended.
func silentServer(t *testing.T, stuck, ended chan<- struct{}) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		buf := make([]byte, 4096)
		_, err = conn.Read(buf)
		close(stuck)
		for err == nil {
			_, err = conn.Read(buf)
		}
		close(ended)
	}()
	return l.Addr().String()
}

// TestProxyOfTheEnvironmentIsIgnored checks that HTTP_PROXY and similar variables have no effect,
// because a proxy would dial itself.
func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	var proxy requestLog
	p := serve(t, proxy.watch(respondWith(200, `{"decision":"approve"}`)))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, p.URL)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	srv := serve(t, respondWith(200, `{"decision":"block","reason":"no"}`))
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	// A name, because no proxy is asked for addresses of this machine.
	h := makeHandler(t, Options{Resolver: names{"hook.example": {"127.0.0.1"}}}, checkrein.Hook{With: localSettings("http://hook.example:" + port + "/")})
	ans, err := h.Handle(t.Context(), shellEvent())
	if err != nil || ans.Decision != checkrein.Deny || len(proxy.all()) != 0 {
		t.Errorf("got %v, %v; the proxy saw %d requests", ans.Decision, err, len(proxy.all()))
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var got requestLog
	srv := serve(t, got.watch(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
			return
		}
		_, _ = w.Write([]byte(`{"decision":"block","reason":"no"}`))
	}))
	h := makeHandler(t, Options{Environ: []string{"TOKEN=x"}},
		checkrein.Hook{With: localSettings(srv.URL, `"headers":{"A":"${env.TOKEN}${env.OTHER}"}`, `"allowed_env":["TOKEN"]`)})
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if ans, err := h.Handle(t.Context(), shellEvent()); err != nil || ans.Decision != checkrein.Deny {
				t.Errorf("got %v, %v", ans.Decision, err)
			}
		})
	}
	wait.Wait()
	if n := len(got.all()); n != 32 {
		t.Errorf("%d requests, want 32", n)
	}
}
