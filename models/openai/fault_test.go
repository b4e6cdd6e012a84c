package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
)

const (
	maxEvent = 4 << 20 // of provider
	maxBody  = 32 << 20
)

func kind(err error) line.Kind {
	var f *line.Fault
	if !errors.As(err, &f) {
		return ""
	}
	return f.Kind
}

// misbehaviour is how servers fail, and what is said of it.
var misbehaviour = []struct {
	name string
	do   http.HandlerFunc
	want string
}{
	{"garbage in the stream", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, `{"choices":[{"delta":{"content":"He"}}]}`, "\x1b[2J{{{")
	}, `the answer is garbled at "\\x1b[2J{{{"`},
	{"a page in the stream", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "<html>502</html>")
	}, `the answer is garbled at "<html>502</html>"`},
	{"a page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>sign in</html>")
	}, "the server answered with text/html, not with a completion: is base_url correct?"},
	{"early end", func(w http.ResponseWriter, _ *http.Request) { stream(w, `{"choices":[{"delta":{"content":"He"}}]}`) }, "the answer broke off"},
	{"connection lost", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, `{"choices":[{"delta":{"content":"He"}}]}`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, "the answer broke off"},
	{"connection lost at once", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "the answer broke off"},
	{"a body that is shorter than it says", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"choices"`)
	}, "the answer broke off"},
	{"an empty stream", func(w http.ResponseWriter, _ *http.Request) { stream(w) }, "the answer broke off"},
	{"an empty body", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "application/json") }, "the answer is empty"},
	{"an empty answer", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, "[DONE]")
	}, "the answer is empty"},
	{"no choices", func(w http.ResponseWriter, _ *http.Request) { stream(w, `{}`, "[DONE]") }, "the answer is empty"},
	{"filtered", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, `{"choices":[{"delta":{},"finish_reason":"content_filter"}]}`)
	}, "content filter"},
	{"all tokens used for thinking", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, `{"choices":[{"delta":{"reasoning_content":"hm"},"finish_reason":"length"}]}`)
	}, "max_tokens before it said anything"},
	{"half a call", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"a"}}]},"finish_reason":"length"}]}`)
	}, "cut off in the middle of a tool call"},
	{"a call of nothing", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]},"finish_reason":"stop"}]}`)
	}, "calls a tool without a name"},
	{"too many calls", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, `{"choices":[{"delta":{"tool_calls":[`+strings.TrimSuffix(strings.Repeat(`{"function":{"name":"x"}},`, 200), ",")+`]}}]}`)
	}, "more than 128 tools"},
	{"invalid UTF-8", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, "{\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}")
	}, "the answer is not UTF-8"},
	{"invalid UTF-8 at once", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}")
	}, "the answer is not UTF-8"},
	{"an endless line", func(w http.ResponseWriter, _ *http.Request) { stream(w, strings.Repeat("x", maxEvent+10)) }, "a line of the stream is too long"},
	{"an endless event", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, strings.TrimSuffix(strings.Repeat(strings.Repeat("x", 1<<20)+"\ndata: ", 6), "\ndata: "))
	}, "an event of the stream is too long"},
	{"an endless body", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range maxBody>>20 + 2 {
			_, _ = io.WriteString(w, strings.Repeat(" ", 1<<20))
		}
	}, "the answer is longer than"},
	{"an error in the stream", func(w http.ResponseWriter, _ *http.Request) {
		stream(w, `{"error":{"message":"the engine stopped","code":500}}`)
	}, "the engine stopped"},
	{"an error that is a text", func(w http.ResponseWriter, _ *http.Request) { stream(w, `{"error":"out of memory"}`) }, "out of memory"},

	{"bad request", refuses(400, `{"error":{"message":"no such field","type":"invalid_request_error"}}`), "400 Bad Request: no such field"},
	{"bad request in other words", refuses(422, `{"detail":[{"msg":"field required"}]}`), "422 Unprocessable Entity: [map[msg:field required]]"},
	{"an error that is no JSON", refuses(502, "<html>Bad\x1b[31m Gateway\n</html>"), `502 Bad Gateway: <html>Bad\x1b[31m Gateway\n</html>`},
	{"an error without words", refuses(500, ""), "500 Internal Server Error"},
	{"no key", refuses(401, `{"error":{"message":"who are you"}}`), "401 Unauthorized: who are you: the key in the environment variable KEY was sent"},
	{"forbidden", refuses(403, `{}`), "403 Forbidden: {}: the key in the environment variable KEY was sent"},
	{"not found", refuses(404, `{"error":"model \"m\" not found"}`), `404 Not Found: model "m" not found: is base_url right`},
	{"a long error", refuses(500, strings.Repeat("word ", 1000)), "word word"},
	{"a redirect elsewhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.com/secret?q=1", http.StatusTemporaryRedirect)
	}, "307 Temporary Redirect: the server redirects to http://example.com, which checkrein does not follow"},
	{"a redirect to a page", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }, "302 Found: the server redirects to http://127.0.0.1"},
	{"a redirect in a circle", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/v1/chat/completions", http.StatusTemporaryRedirect)
	}, "which checkrein does not follow"},
}

func refuses(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	for _, tt := range misbehaviour {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := served(t, line.Settings{TokenKey: "KEY"}, tt.do)
			a, err := c.Call(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Content: "x"}}}, nil)
			if err == nil {
				t.Fatalf("answers %+v", a)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q\nlacks %q", err, tt.want)
			}
			if len(err.Error()) > 1000 || strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
				t.Errorf("the error is not fit to be shown: %q", err)
			}
			if kind(err) == line.Overflow {
				t.Errorf("%v is taken for an overflow", err)
			}
		})
	}
}

func TestOverflow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   http.HandlerFunc
	}{
		{"by its code", refuses(400, `{"error":{"message":"too much","code":"context_length_exceeded"}}`)},
		{"by its words", refuses(400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"}}`)},
		{"llama.cpp", refuses(500, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`)},
		{"too large", refuses(413, `too large`)},
		{"in the stream", func(w http.ResponseWriter, _ *http.Request) {
			stream(w, `{"error":{"message":"x","code":"context_length_exceeded"}}`)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := ask(t, served(t, line.Settings{}, tt.do), model.Request{}); kind(err) != line.Overflow {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestKeysAreNotShown(t *testing.T) {
	t.Parallel()
	token := "ghp" + "_" + strings.Repeat("a1B2c3", 6)
	for name, do := range map[string]http.HandlerFunc{
		"refusal": refuses(400, `{"error":{"message":"the key `+testKey()+` and `+token+` are wrong"}}`),
		"stream": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, `{"error":{"message":"key `+testKey()+` `+token+`"}}`)
		},
		"garbage": func(w http.ResponseWriter, _ *http.Request) { stream(w, "key "+testKey()) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+testKey()+".example.com/", http.StatusTemporaryRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ask(t, served(t, line.Settings{TokenKey: "KEY"}, do), model.Request{})
			if err == nil || strings.Contains(err.Error(), testKey()) || strings.Contains(err.Error(), token) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Another server gets neither the conversation nor the key.
func TestRedirects(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("another server got %s", r.URL) }))
	t.Cleanup(other.Close)
	c := served(t, line.Settings{TokenKey: "KEY"}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/v1/chat/completions", http.StatusPermanentRedirect)
	})
	if _, err := ask(t, c, model.Request{}); err == nil {
		t.Error("a redirect to another server is followed")
	}
	c = served(t, line.Settings{TokenKey: "KEY"}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			http.Redirect(w, r, "/v2/chat/completions", http.StatusPermanentRedirect)
			return
		}
		body, _ := io.ReadAll(r.Body)
		stream(w, fmt.Sprintf(`{"choices":[{"delta":{"content":%q},"finish_reason":"stop"}]}`, fmt.Sprint(r.Method, r.Header.Get("Authorization") != "", len(body) > 20)))
	})
	if a, err := ask(t, c, model.Request{}); err != nil || a.Text != "POSTtrue true" {
		t.Errorf("a redirect within the server gives %+v, %v", a, err)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	const date = "Mon, 02 Jan 2006 15:04:05 GMT" // long ago
	for _, tt := range []struct {
		name   string
		status []int // what is answered; 0 = an answer
		after  string
		waits  []time.Duration
		want   string // of the error; "" = none
		spare  int    // retries of a model that another one replaces, 0 = none does
	}{
		{name: "another model takes over at once where it was asked too often", status: []int{429}, after: "3", want: "429", spare: 2},
		{name: "but a failure may pass", status: []int{500, 502, 0}, waits: []time.Duration{time.Second, 2 * time.Second}, spare: 2},
		{name: "as often as the file says", status: []int{500, 500}, waits: []time.Duration{time.Second}, want: "500", spare: 1},
		{name: "once", status: []int{429, 0}, after: "3", waits: []time.Duration{3 * time.Second}},
		{"twice", []int{503, 429, 0}, "", []time.Duration{time.Second, 2 * time.Second}, "", 0},
		{"not three times", []int{429, 429, 429}, "0", []time.Duration{0, 0}, "429 Too Many Requests: slow down", 0},
		{"a date", []int{503, 0}, date, []time.Duration{0}, "", 0},
		{"too long", []int{429}, "3600", nil, "it asks to wait for 1h0m0s", 0},
		{"nonsense", []int{429, 0}, "soon", []time.Duration{time.Second}, "", 0},
		{"other errors", []int{500}, "1", nil, "500", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			c := served(t, line.Settings{}, func(w http.ResponseWriter, _ *http.Request) {
				i := int(n.Add(1)) - 1
				if i < len(tt.status) && tt.status[i] == 0 {
					stream(w, `{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`)
					return
				}
				if tt.after != "" {
					w.Header().Set("Retry-After", tt.after)
				}
				w.WriteHeader(tt.status[i])
				_, _ = io.WriteString(w, `{"error":{"message":"slow down"}}`)
			})
			if tt.spare > 0 {
				c.settings.Limits.Replaced, c.settings.Limits.Retries = true, tt.spare
			}
			var waits []time.Duration
			c.wait = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
			a, err := ask(t, c, model.Request{})
			if int(n.Load()) != len(tt.status) || !slices.Equal(waits, tt.waits) {
				t.Errorf("%d requests with waits %v, want %d with %v", n.Load(), waits, len(tt.status), tt.waits)
			}
			if tt.want == "" && (err != nil || a.Text != "ok") || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%+v, %v, want %q", a, err, tt.want)
			}
			if err != nil && (kind(err) == line.Limit) != strings.Contains(err.Error(), "429") {
				t.Errorf("%v is of kind %s", err, kind(err))
			}
		})
	}
}

func TestQuotaIsNotRetried(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	c := served(t, line.Settings{}, func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		w.WriteHeader(429)
		_, _ = io.WriteString(w, `{"error":{"message":"pay first","code":"insufficient_quota"}}`)
	})
	if _, err := ask(t, c, model.Request{}); err == nil || n.Load() != 1 {
		t.Errorf("%d requests, %v", n.Load(), err)
	}
}

func TestCancelledWhileWaitingToRetry(t *testing.T) {
	t.Parallel()
	stop := errors.New("the person pressed Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := served(t, line.Settings{}, refuses(503, ""))
	c.wait = func(ctx context.Context, _ time.Duration) error { cancel(stop); return context.Cause(ctx) }
	if _, err := c.Call(ctx, model.Request{}, nil); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

// A server that never answers, or stops in the middle, is left when its time is over.
func TestSilence(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(http.ResponseWriter){
		"at once": func(http.ResponseWriter) {},
		"in the middle": func(w http.ResponseWriter) {
			stream(w, `{"choices":[{"delta":{"content":"He"}}]}`)
			_ = http.NewResponseController(w).Flush()
		},
		"in an error": func(w http.ResponseWriter) {
			w.WriteHeader(500)
			_ = http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived := make(chan struct{}, 8)
			handler := func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice that the client left
				first(w)
				arrived <- struct{}{}
				<-r.Context().Done()
			}
			c := served(t, line.Settings{}, handler)
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("the person pressed Ctrl-C")
			go func() { <-arrived; cancel(stop) }()
			if _, err := c.Call(ctx, model.Request{}, nil); !errors.Is(err, stop) {
				t.Errorf("cancelled: %v", err)
			}
			c = served(t, line.Settings{}, handler)
			c.settings.Limits.Idle = 20 * time.Millisecond
			if _, err := c.Call(t.Context(), model.Request{}, nil); err == nil || !strings.Contains(err.Error(), "nothing arrived for 20ms") && !strings.Contains(err.Error(), "broke off") {
				t.Errorf("idle: %v", err)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	_ = ln.Close()
	m := at(line.Settings{BaseURL: "http://" + addr + "/v1?k=" + testKey()})
	if _, err := ask(t, m, model.Request{}); err == nil || kind(err) != line.Unreachable || !strings.Contains(err.Error(), "is the engine running") || strings.Contains(err.Error(), testKey()) {
		t.Errorf("error %v", err)
	}
}

func TestKeyHints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		settings line.Settings
		want     string
	}{
		{line.Settings{}, "name the environment variable that holds it as token_key"},
		{line.Settings{TokenKey: "UNSET"}, "because the environment variable UNSET is not set"},
		{line.Settings{TokenKey: "KEY"}, "the key in the environment variable KEY was sent"},
	} {
		if _, err := ask(t, served(t, tt.settings, refuses(401, "")), model.Request{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}
