package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/google/go-cmp/cmp"
)

func TestType(t *testing.T) {
	t.Parallel()
	row := Type(Options{})
	if got := row.Traits(&checkrein.Hook{}); row.Name != "http" || got != (checkrein.Traits{Rewrites: true}) {
		t.Errorf("got %q, %+v", row.Name, got)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, with, dialect string
		allowLocal          bool
		err                 string
	}{
		{name: "a URL", with: `{"url":"https://guard.example.com/"}`},
		{name: "null is absent", with: `{"url":"https://guard.example.com/","headers":null,"allow_local":null,"allowed_env":null}`},
		{name: "local, by the hook", with: `{"url":"http://localhost/","allow_local":true}`},
		{name: "local, by the environment", with: `{"url":"http://localhost/"}`, allowLocal: true},
		{name: "local, by the environment against the hook", with: `{"url":"http://localhost/","allow_local":false}`, allowLocal: true},
		{name: "nothing", with: ``, err: "hook settings: "},
		{name: "no object", with: `[]`, err: "hook settings: "},
		{name: "no URL", with: `{}`, err: "has no url"},
		{name: "an empty URL", with: `{"url":""}`, err: "has no url"},
		{name: "a URL that is a number", with: `{"url":1}`, err: "url must be a text"},
		{name: "local", with: `{"url":"http://localhost/"}`, err: "allow_local: true"},
		{name: "local, denied", with: `{"url":"http://localhost/","allow_local":false}`, err: "allow_local: true"},
		{name: "local in words", with: `{"url":"http://localhost/","allow_local":"yes"}`, err: "allow_local must be true or false"},
		{name: "metadata", with: `{"url":"http://169.254.169.254/","allow_local":true}`, err: "hooks may not call"},
		{name: "unknown dialect", with: `{"url":"https://guard.example.com/"}`, dialect: "klingon", err: `unknown dialect "klingon"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tryHandler(Options{AllowLocal: tt.allowLocal}, checkrein.Hook{With: json.RawMessage(tt.with), Dialect: tt.dialect})
			if tt.err != "" {
				wantError(t, err, tt.err)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	row := Type(Options{Dialect: dialect.Lookup})
	if h, err := row.New(checkrein.Hook{}); h != nil || err == nil {
		t.Errorf("got %v, %v, want no handler", h, err)
	}
}

// TestPayload checks that a server gets exactly what a program would get on its stdin.
func TestPayload(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.Table() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			var got requestLog
			srv := serve(t, got.watch(respondWith(200, "{}")))
			h := makeHandler(t, Options{}, checkrein.Hook{Dialect: d.Name, With: localSettings(srv.URL + "/hook?a=b%20c#part")})
			ans, err := h.Handle(t.Context(), shellEvent())
			if err != nil || !ans.IsZero() || ans.Log != "" || ans.Ignored != nil {
				t.Fatalf("got %+v, %v", ans, err)
			}
			payload, err := d.Encode(shellEvent())
			if err != nil {
				t.Fatal(err)
			}
			reqs := got.all()
			if len(reqs) != 1 {
				t.Fatalf("%d requests", len(reqs))
			}
			r := reqs[0]
			if r.body != string(payload) {
				t.Errorf("got  %s\nwant %s", r.body, payload)
			}
			if r.method != "POST" || r.path != "/hook?a=b%20c" || r.header.Get("Content-Length") != strconv.Itoa(len(payload)) {
				t.Errorf("got %s %s %v", r.method, r.path, r.header)
			}
		})
	}
	t.Run("one that cannot be written", func(t *testing.T) {
		t.Parallel()
		var got requestLog
		srv := serve(t, got.watch(respondWith(204, "")))
		h := makeHandler(t, Options{}, checkrein.Hook{Dialect: "docker-agent", With: localSettings(srv.URL)})
		ev := shellEvent()
		ev.Tool.Input = json.RawMessage(`{"command":"rm","cmd":"ls"}`)
		_, err := h.Handle(t.Context(), ev)
		wantError(t, err, "writing the payload: ")
		if len(got.all()) != 0 {
			t.Error("something was sent")
		}
	})
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const deny = `{"decision":"block","reason":"no"}`
	denied := checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"}
	for _, tt := range []struct {
		name    string
		on      checkrein.Kind
		strict  bool
		gate    bool
		dialect string
		status  int
		body    string
		want    checkrein.Verdict
		log     string
		err     string
	}{
		{name: "a denial", status: 200, body: deny, want: denied},
		{name: "created", status: 201, body: deny, want: denied},
		{name: "the last of the good", status: 299, body: deny, want: denied},
		{name: "approval", status: 200, body: `{"decision":"approve"}`, want: checkrein.Verdict{Decision: checkrein.Allow}},
		{name: "nested", status: 200, body: `{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}`,
			want: checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?"}},
		{name: "a rewrite", status: 200, body: `{"updated_input":{"command":"ls"}}`, want: checkrein.Verdict{Input: json.RawMessage(`{"command":"ls"}`)}},
		{name: "an empty object", status: 200, body: `{}`},
		{name: "empty", on: checkrein.Stop, status: 200},
		{name: "white space", on: checkrein.Stop, status: 200, body: " \n"},
		{name: "no content", on: checkrein.Stop, status: 204},
		{name: "reset content", on: checkrein.Stop, status: 205},
		{name: "text that means nothing", on: checkrein.SessionEnd, status: 200, body: "hello", log: "hello"},
		{name: "empty for Claude", dialect: "claude", status: 200},
		{name: "no content for Claude", dialect: "claude", status: 204},
		{name: "empty for starchild", dialect: "starchild", status: 200},
		{name: "white space for starchild", dialect: "starchild", status: 200, body: " \n"},
		{name: "no content for starchild", dialect: "starchild", status: 204},
		{name: "text for starchild", dialect: "starchild", status: 200, body: "ok", err: "not a single JSON object"},
		{name: "empty for docker-agent", dialect: "docker-agent", status: 200, err: "the gate's answer is empty"},
		{name: "empty for HOOK.md", dialect: "hookmd", status: 200, err: "the gate's answer is empty"},
		{name: "an object behind a mark", status: 200, body: "\ufeff" + deny, want: denied},
		{name: "text where it is context", on: checkrein.SessionStart, status: 200, body: "hello", want: checkrein.Verdict{Context: []string{"hello"}}},
		{name: "text with tags", on: checkrein.SessionStart, status: 200, body: "<note>hello</note>", want: checkrein.Verdict{Context: []string{"<note>hello</note>"}}},
		{name: "text, strictly", on: checkrein.SessionStart, strict: true, status: 200, body: "hello", err: "200 OK: strict_output: the answer is plain text"},
		{name: "as long as may be", status: 200, body: deny + strings.Repeat(" ", maxBody-len(deny)), want: denied},

		{name: "empty on a gate", status: 200, err: "200 OK: the gate's answer is empty: answer {} for no opinion"},
		{name: "white space on a gate", status: 200, body: " \n", err: "is empty"},
		{name: "no content on a gate", status: 204, err: "204 No Content: the gate's answer is empty"},
		{name: "reset content on a gate", status: 205, err: "is empty"},
		{name: "text on a gate", status: 200, body: "hello", err: "the gate's answer is not a single JSON object: answer {} for no opinion: hello"},
		{name: "null", status: 200, body: "null", err: "not a single JSON object"},
		{name: "a list", status: 200, body: "[1]", err: "not a single JSON object"},
		{name: "a list around it", status: 200, body: "[" + deny + "]", err: "not a single JSON object"},
		{name: "a JSON text", status: 200, body: `"allow"`, err: "not a single JSON object"},
		{name: "true", status: 200, body: "true", err: "not a single JSON object"},
		{name: "an object in a form", status: 200, body: "answer=" + deny, err: "not a single JSON object"},
		{name: "a script", status: 200, body: ")]}'\n" + deny, err: "not a single JSON object"},
		{name: "null for Claude", dialect: "claude", status: 200, body: "null", err: "not a single JSON object"},
		{name: "text for Claude", dialect: "claude", status: 200, body: "ok", err: "not a single JSON object"},
		{name: "empty for a gate of Claude's", dialect: "claude", gate: true, status: 200, err: "is empty"},
		{name: "empty for a marked gate", on: checkrein.Stop, gate: true, status: 204, err: "is empty"},
		{name: "too long", status: 200, body: deny + strings.Repeat(" ", maxBody-len(deny)+1), err: "longer than 1048576 bytes"},
		{name: "cut short", status: 200, body: `{"decision":"block"`, err: `200 OK: the answer is not one JSON object: `},
		{name: "not JSON, shown", status: 200, body: "{oops\x1b[31m", err: ": {oops [31m"},
		{name: "two objects", status: 200, body: `{}{}`, err: "not one JSON object"},
		{name: "an unknown word", status: 200, body: `{"decision":"maybe"}`, err: "decision must be one of"},
		{name: "not UTF-8", status: 200, body: "{\xff\xfe}", err: "not UTF-8"},
		{name: "a web page", on: checkrein.SessionStart, status: 200, body: "\n<!DOCTYPE html><title>Log in</title>", err: "web page: <!DOCTYPE html><title>Log in"},
		{name: "a web page without a doctype", status: 200, body: "<HTML>", err: "web page"},
		{name: "multiple choices", status: 300, body: deny, err: "300 Multiple Choices"},
		{name: "not modified", status: 304, err: "304 Not Modified: not a valid answer"},
		{name: "bad request", status: 400, body: deny, err: "400 Bad Request: not a valid answer: " + deny},
		{name: "unauthorized", status: 401, body: deny, err: "401 Unauthorized"},
		{name: "forbidden", status: 403, body: deny, err: "403 Forbidden"},
		{name: "not found", status: 404, err: "404 Not Found"},
		{name: "a denial on an error", status: 500, body: deny, err: "500 Internal Server Error: not a valid answer: " + deny},
		{name: "approval on an error", status: 502, body: `{"decision":"approve"}`, err: "502 Bad Gateway"},
		{name: "unavailable", status: 503, err: "503 Service Unavailable"},
		{name: "a status of its own", status: 799, body: "x", err: ": 799: not a valid answer: x"},
		{name: "an error page, made printable", status: 500, body: "a\r\n\tb\x00\x1b[2Jc\u202e\xffd", err: ": a b [2Jc \uFFFDd"},
		{name: "an error page, shortened", status: 500, body: strings.Repeat("ä", 5000), err: ": " + strings.Repeat("ä", 200) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, respondWith(tt.status, tt.body))
			h := makeHandler(t, Options{}, checkrein.Hook{On: tt.on, Strict: tt.strict, Gate: tt.gate, Dialect: tt.dialect, With: localSettings(srv.URL + "/secret")})
			ans, err := h.Handle(t.Context(), shellEvent())
			if tt.err != "" {
				wantError(t, err, tt.err)
				if !ans.IsZero() {
					t.Errorf("an opinion beside an error: %+v", ans.Verdict)
				}
				if err != nil && (len(err.Error()) > 1000 || strings.Contains(err.Error(), "/secret")) {
					t.Errorf("the error tells too much: %v", err)
				}
				if !strings.HasPrefix(tt.body, string(ans.Raw)) {
					t.Errorf("raw is %q", ans.Raw)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, ans.Verdict); diff != "" {
				t.Error(diff)
			}
			if ans.Log != tt.log || string(ans.Raw) != tt.body {
				t.Errorf("log %q, raw %d bytes", ans.Log, len(ans.Raw))
			}
		})
	}
}

// TestBrokenServers checks that servers that violate the protocol cause faults.
func TestBrokenServers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, said, err string }{
		{"nothing", "", "EOF"},
		{"no HTTP", "SSH-2.0-OpenSSH\r\n", "malformed HTTP response"},
		{"a body cut short", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"decision\":\"approve\"}", "reading the answer: unexpected EOF"},
		{"a chunk cut short", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{}", "reading the answer: unexpected EOF"},
		{"huge headers", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", maxHeader+1) + "\r\n\r\n", "headers exceeded"},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "101 Switching Protocols: not a valid answer"},
		{"an error cut short", "HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nboom", "500 Internal Server Error: not a valid answer: boom"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(conn, tt.said)
				_ = conn.Close()
			})
			h := makeHandler(t, Options{}, checkrein.Hook{With: localSettings(srv.URL)})
			ans, err := h.Handle(t.Context(), shellEvent())
			wantError(t, err, tt.err)
			if !ans.IsZero() {
				t.Errorf("got %+v", ans.Verdict)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + l.Addr().String()
		_ = l.Close()
		_, err = makeHandler(t, Options{}, checkrein.Hook{With: localSettings(url)}).Handle(t.Context(), shellEvent())
		var op *net.OpError
		if !errors.As(err, &op) || op.Op != "dial" {
			t.Errorf("got %v", err)
		}
	})
}

// TestSlowBody checks that a body that never ends does not outlast the context.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		want   func(error) bool
	}{
		{"of an answer", 200, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"of an error", 500, func(err error) bool {
			return err != nil && strings.Contains(err.Error(), `500 Internal Server Error: not a valid answer: {"decision":`)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client is gone
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, `{"decision":`)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			})
			h := makeHandler(t, Options{}, checkrein.Hook{With: localSettings(srv.URL)})
			h.guard.connect = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, addr)
				return &onRead{Conn: conn, want: `{"decision":`, then: cancel}, err
			}
			ans, err := h.Handle(ctx, shellEvent())
			if !tt.want(err) || !ans.IsZero() {
				t.Errorf("got %+v, %v", ans.Verdict, err)
			}
		})
	}
}

// An onRead calls a function once a certain text was read.
type onRead struct {
	net.Conn
	got, want string
	then      func()
}

func (c *onRead) Read(b []byte) (int, error) {
	if strings.Contains(c.got, c.want) {
		c.then() // the reader has had it and wants more
	}
	n, err := c.Conn.Read(b)
	c.got += string(b[:n])
	return n, err
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	const deny = `{"decision":"block","reason":"no"}`
	for _, tt := range []struct {
		name   string
		on     checkrein.Kind
		status int
		to     string // {other} is another server
		public bool   // the hook's own server has a public address
		here   []string
		there  []string // paths and authorization
		err    string
	}{
		{name: "307", status: 307, to: "/b", here: []string{"/a t0p", "/b t0p"}},
		{name: "308", status: 308, to: "/b?x=1", here: []string{"/a t0p", "/b?x=1 t0p"}},
		{name: "relative", status: 308, to: "b", here: []string{"/a t0p", "/b t0p"}},
		{name: "another origin", on: checkrein.Stop, status: 307, to: "{other}/c", here: []string{"/a t0p"}, there: []string{"/c "}},
		{name: "another origin and back", on: checkrein.Stop, status: 307, to: "{other}/back", here: []string{"/a t0p", "/b "}, there: []string{"/back "}},
		{name: "a gate to another origin", status: 307, to: "{other}/c", here: []string{"/a t0p"}, err: "but a gate may call only the server in its url: use the final URL"},
		{name: "in the clear", on: checkrein.Stop, status: 307, to: "http://far.example/c", here: []string{"/a t0p"}, err: "which is not encrypted: use a URL that does not leave https"},
		{name: "a loop", status: 308, to: "/a", here: []string{"/a t0p", "/a t0p", "/a t0p", "/a t0p"}, err: "308 Permanent Redirect: more than 3 redirects: use the final URL"},
		{name: "301", status: 301, to: "/b", here: []string{"/a t0p"}, err: "301 Moved Permanently: redirects to"},
		{name: "302", status: 302, to: "/b", here: []string{"/a t0p"}, err: "would lose the event: use the final URL"},
		{name: "303", status: 303, to: "{other}/c", here: []string{"/a t0p"}, err: "use the final URL"},
		{name: "to nowhere", status: 307, to: "", here: []string{"/a t0p"}, err: "307 Temporary Redirect: the server redirects, but gives no address"},
		{name: "to nonsense", status: 307, to: "http://[", here: []string{"/a t0p"}, err: "redirect: "},
		{name: "to metadata", status: 307, to: "http://169.254.169.254/latest/", here: []string{"/a t0p"}, err: "redirect: url: 169.254.169.254 is a cloud metadata service"},
		{name: "to metadata in disguise", status: 308, to: "//0xa9fea9fe/", here: []string{"/a t0p"}, err: "hooks may not call"},
		{name: "to metadata by name", on: checkrein.Stop, status: 307, to: "https://meta.example/", here: []string{"/a t0p"}, err: "the host meta.example: 169.254.169.254 is"},
		{name: "to a file", status: 307, to: "file:///etc/passwd", here: []string{"/a t0p"}, err: `the scheme is "file"`},
		{name: "with a password", status: 307, to: "http://joe:secret@hook.example/", here: []string{"/a t0p"}, err: "credentials"},
		{name: "to this machine", status: 307, public: true, to: "{other}/c", here: []string{"/a t0p"}, err: "redirect: url: 127.0.0.1 is this machine: set allow_local: true"},
		{name: "to this machine by name", on: checkrein.Stop, status: 308, public: true, to: "https://here.example/c", here: []string{"/a t0p"}, err: "the host here.example: 127.0.0.1 is this machine"},
		{name: "to localhost", status: 308, public: true, to: "http://localhost/c", here: []string{"/a t0p"}, err: "the host localhost is this machine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var here, there requestLog
			var home, other string
			mux := http.NewServeMux()
			mux.HandleFunc("/a", func(w http.ResponseWriter, _ *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "c", Value: "1", Path: "/"})
				if tt.to != "" {
					w.Header().Set("Location", strings.Replace(tt.to, "{other}", other, 1))
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, `{"decision":"approve"}`)
			})
			mux.HandleFunc("/b", respondWith(200, deny))
			srv := serve(t, here.watch(mux.ServeHTTP))
			far := serve(t, there.watch(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/back" {
					http.Redirect(w, r, home+"/b", http.StatusPermanentRedirect)
					return
				}
				respondWith(200, deny)(w, r)
			}))
			home, other = srv.URL, far.URL
			with := localSettings(home+"/a", `"headers":{"Authorization":"t0p","X-Own":"t0p"}`)
			if tt.public {
				with = json.RawMessage(`{"url":"http://hook.example/a","headers":{"Authorization":"t0p","X-Own":"t0p"}}`)
			}
			h := makeHandler(t, Options{Resolver: names{"hook.example": {"8.8.8.8"}, "here.example": {"127.0.0.1"}, "meta.example": {"169.254.169.254"}}},
				checkrein.Hook{On: tt.on, With: with})
			if tt.public {
				connectTo(h, srv)
			}
			ans, err := h.Handle(t.Context(), shellEvent())
			if tt.err != "" {
				wantError(t, err, tt.err)
				if !ans.IsZero() || err != nil && strings.Contains(err.Error(), "secret") {
					t.Errorf("got %+v, %v", ans.Verdict, err)
				}
			} else if err != nil || ans.Decision != checkrein.Deny {
				t.Errorf("got %v, %v", ans.Decision, err)
			}
			payload, _ := h.dialect.Encode(shellEvent())
			for _, side := range []struct {
				name string
				got  []request
				want []string
			}{{"here", here.all(), tt.here}, {"there", there.all(), tt.there}} {
				var got []string
				for _, r := range side.got {
					got = append(got, r.path+" "+r.header.Get("Authorization"))
					if r.method != "POST" || r.body != string(payload) || r.header.Get("Cookie") != "" || r.header.Get("Referer") != "" ||
						r.header.Get("X-Own") != r.header.Get("Authorization") || r.header.Get("Content-Type") != "application/json" {
						t.Errorf("%s got %+v", side.name, r)
					}
				}
				if !slices.Equal(got, side.want) {
					t.Errorf("%s got %q, want %q", side.name, got, side.want)
				}
			}
		})
	}
}

// TestLocalize checks that a rewrite in the dialect's names is translated to the host's.
func TestLocalize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, dialect, body, want, err string }{
		{"docker-agent's words", "docker-agent", `{"hook_specific_output":{"updated_input":{"cmd":"ls"}}}`, `{"command":"ls"}`, ""},
		{"native words", "native", `{"updated_input":{"command":"ls"}}`, `{"command":"ls"}`, ""},
		{"the same twice", "docker-agent", `{"hook_specific_output":{"updated_input":{"cmd":"ls","command":"rm"}}}`, "", "twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, respondWith(200, tt.body))
			h := makeHandler(t, Options{}, checkrein.Hook{Dialect: tt.dialect, With: localSettings(srv.URL)})
			ans, err := h.Handle(t.Context(), shellEvent())
			if tt.err != "" {
				wantError(t, err, tt.err)
				return
			}
			if err != nil || string(ans.Input) != tt.want {
				t.Errorf("got %s, %v, want %s", ans.Input, err, tt.want)
			}
		})
	}
}

// TestDialectRules checks that the rules of a dialect apply to answers of servers as to those of
// programs.
func TestDialectRules(t *testing.T) {
	t.Parallel()
	d, _ := dialect.Lookup("native")
	strict := *d
	strict.Form.KnownKeys = true
	srv := serve(t, respondWith(200, `{"updated_input":{"command":"ls","new":1}}`))
	h := makeHandler(t, Options{Dialect: func(string) (*hookfile.Dialect, bool) { return &strict, true }}, checkrein.Hook{With: localSettings(srv.URL)})
	ans, err := h.Handle(t.Context(), shellEvent())
	if err != nil || string(ans.Input) != `{"command":"ls"}` || len(ans.Ignored) != 1 {
		t.Errorf("got %s, ignored %q, %v", ans.Input, ans.Ignored, err)
	}
}

// TestLog checks that checkrein's own messages precede those of the hook.
func TestLog(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		want   string
	}{
		{"an answer", 200, "${env.TOKEN} is left empty: list TOKEN in allowed_env to send it\nfrom the hook"},
		{"a fault", 401, "${env.TOKEN} is left empty: list TOKEN in allowed_env to send it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, respondWith(tt.status, `{"log":"from the hook"}`))
			h := makeHandler(t, Options{Environ: []string{"TOKEN=t0p"}}, checkrein.Hook{With: localSettings(srv.URL, `"headers":{"A":"${env.TOKEN}"}`)})
			ans, err := h.Handle(t.Context(), shellEvent())
			if ans.Log != tt.want || strings.Contains(fmt.Sprint(ans, err), "t0p") {
				t.Errorf("got %q, %v, want %q", ans.Log, err, tt.want)
			}
		})
	}
}
