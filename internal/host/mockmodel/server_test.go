package mockmodel

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestNoModelNeeded(t *testing.T) {
	t.Parallel()
	srv := startServer(t, Script{})
	tests := []struct{ method, path, want string }{
		{"GET", "/v1/models", `{"data":[],"models":[],"object":"list"}`},
		{"POST", "/v1/messages/count_tokens", `{"input_tokens":100}`},
		{"POST", "/v1beta/models/m:countTokens", `{"totalTokens":100}`},
		{"POST", "/api/statistics", `{}`},
		{"GET", "/v1/messages", `{}`},
	}
	for _, tt := range tests {
		req, err := http.NewRequest(tt.method, srv.URL()+tt.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustJSON(readObject(t, res)); got != tt.want || res.StatusCode != http.StatusOK {
			t.Errorf("%s %s: %s %s, want %s", tt.method, tt.path, res.Status, got, tt.want)
		}
		_ = res.Body.Close()
	}
	rec := srv.Record()
	if len(rec) != len(tests) || len(rec.Turns()) != 0 || rec[3].Path != "/api/statistics" {
		t.Errorf("record: %+v", rec)
	}
	if _, ok := rec.LastTurn(); ok {
		t.Error("a last turn, though there was none")
	}
}

func TestInvalidRequest(t *testing.T) {
	t.Parallel()
	for _, p := range peers() {
		srv := startServer(t, Script{})
		res := post(t, srv.URL()+p.path(false), []byte(`{"messages":`))
		if res.StatusCode != http.StatusBadRequest || len(srv.Problems()) != 1 || len(srv.Record()) != 1 {
			t.Errorf("%s: %s, problems %q", p.protocol, res.Status, srv.Problems())
		}
	}
}

func TestGzip(t *testing.T) {
	t.Parallel()
	srv := startServer(t, Script{})
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	fmt.Fprint(z, mustJSON(chatRequest(false, true, "")))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("POST", srv.URL()+"/v1/chat/completions", &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Encoding", "gzip")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := readChat(readObject(t, res)); got.Text != "done" || !srv.Record().ModelSaw("the prompt") {
		t.Errorf("answer %+v", got)
	}
}

func TestTurnThatFails(t *testing.T) {
	t.Parallel()
	for _, p := range peers() {
		srv := startServer(t, Script{Turns: []Turn{{Status: 529, Text: "too busy"}, {Text: "then"}}})
		for range 2 { // a retry fails, too
			res := post(t, srv.URL()+p.path(true), p.request(true, true, ""))
			if got := lookupString(readObject(t, res), "error", "message"); res.StatusCode != 529 || got != "too busy" {
				t.Errorf("%s: %d %q", p.protocol, res.StatusCode, got)
			}
		}
		if got := p.send(t, srv, true, true, "told"); got.Text != "then" {
			t.Errorf("%s: %+v", p.protocol, got)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	srv := startServer(t, Script{Choose: func(q Request) Turn {
		if q.Contains("told") {
			return Turn{Text: fmt.Sprintf("turn %d of %s", q.Turn, q.Protocol)}
		}
		return Turn{}
	}})
	p := peers()[0]
	if got := p.send(t, srv, true, true, ""); got.Text != "done" {
		t.Errorf("a zero turn: %+v", got)
	}
	if got := p.send(t, srv, true, true, "told"); got.Text != "turn 1 of anthropic" {
		t.Errorf("a turn by request: %+v", got)
	}
}

func TestToolThatIsNotOffered(t *testing.T) {
	t.Parallel()
	for _, call := range []Call{Native("NoSuchTool", nil), {Tool: "glob"}, Write("a", "b")} {
		srv := startServer(t, Script{Turns: []Turn{{Calls: []Call{call, Shell("true")}}}})
		p := peers()[0]
		got := p.send(t, srv, true, true, "")
		if len(got.Calls) != 1 || got.Calls[0].ID != "call0n1" || !strings.Contains(got.Text, call.Tool) {
			t.Errorf("%s: %+v, want the other call alone and a word about it", call.Tool, got)
		}
		if problems := srv.Problems(); len(problems) != 1 || !strings.Contains(problems[0], "only Bash") {
			t.Errorf("%s: problems %q", call.Tool, problems)
		}
	}
}

func TestPlayClearsRecord(t *testing.T) {
	t.Parallel()
	p := peers()[2]
	srv := startServer(t, Script{Turns: []Turn{{Text: "one"}, {Text: "two"}}})
	p.send(t, srv, false, true, "")
	srv.Play(Script{Turns: []Turn{{Text: "new"}}})
	if len(srv.Record()) != 0 {
		t.Error("a record from before")
	}
	if got := p.send(t, srv, false, true, ""); got.Text != "new" {
		t.Errorf("%+v, want the new script from its start", got)
	}
}

// TestConcurrentConversations sends different conversations at the same time, and checks that each
// turn is played once.
func TestConcurrentConversations(t *testing.T) {
	t.Parallel()
	const n = 20
	var script Script
	for i := range n {
		script.Turns = append(script.Turns, Turn{Text: fmt.Sprint("turn", i)})
	}
	srv := startServer(t, script)
	got := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			body := mustJSON(chatRequest(true, true, fmt.Sprint("result ", i)))
			res, err := http.Post(srv.URL()+"/v1/chat/completions", "application/json", strings.NewReader(body))
			if err != nil {
				return
			}
			defer res.Body.Close()
			got[i] = readChatStream(readEvents(t, res)).Text
		})
	}
	all.Wait()
	slices.Sort(got)
	if len(slices.Compact(got)) != n || len(srv.Record().Turns()) != n {
		t.Errorf("turns %q", got)
	}
}

// TestProxyBlocksOtherHosts uses the server as a proxy, and checks that clients reach the model
// directly and through it, and no other host.
func TestProxyBlocksOtherHosts(t *testing.T) {
	t.Parallel()
	srv := startServer(t, Script{})
	proxy, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return proxy, nil }}}
	defer client.CloseIdleConnections()
	for _, target := range []string{"http://elsewhere.invalid/x", "https://secure.invalid/y"} {
		res, err := client.Get(target)
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %s", target, res.Status)
			}
		}
	}
	body := mustJSON(chatRequest(false, true, ""))
	res, err := client.Post(srv.URL()+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := readChat(readObject(t, res)); got.Text != "done" {
		t.Errorf("the model through the proxy: %+v", got)
	}
	want := []string{"elsewhere.invalid", "secure.invalid:443"}
	if got := srv.Record().OutsideTargets(); !slices.Equal(got, want) {
		t.Errorf("outside: %q, want %q", got, want)
	}
}

// TestTunnel connects to the model through a tunnel, which some clients always use with a proxy.
func TestTunnel(t *testing.T) {
	t.Parallel()
	srv := startServer(t, Script{})
	conn := dial(t, srv)
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", srv.addr)
	if got := readResponse(t, conn, "CONNECT"); got.StatusCode != http.StatusOK {
		t.Fatalf("tunnel: %s", got.Status)
	}
	body := mustJSON(chatRequest(false, true, ""))
	fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", srv.addr, len(body), body)
	if got := readChat(readObject(t, readResponse(t, conn, "POST"))); got.Text != "done" {
		t.Errorf("the model through the tunnel: %+v", got)
	}
	if got := srv.Record().OutsideTargets(); len(got) != 0 {
		t.Errorf("outside: %q", got)
	}
}
