package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/desk/server"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// policy is a policy that denies what contains danger, with words for the agent.
const policy = `version: 1
packs: []
hooks:
  pre_tool_use: {name: no, type: rule, if: {command: {contains: danger}}, decision: deny, reason: %s}
`

// A service is a server that runs, with a client.
type service struct {
	t                    *testing.T
	url, project, config string
	token                localhttp.Token
	mu                   chan struct{}
	faults               []string
}

// start starts a server whose user has a policy.
func start(t *testing.T, text string) *service {
	t.Helper()
	home := t.TempDir()
	s := &service{t: t, project: t.TempDir(), config: filepath.Join(home, ".config", "checkrein", "checkrein.yaml"), mu: make(chan struct{}, 1)}
	s.setPolicy(text)
	state := filepath.Join(home, "state")
	open := func(o app.Options) (*app.Kit, error) {
		o.State, o.Managed, o.Environ, o.Program, o.Companion = state, app.NoManaged, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, "", ""
		return app.Open(o)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + ln.Addr().String()
	if s.token, err = localhttp.NewToken(); err != nil {
		t.Fatal(err)
	}
	desk, err := approvals.New(approvals.Options{Open: func(string) (*app.Kit, error) { return open(app.Options{Dir: s.project}) }, Person: "anna", Origin: s.url, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	srv := server.New(server.Options{Dir: s.project, Open: open, Feed: feed.New(filepath.Join(state, ledger.Folder)), Token: s.token, Routes: desk.Routes(), Report: func(err error) {
		s.mu <- struct{}{}
		s.faults = append(s.faults, err.Error())
		<-s.mu
	}})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := srv.Serve(ctx, ln); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { stop(); <-ended })
	return s
}

// setPolicy writes the user's policy file.
func (s *service) setPolicy(text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.config), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// call sends a request with the token and returns the response.
func (s *service) call(method, path, body string, headers ...string) (int, []byte) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.token.String())
	for _, h := range headers {
		if name, value, ok := strings.Cut(h, ": "); ok {
			r.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, said
}

// event returns an event about a command.
func event(command string) string {
	return fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":%q}}`, command)
}

// document is what the tests read of the description of the routes.
type document struct {
	Paths map[string]map[string]struct {
		Summary  string
		Security []any
	}
}

// TestOpenAPI calls every route and validates the answers against the description, in which no member
// of an answer may be missing.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	s := start(t, fmt.Sprintf(policy, "dangerous"))
	_, text := s.call("GET", "/openapi.json", "", "Authorization: none")
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	forbidUnknownMembers(doc)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for path, methods := range d.Paths {
		for method, o := range methods {
			left[method+" "+path] = true
			if o.Summary == "" {
				t.Errorf("%s %s has no description", method, path)
			}
			if isOpen := path == "/healthz" || path == "/openapi.json"; isOpen == (len(o.Security) > 0) {
				t.Errorf("%s %s: security %v", method, path, o.Security)
			}
		}
	}
	s.call("POST", "/v1/events", event("danger"))
	_, list := s.call("GET", "/v1/approvals", "")
	var waiting struct{ Approvals []approvals.Approval }
	if err := json.Unmarshal(list, &waiting); err != nil || len(waiting.Approvals) != 1 {
		t.Fatalf("%v %s", err, list)
	}
	handle := waiting.Approvals[0].Handle
	for _, tt := range []struct {
		method, route, path, body string
		status                    int
	}{
		{"post", "/v1/events", "", event("ls"), 200},
		{"post", "/v1/events", "?explain=true", event("danger"), 200},
		{"post", "/v1/events", "", `{"event":`, 400},
		{"post", "/v1/events", "?event=none", `{}`, 400},
		{"post", "/v1/events/{host}", "/v1/events/claude", event("danger"), 200},
		{"post", "/v1/events/{host}", "/v1/events/nobody", event("danger"), 404},
		{"get", "/v1/hooks", "", "", 200},
		{"get", "/v1/hooks", "?dir=" + s.project, "", 200},
		{"get", "/v1/hooks", "?dir=x", "", 400},
		{"get", "/v1/grants", "", "", 200},
		{"get", "/v1/policies", "", "", 200},
		{"post", "/v1/policies/reload", "", "{}", 200},
		{"get", "/v1/approvals", "", "", 200},
		{"get", "/v1/approvals/{handle}", "/v1/approvals/" + handle, "", 200},
		{"get", "/v1/approvals/{handle}", "/v1/approvals/zzzz", "", 404},
		{"post", "/v1/approvals/{handle}", "/v1/approvals/" + handle, `{"answer":{},"proof":{}}`, 400},
		{"post", "/v1/approvals/{handle}/challenge", "/v1/approvals/" + handle + "/challenge", "{}", 200},
		{"get", "/metrics", "", "", 200},
		{"get", "/healthz", "", "", 200},
		{"get", "/openapi.json", "", "", 200},
		{"get", "/v1/events/stream", "?denied=maybe", "", 400},
	} {
		path := tt.path
		if !strings.HasPrefix(path, "/") {
			path = tt.route + path
		}
		status, said := s.call(strings.ToUpper(tt.method), path, tt.body)
		if delete(left, tt.method+" "+tt.route); status != tt.status {
			t.Errorf("%s %s: %d %s, want %d", tt.method, path, status, said, tt.status)
			continue
		}
		if tt.route == "/metrics" {
			continue
		}
		response, kind := "200", "application~1json"
		if status != 200 {
			response = "default"
		}
		at := "openapi.json#/paths/" + strings.ReplaceAll(tt.route, "/", "~1") + "/" + tt.method + "/responses/" + response + "/content/" + kind + "/schema"
		validate(t, compiler, at, said)
	}
	_, batch, _ := strings.Cut(<-s.follow("calls=true"), " ")
	validate(t, compiler, "openapi.json#/paths/~1v1~1events~1stream/get/responses/200/content/text~1event-stream/schema", []byte(batch))
	if delete(left, "get /v1/events/stream"); len(left) > 0 {
		t.Errorf("routes that were not called: %v", left)
	}
}

// forbidUnknownMembers makes each object in a schema refuse members that it does not describe.
func forbidUnknownMembers(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["properties"].(map[string]any); ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, each := range v {
			forbidUnknownMembers(each)
		}
	case []any:
		for _, each := range v {
			forbidUnknownMembers(each)
		}
	}
}

// validate checks that text has the schema at.
func validate(t *testing.T, c *jsonschema.Compiler, at string, text []byte) {
	t.Helper()
	schema, err := c.Compile(at)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s: %s\n%v", at, text, err)
	}
}

// follow opens a stream and returns a channel with its events: the id, a space and the data.
func (s *service) follow(query string, headers ...string) <-chan string {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s.t.Cleanup(stop)
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+"/v1/events/stream?"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token.String())
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatal(resp, err)
	}
	out := make(chan string, 100)
	go func() {
		defer resp.Body.Close()
		defer close(out)
		id := ""
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = text
			}
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				out <- id + " " + text
			}
		}
	}()
	return out
}

// TestStream checks that a stream has the rows that its filter accepts, and that another one continues
// after the last event of the first.
func TestStream(t *testing.T) {
	t.Parallel()
	s := start(t, fmt.Sprintf(policy, "dangerous"))
	s.call("POST", "/v1/events", event("ls"))
	s.call("POST", "/v1/events", event("danger one"))
	read := func(from <-chan string) (id string, b feed.Batch) {
		t.Helper()
		id, text, _ := strings.Cut(<-from, " ")
		if err := json.Unmarshal([]byte(text), &b); err != nil {
			t.Fatal(err)
		}
		return id, b
	}
	id, b := read(s.follow("denied=true"))
	if len(b.Rows) != 1 || b.Rows[0].Call != "danger one" || b.Rows[0].Policy == "" || b.Dropped != 0 {
		t.Errorf("%+v", b)
	}
	s.call("POST", "/v1/events", event("danger two"))
	if _, b = read(s.follow("denied=true", "Last-Event-ID: "+id)); len(b.Rows) != 1 || b.Rows[0].Call != "danger two" {
		t.Errorf("after %s: %+v", id, b)
	}
}

// TestEventsInAFormByName checks that the path or a header selects the form in which an event is read.
func TestEventsInAFormByName(t *testing.T) {
	t.Parallel()
	s := start(t, fmt.Sprintf(policy, "dangerous"))
	hermes := `{"hook_event_name":"pre_tool_call","session_id":"s","tool_name":"terminal","tool_input":{"command":"danger"}}`
	for _, tt := range []struct{ path, body, header string }{
		{"/v1/events/claude", event("danger"), ""},
		{"/v1/events/hermes", hermes, ""},
		{"/v1/events", hermes, "Checkrein-Host: hermes"},
	} {
		status, said := s.call("POST", tt.path, tt.body, tt.header)
		if status != 200 || !strings.Contains(string(said), `"decision":"deny"`) {
			t.Errorf("%s %s: %d %s", tt.path, tt.header, status, said)
		}
	}
	if status, said := s.call("POST", "/v1/events", event("ls"), "Checkrein-Host: nobody"); status != 404 || !strings.Contains(string(said), `"decision":"deny"`) {
		t.Errorf("%d %s", status, said)
	}
}

// TestPolicies checks that a changed policy counts, that a broken change keeps the last good one for
// sessions old and new, and that records have the version.
func TestPolicies(t *testing.T) {
	t.Parallel()
	s := start(t, fmt.Sprintf(policy, "first"))
	reason := func(session string) string {
		t.Helper()
		_, said := s.call("POST", "/v1/events", strings.Replace(event("danger"), `"s"`, `"`+session+`"`, 1))
		var out server.Outcome
		if err := json.Unmarshal(said, &out); err != nil {
			t.Fatal(err)
		}
		return out.Reason
	}
	policies := func(method, path string, want int) server.Policy {
		t.Helper()
		status, said := s.call(method, path, "{}")
		var list server.PolicyList
		if err := json.Unmarshal(said, &list); err != nil || status != want || len(list.Policies) != 1 {
			t.Fatalf("%s %s: %d %s", method, path, status, said)
		}
		return list.Policies[0]
	}
	if got := reason("s"); got != "first" {
		t.Errorf("got %q", got)
	}
	first := policies("GET", "/v1/policies", 200)
	s.setPolicy(fmt.Sprintf(policy, "second"))
	second := policies("POST", "/v1/policies/reload", 200)
	if got := reason("s"); got != "second" || second.Version == first.Version || second.Fault != "" {
		t.Errorf("got %q, %+v", got, second)
	}
	s.setPolicy(fmt.Sprintf(policy, "third") + "  nonsense: [\n")
	broken := policies("POST", "/v1/policies/reload", 422)
	if broken.Version != second.Version || !strings.Contains(broken.Fault, "checkrein.yaml") || !broken.Since.Equal(second.Since) {
		t.Errorf("%+v", broken)
	}
	for _, session := range []string{"s", "new"} {
		if got := reason(session); got != "second" {
			t.Errorf("session %s: got %q", session, got)
		}
	}
	if _, said := s.call("GET", "/metrics", ""); !strings.Contains(string(said), "checkrein_policy_faults 1\n") {
		t.Errorf("%s", said)
	}
	s.setPolicy(fmt.Sprintf(policy, "fourth"))
	fourth := policies("POST", "/v1/policies/reload", 200)
	if got := reason("new"); got != "fourth" || fourth.Fault != "" {
		t.Errorf("got %q, %+v", got, fourth)
	}
	var rows []string
	_, text, _ := strings.Cut(<-s.follow("denied=true"), " ")
	var b feed.Batch
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.Rows {
		rows = append(rows, r.Policy)
	}
	if want := []string{first.Version, second.Version, second.Version, second.Version, fourth.Version}; !slices.Equal(rows, want) {
		t.Errorf("records have the versions %v, want %v", rows, want)
	}
	s.mu <- struct{}{}
	if len(s.faults) != 1 || !strings.Contains(s.faults[0], "remains in force") {
		t.Errorf("reported: %q", s.faults)
	}
	<-s.mu
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := start(t, fmt.Sprintf(policy, "dangerous"))
	for _, command := range []string{"ls", "ls -l", "danger"} {
		s.call("POST", "/v1/events", event(command))
	}
	_, said := s.call("GET", "/metrics", "")
	for _, want := range []string{`checkrein_http_events_total{answer="pass"} 2`, `checkrein_http_events_total{answer="denied"} 1`, `checkrein_http_event_seconds_bucket{le="+Inf"} 3`, `checkrein_http_event_seconds_count 3`} {
		if !strings.Contains(string(said), want+"\n") {
			t.Errorf("no line %s in:\n%s", want, said)
		}
	}
	if status, _ := s.call("GET", "/metrics", "", "Authorization: Bearer x"); status != 401 {
		t.Errorf("without the token: %d", status)
	}
	if status, said := s.call("GET", "/healthz", "", "Authorization: Bearer x"); status != 200 || string(said) != `{"status":"ok"}`+"\n" {
		t.Errorf("%d %s", status, said)
	}
}

// TestAnswersFollowWhatTheyReadFrom sends the same call again and again, as agents do: what a judgement
// depends on counts at the next event, and so does the policy.
func TestAnswersFollowWhatTheyReadFrom(t *testing.T) {
	t.Parallel()
	s := start(t, "version: 1\n")
	decide := func(want string) {
		t.Helper()
		for range 3 {
			var got struct{ Decision string }
			if status, body := s.call("POST", "/v1/events", event("make build")); status != http.StatusOK || json.Unmarshal(body, &got) != nil || got.Decision != want {
				t.Fatalf("%d %s, want %s", status, body, want)
			}
		}
	}
	makefile := filepath.Join(s.project, "Makefile")
	put := func(recipe string) {
		t.Helper()
		if err := os.WriteFile(makefile, []byte("build:\n\t"+recipe+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	decide("")
	put("go build ./...")
	decide("")
	put("rm -rf ~")
	decide("deny")
	put("go build ./...")
	decide("")
	if err := os.Remove(makefile); err != nil {
		t.Fatal(err)
	}
	decide("")
	s.setPolicy("version: 1\nhooks:\n  pre_tool_use: {name: no, type: rule, if: {command: {contains: make}}, decision: deny, reason: no}\n")
	if status, body := s.call("POST", "/v1/policies/reload", "{}"); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	decide("deny")
}
