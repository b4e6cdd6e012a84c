package provider

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/model"
)

func TestNoProxyOnThisMachine(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY"} {
		t.Setenv(name, "http://proxy.example:3128")
	}
	proxy, err := proxyOf("http://named.example:1")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "LOCALHOST.", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "a.localhost"} {
		for _, scheme := range []string{"http", "https"} {
			got, err := proxy(&http.Request{URL: &url.URL{Scheme: scheme, Host: host + ":1"}})
			if got != nil || err != nil {
				t.Errorf("%s://%s goes through %v, %v", scheme, host, got, err)
			}
		}
	}
	if got, err := proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "example.com"}}); err != nil || got.Host != "named.example:1" {
		t.Errorf("the proxy that is named is not taken: %v, %v", got, err)
	}
	for _, host := range []string{"example.com", "10.0.0.1", "localhost.example.com"} {
		if loopback(host) {
			t.Errorf("%s is taken for this machine", host)
		}
	}
}

// Whatever a server sends, SDKs get whole events, each with an object on one line; or
// there is an error with words. To check them once more changes nothing.
func FuzzFrames(f *testing.F) {
	for _, s := range []string{
		"data: {\"a\":1}\n\ndata: [DONE]\n\n", ": x\r\nevent: y\r\ndata: {\"error\":{\"message\":\"z\"}}\r\n\r\n",
		"\xef\xbb\xbfdata: {\"a\":\ndata: 1}\n\n", "data: {\"error\":null,\"a\":1}", "<html>", "data: \xff\n\n", "event: ping\n\n",
	} {
		f.Add([]byte(s))
	}
	frame := func(data []byte) ([]byte, *exchange, error) {
		x := &exchange{call: &Call{}}
		out, err := io.ReadAll(newFrames(io.NopCloser(bytes.NewReader(data)), x))
		return out, x, err
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, x, err := frame(data)
		if err != nil {
			if x.call.clean(err.Error()) == "" || x.err != err {
				t.Errorf("an error without words, or not kept: %q", err)
			}
			return
		}
		for event := range strings.SplitSeq(strings.TrimSuffix(string(out), "\n\n"), "\n\n") {
			if event != "" && !strings.HasPrefix(event[strings.LastIndex(event, "\n")+1:], "data: ") {
				t.Errorf("an event %q", event)
			}
		}
		if again, _, err := frame(out); err != nil || !bytes.Equal(again, out) {
			t.Errorf("once more: %q, %v; first %q", again, err, out)
		}
	})
}

// What a provider cut off says so: half a verdict is none.
func TestFinishTellsOfACut(t *testing.T) {
	t.Parallel()
	for end, want := range map[End]bool{Stopped: false, Length: true, Filtered: true, Odd: true} {
		a, err := Finish(model.Answer{Text: `{"decision":"allow"}`}, end)
		if err != nil || (a.Doubt != "") != want {
			t.Errorf("end %d: doubt %q, %v", end, a.Doubt, err)
		}
	}
}
