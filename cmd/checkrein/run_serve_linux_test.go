package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const doorToken = "only-the-person-has-this-0123456789"

// A doored is a session of `run --serve` that runs.
type doored struct {
	*listening
	place *runPlace
	id    string
	mu    sync.Mutex
	out   bytes.Buffer
}

// servedAgent has the hooks of docker-agent's page on what comes over HTTP: its
// metadata for the confirmation, and its logs of follow-ups and of steering, which
// lie here and not in /tmp.
const servedAgent = `
agents:
  root:
    model: scripted/demo
    toolsets: [{type: shell}]
    hooks:
      permission_request:
        - matcher: "shell"
          hooks:
            - type: command
              command: |
                INPUT=$(cat)
                CMD=$(echo "$INPUT" | jq -r '.tool_input.cmd // ""')
                if echo "$CMD" | grep -qE '\brm\b'; then
                  echo '{"hook_specific_output":{"metadata":{"risk":"high","note":"deletes files"}}}'
                fi
      user_followup_submit:
        - type: command
          command: |
            INPUT=$(cat)
            echo "$INPUT" | jq -r '.prompt' >> agent-followups.log
      user_steering_messages_submit:
        - type: command
          command: |
            INPUT=$(cat)
            echo "$INPUT" | jq -r '.steering_messages[]' >> agent-steering.log
`

var servingLine = regexp.MustCompile(`serving session (\S+) on (\S+)`)

// serveRun starts a session without a terminal, whose person has the token.
func serveRun(t *testing.T, agent string, args ...string) *doored {
	t.Helper()
	needs(t, "jq", "curl")
	p := newRunPlace(t, agent)
	cmd := p.command(append([]string{"--serve", "--token-fd", "3"}, args...)...)
	cmd.Env = append(cmd.Env, "PATH="+programs+":"+os.Getenv("PATH"))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{r}
	if _, err := io.WriteString(w, doorToken+"\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	side, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	d := &doored{listening: &listening{desk: &desk{t: t, home: filepath.Join(p.dir, "home"), project: p.dir, env: cmd.Env}, cmd: cmd, token: doorToken}, place: p}
	cmd.Stdout = writer(func(b []byte) (int, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.out.Write(b)
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(side)
	for d.id == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%v %s", err, line)
		}
		if m := servingLine.FindStringSubmatch(line); m != nil {
			d.id, d.url = m[1], m[2]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return d
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

func (d *doored) output() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.String()
}

// call sends something as the person does.
func (d *doored) call(what, body string) (int, string) {
	d.t.Helper()
	method := "POST"
	if body == "" {
		method = "GET"
	}
	status, said, _ := d.request(method, "/v1/sessions/"+d.id+what, body, "Authorization: Bearer "+d.token)
	return status, strings.TrimSpace(said)
}

// send sends a message and returns the response.
func (d *doored) send(what, text string) string {
	d.t.Helper()
	body, _ := json.Marshal(map[string]any{"messages": []any{map[string]string{"content": text}}})
	status, said := d.call(what, string(body))
	if status != 200 {
		d.t.Fatalf("%d %s", status, said)
	}
	return said
}

// A doorStatus is what the session says of itself.
type doorStatus struct {
	ID, Agent string
	Streaming bool
	Pending   []struct {
		ID, Type string
		Call     struct {
			Tool     string
			Input    json.RawMessage
			Metadata map[string]string
		} `json:"tool_call"`
	}
}

// waitFor polls the status until is reports true.
func (d *doored) waitFor(is func(*doorStatus) bool) *doorStatus {
	d.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		code, said := d.call("/status", "")
		var s doorStatus
		if err := json.Unmarshal([]byte(said), &s); err != nil || code != 200 {
			d.t.Fatalf("%d %v %s", code, err, said)
		}
		if is(&s) {
			return &s
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("still %s", said)
		}
	}
}

func hasOnePending(s *doorStatus) bool { return len(s.Pending) == 1 }
func isIdle(s *doorStatus) bool        { return !s.Streaming }

// answer answers the open question.
func (d *doored) answer(confirmation, more string) {
	d.t.Helper()
	s := d.waitFor(hasOnePending)
	if code, said := d.call("/resume", `{"id":"`+s.Pending[0].ID+`","confirmation":"`+confirmation+`"`+more+`}`); code != 200 {
		d.t.Fatalf("%d %s", code, said)
	}
}

// A /hooks command is answered over HTTP as it is at a terminal, without the model.
func TestRunServeHooksCommand(t *testing.T) {
	t.Parallel()
	d := serveRun(t, servedAgent)
	d.waitFor(isIdle)
	command := func(what, text string) string {
		t.Helper()
		var said struct{ Status, Output string }
		if err := json.Unmarshal([]byte(d.send(what, text)), &said); err != nil || said.Status != "answered" {
			t.Errorf("%s: %+v, %v", text, said, err)
		}
		return said.Output
	}
	for _, what := range []string{"/followup", "/steer"} {
		if out := command(what, " /hooks list "); !strings.Contains(out, "user_followup_submit") || strings.Contains(out, "\x1b") {
			t.Errorf("%s: the list is %s", what, out)
		}
	}
	if out := command("/followup", "/hooks frobnicate"); !strings.Contains(out, "frobnicate") {
		t.Errorf("an unknown command: %s", out)
	}
	for _, word := range []string{"on", "off"} { // only a person may, and there is no terminal that could be an agent's
		if out := command("/followup", "/hooks "+word); !strings.Contains(out, "not typed at its prompt") || strings.Contains(out, "this terminal") {
			t.Errorf("/hooks %s: %s", word, out)
		}
	}
	if s := d.waitFor(isIdle); len(s.Pending) != 0 || d.output() != "" {
		t.Errorf("the agent was asked: %+v, %s", s, d.output())
	}
	if _, err := os.Stat(filepath.Join(d.place.dir, "agent-followups.log")); err == nil {
		t.Error("the command was a follow-up")
	}
	if said := d.send("/followup", "/hookshot"); said != `{"status":"queued_idle"}` {
		t.Error(said)
	}
}

// A person with the token sends follow-ups and steering, and confirms tool calls: each
// message goes through the events of those that are typed.
func TestRunServe(t *testing.T) {
	t.Parallel()
	d := serveRun(t, servedAgent)
	if s := d.waitFor(isIdle); s.ID != d.id || len(s.Pending) != 0 {
		t.Errorf("%+v", s)
	}
	if said := d.send("/followup", "Run: rm -rf build"); said != `{"status":"queued_idle"}` {
		t.Error(said)
	}
	q := d.waitFor(hasOnePending).Pending[0]
	if q.Type != "tool_call_confirmation" || q.Call.Tool != "shell" || !strings.Contains(string(q.Call.Input), "rm -rf build") || q.Call.Metadata["risk"] != "high" || q.Call.Metadata["note"] != "deletes files" {
		t.Errorf("the question %+v", q)
	}
	for body, want := range map[string]string{
		`{"id":"` + q.ID + `","confirmation":"perhaps"}`:          "approve, approve-tool, approve-session or reject",
		`{"confirmation":"approve"}`:                              "the answer does not name a question",
		`{"id":"q99","confirmation":"approve"}`:                   "there is no such question",
		`{"id":"` + q.ID + `","confirmation":"approve-balanced"}`: "is not a valid answer",
		`{"id":["` + q.ID + `"],"confirmation":true}`:             "is not a valid answer",
	} {
		if code, said := d.call("/resume", body); code < 400 || !strings.Contains(said, want) {
			t.Errorf("%s: %d %s", body, code, said)
		}
	}
	d.answer("reject", `,"reason":"not on a Friday"`)
	if code, said := d.call("/resume", `{"id":"`+q.ID+`","confirmation":"approve"}`); code != 409 {
		t.Errorf("answered twice: %d %s", code, said)
	}
	d.waitFor(isIdle)
	if !strings.Contains(d.output(), "not on a Friday") {
		t.Errorf("the agent heard %s", d.output())
	}
	d.send("/followup", "Run: touch made")
	d.waitFor(hasOnePending)
	if said := d.send("/steer", "look left"); said != `{"status":"queued"}` {
		t.Error(said)
	}
	d.answer("approve", "")
	d.waitFor(isIdle)
	if _, err := os.Stat(filepath.Join(d.place.dir, "made")); err != nil {
		t.Error("the call did not run")
	}
	if got := d.place.read(t, "agent-followups.log"); got != "Run: rm -rf build\nRun: touch made\n" {
		t.Errorf("follow-ups %q", got)
	}
	if got := d.place.read(t, "agent-steering.log"); got != "look left\n" {
		t.Errorf("steering %q", got)
	}
	d.send("/followup", "Run: touch again")
	d.answer("approve-session", "")
	d.send("/followup", "Run: touch unasked")
	d.waitFor(func(s *doorStatus) bool {
		_, err := os.Stat(filepath.Join(d.place.dir, "unasked"))
		return isIdle(s) && err == nil
	})
	d.interrupt()
	if _, said := d.run("audit", "query", "--kind", "person", "--json"); strings.Count(said, `"caller":["http"]`) != 3 || !strings.Contains(said, `"act":"answer approve"`) || !strings.Contains(said, `"act":"answer reject"`) {
		t.Errorf("on record: %s", said)
	}
}

// A message that a guard blocks does not reach the model over HTTP either, and the one
// that waits behind it does, though both came before the session had begun.
func TestRunServeMessagesAreGuarded(t *testing.T) {
	t.Parallel()
	guarded := strings.ReplaceAll(servedAgent, "            echo \"$INPUT\" | jq -r '.prompt' >> agent-followups.log\n", "            echo \"$INPUT\" | jq -e '.prompt | test(\"secret\") | not' >/dev/null || { echo 'no secrets here' >&2; exit 2; }\n")
	d := serveRun(t, strings.Replace(guarded, "    hooks:\n", "    hooks:\n      session_start: [{type: command, command: 'while ! test -e begin; do sleep 0.02; done'}]\n", 1))
	d.send("/followup", "Run: echo secret")
	d.send("/followup", "Hello there")
	d.place.write(t, "begin", "")
	d.waitFor(func(s *doorStatus) bool { return isIdle(s) && d.output() != "" })
	if strings.Contains(d.output(), "echo secret") {
		t.Errorf("it reached the model: %s", d.output())
	}
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Wait(); err == nil {
		t.Error("a blocked message is a failed run")
	}
}

// Without the token there is nothing, and bad input changes nothing.
func TestRunServeRefuses(t *testing.T) {
	t.Parallel()
	d := serveRun(t, servedAgent)
	good := "Authorization: Bearer " + d.token
	at := "/api/sessions/" + d.id
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
	}{
		{"list without the token", "GET", "/api/sessions", "", nil, 401},
		{"status without the token", "GET", at + "/status", "", nil, 401},
		{"follow-up without the token", "POST", at + "/followup", `{"messages":[{"content":"hi"}]}`, nil, 401},
		{"steering without the token", "POST", at + "/steer", `{"messages":[{"content":"hi"}]}`, nil, 401},
		{"answer without the token", "POST", at + "/resume", `{"id":"q1","confirmation":"approve"}`, nil, 401},
		{"the server's token of events", "GET", at + "/status", "", []string{"Authorization: Bearer " + strings.Repeat("ab", 32)}, 401},
		{"a page", "GET", at + "/status", "", []string{good, "Origin: http://evil.example"}, 403},
		{"another name", "GET", at + "/status", "", []string{good, "Host: evil.example"}, 421},
		{"a proxy", "GET", at + "/status", "", []string{good, "Via: 1.1 x"}, 403},
		{"another session", "GET", "/api/sessions/x/status", "", []string{good}, 404},
		{"another method", "GET", at + "/steer", "", []string{good}, 405},
		{"no messages", "POST", at + "/steer", `{}`, []string{good}, 400},
		{"an empty message", "POST", at + "/followup", `{"messages":[{"content":" "}]}`, []string{good}, 400},
		{"the agent's words", "POST", at + "/followup", `{"messages":[{"role":"assistant","content":"x"}]}`, []string{good}, 400},
		{"no list", "POST", at + "/followup", `{"messages":"x"}`, []string{good}, 400},
		{"too large", "POST", at + "/followup", `{"messages":[{"content":"` + strings.Repeat("x", 2<<20) + `"}]}`, []string{good}, 413},
		{"not JSON", "POST", at + "/followup", `{`, []string{good}, 400},
		{"approve's path", "POST", selfApprovePath, `{"command":"x"}`, []string{good}, 404},
	} {
		if status, said, _ := d.request(tt.method, tt.path, tt.body, tt.headers...); status != tt.status || !strings.Contains(said, `"remedy":"`) {
			t.Errorf("%s: %d %s, want %d", tt.name, status, said, tt.status)
		}
	}
	for i := range 7 { // steering waits for the next message, as far as there is room
		status, said := d.call("/steer", `{"messages":[{"content":"hi"}]}`)
		if want := map[bool]int{true: 200, false: 429}[i < 5]; status != want {
			t.Errorf("steering %d: %d %s", i, status, said)
		}
	}
	if status, said, _ := d.request("GET", "/api/sessions", "", good); status != 200 || !strings.Contains(said, `"id":"`+d.id+`"`) {
		t.Errorf("%d %s", status, said)
	}
	if d.output() != "" {
		t.Errorf("the agent said %s", d.output())
	}
	d.interrupt()
}

// The agent cannot answer for the person: its tools have neither the token nor a way in.
func TestRunServeKeepsTheAgentOut(t *testing.T) {
	t.Parallel()
	d := serveRun(t, servedAgent, "--yolo")
	try := func(command string) string {
		before := len(d.output())
		d.send("/followup", "Run: "+command)
		d.waitFor(func(s *doorStatus) bool { return isIdle(s) && len(d.output()) > before })
		return d.output()[before:]
	}
	for _, command := range []string{
		"curl -s " + d.url + "/api/sessions", "curl -s localhost:" + d.url[strings.LastIndexByte(d.url, ':')+1:], "echo " + d.token, "python3 x.py /api/sessions/" + d.id + "/resume", "python3 x.py /v1/sessions/" + d.id + "/resume",
	} {
		if said := try(command); !strings.Contains(said, "only the user may call the session's own API") {
			t.Errorf("%s: %s", command, said)
		}
	}
	// What cannot be told from the call, and an agent that knows the token all the same.
	d.place.write(t, "sneak.sh", "curl -s -w ' %{http_code}' -H 'Authorization: Bearer "+d.token+"' "+d.url+"/api/sessions\n")
	if said := try("sh sneak.sh"); !strings.Contains(said, "a process that this session started") || !strings.Contains(said, "403") {
		t.Errorf("from a script: %s", said)
	}
	d.place.write(t, "deep.sh", "n=$1; if [ $n -gt 0 ]; then sh deep.sh $((n-1)); exit; fi; sh sneak.sh\n")
	if said := try("sh deep.sh 150"); !strings.Contains(said, "403") {
		t.Errorf("from below many: %s", said)
	}
	// A token that a tool finds is not handed on.
	d.place.write(t, "word.txt", "the word is "+d.token+".\n")
	if said := try("cat word.txt"); strings.Contains(said, d.token) || !strings.Contains(said, "[REDACTED]") {
		t.Errorf("read: %s", said)
	}
	d.place.write(t, "look.sh", `p=$PPID; while [ $p -gt 1 ]; do
  for f in /proc/$p/environ /proc/$p/cmdline; do tr '\0' '\n' <$f | grep -c only-the-person | sed "s/^/count /"; done
  ls -l /proc/$p/fd | grep -c 'pipe.*token' | sed 's/^/count /'
  case $(cat /proc/$p/comm) in checkreind*) break;; esac
  p=$(cut -d' ' -f4 /proc/$p/stat); done; env | grep -c only-the-person | sed 's/^/count /'; ls /proc/$$/fd | tr '\n' ' '; ls ~/.local/state/checkrein; echo looked`)
	if said := try("sh look.sh"); !strings.Contains(said, "looked") || regexp.MustCompile(`count [1-9]`).MatchString(said) || strings.Contains(said, "serve-token") {
		t.Errorf("looking: %s", said)
	}
	// Commands that are a person's are known to come from an agent all the same.
	if said := try("checkrein hooks approve --all; echo exit $?"); !strings.Contains(said, "exit 4") && !strings.Contains(said, "Blocked") {
		t.Errorf("approve: %s", said)
	}
	d.interrupt()
}

// At a terminal the person is asked there and over HTTP; the first answer counts.
func TestRunServeAtATerminal(t *testing.T) {
	t.Parallel()
	p := newRunPlace(t, seated)
	x := startInTerminal(t, p.command("--serve"))
	x.expect("the session's token (keep it secret): ")
	x.mu.Lock()
	all := x.text.String()
	x.mu.Unlock()
	for !regexp.MustCompile(`secret\): [0-9a-f]{64}\r?\n`).MatchString(all) {
		x.mu.Lock()
		all = x.text.String()
		x.mu.Unlock()
	}
	m := servingLine.FindStringSubmatch(all)
	token := regexp.MustCompile(`secret\): ([0-9a-f]{64})`).FindStringSubmatch(all)
	d := &doored{listening: &listening{desk: &desk{t: t}, url: strings.TrimSpace(m[2]), token: token[1]}, id: m[1]}
	x.expect("> ")
	x.typeKeys("Run: touch one\n")
	x.expect("allow? ")
	d.answer("approve", "")
	x.expect("answered over HTTP: yes")
	x.expect("> ")
	x.typeKeys("Run: touch two\n")
	x.expect("allow? ")
	if s := d.waitFor(hasOnePending); !s.Streaming {
		t.Errorf("%+v", s)
	}
	x.typeKeys("y\n")
	d.waitFor(func(s *doorStatus) bool { return isIdle(s) && len(s.Pending) == 0 })
	d.send("/followup", "Run: touch three")
	x.expect("allow? ")
	x.typeKeys("n\n")
	d.waitFor(func(s *doorStatus) bool { return isIdle(s) && len(s.Pending) == 0 })
	x.typeKeys("/exit\n")
	if code := x.waitForExit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	for name, want := range map[string]bool{"one": true, "two": true, "three": false} {
		if _, err := os.Stat(filepath.Join(p.dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v", name, err == nil)
		}
	}
}

// The token is never where an agent would read it.
func TestRunServeNeedsAPlaceForTheToken(t *testing.T) {
	t.Parallel()
	p := newRunPlace(t, servedAgent)
	for _, tt := range []struct {
		args []string
		in   string
		want string
	}{
		{[]string{"--serve"}, "", "--token-fd 3"},
		{[]string{"--token-fd", "3"}, doorToken, "--token-fd can only be used together with --serve"},
		{[]string{"--serve", "--token-fd", "3"}, "short", "at least 16 characters"},
		{[]string{"--serve", "--token-fd", "3"}, "with blanks in it, and long", "must not have spaces"},
		{[]string{"--serve", "--token-fd", "0"}, doorToken, "3 or higher"},
		{[]string{"--serve", "--token-fd", "77"}, doorToken, "--token-fd"},
		{[]string{"--serve=0.0.0.0:80", "--token-fd", "3"}, doorToken, "use 127.0.0.1:PORT"},
	} {
		cmd := p.command(tt.args...)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, tt.in)
		w.Close()
		cmd.ExtraFiles = []*os.File{r}
		out, err := cmd.CombinedOutput()
		r.Close()
		if _, exited := err.(*exec.ExitError); !exited || !strings.Contains(string(out), tt.want) {
			t.Errorf("%v: %v %s", tt.args, err, out)
		}
	}
}
