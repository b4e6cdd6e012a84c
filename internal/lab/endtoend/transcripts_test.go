package endtoend

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/host/setups"
	kept "github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

var fixtures = flag.String("fixtures", "", "the folder that TestHostTranscripts is to write clean transcripts to")

// keptConfig denies one command, and redacts.
const keptConfig = `version: 1
hooks:
  pre_tool_use:
    - {type: rule, name: closed, if: {command: {is: touch forbidden}}, decision: deny, reason: the shop is closed}
  tool_response_transform:
    - {name: redact, command: [node, HOME/redact.js]}
`

// mcpServer has one tool, which returns its argument, or fails if the argument is "fail".
const mcpServer = `let rest = ""
process.stdin.on("data", d => { rest += d; let i; while ((i = rest.indexOf("\n")) >= 0) { hear(rest.slice(0, i)); rest = rest.slice(i + 1) } })
function hear(line) {
  if (!line.trim()) return
  const m = JSON.parse(line)
  if (m.id === undefined) return
  const say = result => process.stdout.write(JSON.stringify({jsonrpc: "2.0", id: m.id, result}) + "\n")
  if (m.method === "initialize") return say({protocolVersion: m.params.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: "shop", version: "1"}})
  if (m.method === "tools/list") return say({tools: [{name: "echo", description: "says it again", inputSchema: {type: "object", properties: {text: {type: "string"}}, required: ["text"]}}]})
  if (m.method === "tools/call") return say({content: [{type: "text", text: "shop says " + m.params.arguments.text}], isError: m.params.arguments.text === "fail"})
  say({})
}
`

// A hostCalls has the calls of each kind for a host.
type hostCalls struct {
	host string
	task mockmodel.Call // a sub-agent, which is told childWork
	mcp  string         // the server's tool; "" = it makes no calls of a server or a sub-agent in the lab
	via  string         // the tool that calls it; "" = the model does
	bad  mockmodel.Call // one that the host itself refuses: an argument is missing; none if hooks see it
	wait func([]mockmodel.ToolResult) mockmodel.Call
	args func(w *world) []string
	// files of the home and the project that name the server
	home, project func(server string) map[string]string
	// first is called before all others.
	first []mockmodel.Call
	// apart are the arguments of a second run, which makes the calls that need them.
	apart []string
}

const childWork = "CHILDWORK please"

func mcpServers(path, more string) func(string) map[string]string {
	return func(server string) map[string]string {
		return map[string]string{path: `{"mcpServers":{"shop":{"command":"node","args":["` + server + `"]` + more + `}}}`}
	}
}

func keepers() []hostCalls {
	return []hostCalls{
		{
			host: "claude", bad: mockmodel.Native("Write", map[string]any{"file_path": "/x"}), mcp: "mcp__shop__echo",
			task: mockmodel.Native("Agent", map[string]any{"description": "some work", "prompt": childWork, "subagent_type": "general-purpose"}),
			home: mcpServers("mcp.json", ""),
			args: func(w *world) []string {
				return []string{"--allowedTools", "mcp__shop__echo", "--mcp-config", filepath.Join(w.Home, "mcp.json")}
			},
		},
		{
			host: "codex", bad: mockmodel.Native("exec_command", map[string]any{"workdir": "/"}), mcp: "echo", apart: []string{"-m", "gpt-5"},
			task: mockmodel.Native("spawn_agent", map[string]any{"message": childWork}),
			wait: codexWait,
			args: func(w *world) []string {
				return []string{"-c", `mcp_servers.shop={command="node",args=["` + filepath.Join(w.Home, "shop.js") + `"]}`}
			},
		},
		{
			host: "gemini", bad: mockmodel.Native("write_file", map[string]any{"file_path": "/x"}), mcp: "mcp_shop_echo", project: mcpServers(".gemini/settings.json", `,"trust":true`),
			task: mockmodel.Native("invoke_agent", map[string]any{"agent_name": "generalist", "prompt": childWork}),
		},
		{
			host: "qwen", bad: mockmodel.Native("write_file", map[string]any{"file_path": "/x"}), mcp: "mcp__shop__echo", via: "tool_call", first: []mockmodel.Call{mockmodel.Native("tool_search", map[string]any{"query": "select:mcp__shop__echo"})}, project: mcpServers(".qwen/settings.json", `,"trust":true`),
			task: mockmodel.Native("agent", map[string]any{"description": "some work", "prompt": childWork, "subagent_type": "general-purpose"}),
		},
		{
			host: "copilot", bad: mockmodel.Native("create", map[string]any{"file_text": "x"}), mcp: "shop-echo", home: mcpServers(".copilot/mcp-config.json", `,"type":"local","tools":["*"]`),
			task: mockmodel.Native("task", map[string]any{"description": "some work", "prompt": childWork, "agent_type": "general-purpose", "name": "helper"}),
		},
		{
			host: "opencode", bad: mockmodel.Native("write", map[string]any{"filePath": "/x"}), mcp: "shop_echo",
			task: mockmodel.Native("task", map[string]any{"description": "some work", "prompt": childWork, "subagent_type": "general"}),
			project: func(server string) map[string]string {
				return map[string]string{"opencode.json": `{"mcp":{"shop":{"type":"local","command":["node","` + server + `"],"enabled":true}}}`}
			},
		},
		{host: "pi", bad: mockmodel.Native("write", map[string]any{"path": "/x"})},
		{host: "droid"},
	}
}

// codexWait returns a call that waits for the sub-agent, if there is one, because it runs in parallel
// with its parent.
func codexWait(list []mockmodel.ToolResult) mockmodel.Call {
	var agent struct {
		ID string `json:"agent_id"`
	}
	_ = json.Unmarshal([]byte(list[len(list)-1].Text), &agent)
	if agent.ID == "" {
		return mockmodel.Shell("true")
	}
	return mockmodel.Native("wait_agent", map[string]any{"targets": []string{agent.ID}, "timeout_ms": 30000})
}

// echo returns a call of the MCP server's tool.
func (k *hostCalls) echo(text string) mockmodel.Call {
	args := map[string]any{"text": text}
	if k.via != "" {
		return mockmodel.Native(k.via, map[string]any{"name": k.mcp, "arguments": args})
	}
	return mockmodel.Native(k.mcp, args)
}

// TestHostTranscripts has each host make every kind of call and reads its transcripts.
func TestHostTranscripts(t *testing.T) {
	hosttest.New(t)
	programs := buildPrograms(t)
	for _, k := range keepers() {
		t.Run(k.host, func(t *testing.T) { testKept(t, programs, k) })
	}
}

func testKept(t *testing.T, programs string, k hostCalls) {
	w := newWorld(t, programs, k.host)
	w.configure(strings.ReplaceAll(keptConfig, "HOME", w.Home))
	w.writeFiles(w.Home, map[string]string{"shop.js": mcpServer, "redact.js": redact})
	w.writeFiles(w.Project, map[string]string{"notes.txt": "one\ntwo\n"})
	var f fact
	if i := slices.IndexFunc(facts(), func(f fact) bool { return f.host == k.host }); i >= 0 {
		f = facts()[i]
	}
	in := func(name string) string { return filepath.Join(w.Project, name) }
	calls := append(k.first,
		mockmodel.Shell("echo first"),
		f.readCall(in("notes.txt")),
		mockmodel.Write(in("new.txt"), "fresh\n"),
		mockmodel.Edit(in("notes.txt"), "one", "three"),
		mockmodel.Shell("touch forbidden"),
		mockmodel.Shell("echo broken; exit 3"),
		f.readCall(in("missing.txt")),
	)
	want := kinds{failed: 2, ran: 4}
	if k.bad.Tool != "" {
		calls, want.refused = append(calls, k.bad), 1
	}
	var more []mockmodel.Call
	if k.mcp != "" {
		more = []mockmodel.Call{k.echo("hello"), k.echo("fail"), k.task}
		want.failed, want.ran, want.child = want.failed+1, want.ran+3, 1
	}
	if k.apart == nil {
		w.makeCalls(k, append(calls, more...), nil)
	} else {
		w.makeCalls(k, calls, nil)
		w.makeCalls(k, more, k.apart)
	}
	w.compareTranscripts(want)
	if *fixtures != "" && !t.Failed() {
		w.writeFixtures()
	}
}

// kinds has how many calls failed, ran, were made by a sub-agent, and were refused by the host. Those that
// ran may be more.
type kinds struct{ failed, ran, child, refused int }

// compareTranscripts compares the host's transcripts with the ledger: each call is in both, except
// those that the host refused before it ran hooks.
func (w *world) compareTranscripts(want kinds) {
	w.t.Helper()
	calls := map[string][]kept.Call{}
	for _, f := range setups.Transcripts().Find(w.Home, w.Environ(nil)) {
		texts := 0
		rep, err := f.Read(kept.Options{Text: func(*kept.Call, string) error { texts++; return nil }}, func(c *kept.Call) error {
			w.t.Logf("%s %s session %s agent %s %s %q %q", c.Outcome, c.ID, c.Session, c.Agent, c.Tool, c.Command, c.Path)
			calls[joinKey(w.name, c.ID, c.Session, c.Digest)] = append(calls[joinKey(w.name, c.ID, c.Session, c.Digest)], *c)
			return nil
		})
		if err != nil || rep.SkippedAll > 0 || rep.Truncated || rep.Calls > 0 && texts == 0 {
			w.t.Errorf("%s: %+v, %d texts, %v", f.Path, rep, texts, err)
		}
	}
	outcomes, child := map[kept.Outcome]int{}, 0
	for _, r := range w.readLedger() {
		if r.Event != "pre_tool_use" {
			continue
		}
		key := joinKey(w.name, r.Tool.CallID, r.Session, kept.Digest(r.Subject.Input.JSON))
		list := calls[key]
		if len(list) == 0 {
			w.t.Errorf("no transcript has %s %s %s", r.Tool.Name, r.Tool.CallID, r.Subject.Input.JSON)
			continue
		}
		c := list[0]
		calls[key] = list[1:]
		outcomes[c.Outcome]++
		if (c.Outcome == kept.Denied) != (r.Decision == "deny") || c.Tool != r.Tool.Name || c.Digest != kept.Digest(r.Subject.Input.JSON) {
			w.t.Errorf("the transcript has %+v of %s %s, which was decided with %s", c, r.Tool.Name, r.Subject.Input.JSON, r.Decision)
		}
		if c.Command == "echo child" && c.Agent != "" {
			child++
		}
		if c.At.IsZero() || c.Done.IsZero() || c.Done.Before(c.At) {
			w.t.Errorf("%s was called at %s and done at %s", c.ID, c.At, c.Done)
		}
	}
	refused := 0
	for _, list := range calls {
		for _, c := range list {
			if refused++; c.Outcome != kept.Refused {
				w.t.Errorf("checkrein did not hear of %+v", c)
			}
		}
	}
	if outcomes[kept.Denied] != 1 || outcomes[kept.Failed] != want.failed || outcomes[kept.Ran] < want.ran || child != want.child || refused+outcomes[kept.Refused] != want.refused {
		w.t.Errorf("outcomes %v, %d of the sub-agent, %d refused before hooks, want %+v", outcomes, child, refused, want)
	}
}

// joinKey returns the key by which a call in a transcript is matched with its record.
func joinKey(host, id, session string, digest [32]byte) string {
	if kept.SameIDs(host) {
		return session + " " + id
	}
	return session + " " + string(digest[:])
}

// makeCalls runs the host with calls, and one call of a sub-agent.
func (w *world) makeCalls(k hostCalls, calls []mockmodel.Call, args []string) {
	w.t.Helper()
	run := hostlab.Run{Prompt: "please go", Script: mockmodel.Script{Choose: func(q mockmodel.Request) mockmodel.Turn {
		n := len(q.Results())
		switch {
		case isFromSubagent(q) && n == 0:
			return mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Shell("echo child")}}
		case isFromSubagent(q):
			return mockmodel.Turn{Text: "the work is done"}
		case n == len(calls) && k.wait != nil:
			return mockmodel.Turn{Calls: []mockmodel.Call{k.wait(q.Results())}}
		case n < len(calls):
			return mockmodel.Turn{Text: "step", Calls: calls[n : n+1]}
		}
		return mockmodel.Turn{Text: "all is well"}
	}}}
	server := filepath.Join(w.Home, "shop.js")
	if k.home != nil {
		run.Home = k.home(server)
	}
	if k.project != nil {
		run.Project = k.project(server)
	}
	if k.args != nil {
		run.Args = append(args, k.args(w)...)
	}
	res := w.Run(run)
	if res.Exit != 0 {
		w.t.Errorf("exit %d\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	if last, ok := res.Record.LastTurn(); ok {
		for _, r := range last.Results() {
			w.t.Logf("%s: %.300s", r.ID, r.Text)
		}
	}
}

// isFromSubagent reports whether a sub-agent sent the request.
func isFromSubagent(q mockmodel.Request) bool {
	for _, m := range q.Messages {
		if m.Role != "user" {
			continue
		}
		for _, text := range m.Texts {
			if strings.Contains(text, childWork) {
				return true
			}
		}
	}
	return false
}
