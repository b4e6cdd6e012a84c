package main

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
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A listening is a `checkrein serve` that runs.
type listening struct {
	*desk
	url, addr, token string
	cmd              *exec.Cmd
}

// serve starts the server in the desk's project.
func (d *desk) serve(args ...string) *listening {
	d.t.Helper()
	s := &listening{desk: d, cmd: d.command(filepath.Join(programs, "checkrein"), append([]string{"serve"}, args...)...)}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	var said bytes.Buffer
	s.cmd.Stderr = &said
	if err := s.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = s.cmd.Wait()
		d.t.Fatalf("%v: %s", err, said.String())
	}
	s.url, _, _ = strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "serving on ")), " ")
	s.addr = strings.TrimPrefix(s.url, "http://")
	token, err := os.ReadFile(filepath.Join(d.home, ".local/state/checkrein/serve-token"))
	if err != nil {
		d.t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(token))
	return s
}

// interrupt ends the server as Ctrl-C does.
func (s *listening) interrupt() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
}

// post sends JSON with headers, "Name: value" each; one without a value is taken away.
func (s *listening) post(path, body string, headers ...string) (int, string, http.Header) {
	s.t.Helper()
	return s.request(http.MethodPost, path, body, headers...)
}

func (s *listening) request(method, path, body string, headers ...string) (int, string, http.Header) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
		if name == "Host" {
			r.Host = value
		}
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(said), resp.Header
}

const selfApprove = "version: 1\npacks: []\nself_approve: true\n"

// The smallest hook of starchild's document, word for word.
const starchildGuard = `#!/usr/bin/env bash
payload="$(cat)"
python3 - "$payload" <<'PY'
import json, sys, re
ev = json.loads(sys.argv[1])
cmd = (ev.get("tool_input") or {}).get("command", "")
if re.search(r"rm\s+-rf\s+/|dd\s+if=|mkfs", cmd):
    print(json.dumps({"decision": "block", "reason": f"This command is irreversible and would erase data, so I've blocked it: {cmd}"}))
else:
    print("{}")   # continue
PY
`

// starchild puts the document's guard into the project, on two events.
func (d *desk) starchild(script string) (command string) {
	d.t.Helper()
	command = filepath.Join(d.project, "hooks", "security_guard.py")
	d.write(command, script)
	if err := os.Chmod(command, 0o700); err != nil {
		d.t.Fatal(err)
	}
	d.write(filepath.Join(d.project, "config", "shell_hooks.yaml"), "hooks:\n  - event: pre_tool_call\n    command: "+command+"\n    timeout: 120\n  - event: on_user_message\n    command: "+command+"\n")
	return command
}

const selfApprovePath = "/internal/runtime/hooks/approve"

// The document's own call, by its own program, activates a declared hook for all of its
// events: the next event hears it.
func TestStarchildSelfApproveAPI(t *testing.T) {
	t.Parallel()
	needs(t, "curl", "bash", "python3")
	d := newDesk(t, selfApprove, "version: 1\n")
	command := d.starchild(starchildGuard)
	s := d.serve()
	evil := `{"event":"pre_tool_call","session_id":"s","tool_name":"bash","tool_input":{"command":"dd if=/dev/zero of=x"}}`
	if status, said, _ := s.post("/v1/events", evil, "Authorization: Bearer "+s.token); status != 200 || strings.Contains(said, `"decision":"deny"`) {
		t.Fatalf("before: %d %s", status, said)
	}
	_, port, _ := net.SplitHostPort(s.addr)
	out, err := d.command("bash", "-c", `curl -s -X POST http://localhost:`+port+`/internal/runtime/hooks/approve \
  -H 'Content-Type: application/json' \
  -d '{"command": "`+command+`"}'`).CombinedOutput()
	if want := `{"ok":true,"events":["pre_tool_call","on_user_message"],"mounted":2,"master_enabled":true}`; err != nil || strings.TrimSpace(string(out)) != want {
		t.Fatalf("%v %s, want %s", err, out, want)
	}
	_, text, _ := s.request("GET", "/openapi.json", "")
	readDescription(t, text).check("post", selfApprovePath, 200, 200, string(out))
	if status, said, _ := s.post("/v1/events", evil, "Authorization: Bearer "+s.token); status != 200 || !strings.Contains(said, "so I've blocked it: dd if=") {
		t.Errorf("after: %d %s", status, said)
	}
	if _, said := d.run("audit", "query", "--kind", "person", "--json"); !strings.Contains(said, `"act":"hooks approve"`) || !strings.Contains(said, `"caller":["http"]`) {
		t.Errorf("on record: %s", said)
	}
	if _, said := d.run("audit", "query", "--kind", "person"); !strings.Contains(said, "(person)") {
		t.Errorf("for people: %s", said)
	}
	// A hook on a host hears it, too: nothing has to be started anew.
	hook := d.command("sh", "-c", "checkrein hook claude; true")
	hook.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","session_id":"c","cwd":"` + d.project + `","tool_name":"Bash","tool_input":{"command":"dd if=/dev/zero of=x"}}`)
	if said, err := hook.CombinedOutput(); err != nil || !strings.Contains(string(said), "so I've blocked it: dd if=") {
		t.Errorf("%v %s", err, said)
	}
	s.interrupt()
}

// What is not declared, and what cannot be told, is not approved, with the reason.
func TestStarchildSelfApproveNeedsValidDeclaredHook(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	d := newDesk(t, selfApprove, "version: 1\n")
	command := d.starchild("#!/bin/bash\npytest -q\n")
	s := d.serve()
	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"not declared", `{"command":"/bin/true"}`, 422, "declares this command: add the entry first"},
		{"half of it", `{"command":"security_guard.py"}`, 422, "declares this command"},
		{"cannot tell", `{"command":"` + command + `"}`, 422, "cannot tell which files it runs"},
		{"no command", `{}`, 400, `send {\"command\"`},
		{"no text", `{"command":["a"]}`, 400, `send {\"command\"`},
		{"no flag", `{"command":"` + command + `","enable_master":"yes"}`, 400, "enable_master must be true or false"},
		{"broken", `{"command":`, 400, "the body is not a JSON object"},
	} {
		status, said, _ := s.post(selfApprovePath, tt.body)
		if status != tt.status || !strings.Contains(said, tt.want) || strings.Contains(said, `"ok":true`) {
			t.Errorf("%s: %d %s", tt.name, status, said)
		}
	}
	if _, said := d.run("hooks", "list", "--json"); strings.Contains(said, `"approval":"approved"`) {
		t.Errorf("approved: %s", said)
	}
	s.interrupt()
}

// The master switch goes on with an approval, unless that is not wanted.
func TestStarchildSelfApproveEnablesTheMasterSwitch(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "python3")
	d := newDesk(t, selfApprove, "version: 1\n")
	command := d.starchild(starchildGuard)
	d.write(filepath.Join(d.project, "config", "agent.yaml"), "shell_hooks:\n  enabled: false # for now\n")
	if code, said := d.run("hooks", "off"); code != 0 {
		t.Fatal(said)
	}
	s := d.serve()
	if _, said, _ := s.post(selfApprovePath, `{"command":"`+command+`","enable_master":false}`); strings.TrimSpace(said) != `{"ok":true,"events":["pre_tool_call","on_user_message"],"mounted":0,"master_enabled":false}` {
		t.Error(said)
	}
	if _, said, _ := s.post(selfApprovePath, `{"command":"`+command+`"}`); strings.TrimSpace(said) != `{"ok":true,"events":["pre_tool_call","on_user_message"],"mounted":2,"master_enabled":true}` {
		t.Error(said)
	}
	if text, err := os.ReadFile(filepath.Join(d.project, "config", "agent.yaml")); err != nil || string(text) != "shell_hooks:\n  enabled: true # for now\n" {
		t.Errorf("%v %s", err, text)
	}
	if _, said := d.run("audit", "query", "--kind", "person", "--json"); !strings.Contains(said, `"act":"hooks on","by"`) {
		t.Errorf("on record: %s", said)
	}
	s.interrupt()
}

// Whoever is not the agent that the person left approvals to hears 404, which the
// document has agents read as "ask the user", and nothing is approved.
func TestStarchildSelfApproveIs404ForOthers(t *testing.T) {
	t.Parallel()
	needs(t, "curl")
	check := func(t *testing.T, d *desk, status int, said string) {
		t.Helper()
		if status != 404 || !strings.Contains(said, `"ask_user":["/hooks `) || !strings.Contains(said, `"/hooks on"`) || strings.Contains(said, "<") || strings.Contains(said, `"ok":true`) {
			t.Errorf("%d %s", status, said)
		}
		if _, said := d.run("audit", "query", "--kind", "person", "--json"); strings.Contains(said, "hooks approve") {
			t.Errorf("on record: %s", said)
		}
	}
	d := newDesk(t, selfApprove, "version: 1\n")
	body := `{"command":"` + d.starchild(starchildGuard) + `"}`
	s := d.serve()
	for name, header := range map[string]string{
		"a page": "Origin: http://evil.example", "a page of ours": "Origin: " + s.url, "a sandboxed page": "Origin: null", "a page that hides it": "Sec-Fetch-Site: cross-site",
		"another name": "Host: evil.example", "a proxy": "X-Forwarded-For: 10.0.0.1", "another proxy": "Via: 1.1 x",
	} {
		t.Run(name, func(t *testing.T) {
			status, said, h := s.post(selfApprovePath, body, header)
			check(t, d, status, said)
			if h.Get("Access-Control-Allow-Origin") != "" {
				t.Error("it may be read by pages")
			}
		})
	}
	t.Run("another user", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("SKIPPED: only root can be another user")
		}
		cmd := exec.Command("curl", "-s", "-w", "%{http_code}", "-X", "POST", s.url+selfApprovePath, "-H", "Content-Type: application/json", "-d", body)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if err != nil || len(out) < 3 {
			t.Fatalf("%v %s", err, out)
		}
		check(t, d, map[bool]int{true: 404}[strings.HasSuffix(string(out), "404")], string(out))
		cmd = exec.Command("curl", "-s", "-w", "%{http_code}", "-X", "POST", s.url+"/v1/events", "-H", "Authorization: Bearer "+s.token, "-H", "Content-Type: application/json", "-d", `{"event":"on_stop"}`)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "403") {
			t.Errorf("with the token: %v %s", err, out)
		}
	})
	s.interrupt()
	t.Run("self_approve is not set", func(t *testing.T) {
		d := newDesk(t, "version: 1\n", "version: 1\n")
		body := `{"command":"` + d.starchild(starchildGuard) + `"}`
		s := d.serve()
		status, said, _ := s.post(selfApprovePath, body)
		check(t, d, status, said)
		// Nor does it count when it appears later: the agent may have written it.
		d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), selfApprove)
		status, said, _ = s.post(selfApprovePath, body)
		check(t, d, status, said)
		s.interrupt()
	})
	t.Run("what the user pastes works", func(t *testing.T) {
		d := newDesk(t, "version: 1\n", "version: 1\n")
		script := d.starchild(starchildGuard)
		for _, command := range []string{script, script + " --strict  'a b'", script + ` -v "x"`} {
			d.write(filepath.Join(d.project, "config", "shell_hooks.yaml"), "hooks:\n  - {event: pre_tool_call, command: "+strconv.Quote(command)+"}\n  - {event: on_user_message, command: "+strconv.Quote(command)+"}\n")
			s := d.serve()
			body, _ := json.Marshal(map[string]string{"command": command})
			status, said, _ := s.post(selfApprovePath, string(body))
			check(t, d, status, said)
			s.interrupt()
			var answer struct {
				AskUser []string `json:"ask_user"`
			}
			if err := json.Unmarshal([]byte(said), &answer); err != nil || len(answer.AskUser) != 2 {
				t.Fatalf("%v %s", err, said)
			}
			for _, line := range answer.AskUser {
				if code, said := d.run(strings.Fields(strings.TrimPrefix(line, "/"))...); code != 0 {
					t.Errorf("%s: %d %s", line, code, said)
				}
			}
			if _, said := d.run("hooks", "list", "--json"); strings.Count(said, `"approval":"approved"`) != 2 {
				t.Errorf("%s: %s", command, said)
			}
			if code, said := d.run("hooks", "revoke", "--all"); code != 0 {
				t.Errorf("%d %s", code, said)
			}
			if err := os.RemoveAll(filepath.Join(d.home, ".local")); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("self_approve is taken back", func(t *testing.T) {
		d := newDesk(t, selfApprove, "version: 1\n")
		body := `{"command":"` + d.starchild(starchildGuard) + `"}`
		s := d.serve()
		d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\n")
		status, said, _ := s.post(selfApprovePath, body)
		check(t, d, status, said)
		s.interrupt()
	})
}

// Events that come over HTTP are recorded as such, and are of sessions of their own,
// whatever id they name.
func TestEventsOverHTTP(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\nhooks:\n  stop:\n    - {name: again, type: command, command: 'echo \"{\\\"decision\\\":\\\"block\\\",\\\"reason\\\":\\\"redo it\\\"}\"'}\n", "version: 1\n")
	s := d.serve("--socket", filepath.Join(d.home, "s.sock"))
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(d.home, "s.sock"))
	}}}
	send := func(path, body string) map[string]any {
		t.Helper()
		r, _ := http.NewRequest(http.MethodPost, "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
		r.Header.Set("Authorization", "Bearer "+s.token)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var out map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%d %v %v", resp.StatusCode, err, out)
		}
		return out
	}
	if out := send("/v1/events", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"mkfs.ext4 /dev/sda"}}`); out["decision"] != "deny" {
		t.Errorf("claude's words: %v", out)
	}
	if out := send("/v1/events?event=pre_tool_use", `{"tool_name":"shell","tool_input":{"cmd":"ls"}}`); out["decision"] == "deny" {
		t.Errorf("without a name: %v", out)
	}
	attempt := func(out map[string]any) any {
		redo, _ := out["redo"].(map[string]any)
		return redo["attempt"]
	}
	for i := range 3 {
		if out := send("/v1/events", `{"event":"on_stop","session_id":"s","response":"done"}`); attempt(out) != float64(i+1) {
			t.Errorf("redo %d: %v", i, out)
		}
	}
	// The same id on a host, and in eval, which is native: their first attempt.
	eval := d.command("sh", "-c", `echo '{"event":"on_stop","session_id":"s","response":"done"}' | checkrein eval --json`)
	if said, err := eval.CombinedOutput(); err != nil || !strings.Contains(string(said), `"attempt":1`) {
		t.Errorf("%v %s", err, said)
	}
	hook := d.command(filepath.Join(programs, "ashost"), `sh -c 'checkrein hook claude; true'`)
	hook.Stdin = strings.NewReader(`{"hook_event_name":"Stop","session_id":"s","cwd":"` + d.project + `"}`)
	if said, err := hook.CombinedOutput(); err != nil || !strings.Contains(string(said), "attempt 1 of 3") {
		t.Errorf("%v %s", err, said)
	}
	_, said := d.run("audit", "query", "--host", "http", "--json")
	if n := strings.Count(said, `"caller":["http"]`); n != 5 || strings.Count(said, `"session":"http:s"`) != 4 {
		t.Errorf("on record, %d: %s", n, said)
	}
	s.interrupt()
	if _, err := os.Lstat(filepath.Join(d.home, "s.sock")); err == nil {
		t.Error("the socket was left behind")
	}
}

// A call that failed has run: its post_tool_use fires over HTTP as elsewhere, whatever the
// event is called, and both are one answer and on record.
func TestFailedCallsOverHTTP(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\nhooks:\n  post_tool_use: [{name: after, type: rule, context: ran}]\n  post_tool_use_failure: [{name: failure, type: rule, context: failed}]\n", "version: 1\n")
	s := d.serve("--addr", "127.0.0.1:0")
	for _, name := range []string{"post_tool_use_failure", "PostToolUseFailure", "after_tool_failure", "postToolUseFailure"} {
		code, said, _ := s.post("/v1/events?explain=true", `{"hook_event_name":"`+name+`","session_id":"s","tool_name":"Bash","tool_input":{"command":"cat x"},"error":"no such file"}`, "Authorization: Bearer "+s.token)
		if code != 200 || !strings.Contains(said, `"context":["failed","ran"]`) {
			t.Errorf("%s: %d %s", name, code, said)
		}
	}
	code, said, _ := s.post("/v1/events?event=AfterTool", `{"tool_name":"shell","tool_input":{"cmd":"ls"},"tool_response":"x"}`, "Authorization: Bearer "+s.token)
	if code != 200 || !strings.Contains(said, `"context":["ran"]`) {
		t.Errorf("AfterTool: %d %s", code, said)
	}
	code, said, _ = s.post("/v1/events?event=AfterTol", `{"tool_name":"shell","tool_input":{"cmd":"ls"}}`, "Authorization: Bearer "+s.token)
	if code != 400 || !strings.Contains(said, `"decision":"deny"`) {
		t.Errorf("AfterTol: %d %s", code, said)
	}
	_, said = d.run("audit", "query", "--host", "http", "--json")
	if strings.Count(said, `"hook":"after"`) < 5 || strings.Count(said, `"hook":"failure"`) < 4 {
		t.Errorf("on record: %s", said)
	}
	s.interrupt()
}

// Invalid requests are refused, with the reason and a remedy.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\n", "version: 1\n")
	s := d.serve("--addr", "localhost:0")
	good := "Authorization: Bearer " + s.token
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     string
	}{
		{"no token", "POST", "/v1/events", `{}`, nil, 401, "Authorization: Bearer TOKEN"},
		{"another token", "POST", "/v1/events", `{}`, []string{"Authorization: Bearer " + strings.Repeat("0", 64)}, 401, "the token is missing or wrong"},
		{"the token as another kind", "POST", "/v1/events", `{}`, []string{"Authorization: Basic " + s.token}, 401, "token"},
		{"page of another origin", "POST", "/v1/events", `{}`, []string{good, "Origin: https://evil.example"}, 403, "a web page in a browser"},
		{"page of our origin", "POST", "/v1/events", `{}`, []string{good, "Origin: " + s.url}, 403, "a web page in a browser"},
		{"page of another site", "POST", "/v1/events", `{}`, []string{good, "Sec-Fetch-Site: same-site"}, 403, "a web page in a browser"},
		{"a browser's question", "OPTIONS", "/v1/events", "", []string{"Origin: https://evil.example", "Access-Control-Request-Method: POST"}, 403, "a web page in a browser"},
		{"another host name", "POST", "/v1/events", `{}`, []string{good, "Host: rebound.example"}, 421, "use http://localhost"},
		{"another host name with our port", "POST", "/v1/events", `{}`, []string{good, "Host: rebound.example:" + s.addr[strings.LastIndexByte(s.addr, ':')+1:]}, 421, "use http://localhost"},
		{"a name like ours", "POST", "/v1/events", `{}`, []string{good, "Host: localhost.evil.example"}, 421, "use http://localhost"},
		{"an address of the network", "POST", "/v1/events", `{}`, []string{good, "Host: 192.168.0.1"}, 421, "use http://localhost"},
		{"another method", "GET", "/v1/events", "", []string{good}, 405, "use POST"},
		{"another path", "POST", "/v1/event", `{}`, []string{good}, 404, `did you mean \"/v1/events\"`},
		{"half a path", "GET", "/v1", "", []string{good}, 404, "use one of /v1/events"},
		{"a way around", "POST", "/v1/../v1/events", `{}`, []string{good}, 404, "unknown path"},
		{"another type", "POST", "/v1/events", `{}`, []string{good, "Content-Type: text/plain"}, 415, "Content-Type: application/json"},
		{"no type", "POST", "/v1/events", `{}`, []string{good, "Content-Type: "}, 415, "Content-Type: application/json"},
		{"too large", "POST", "/v1/events", `{"x":"` + strings.Repeat("x", 33<<20) + `"}`, []string{good}, 413, "larger than 33554432 bytes"},
		{"bad JSON", "POST", "/v1/events", `{"event":`, []string{good}, 400, `"decision":"deny"`},
		{"no event", "POST", "/v1/events", `{"tool_name":"x"}`, []string{good}, 400, "add it to the payload, or send ?event=NAME"},
		{"unknown event", "POST", "/v1/events?event=none", `{"tool_name":"x"}`, []string{good}, 400, "unknown event"},
		{"relative directory", "POST", "/v1/events", `{"event":"on_stop","cwd":"x"}`, []string{good}, 400, "not an absolute path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, said, h := s.request(tt.method, tt.path, tt.body, tt.headers...)
			if status != tt.status || !strings.Contains(said, tt.want) || !strings.Contains(said, `"remedy":"`) {
				t.Errorf("%d %s, want %d %s", status, said, tt.status, tt.want)
			}
			for name := range h {
				if strings.HasPrefix(name, "Access-Control") {
					t.Errorf("it says %s", name)
				}
			}
		})
	}
	if _, said := d.run("audit", "query", "--json"); strings.Contains(said, `"kind":"event"`) {
		t.Errorf("on record: %s", said)
	}
	s.interrupt()
}

// dial opens a connection and sends what a request begins with.
func (s *listening) dial(begin string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, begin); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// The server ends slow requests, so that they do not hold a connection.
func TestServeEndsSlowRequests(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "version: 1\n", "version: 1\n").serve()
	for name, tt := range map[string]struct{ begin, want string }{
		"nothing":  {"", ""},
		"a header": {"POST /v1/events HTTP/1.1\r\nHost: localhost\r\n", ""},
		"a body":   {"POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.token + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", "408"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := io.ReadAll(s.dial(tt.begin)) // until the server ends it
			if err != nil || !strings.Contains(string(said), tt.want) {
				t.Errorf("%v %s", err, said)
			}
		})
	}
}

// Connections above the limit get an error, and freed ones are reused.
func TestServeBoundsConnections(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "version: 1\n", "version: 1\n").serve()
	var held []net.Conn
	for range 128 {
		held = append(held, s.dial("POST "))
	}
	said, err := io.ReadAll(s.dial("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
	if err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 503 ") || !strings.Contains(string(said), "too many connections at a time") {
		t.Errorf("%v %s", err, said)
	}
	for _, c := range held {
		_ = c.Close()
	}
	for {
		if status, _, _ := s.post("/v1/none", `{}`); status == 404 { // as soon as the server has seen it
			break
		}
	}
	s.interrupt()
}

// Other addresses are refused before the server listens.
func TestServeListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\n", "version: 1\n")
	d.write(filepath.Join(d.home, "file"), "x")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--addr", "0.0.0.0:0"}, "use 127.0.0.1:PORT"},
		{[]string{"--addr", ":8000"}, "use 127.0.0.1:PORT"},
		{[]string{"--addr", "[::]:0"}, "use 127.0.0.1:PORT"},
		{[]string{"--addr", "192.168.1.4:80"}, "use 127.0.0.1:PORT"},
		{[]string{"--addr", "example.com:80"}, "use 127.0.0.1:PORT"},
		{[]string{"--addr", "127.0.0.1"}, "is not HOST:PORT"},
		{[]string{"--addr", "127.0.0.1:http"}, "the port is not a number"},
		{[]string{"--addr", taken.Addr().String()}, "another program uses"},
		{[]string{"--socket", filepath.Join(d.home, "file")}, "is not a socket"},
		{[]string{"--socket", "/" + strings.Repeat("x", 200)}, "longer than"},
		{[]string{"--socket", "s", "--addr", "127.0.0.1:0"}, "not both"},
		{[]string{"more"}, "unknown command"},
	} {
		if code, said := d.run(append([]string{"serve"}, tt.args...)...); code == 0 || !strings.Contains(said, tt.want) {
			t.Errorf("%v: exit %d, %s", tt.args, code, said)
		}
	}
}

// A request in progress is answered and recorded when the server ends.
func TestServeEndsWhenItsWorkIsDone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\n", "version: 1\n")
	fifo := filepath.Join(d.home, "go-on")
	begun := filepath.Join(d.home, "begun")
	for _, f := range []string{fifo, begun} {
		if err := syscall.Mkfifo(f, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), fmt.Sprintf("version: 1\nhooks:\n  stop:\n    - {name: slow, type: command, command: 'echo x >%s; cat %s'}\n", begun, fifo))
	s := d.serve()
	answered := make(chan string)
	go func() {
		_, said, _ := s.post("/v1/events", `{"event":"on_stop","session_id":"s"}`, "Authorization: Bearer "+s.token)
		answered <- said
	}()
	if _, err := os.ReadFile(begun); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fifo, []byte(`{"decision":"block","reason":"once more"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := <-answered; !strings.Contains(said, "once more") {
		t.Errorf("answered %s", said)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, said := d.run("audit", "query", "--json"); !strings.Contains(said, "once more") {
		t.Errorf("on record: %s", said)
	}
}

// An agent cannot start the server to approve its own hooks.
func TestAgentCannotStartServer(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\npacks: []\n", guarded)
	for range 2 {
		hook := d.command("sh", "-c", `echo '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}' | checkrein hook claude; true`)
		if out, err := hook.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	d.write(filepath.Join(d.home, "own", "checkrein", "checkrein.yaml"), selfApprove)
	d.env = append(d.env, "XDG_CONFIG_HOME="+filepath.Join(d.home, "own"))
	if code, said := d.run("serve"); code != 4 || !strings.Contains(said, "an agent is running this command") {
		t.Errorf("exit %d, %s", code, said)
	}
	tool := d.command("sh", "-c", `echo '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"checkrein serve --addr 127.0.0.1:8000"}}' | checkrein hook claude; true`)
	if said, err := tool.CombinedOutput(); err != nil || !strings.Contains(string(said), "deny") {
		t.Errorf("%v %s", err, said)
	}
}

// A process that sends events is a host: what it starts is an agent's.
func TestEventsOverHTTPComeFromAHost(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	d := newDesk(t, "version: 1\npacks: []\n", guarded)
	d.write(filepath.Join(d.project, "host.py"), `import subprocess, sys, urllib.request
def send():
    r = urllib.request.Request(sys.argv[1] + "/v1/events", b'{"event":"on_stop","session_id":"s"}', {"Content-Type": "application/json", "Authorization": "Bearer " + sys.argv[2]})
    urllib.request.urlopen(r).read()
def approve():
    p = subprocess.run(["checkrein", "hooks", "approve", "--all"], capture_output=True, text=True)
    print(p.returncode, p.stderr.strip())
send(); send()
approve()
open(sys.argv[3], "w").write("version: 1\\nself_approve: true\\n")
approve()
`)
	s := d.serve()
	out, err := d.command("python3", "host.py", s.url, s.token, filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml")).CombinedOutput()
	if err != nil || strings.Count(string(out), "4 checkrein: an agent is running this command: a program over http") != 2 {
		t.Errorf("%v %s", err, out)
	}
	s.interrupt()
}
