package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/lab/norace"
)

// callShapes are the paths of the tool's name and arguments in a captured payload of each host.
var callShapes = []struct{ host, fixture, name, input string }{
	{"claude", "PreToolUse.json", "tool_name", "tool_input"},
	{"codex", "PreToolUse.json", "tool_name", "tool_input"},
	{"gemini", "BeforeTool.json", "tool_name", "tool_input"},
	{"opencode", "tool.execute.before@1.json", "input.tool", "output.args"},
	{"copilot", "preToolUse.json", "toolName", "toolArgs"},
	{"cursor", "preToolUse.json", "tool_name", "tool_input"},
	{"qwen", "PreToolUse.json", "tool_name", "tool_input"},
	{"openclaw", "before_tool_call.json", "event.toolName", "event.params"},
	{"kimi", "PreToolUse.json", "tool_name", "tool_input"},
	{"hermes", "pre_tool_call.json", "tool_name", "tool_input"},
	{"docker-agent", "pre_tool_use.json", "tool_name", "tool_input"},
	{"cline", "PreToolUse.json", "preToolUse.toolName", "preToolUse.parameters"},
	{"windsurf", "pre_mcp_tool_use.json", "tool_info.mcp_tool_name", "tool_info.mcp_tool_arguments"},
	{"kiro", "preToolUse.json", "tool_name", "tool_input"},
	{"ahp", "tool.before@draft.json", "params.event.tool.name", "params.event.tool.input"},
}

// A toolCall is a line of testdata/calls_*.txt.
type toolCall struct{ name, input string }

// readCalls reads the calls in a file of testdata.
func readCalls(t *testing.T, file string) []toolCall {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var out []toolCall
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		name, input, ok := strings.Cut(lines.Text(), " ")
		if !ok || name == "#" {
			continue
		}
		if !json.Valid([]byte(input)) {
			t.Fatalf("%s: %s", file, lines.Text())
		}
		out = append(out, toolCall{name, input})
	}
	return out
}

// setPath sets the value at a dotted path of member names.
func setPath(obj map[string]any, path string, val any) {
	names := strings.Split(path, ".")
	for _, n := range names[:len(names)-1] {
		obj = obj[n].(map[string]any)
	}
	obj[names[len(names)-1]] = val
}

// answerTo returns the verdict on a call and the bytes that the host receives.
func answerTo(t *testing.T, k *app.Kit, name, fixture, namePath, inputPath string, c toolCall) (checkrein.Verdict, string) {
	t.Helper()
	h, ok := host.Find(name)
	if !ok {
		t.Fatalf("no host %s", name)
	}
	body, err := os.ReadFile(filepath.Join("..", "host", strings.ReplaceAll(name, "-", ""), "testdata", fixture))
	if err != nil {
		t.Fatal(err)
	}
	var obj map[string]any
	if err := json.Unmarshal(body, &obj); err != nil {
		t.Fatal(err)
	}
	setPath(obj, namePath, c.name)
	setPath(obj, inputPath, json.RawMessage(c.input))
	switch name {
	case "ahp": // the payload names the kind of the tool
		delete(obj["params"].(map[string]any)["event"].(map[string]any)["tool"].(map[string]any), "kind")
	case "windsurf": // all of these are tools of MCP servers
		server, tool, ok := strings.Cut(strings.TrimPrefix(c.name, "mcp__"), "__")
		if !ok {
			server, tool = "x", c.name
		}
		setPath(obj, "tool_info.mcp_server_name", server)
		setPath(obj, namePath, tool)
	}
	body, err = json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	call := h.Read(h, body, strings.TrimSuffix(strings.Split(fixture, "@")[0], ".json"))
	if name == "ahp" {
		call = h.Read(h, body, "")
	}
	if call.Err != nil {
		t.Fatalf("%s: %s: %v", name, body, call.Err)
	}
	var outs []engine.Outcome
	var worst checkrein.Verdict
	for _, ev := range call.Events {
		ev.Session.Dir = "" // use the kit's directory
		out := k.Decide(t.Context(), ev)
		if out.Verdict.Decision > worst.Decision {
			worst = out.Verdict
		}
		outs = append(outs, out)
	}
	reply := h.Encode(&call, outs)
	return worst, string(reply.Stdout) + string(reply.Stderr)
}

// guardedKit returns a kit without any configuration of the user.
func guardedKit(t *testing.T) *app.Kit {
	t.Helper()
	dir := t.TempDir()
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	k, err := app.Open(app.Options{Dir: project, State: filepath.Join(dir, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Calls of unknown tools, and of known ones in unusual shapes, are denied or asked about on every
// host.
func TestAnyToolIsJudged(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	k := guardedKit(t)
	calls := readCalls(t, "calls_harmful.txt")
	if len(calls) < 90 {
		t.Fatalf("%d calls", len(calls))
	}
	for _, s := range callShapes {
		for _, c := range calls {
			v, said := answerTo(t, k, s.host, s.fixture, s.name, s.input, c)
			if v.Decision != checkrein.Deny && v.Decision != checkrein.Ask {
				t.Errorf("%s: %s %s: %s", s.host, c.name, c.input, v.Decision)
			} else if why := v.Metadata["reason"]; !strings.Contains(said, why) {
				t.Errorf("%s: %s %s: it is not told %q: %s", s.host, c.name, c.input, why, said)
			}
		}
	}
}

// Calls that only mention commands in text are not judged as commands.
func TestTextAboutCommandsPasses(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	k := guardedKit(t)
	calls := readCalls(t, "calls_harmless.txt")
	if len(calls) < 230 {
		t.Fatalf("%d calls", len(calls))
	}
	for _, s := range callShapes {
		for _, c := range calls {
			if v, said := answerTo(t, k, s.host, s.fixture, s.name, s.input, c); v.Decision != checkrein.NoOpinion {
				t.Errorf("%s: %s %s: %s %s %s", s.host, c.name, c.input, v.Decision, v.Reason, said)
			}
		}
	}
}

// If the host obeys the directory argument of a call, only that directory counts. Otherwise, both
// directories count.
func TestDirectoryArgumentOfCall(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	k := guardedKit(t)
	obeys := map[string]string{"codex": "workdir", "gemini": "dir_path", "qwen": "directory", "opencode": "workdir", "openclaw": "workdir", "hermes": "workdir", "docker-agent": "cwd", "cursor": "working_directory"}
	shells := map[string]string{"gemini": "run_shell_command", "qwen": "run_shell_command", "opencode": "bash", "copilot": "bash", "cursor": "Shell", "openclaw": "exec", "kimi": "Shell", "hermes": "terminal", "docker-agent": "shell", "cline": "execute_command", "kiro": "execute_bash", "windsurf": "run", "ahp": "shell"}
	elsewhere := t.TempDir() // below the temporary directory, whose files are expendable
	for _, s := range callShapes {
		tool := shells[s.host]
		if tool == "" {
			tool = "Bash"
		}
		for _, arg := range []string{"cwd", "workdir", "working_directory", "dir_path", "directory"} {
			// In the project this loses everything; in the other directory it loses nothing.
			v, _ := answerTo(t, k, s.host, s.fixture, s.name, s.input, toolCall{tool, `{"command":"rm -rf * .git","` + arg + `":"` + elsewhere + `"}`})
			if want := obeys[s.host] == arg || s.host == "gemini" && arg == "directory"; (v.Decision == checkrein.NoOpinion) != want {
				t.Errorf("%s: %s elsewhere: %s %s", s.host, arg, v.Decision, v.Reason)
			}
			// In the project this is everyday work; in the root directory it is not.
			v, _ = answerTo(t, k, s.host, s.fixture, s.name, s.input, toolCall{tool, `{"command":"rm -rf usr","` + arg + `":"/"}`})
			if v.Decision != checkrein.Deny {
				t.Errorf("%s: %s at the root: %s", s.host, arg, v.Decision)
			}
		}
	}
}

// Private files are guarded in tools that are not shells.
func TestPrivateFilesAreGuardedInEveryTool(t *testing.T) {
	t.Parallel()
	k := guardedKit(t)
	for _, tt := range []struct {
		name, input string
		want        checkrein.Decision
	}{
		{"Read", `{"file_path":"~/.ssh/id_ed25519"}`, checkrein.Ask},
		{"mcp__filesystem__read_multiple_files", `{"paths":["README.md","~/.aws/credentials"]}`, checkrein.Ask},
		{"mcp__fs__read_text", `{"uri":"file:///root/.ssh/id_rsa"}`, checkrein.Ask},
		{"Grep", `{"pattern":"BEGIN","path":"~/.ssh/id_rsa"}`, checkrein.Ask},
		{"Read", `{"file_path":"~/.ssh/id_ed25519.pub"}`, checkrein.NoOpinion},
		{"Read", `{"file_path":"src/main.go"}`, checkrein.NoOpinion},
		{"LS", `{"path":"~/.ssh"}`, checkrein.NoOpinion},
		{"Glob", `{"pattern":"*","path":"~/.ssh"}`, checkrein.NoOpinion},
	} {
		if v, said := answerTo(t, k, "claude", "PreToolUse.json", "tool_name", "tool_input", toolCall{tt.name, tt.input}); v.Decision != tt.want {
			t.Errorf("%s %s: %s %s", tt.name, tt.input, v.Decision, said)
		}
	}
}
