package channel

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

const token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"

// elsewhere is where requests to servers of others go in tests: to one of the test.
var elsewhere sync.Map // a server's name → *url.URL

type detour struct{ http.RoundTripper }

func (d detour) RoundTrip(r *http.Request) (*http.Response, error) {
	if to, ok := elsewhere.Load(r.URL.Host); ok {
		r = r.Clone(r.Context())
		r.Host = r.URL.Host
		r.URL.Scheme, r.URL.Host = "http", to.(*url.URL).Host
	}
	if host := r.URL.Hostname(); host != "127.0.0.1" {
		return nil, errors.New("a test would have reached " + host)
	}
	return d.RoundTripper.RoundTrip(r)
}

func TestMain(m *testing.M) {
	http.DefaultTransport = detour{http.DefaultTransport}
	os.Exit(m.Run())
}

// A fakeService records requests and answers as configured.
type fakeService struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // path and body
	status   int
	answer   string
}

func newServer(t *testing.T, names ...string) *fakeService {
	s := &fakeService{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, r.URL.Path+" "+string(body))
		if s.status/100 == 3 {
			http.Redirect(w, r, "/elsewhere", s.status)
			return
		}
		if s.status != 0 {
			w.WriteHeader(s.status)
		}
		_, _ = io.WriteString(w, s.answer)
	}))
	t.Cleanup(s.Close)
	at, _ := url.Parse(s.URL)
	for _, n := range names {
		elsewhere.Store(n, at)
	}
	return s
}

func newSet(urls ...string) *Set {
	var list []setting.Channel
	for i, u := range urls {
		list = append(list, setting.Channel{Name: string(rune('a' + i)), URL: u, From: checkrein.Origin{File: "/c.yaml", Line: i + 1}})
	}
	return New(list, []string{"TOKEN=" + token, "EMPTY="})
}

// serviceCases returns the services with their success answers, and the token in each URL.
func serviceCases(s *fakeService) []struct{ name, url, ok, token string } {
	local := strings.TrimPrefix(s.URL, "http://")
	return []struct{ name, url, ok, token string }{
		{"telegram", "telegram://${env.TOKEN}@telegram?chats=@mychat", `{"ok":true,"result":{}}`, token},
		{"wecom", "wecom://693a91f6-7eee-4bc4-97a0-0ec2sifa5aaa", `{"errcode":0,"errmsg":"ok"}`, "693a91f6-7eee-4bc4-97a0-0ec2sifa5aaa"},
		{"wechat", "wechat://693a91f6-7eee-4bc4-97a0-0ec2sifa5aaa", `{"errcode":0,"errmsg":"ok"}`, "693a91f6-7eee-4bc4-97a0-0ec2sifa5aaa"},
		{"slack", "slack://hook:AAAAAAAAA-BBBBBBBBB-123456789123456789123456@webhook", "ok", "123456789123456789123456"},
		{"generic", "generic+http://" + local + "/hook/s3cr3t-t0ken?template=json", "", "s3cr3t-t0ken"},
		{"ntfy", "ntfy://:tk_AgQdq7mVBoFD37zQ@" + local + "/mytopic?scheme=http", `{}`, "tk_AgQdq7mVBoFD37zQ"},
	}
}

var others = []string{"api.telegram.org", "qyapi.weixin.qq.com", "hooks.slack.com"}

// Every service sends the text, and reports when it cannot: an error of the server, a page that is not
// its API's, a redirect, a missing server. No error has a token.
func TestServicesReportFailures(t *testing.T) {
	s := newServer(t, others...)
	gone := newServer(t)
	gone.Close()
	nowhere, _ := url.Parse(gone.URL)
	for _, k := range serviceCases(s) {
		t.Run(k.name, func(t *testing.T) {
			c := newSet(k.url)
			try := func(status int, answer string) error {
				s.mu.Lock()
				s.requests, s.status, s.answer = nil, status, answer
				s.mu.Unlock()
				return c.Send(t.Context(), "a", "the build is green")
			}
			if err := try(0, k.ok); err != nil || len(s.requests) != 1 || !strings.Contains(s.requests[0], "the build is green") {
				t.Fatalf("%v; heard %q", err, s.requests)
			}
			fails := func(what string, err error) {
				t.Helper()
				if err == nil {
					t.Errorf("%s: no error", what)
				} else if strings.Contains(err.Error(), k.token) || strings.Contains(err.Error(), "AAHdqTcv") || !strings.HasPrefix(err.Error(), "channel a: ") {
					t.Errorf("%s: %v", what, err)
				} else {
					t.Log(err)
				}
			}
			fails("500", try(500, "oh no"))
			fails("401 with the token in it", try(401, `{"ok":false,"description":"bad token `+k.token+`"}`))
			if k.name != "generic" && k.name != "ntfy" {
				fails("a page", try(0, "<html>log in</html>"))
				fails("another object", try(0, `{"ok":false,"errcode":7}`))
			}
			if k.name == "generic" || k.name == "telegram" {
				fails("redirect", try(307, ""))
				if len(s.requests) != 1 {
					t.Errorf("the redirect was followed: %q", s.requests)
				}
			}
			for _, n := range others {
				elsewhere.Store(n, nowhere)
				defer func() { at, _ := url.Parse(s.URL); elsewhere.Store(n, at) }()
			}
			c = newSet(strings.Replace(k.url, strings.TrimPrefix(s.URL, "http://"), nowhere.Host, 1))
			fails("nobody listens", c.Send(t.Context(), "a", "hi"))
		})
	}
}

// A canceled context ends the wait for a service that hangs.
func TestCancelHangingService(t *testing.T) {
	hang, let := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(hang); <-let }))
	defer s.Close()
	defer close(let)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-hang; cancel(errors.New("Ctrl-C")) }()
	err := newSet("generic+"+s.URL+"/s3cr3t-t0ken").Send(ctx, "a", "hi")
	if err == nil || !strings.Contains(err.Error(), "Ctrl-C") || !strings.Contains(err.Error(), "may have arrived") {
		t.Error(err)
	}
}

// Check reports what is wrong with a channel without sending anything, with a remedy and without the
// token.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"token": " " + token + "\n", "empty": "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, url, err string }{
		{"variable", "telegram://${env.TOKEN}@telegram?chats=1", ""},
		{"file", "telegram://${file:" + dir + "/token}@telegram?chats=1", ""},
		{"written", "telegram://" + token + "@telegram?chats=1", ""},
		{"local server", "generic+http://127.0.0.1:9/x", ""},
		{"variable that is not set", "telegram://${env.NO}@telegram?chats=1", "the variable NO in its URL is not set: set it"},
		{"variable that is empty", "telegram://${env.EMPTY}@telegram?chats=1", "the variable EMPTY in its URL is not set"},
		{"file that is not there", "telegram://${file:" + dir + "/no}@telegram?chats=1", "no such file"},
		{"empty file", "telegram://${file:" + dir + "/empty}@telegram?chats=1", "is empty: write the token into it"},
		{"relative file", "telegram://${file:token}@telegram?chats=1", "is relative: write an absolute path"},
		{"directory", "telegram://${file:" + dir + "}@telegram?chats=1", "cannot be read"},
		{"other braces", "telegram://${TOKEN}@telegram?chats=1", "neither ${env.NAME} nor ${file:PATH}"},
		{"open brace", "telegram://${env.TOKEN", "neither ${env.NAME} nor ${file:PATH}"},
		{"unknown service", "carrier://" + token + "@pigeon", "begin it with generic, ntfy, slack, telegram, wechat, wecom"},
		{"not a URL", "telegram://110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1\x7f@telegram", "cannot be parsed: write SCHEME://"},
		{"bad port", "generic://host:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/x", "cannot be parsed"},
		{"no chat", "telegram://" + token + "@telegram", "telegram rejects its URL"},
		{"bad token", "telegram://110201543-AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1@telegram?chats=1", "telegram rejects its URL: invalid telegram token: …"},
		{"bad key", "wecom://693a91f6.AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", "wecom rejects its URL"},
		{"own server", "telegram+http://127.0.0.1/x", "does not accept your own server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := newSet(tt.url).CheckChannel("a")
			switch {
			case tt.err == "" && err != nil:
				t.Error(err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("got %v", err)
			case err != nil && strings.Contains(err.Error(), "AAHdqTcv"):
				t.Errorf("the token is in %v", err)
			}
		})
	}
	if err := newSet().CheckChannel("a"); err == nil || !strings.Contains(err.Error(), "not configured: add its URL under channels: in your checkrein.yaml") {
		t.Error(err)
	}
}

// No error contains a part of a URL that could be a token.
func FuzzNoToken(f *testing.F) {
	for _, u := range []string{"telegram://%s@telegram", "generic://x/%s", "wecom://%s", "slack://%s@x", "ntfy://a:%s@h/t?x=%s", "%s", "%s://x", "generic+http://[%s]/", "telegram://a:%s@telegram?chats=1&preview=%s"} {
		f.Add(u)
	}
	f.Fuzz(func(t *testing.T, form string) {
		const secret = "Zq7mVBoFD37zQx9"
		raw := strings.ReplaceAll(form, "%s", secret)
		if _, err := openService(raw); err != nil && strings.Contains(form, "%s") && strings.Contains(hiddenInURL(raw).cleanText(err.Error()), secret) {
			t.Errorf("%q: %v", raw, err)
		}
	})
}
