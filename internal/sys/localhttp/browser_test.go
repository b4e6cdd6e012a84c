package localhttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// start serves opts on a loopback port until the test ends, and returns its address and a function
// that ends it.
func start(t *testing.T, opts Options) (addr string, end func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- New(opts).Serve(ctx, ln) }()
	t.Cleanup(cancel)
	return ln.Addr().String(), func() error { cancel(); return <-ended }
}

// request returns the status, the content type and the body of the answer to a request with headers,
// each "Name: value".
func request(t *testing.T, method, addr, path string, headers ...string) (status int, kind, body string) {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Add(name, value)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), string(text)
}

func TestBrowsersGetPagesOfThisOriginOnly(t *testing.T) {
	t.Parallel()
	token, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })
	api := Route{Method: http.MethodGet, Path: "/v1/x", Token: true, Do: func(context.Context, *Request) Answer { return Answer{Body: []byte(`{}`)} }}
	addr, _ := start(t, Options{Routes: []Route{api}, Token: token, Browser: page})
	_, port, _ := net.SplitHostPort(addr)
	for _, tt := range []struct {
		name, method, path string
		headers            []string
		want               int
	}{
		{"typed", "GET", "/", []string{"Sec-Fetch-Site: none"}, 200},
		{"without the headers of browsers", "GET", "/", nil, 200},
		{"own page", "POST", "/x", []string{"Origin: http://" + addr, "Sec-Fetch-Site: same-origin"}, 200},
		{"localhost", "GET", "/", []string{"Host: localhost:" + port, "Origin: http://localhost:" + port}, 200},
		{"IPv6", "GET", "/", []string{"Host: [::1]:" + port}, 200},
		{"another site", "POST", "/", []string{"Origin: http://evil.example"}, 403},
		{"another port", "POST", "/", []string{"Origin: http://127.0.0.1:1"}, 403},
		{"another name of this machine", "POST", "/", []string{"Origin: http://localhost:" + port}, 403},
		{"https", "POST", "/", []string{"Origin: https://" + addr}, 403},
		{"no origin", "POST", "/", []string{"Origin: null"}, 403},
		{"two origins", "POST", "/", []string{"Origin: http://" + addr, "Origin: http://evil.example"}, 403},
		{"a frame or link of another site", "GET", "/", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"another port's page", "GET", "/", []string{"Sec-Fetch-Site: same-site"}, 403},
		{"rebinding", "GET", "/", []string{"Host: evil.example:" + port}, 421},
		{"rebinding with loopback in the name", "GET", "/", []string{"Host: 127.0.0.1.evil.example:" + port}, 421},
		{"another port in Host", "GET", "/", []string{"Host: localhost:1"}, 421},
		{"no port in Host", "GET", "/", []string{"Host: localhost"}, 421},
		{"traversal", "GET", "/static/../../etc/passwd", nil, 404},
		{"encoded traversal", "GET", "/static/%2e%2e/%2e%2e/etc/passwd", nil, 404},
		{"other method", "PUT", "/", nil, 405},
		{"API of a page", "GET", "/v1/x", []string{"Origin: http://" + addr, "Authorization: Bearer " + token.String()}, 403},
		{"unknown path of the API", "GET", "/v1/y", []string{"Authorization: Bearer " + token.String()}, 404},
		{"API", "GET", "/v1/x", []string{"Authorization: Bearer " + token.String()}, 200},
	} {
		if got, kind, body := request(t, tt.method, addr, tt.path, tt.headers...); got != tt.want {
			t.Errorf("%s: status %d, want %d (%s: %s)", tt.name, got, tt.want, kind, body)
		}
	}
}

func TestStreamsAreBoundedAndEndWithTheServer(t *testing.T) {
	t.Parallel()
	route := Route{Method: http.MethodGet, Path: "/v1/s", Stream: func(_ *Request, s *Stream) {
		_ = s.Send("7", "rows", []byte("a\nb"))
		<-s.Context().Done()
	}}
	addr, end := start(t, Options{Routes: []Route{route}, Limits: Limits{Streams: 2}})
	var open []*http.Response
	for range 2 {
		resp, err := http.Get("http://" + addr + "/v1/s")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		open = append(open, resp)
		in := bufio.NewReader(resp.Body)
		for _, want := range []string{":", "", "id: 7", "event: rows", "data: a", "data: b", ""} {
			if line, err := in.ReadString('\n'); strings.TrimSuffix(line, "\n") != want || err != nil {
				t.Errorf("%q, %v, want %q", line, err, want)
			}
		}
	}
	if status, _, body := request(t, "GET", addr, "/v1/s"); status != http.StatusServiceUnavailable || !strings.Contains(body, "too many streams") {
		t.Errorf("the third stream: %d %s", status, body)
	}
	_ = open[0].Body.Close()
	for { // the place is free as soon as the server has noticed
		resp, err := http.Get("http://" + addr + "/v1/s")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			break
		}
	}
	if err := end(); err != nil {
		t.Errorf("streams keep the server from ending: %v", err)
	}
}

func TestJoinLocalhost(t *testing.T) {
	t.Parallel()
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln, ok := JoinLocalhost(first)
	if !ok {
		t.Fatal("another program has the port")
	}
	if _, is := ln.(*pair); !is {
		t.Skip("this machine has no ::1")
	}
	for _, host := range []string{"127.0.0.1", "::1"} {
		c, err := net.Dial("tcp", net.JoinHostPort(host, strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ln.Accept()
		if err != nil || got.RemoteAddr().String() != c.LocalAddr().String() {
			t.Errorf("%s: %v, %v", host, got, err)
		}
		c.Close()
		got.Close()
	}
	again, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	taken, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", again.Addr().(*net.TCPAddr).Port))
	if err != nil {
		t.Skip(err)
	}
	if alone, ok := JoinLocalhost(taken); ok || alone != taken {
		t.Error("a port of another program counts as localhost")
	}
	taken.Close()
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after its end: %v", err)
	}
}
