package fakehost_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// config has a hook for each effect that the host honours. PROJECT stands for the project's directory.
const config = `version: 1
hooks:
  session_start:
    - {type: rule, name: greet, context: context-of-session}
  user_prompt_submit:
    - {type: rule, name: careful, if: {prompt: {contains: forbidden words}}, decision: deny, reason: such words are not for models}
    - {type: rule, name: hint, context: context-of-prompt}
  pre_tool_use:
    - {type: rule, name: no, if: {command: {contains: denied}}, decision: deny, reason: reason-of-deny}
    - {type: rule, name: mend, if: {command: {is: touch before}}, patch: {command: touch after}}
    - {type: rule, name: vault, if: {paths: {under: PROJECT/vault}}, decision: deny, reason: the vault is closed}
    - {type: rule, name: safe, matcher: edit, if: {paths: {under: PROJECT/safe.c}}, decision: deny, reason: safe.c stays}
    - {type: rule, name: poke, args_match: poke-denied, decision: deny, reason: no poking}
    - {type: rule, name: asks, if: {command: {is: touch asked}}, decision: ask, reason: reason-of-ask}
    - {name: hung, if: {command: {is: touch hung}}, command: sleep 600, timeout: 2}
    - {type: rule, name: advise, if: {command: {prefix: touch}}, context: context-of-call}
  post_tool_use:
    - {type: rule, name: comment, context: context-of-result}
  stop:
    - {name: tests, command: 'echo the tests are red >&2; exit 2'}
`

// secret is a token that checkrein redacts.
var secret = "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]

// workScript returns a script with a call of each kind.
func workScript(s *faketest.Space) mockmodel.Script {
	at := func(name string) string { return filepath.Join(s.Project, name) }
	return withSubagents(mockmodel.Script{Final: "all is well"}, []mockmodel.Call{
		mockmodel.Shell("touch denied"),
		mockmodel.Shell("touch before"),
		mockmodel.Shell("cat notes.txt"),
		mockmodel.Write(at("vault/key.txt"), "mine\n"),
		mockmodel.Read(at("main.c")),
		mockmodel.Edit(at("main.c"), "main", "start"),
		mockmodel.Read(at("safe.c")),
		mockmodel.Edit(at("safe.c"), "safe", "sorry"),
		mockmodel.MCP("probe", "poke", map[string]any{"text": "poke-fine"}),
		mockmodel.MCP("probe", "poke", map[string]any{"text": "poke-denied"}),
		mockmodel.Shell("touch asked"),
		mockmodel.Shell("touch hung"),
		mockmodel.Shell("ls nowhere"),
		{Tool: "task", Args: map[string]any{"prompt": subPrompt}},
	}, []mockmodel.Call{mockmodel.Shell("touch denied-in-sub"), mockmodel.Shell("touch sub")})
}

const subPrompt = "a part of the work"

// withSubagents returns script with calls of the model and, in below, calls of its sub-agent.
func withSubagents(script mockmodel.Script, calls, below []mockmodel.Call) mockmodel.Script {
	script.Choose = func(q mockmodel.Request) mockmodel.Turn {
		list, done := calls, 0
		for _, m := range q.Messages {
			done += len(m.Results)
			if m.Role == "user" && slices.Contains(m.Texts, subPrompt) {
				list = below
			}
		}
		if done >= len(list) {
			return mockmodel.Turn{}
		}
		return mockmodel.Turn{Calls: list[done : done+1]}
	}
	return script
}

// resultOf returns the result that the model got for the call whose arguments contain arg.
func resultOf(t *testing.T, r mockmodel.Record, arg string) mockmodel.ToolResult {
	t.Helper()
	for _, q := range slices.Backward(r) {
		for _, m := range q.Messages {
			for _, c := range m.Calls {
				if !strings.Contains(c.Args, arg) {
					continue
				}
				for _, res := range q.Results() {
					if res.ID == c.ID {
						return res
					}
				}
			}
		}
	}
	t.Errorf("the model was told nothing of %s", arg)
	return mockmodel.ToolResult{}
}

// installWithServer installs checkrein and an MCP server in a space, and returns the server.
func installWithServer(t *testing.T, s *faketest.Space, programs string) *pokeServer {
	t.Helper()
	s.Install(programs)
	p := &pokeServer{}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	s.Write(s.Project, map[string]string{".mcp.json": `{"mcpServers": {"probe": {"type": "http", "url": "` + srv.URL + `"}}}`})
	s.Write(s.Home, map[string]string{".config/checkrein/checkrein.yaml": strings.ReplaceAll(config, "PROJECT", s.Project)})
	s.Write(s.Project, map[string]string{"notes.txt": "token " + secret + " is here\n", "main.c": "int main;\n", "safe.c": "int safe;\n"})
	return p
}

// A pokeServer is an MCP server with one tool. It records its calls.
type pokeServer struct {
	mu    sync.Mutex
	calls []string
}

func (p *pokeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Arguments struct{ Text string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := "{}"
	switch m.Method {
	case "tools/list":
		result = `{"tools": [{"name": "poke", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}]}`
	case "tools/call":
		p.mu.Lock()
		p.calls = append(p.calls, m.Params.Arguments.Text)
		p.mu.Unlock()
		result = `{"content": [{"type": "text", "text": "noted"}]}`
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, result)
}

func (p *pokeServer) called(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.calls, text)
}

// TestBuilds runs checkrein in an honest host, and in a host with each lie.
func TestBuilds(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	t.Run("honest", func(t *testing.T) {
		t.Parallel()
		testHonest(t, program, programs)
	})
	for _, lie := range fakehost.Lies() {
		t.Run(string(lie), func(t *testing.T) {
			t.Parallel()
			testLie(t, program, programs, lie)
		})
	}
}

// testHonest checks that an honest host does everything that hooks require.
func testHonest(t *testing.T, program, programs string) {
	s := faketest.New(t, program, fakehost.Build{})
	probe := installWithServer(t, s, programs)
	if out, _, _ := s.Try("claude", "--version"); out != fakehost.Version+" (Claude Code)\n" {
		t.Errorf("version: %q", out)
	}
	res := s.Run(faketest.Run{Prompt: "please go", Script: workScript(s), Args: []string{"--allowedTools", "mcp__probe"}})
	if res.Exit != 0 || res.Stdout != "all is well\n\nall is well\n" { // once more when the sub-agent is done
		t.Errorf("exit %d\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	for _, c := range []struct {
		arg, told string
		isError   bool
	}{
		{"touch denied", "reason-of-deny", true},
		{"touch before", "(Bash completed with no output)", false},
		{"cat notes.txt", "token [", false},
		{"vault/key.txt", "the vault is closed", true},
		{`main.c"}`, "1\tint main;\n2\t", false},
		{"start", "has been updated successfully", false},
		{"sorry", "safe.c stays", true},
		{"poke-fine", "noted", false},
		{"poke-denied", "no poking", true},
		{"touch asked", "reason-of-ask", true},
		{"touch hung", "timed out", true},
		{"ls nowhere", "Exit code ", true},
		{subPrompt, "Async agent launched successfully", false},
		{"denied-in-sub", "reason-of-deny", true},
	} {
		if got := resultOf(t, res.Record, c.arg); !strings.Contains(got.Text, c.told) || got.IsError != c.isError {
			t.Errorf("%s: the model was told %q, error %v", c.arg, got.Text, got.IsError)
		}
	}
	if !res.Record.ModelSaw("<result>all is well</result>") {
		t.Error("the model was not told what its sub-agent said")
	}
	for name, want := range map[string]bool{"after": true, "before": false, "denied": false, "denied-in-sub": false, "sub": true, "asked": false, "hung": false, "vault": false} {
		if s.Exists(name) != want {
			t.Errorf("%s exists: %v", name, !want)
		}
	}
	for _, of := range []string{"session", "prompt", "call", "result"} {
		if !res.Record.ModelSaw("context-of-" + of) {
			t.Errorf("the model did not see the context of the %s", of)
		}
	}
	if !probe.called("poke-fine") || probe.called("poke-denied") {
		t.Errorf("the MCP server was called with %q", probe.calls)
	}
	if res.Record.ModelSaw(secret) {
		t.Error("the model saw the secret")
	}
	if !res.Record.ModelSaw("Stop hook feedback:\n") || !res.Record.ModelSaw("(attempt 3 of 3)") || res.Record.ModelSaw("(attempt 4 of 3)") {
		t.Error("the stop was not blocked three times")
	}
	s.Checkrein("audit", "verify")
	checkTranscripts(t, s)
	testMisses(t, s)

	res = s.Run(faketest.Run{Prompt: "here are forbidden words"})
	if len(res.Record) > 0 || res.Exit != 0 || !strings.Contains(res.Stdout, "such words are not for models") {
		t.Errorf("a blocked prompt: %d requests, exit %d: %s", len(res.Record), res.Exit, res.Stdout)
	}
}

// checkTranscripts checks that there is a transcript of the session and one of its sub-agent, with all
// calls, their results and an unbroken chain.
func checkTranscripts(t *testing.T, s *faketest.Space) {
	t.Helper()
	files := s.Transcripts()
	if len(files) != 2 {
		t.Fatalf("transcripts %q, want two", files)
	}
	for i, want := range []int{14, 2} { // the sub-agent's is in a folder of the session's name
		calls, results := readTranscript(t, files[i])
		if len(calls) != want || !slices.Equal(calls, results) {
			t.Errorf("%s: calls %v, results %v, want %d", files[i], calls, results, want)
		}
	}
}

func readTranscript(t *testing.T, path string) (calls, results []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l struct {
			Type, UUID, ParentUUID, SessionID, Version string
			Message                                    struct{ Content json.RawMessage }
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || l.SessionID == "" {
			t.Fatalf("%s: %v: %s", path, err, lines.Text())
		}
		if l.UUID == "" {
			continue
		}
		if l.ParentUUID != "" && !seen[l.ParentUUID] || l.Version != fakehost.Version {
			t.Errorf("%s: broken chain or version: %s", path, lines.Text())
		}
		seen[l.UUID] = true
		var blocks []struct {
			Type, ID string
			Of       string `json:"tool_use_id"`
		}
		if json.Unmarshal(l.Message.Content, &blocks) != nil {
			continue
		}
		for _, b := range blocks {
			switch b.Type {
			case "tool_use":
				calls = append(calls, b.ID)
			case "tool_result":
				results = append(results, b.Of)
			}
		}
	}
	return calls, results
}
