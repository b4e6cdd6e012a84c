package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A lab is a pool with the messages that the user got.
type lab struct {
	t        *testing.T
	pool     *Pool
	mu       sync.Mutex
	messages []string
}

func newLab(t *testing.T, limits Limits, environ ...string) *lab {
	l := &lab{t: t}
	l.pool = NewPool(Options{Dir: t.TempDir(), Environ: append(os.Environ(), environ...), Limits: limits, Notify: func(text string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.messages = append(l.messages, text)
	}})
	t.Cleanup(l.pool.Close)
	return l
}

func (l *lab) notices() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.messages, "\n")
}

// fakeToolset returns a toolset whose server is this program.
func fakeToolset(t *testing.T, name string) *team.Toolset {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &team.Toolset{Type: "mcp", Server: &team.Server{Name: "srv", Label: "srv", Command: self, Env: []team.Variable{{Name: fakeVar, Value: name}}}}
}

func noneTaken(string) bool { return false }

func (l *lab) tools(set *team.Toolset) []tool.Tool {
	return l.pool.Tools(l.t.Context(), set, noneTaken)
}

func callNamed(t *testing.T, tools []tool.Tool, name, input string) (string, error) {
	t.Helper()
	for i := range tools {
		if tools[i].Name == name {
			return tools[i].Run(t.Context(), json.RawMessage(input))
		}
	}
	t.Fatalf("there is no tool %s", name)
	return "", nil
}

func joinToolNames(tools []tool.Tool) string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestTools(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"good", "noisy"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, Limits{}, "OPENAI_API_KEY=not-for-servers", "GIVEN=a gift")
			set := fakeToolset(t, kind)
			set.Server.Env = append(set.Server.Env, team.Variable{Name: "GOT", Value: "${GIVEN}"}, team.Variable{Name: "ALSO", Value: "${env.GIVEN}"})
			tools := l.tools(set)
			if got := joinToolNames(tools); got != "srv_ask srv_change srv_echo srv_environment srv_exit srv_fail srv_large srv_mixed srv_slow srv_structured" {
				t.Fatalf("tools %s, told %q", got, l.notices())
			}
			for _, x := range tools {
				if x.Category != "mcp" || x.ReadOnly != (x.Name == "srv_echo") || x.Canonical != "mcp:srv/"+strings.TrimPrefix(x.Name, "srv_") {
					t.Errorf("%s: category %q, read-only %v, canonical %q", x.Name, x.Category, x.ReadOnly, x.Canonical)
				}
			}
			i := slices.IndexFunc(tools, func(x tool.Tool) bool { return x.Name == "srv_echo" })
			if s := string(tools[i].Parameters); !strings.Contains(s, `"type":"object"`) || !strings.Contains(s, "what to say") || tools[i].Description != "does echo" {
				t.Errorf("echo is %q with %s", tools[i].Description, s)
			}
			for _, tt := range []struct{ tool, input, out, err string }{
				{"srv_echo", `{"text":"hello","nothing":null}`, "hello", ""},
				{"srv_fail", `{}`, "", "it did not work"},
				{"srv_structured", `{}`, `{"n":7}`, ""},
				{"srv_mixed", `{}`, "see\n(an image of type image/png, 5 bytes, not shown)\n(a recording of type audio/wav, 3 bytes, not shown)\n" +
					`[a\]b](file:///a(b%29)` + "\n=== file:///notes ===\na note\n(the file file:///blob of type x/y, 4 bytes, not shown)", ""},
				{"srv_echo", `{"text":7}`, "", "text"},
			} {
				out, err := callNamed(t, tools, tt.tool, tt.input)
				if out != tt.out || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%s %s: %q, %v", tt.tool, tt.input, out, err)
				}
			}
			out, err := callNamed(t, tools, "srv_environment", `{}`)
			if err != nil || strings.Contains(out, "OPENAI") || strings.Contains(out, "\nGIVEN=") || !strings.Contains(out, "GOT=a gift") || !strings.Contains(out, "ALSO=a gift") || !strings.Contains(out, "PATH=") {
				t.Errorf("its environment is %s, %v", out, err)
			}
			if l.notices() != "" {
				t.Errorf("told %q", l.notices())
			}
		})
	}
}

// TestFilter selects some of a server's tools, without a prefix.
func TestFilter(t *testing.T) {
	t.Parallel()
	l := newLab(t, Limits{})
	set := fakeToolset(t, "good")
	set.Server.Name, set.Tools = "", []string{"echo", "fail", "absent"}
	tools := l.tools(set)
	if joinToolNames(tools) != "echo fail" || !strings.Contains(l.notices(), "absent (the server does not have it)") {
		t.Errorf("tools %s, told %q", joinToolNames(tools), l.notices())
	}
}

// TestBadStart has servers that fail before they list tools: the user gets the reason, and the agent
// runs without them.
func TestBadStart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"silent":       "the server did not answer the initialize request within LIMIT",
		"dies":         "it ended with exit code 7, having said: no such table",
		"quits":        "it ended with exit code 0",
		"garbage":      "it ended with exit code 0",
		"flood":        "the server printed more than 1048576 bytes that are not messages and was stopped",
		"endless line": "the server sent a message of more than 1048576 bytes and was stopped",
		"unlisted":     "the server did not list its tools within LIMIT",
		"many":         "the server has 10000 tools, and at most 256 are allowed: list the ones the agent needs under tools",
		"pages":        "the server's tool list has more than 200 pages",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := Limits{Message: 1 << 20, Noise: 1 << 20}
			if strings.Contains(want, "LIMIT") {
				limits.Start = time.Second
			}
			for {
				want := strings.Replace(want, "LIMIT", limits.Start.String(), 1)
				l := newLab(t, limits)
				tools := l.tools(fakeToolset(t, name))
				if tools == nil && strings.Contains(l.notices(), want) && strings.HasPrefix(l.notices(), "the MCP server srv cannot be used, so the agent has none of its tools: ") {
					return
				}
				if limits.Start == 0 || limits.Start > time.Minute {
					t.Fatalf("tools %s, told %q, want %q", joinToolNames(tools), l.notices(), want)
				}
				limits.Start *= 4 // a busy machine may not let it come that far
			}
		})
	}
	t.Run("not there", func(t *testing.T) {
		t.Parallel()
		l := newLab(t, Limits{})
		set := fakeToolset(t, "good")
		set.Server.Command = "no-such-program-as-this"
		if l.tools(set); !strings.Contains(l.notices(), "no-such-program-as-this") {
			t.Errorf("told %q", l.notices())
		}
	})
	t.Run("a variable is not set", func(t *testing.T) {
		t.Parallel()
		l := newLab(t, Limits{})
		set := fakeToolset(t, "good")
		set.Server.Env = append(set.Server.Env, team.Variable{Name: "A", Value: "x${NOT_SET_AT_ALL}"})
		if l.tools(set); !strings.Contains(l.notices(), "the server's variable A needs NOT_SET_AT_ALL, which is not set") {
			t.Errorf("told %q", l.notices())
		}
	})
	t.Run("many, some of which are named", func(t *testing.T) {
		t.Parallel()
		l := newLab(t, Limits{})
		set := fakeToolset(t, "many")
		set.Tools = []string{"t7", "t9999"}
		if tools := l.tools(set); joinToolNames(tools) != "srv_t7 srv_t9999" {
			t.Errorf("tools %s, told %q", joinToolNames(tools), l.notices())
		}
	})
}

// TestBadCalls has servers that fail when a tool is called: the model gets the reason.
func TestBadCalls(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"mute":       "the MCP server srv: the server did not answer within 1s",
		"other ids":  "the server did not answer within 1s",
		"deaf":       "the server did not answer within 1s",
		"nonsense":   "hologram",
		"empty":      "the tool failed without a message",
		"refuses":    "bad [1mwords",
		"huge":       "the server sent a message of more than 16777216 bytes and was stopped",
		"crashes":    "it ended with exit code 2, having said: ",
		"wants more": "which is not supported here: call the tool with all its arguments",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := Limits{}
			if strings.Contains(want, "within 1s") {
				limits.Call = time.Second
			}
			l := newLab(t, limits)
			tools := l.tools(fakeToolset(t, name))
			input, _ := json.Marshal(map[string]string{"text": strings.Repeat("x", 1<<20)}) // more than a pipe holds
			out, err := callNamed(t, tools, "srv_do", string(input))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q, %v, want %q", out, err, want)
			}
		})
	}
}

// TestRestarts has a server that exits again and again.
func TestRestarts(t *testing.T) {
	t.Parallel()
	l := newLab(t, Limits{Restarts: 2})
	tools := l.tools(fakeToolset(t, "good"))
	for range 3 {
		if out, err := callNamed(t, tools, "srv_echo", `{"text":"here"}`); out != "here" || err != nil {
			t.Fatalf("%q, %v", out, err)
		}
		if _, err := callNamed(t, tools, "srv_exit", `{}`); err == nil || !strings.Contains(err.Error(), "the MCP server srv: it ended with exit code 3, having said: [31mthe disk is full") {
			t.Fatalf("%v", err)
		}
	}
	if _, err := callNamed(t, tools, "srv_echo", `{"text":"here"}`); err == nil || !strings.Contains(err.Error(), "the server keeps exiting (starts so far: 3), so it will not be started again in this session: it ended with exit code 3") {
		t.Errorf("%v", err)
	}
}

// TestCancelCall cancels a call: the server keeps running.
func TestCancelCall(t *testing.T) {
	t.Parallel()
	l := newLab(t, Limits{})
	tools := l.tools(fakeToolset(t, "good"))
	i := slices.IndexFunc(tools, func(x tool.Tool) bool { return x.Name == "srv_slow" })
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := tools[i].Run(ctx, json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("%v", err)
	}
	if out, err := callNamed(t, tools, "srv_echo", `{"text":"still here"}`); out != "still here" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

// TestToolsChange has a server that changes its tools during a session. It may remove a read-only hint
// but not add one.
func TestToolsChange(t *testing.T) {
	t.Parallel()
	l := newLab(t, Limits{})
	set := fakeToolset(t, "good")
	agent := &team.Agent{Toolsets: []team.Toolset{*set}}
	tools := l.tools(set)
	if l.pool.ToolsChanged(agent) {
		t.Error("changed before it did")
	}
	if out, err := callNamed(t, tools, "srv_change", `{}`); out != "changed" || err != nil {
		t.Fatalf("%q, %v", out, err)
	}
	for !l.pool.ToolsChanged(agent) {
		time.Sleep(time.Millisecond)
	}
	tools = l.tools(set)
	if l.pool.ToolsChanged(agent) {
		t.Error("changed again")
	}
	if got := joinToolNames(tools); !strings.Contains(got, "srv_fresh") || strings.Contains(got, "srv_fail") {
		t.Errorf("tools %s", got)
	}
	if want := "the MCP server srv changed its tools: +fresh, -fail"; l.notices() != want {
		t.Errorf("told %q, want %q", l.notices(), want)
	}
	for _, x := range l.tools(set) { // also when it is asked once more
		if x.ReadOnly != (x.Name == "srv_echo") {
			t.Errorf("%s is read-only: %v", x.Name, x.ReadOnly)
		}
	}
	if out, err := callNamed(t, tools, "srv_fresh", `{}`); out != "fresh" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

// TestHostileDescriptions has a server with false descriptions, or with text that models read and
// people do not see.
func TestHostileDescriptions(t *testing.T) {
	t.Parallel()
	l := newLab(t, Limits{})
	tools := l.pool.Tools(t.Context(), fakeToolset(t, "liar"), func(name string) bool { return name == "srv_taken" })
	if got := joinToolNames(tools); got != "srv_hidden srv_long srv_none srv_twice" {
		t.Fatalf("tools %s, told %q", got, l.notices())
	}
	for _, want := range []string{"listed (the tool's arguments are not an object)", "a b (the name is not valid", "twice (the tool is listed twice)", "taken (the agent has another tool with that name: set name: on the server)", "odd (the argument schema has invalid names)", "wide (the argument schema is larger than 64 KiB)"} {
		if !strings.Contains(l.notices(), want) {
			t.Errorf("told %q, want %q", l.notices(), want)
		}
	}
	for _, x := range tools {
		switch x.Name {
		case "srv_hidden":
			if x.Description != "reads[2J 😀files" || !strings.Contains(string(x.Parameters), `"xy"`) {
				t.Errorf("hidden is %q with %s", x.Description, x.Parameters)
			}
		case "srv_long":
			if len(x.Description) > maxAbout+10 {
				t.Errorf("long is %d bytes", len(x.Description))
			}
		case "srv_none":
			if string(x.Parameters) != `{"type":"object"}` {
				t.Errorf("none has %s", x.Parameters)
			}
		}
	}
}

// TestRequestsAreRefused has a server that asks for the user, the model and the directories.
func TestRequestsAreRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t, Limits{})
	out, err := callNamed(t, l.tools(fakeToolset(t, "asks")), "srv_do", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"asked the user a question (elicitation)", "asked to use the model (sampling)", "asked for the user's directories (roots)"} {
		if !strings.Contains(out, "(the server "+want+": refused here") || !strings.Contains(l.notices(), "the MCP server srv "+want+": refused") {
			t.Errorf("%q, told %q, want %q", out, l.notices(), want)
		}
	}
	good := newLab(t, Limits{})
	if _, err := callNamed(t, good.tools(fakeToolset(t, "good")), "srv_ask", `{}`); err == nil || !strings.Contains(err.Error(), "elicitation") {
		t.Errorf("%v", err)
	}
}

// TestClose ends servers that do not exit.
func TestClose(t *testing.T) {
	t.Parallel()
	l := newLab(t, Limits{End: 100 * time.Millisecond})
	if tools := l.tools(fakeToolset(t, "stubborn")); joinToolNames(tools) != "srv_do" {
		t.Fatalf("tools %s, told %q", joinToolNames(tools), l.notices())
	}
	var link *connection
	for _, s := range l.pool.servers {
		link = s.link
	}
	l.pool.Close()
	<-link.gone
	l.pool.programs.Wait()
	if why := link.endReason(); !strings.Contains(why, "ended") {
		t.Errorf("it ended so: %q", why)
	}
	if tools := l.tools(fakeToolset(t, "good")); tools != nil || !strings.Contains(l.notices(), "the run is over") {
		t.Errorf("tools %s after the end, told %q", joinToolNames(tools), l.notices())
	}
}

// TestRemote reaches servers over HTTP with both transports.
func TestRemote(t *testing.T) {
	t.Parallel()
	for _, sse := range []bool{false, true} {
		name := "streamable"
		if sse {
			name = "sse"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			get := func(*http.Request) *sdk.Server { return fakeServer() }
			handler := http.Handler(sdk.NewStreamableHTTPHandler(get, nil))
			if sse {
				handler = sdk.NewSSEHandler(get, nil)
			}
			guard := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer a token" {
					http.Error(w, "who are you?", http.StatusUnauthorized)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(guard.CloseClientConnections)
			for limit := time.Second; ; limit *= 4 { // a busy machine may be late once
				err := callOverHTTP(t, guard.URL, sse, limit)
				if err == nil {
					break
				}
				if limit > time.Minute {
					t.Fatal(err)
				}
			}
			l := newLab(t, Limits{})
			set := &team.Toolset{Type: "mcp", Server: &team.Server{Label: "far", URL: guard.URL + "/mcp", SSE: sse}}
			if tools := l.tools(set); tools != nil || !strings.Contains(l.notices(), "Unauthorized") {
				t.Errorf("without the header: %s, told %q", joinToolNames(tools), l.notices())
			}
		})
	}
}

// callOverHTTP calls tools over HTTP, one of which never ends and one of which returns too much: the
// others answer.
func callOverHTTP(t *testing.T, url string, sse bool, limit time.Duration) error {
	t.Helper()
	l := newLab(t, Limits{Call: limit, Message: 1 << 20, Restarts: 9}, "TOKEN=a token")
	tools := l.tools(&team.Toolset{Type: "mcp", Server: &team.Server{Label: "far", URL: url + "/mcp", SSE: sse, Headers: []team.Variable{{Name: "Authorization", Value: "Bearer ${env.TOKEN}"}}}})
	if out, err := callNamed(t, tools, "echo", `{"text":"over HTTP"}`); out != "over HTTP" || err != nil {
		return fmt.Errorf("%q, %w", out, err)
	}
	if _, err := callNamed(t, tools, "slow", `{}`); err == nil || !strings.Contains(err.Error(), "not answer within "+limit.String()) {
		return fmt.Errorf("slow: %w", err)
	}
	if out, err := callNamed(t, tools, "large", `{}`); err == nil {
		return fmt.Errorf("large: %d bytes", len(out))
	}
	if out, err := callNamed(t, tools, "echo", `{"text":"again"}`); out != "again" || err != nil {
		return fmt.Errorf("%q, %w", out, err)
	}
	return nil
}

// TestRedirectToOtherHost has a server that redirects to another host, which must not get the request
// or its headers.
func TestRedirectToOtherHost(t *testing.T) {
	t.Parallel()
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(here.Close)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the connection is not seen
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	for _, tt := range []struct{ url, want string }{
		{here.URL, "the server redirects to http://" + strings.TrimPrefix(other.URL, "http://")},
		{silent.URL, "within 1s"},
		{"http://127.0.0.1:1/", "refused"},
		{"http://127.0.0.1:1/${env.NOT_SET_AT_ALL}", "the server's url needs the variable NOT_SET_AT_ALL"},
	} {
		var limits Limits
		if tt.url == silent.URL {
			limits.Start = time.Second
		}
		l := newLab(t, limits, "WHERE=elsewhere")
		if tools := l.tools(&team.Toolset{Type: "mcp", Server: &team.Server{Label: "far", URL: tt.url}}); tools != nil || !strings.Contains(l.notices(), tt.want) {
			t.Errorf("%s: tools %s, told %q, want %q", tt.url, joinToolNames(tools), l.notices(), tt.want)
		}
	}
	if reached {
		t.Error("the other host was asked")
	}
}
