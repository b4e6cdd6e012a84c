package endtoend

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// newWalledWorld is newWorld with walls. It skips the test if this machine has none.
func newWalledWorld(t *testing.T, host string) *world {
	t.Helper()
	if err := sandbox.CheckSupported(); err != nil {
		fmt.Fprintf(os.Stderr, "SKIPPED %s: no walls here: %v\n", t.Name(), err)
		t.Skipf("NOT RUN: no walls here: %v", err)
	}
	w := &world{Space: hosttest.New(t).Host(host).OpenSpace(), t: t, name: host}
	programs := buildPrograms(t)
	w.putPrograms(programs)
	shell := filepath.Join(programs, "checkrein-shell")
	if !w.there(shell) {
		if err := built.Put(programs, "checkrein-shell"); err != nil {
			t.Fatal(err)
		}
	}
	w.copyProgram(shell, w.ProgramPath("checkrein-shell"))
	w.writeFiles(w.Home, map[string]string{"notes": "notes\n", ".netrc": "hidden\n"})
	w.writeFiles(w.Project, map[string]string{"odd": "odd\n"})
	return w
}

// wall installs checkrein with walls.
func (w *world) wall() {
	w.t.Helper()
	w.checkrein("install", w.name, "--walls", "--program", w.ProgramPath("checkrein"))
}

// userSettings returns the path of the host's settings of the user.
func (w *world) userSettings() string {
	return filepath.Join(w.Home, map[string]string{"claude": ".claude/settings.json", "opencode": ".config/opencode/opencode.json"}[w.name])
}

// say runs the host with shell commands and returns their results.
func (w *world) say(r hostlab.Run, commands ...string) []string {
	w.t.Helper()
	calls := make([]mockmodel.Call, len(commands))
	for i, c := range commands {
		calls[i] = mockmodel.Shell(c)
	}
	texts, _ := w.calls(r, calls...)
	return texts
}

// calls runs the host with calls and returns their results.
func (w *world) calls(r hostlab.Run, calls ...mockmodel.Call) ([]string, hostlab.Result) {
	w.t.Helper()
	r.Prompt, r.Script = "please go", callScript(calls...)
	res := w.Run(r)
	texts := make([]string, len(calls))
	for i := range calls {
		result, ok := res.Record.Result(i, 0)
		if !ok {
			w.t.Errorf("call %d has no result\nstdout: %s\nstderr: %s", i, res.Stdout, res.Stderr)
		}
		texts[i] = result.Text
	}
	return texts, res
}

// readFile returns the content of a file, or "" if it cannot be read.
func (w *world) readFile(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

// TestHostWalls runs Claude Code with walls.
func TestHostWalls(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	t.Run("settings", testWallsSettings)
	t.Run("modes", testWallsModes)
	t.Run("as bare", testWallsAsBare)
	t.Run("rules", testWallsRules)
	t.Run("replaced", testWallsReplaced)
	t.Run("own processes", testWallsOwnProcesses)
	t.Run("attacks", testWallsAttacks)
	t.Run("removed", testWallsRemoved)
}

// outsideAndInside is what a contained command tries: the script is unknown, so it runs, but only its
// write in the project works.
const outsideAndInside = "cat tool.py | python3"

// toolScript writes inside and outside of the project. The code is not readable.
const toolScript = `import base64
exec(base64.b64decode("aW1wb3J0IG9zCm9wZW4oImluc2lkZSIsInciKS53cml0ZSgieCIpCm9wZW4ob3MucGF0aC5leHBhbmR1c2VyKCJ+L25vdGVzIiksImEiKS53cml0ZSgieCIpCg=="))
`

// checkContained checks that the script ran behind walls.
func (w *world) checkContained(name, result string) {
	w.t.Helper()
	inside := filepath.Join(w.Project, "inside")
	if !w.there(inside) || w.readFile(filepath.Join(w.Home, "notes")) != "notes\n" || !strings.Contains(result, "Permission denied") {
		w.t.Errorf("%s: inside %v, notes %q\n%s", name, w.there(inside), w.readFile(filepath.Join(w.Home, "notes")), result)
	}
	_ = os.Remove(inside)
}

// checkAsked checks that the script did not run.
func (w *world) checkAsked(name, result string) {
	w.t.Helper()
	if w.exists("inside") || w.readFile(filepath.Join(w.Home, "notes")) != "notes\n" || !strings.Contains(result, "walls are installed") {
		w.t.Errorf("%s: inside %v\n%s", name, w.exists("inside"), result)
	}
	_ = os.Remove(filepath.Join(w.Project, "inside"))
}

// testWallsSettings checks that install adds the setting, and that uninstall restores the file.
func testWallsSettings(t *testing.T) {
	w := newWalledWorld(t, "claude")
	const before = "{\n  // mine\n  \"model\": \"m\",\n  \"env\": {\"A\": \"b\"}\n}\n"
	w.writeFiles(w.Home, map[string]string{".claude/settings.json": before})
	w.wall()
	if text := w.readFile(w.userSettings()); !strings.Contains(text, "/walls/claude/checkrein-shell") {
		t.Errorf("installed: %s", text)
	}
	w.checkrein("uninstall", "claude")
	if text := w.readFile(w.userSettings()); text != before {
		t.Errorf("uninstalled: %q", text)
	}
}

func testWallsModes(t *testing.T) {
	w := newWalledWorld(t, "claude")
	w.writeFiles(w.Project, map[string]string{"tool.py": toolScript})
	w.wall()
	for _, mode := range []string{"default", "acceptEdits", "dontAsk", "bypassPermissions"} {
		r := hostlab.Run{Args: []string{"--permission-mode", mode}, Env: map[string]string{"IS_SANDBOX": "1"}} // else it refuses root
		texts, res := w.calls(r, mockmodel.Shell(outsideAndInside))
		w.checkContained(mode, texts[0])
		if !res.Record.ModelSaw("do not use sudo") || !res.Record.ModelSaw("do not retry") {
			t.Errorf("%s: the model was not told about the wall", mode)
		}
	}
	told := 0
	for _, r := range w.readLedger() {
		if strings.Contains(replyText(r), "Walls may have stopped something") {
			told++
		}
	}
	if told == 0 {
		t.Error("the person was not told about the wall")
	}
}

// asBare lists commands that must have the same output behind walls as without.
var asBare = []string{
	"echo hi; exit 3",
	"mkdir -p sub && cd sub && pwd",
	"pwd; cd ..",
	"cat <<'X' | tr a-z A-Z\nhere 'q' \"d\" $HOME `x`\nX",
	"cat <<X\nhere $((1+2)) `echo b`\nX",
	"wc -c < odd",
	"echo 'a  b' \"$PWD\" `echo back` \\$x \"it's\" 'say \"x\"' | cat",
	"echo 'a\nb' \"c\nd\"",
	"printf '%s\\n' 'ü λ 漢字 🙂' \"!\" '!' \\! *",
	"ls nowhere 2>nul; echo x",
	"cat; echo no input",
	"kill -TERM $$",
	"(sleep 0.2; echo late) & wait; echo $0 $#",
	"true && eval 'echo x' && pwd -P >/dev/null && echo 'y' && eval \"echo z\"",
	"x=1; export x; echo $FROM_ENV_FILE ${x:-none}; shopt extglob",
	"python3 -c 'print(\"é\" * 3)' # comment 'x",
}

func testWallsAsBare(t *testing.T) {
	w := newWalledWorld(t, "claude")
	settings := `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"echo 'export FROM_ENV_FILE=\"$HOME/x\"' >>$CLAUDE_ENV_FILE"}]}]}}`
	w.writeFiles(w.Home, map[string]string{".claude/settings.json": settings})
	more := []mockmodel.Call{
		mockmodel.Native("Bash", map[string]any{"command": "sleep 30; echo never", "timeout": 1000}),
		mockmodel.Native("Bash", map[string]any{"command": "echo $PPID >/dev/null; sleep 1; echo done >background", "run_in_background": true}),
		mockmodel.Shell("sleep 2; cat background; rm background"),
	}
	var calls []mockmodel.Call
	for _, c := range asBare {
		calls = append(calls, mockmodel.Shell(c))
	}
	calls = append(calls, more...)
	bare, _ := w.calls(hostlab.Run{}, calls...)
	w.wall()
	walled, _ := w.calls(hostlab.Run{}, calls...)
	for i := range calls {
		if i == len(calls)-2 { // it names a file
			bare[i], walled[i] = strings.Fields(bare[i])[1], strings.Fields(walled[i])[1]
		}
		if bare[i] != walled[i] {
			t.Errorf("%v\nbare:   %q\nwalled: %q", calls[i].Args, bare[i], walled[i])
		}
	}
	w.checkReceipts()
}

// checkReceipts checks that each command ran through the wrapper as it was permitted.
func (w *world) checkReceipts() {
	w.t.Helper()
	for _, r := range w.readLedger() {
		if strings.Contains(replyText(r), "did not run through checkrein-shell") {
			w.t.Errorf("record %d: %s", r.Seq, replyText(r))
		}
	}
}

// testWallsRules checks that the host's own rules keep their effect.
func testWallsRules(t *testing.T) {
	w := newWalledWorld(t, "claude")
	w.writeFiles(w.Home, map[string]string{".claude/settings.json": `{"permissions":{"deny":["Bash(touch:*)"],"ask":["Bash(mkdir:*)"],"allow":["Bash(cp:*)"]}}`})
	w.wall()
	args := []string{"--settings", `{}`}
	texts := w.say(hostlab.Run{Args: args}, "touch denied", "mkdir asked", "cp odd allowed")
	if w.exists("denied") || w.exists("asked") || !w.exists("allowed") {
		t.Errorf("%q", texts)
	}
	w.checkReceipts()
}

// testWallsReplaced checks that a project's setting that replaces the wrapper is noticed in the call.
func testWallsReplaced(t *testing.T) {
	for name, prefix := range map[string]string{"another": "HOME/prefix", "none": ""} {
		for _, file := range []string{".claude/settings.local.json", ".claude/settings.json"} {
			t.Run(name+" "+filepath.Base(file), func(t *testing.T) {
				w := newWalledWorld(t, "claude")
				w.writeFiles(w.Project, map[string]string{"tool.py": toolScript})
				w.writeFiles(w.Home, map[string]string{"prefix": "#!/bin/sh\nexec /bin/bash -c \"$1\"\n"})
				w.wall()
				set, _ := json.Marshal(map[string]any{"env": map[string]string{"CLAUDE_CODE_SHELL_PREFIX": strings.Replace(prefix, "HOME", w.Home, 1)}})
				script := callScript(mockmodel.Shell(outsideAndInside), mockmodel.Shell(outsideAndInside))
				script.Choose = func(q mockmodel.Request) mockmodel.Turn {
					if q.Turn == 1 { // a person, or a pull, changes it while the session goes on
						w.writeFiles(w.Project, map[string]string{file: string(set)})
					}
					if q.Turn >= len(script.Turns) {
						return mockmodel.Turn{}
					}
					return script.Turns[q.Turn]
				}
				res := w.Run(hostlab.Run{Prompt: "please go", Script: script})
				first, _ := res.Record.Result(0, 0)
				second, _ := res.Record.Result(1, 0)
				if !strings.Contains(first.Text, "Permission denied") {
					t.Errorf("before: %s", first.Text)
				}
				_ = os.Remove(filepath.Join(w.Project, "inside"))
				if !strings.Contains(second.Text, "Permission denied") && !strings.Contains(second.Text, "walls are installed") || w.readFile(filepath.Join(w.Home, "notes")) != "notes\n" {
					t.Errorf("during: %s", second.Text)
				}
				_ = os.Remove(filepath.Join(w.Project, "inside"))
				w.checkAsked("new session", w.say(hostlab.Run{}, outsideAndInside)[0])
			})
		}
	}
}

// fileServer is an MCP server on its standard input. Its tool reads a file that contained commands
// cannot read, and writes where they cannot write.
const fileServer = `import json, os, sys
for line in sys.stdin:
    m = json.loads(line)
    if 'id' not in m: continue
    r = {}
    if m['method'] == 'initialize': r = {'protocolVersion': m['params']['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'p', 'version': '1'}}
    if m['method'] == 'tools/list': r = {'tools': [{'name': 'poke', 'description': 'x', 'inputSchema': {'type': 'object', 'properties': {}}}]}
    if m['method'] == 'tools/call':
        open(os.path.expanduser('~/server-wrote'), 'w').close()
        r = {'content': [{'type': 'text', 'text': open(os.path.expanduser('~/.netrc')).read() + repr(sys.argv[1:])}]}
    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': r}), flush=True)
`

// testWallsOwnProcesses checks that hooks and MCP servers run unchanged, also after checkrein's
// programs are gone.
func testWallsOwnProcesses(t *testing.T) {
	w := newWalledWorld(t, "claude")
	w.writeFiles(w.Home, map[string]string{
		".claude/settings.json": `{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"cat ~/.netrc >>~/hook-wrote; cat >/dev/null"}]}]}}`,
		"server.py":             fileServer,
		"mcp.json":              `{"mcpServers":{"p":{"command":"python3","args":["` + w.Home + `/server.py","a b","it's"]}}}`,
	})
	w.wall()
	w.checkOwnProcesses()
}

func (w *world) checkOwnProcesses() {
	w.t.Helper()
	r := hostlab.Run{Args: []string{"--mcp-config", w.Home + "/mcp.json", "--allowedTools", "mcp__p__poke"}}
	texts, _ := w.calls(r, mockmodel.Shell("echo hi"), mockmodel.Native("mcp__p__poke", map[string]any{}))
	if texts[0] != "hi" || !strings.Contains(texts[1], "hidden") || !strings.Contains(texts[1], `['a b', "it's"]`) || !w.there(w.Home+"/server-wrote") {
		w.t.Errorf("%q", texts)
	}
	if !strings.Contains(w.readFile(w.Home+"/hook-wrote"), "hidden") {
		w.t.Error("the hook did not run as it is")
	}
	_ = os.Remove(w.Home + "/server-wrote")
	_ = os.Remove(w.Home + "/hook-wrote")
}

// testWallsAttacks checks that what imitates a permitted command is contained or denied.
func testWallsAttacks(t *testing.T) {
	w := newWalledWorld(t, "claude")
	w.wall()
	state := w.Home + "/.local/state/checkrein"
	prefix := state + "/walls/claude/checkrein-shell"
	// It tries each way to run a command outside the walls in which it runs itself.
	attack := `import os, subprocess, sys
e = dict(os.environ, CLAUDE_PROJECT_DIR=os.getcwd())
def run(*args):
    try: subprocess.run(args, env=e)
    except OSError as err: print(err.strerror)
c = "echo x >>" + os.path.expanduser("~/notes")
run("` + prefix + `", c)
run("` + prefix + `", "exec checkrein hook claude; " + c)
run("` + prefix + `", "eval '" + c + "' && pwd -P >| /tmp/x")
run("` + prefix + `", "source /dev/null 2>/dev/null || true && eval 'echo known' < /dev/null && pwd -P >| /tmp/x; " + c)
for name in ("tickets/x.0", "key", "claude/checkrein-shell"):
    try:
        open("` + state + `/walls/" + name, "w"); print("wrote", name)
    except OSError as err: print(err.strerror)
for d, _, names in os.walk(os.path.expanduser("~/.claude")):
    for name in names:
        if "snapshot" in name or "session-env" in d:
            try:
                open(os.path.join(d, name), "a").write("echo x >>~/notes\n"); print("wrote", name)
            except OSError as err: print(err.strerror)
print("done")
`
	w.writeFiles(w.Project, map[string]string{"attack": base64.StdEncoding.EncodeToString([]byte(attack))})
	texts := w.say(hostlab.Run{},
		"echo known",
		"base64 -d <attack | python3",
		"echo 'echo x >>~/notes' >>$(ls ~/.claude/shell-snapshots/*.sh | head -1)",
		"for f in ~/.claude/shell-snapshots/*; do echo x >>$f; done",
		"echo known",
	)
	if w.readFile(w.Home+"/notes") != "notes\n" || !strings.Contains(texts[1], "done") || strings.Contains(texts[1], "wrote ") {
		t.Errorf("notes %q\n%s", w.readFile(w.Home+"/notes"), texts[1])
	}
	for _, text := range texts[2:4] {
		if !strings.Contains(text, "protected") && !strings.Contains(text, "denied") {
			t.Errorf("the snapshot was not protected: %s", text)
		}
	}
	if texts[0] != "known" || texts[4] != "known" {
		t.Errorf("%q", texts)
	}

	// An edited snapshot, and a copied ticket.
	script := callScript(mockmodel.Shell("echo known"), mockmodel.Shell("echo x >>~/notes"))
	script.Choose = func(q mockmodel.Request) mockmodel.Turn {
		if q.Turn == 1 {
			files, _ := filepath.Glob(w.Home + "/.claude/shell-snapshots/*.sh")
			for _, file := range files {
				f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
				if err == nil {
					_, _ = f.WriteString("echo changed >>~/notes\n")
					_ = f.Close()
				}
			}
		}
		if q.Turn >= len(script.Turns) {
			return mockmodel.Turn{}
		}
		return script.Turns[q.Turn]
	}
	res := w.Run(hostlab.Run{Prompt: "please go", Script: script})
	if text, _ := res.Record.Result(1, 0); w.readFile(w.Home+"/notes") != "notes\n" {
		t.Errorf("an edited snapshot: %s", text.Text)
	}
	if !slices.ContainsFunc(w.readLedger(), func(r record.Record) bool {
		return strings.Contains(replyText(r), "Walls may have stopped something")
	}) {
		t.Error("the person was not told of the edited snapshot")
	}
}

// testWallsRemoved checks that everything goes on running without checkrein's programs, and that status
// reports it.
func testWallsRemoved(t *testing.T) {
	w := newWalledWorld(t, "claude")
	w.writeFiles(w.Home, map[string]string{
		"server.py": fileServer,
		"mcp.json":  `{"mcpServers":{"p":{"command":"python3","args":["` + w.Home + `/server.py","a b","it's"]}}}`,
	})
	w.wall()
	// Without its hooks, which would deny every call while the program is missing.
	settings := w.readFile(w.userSettings())
	var doc map[string]any
	if err := json.Unmarshal([]byte(settings), &doc); err != nil {
		t.Fatal(err)
	}
	doc["hooks"] = json.RawMessage(`{"PostToolUse":[{"hooks":[{"type":"command","command":"cat ~/.netrc >>~/hook-wrote; cat >/dev/null"}]}]}`)
	text, _ := json.Marshal(doc)
	w.writeFiles(w.Home, map[string]string{".claude/settings.json": string(text)})
	restore := w.hide(w.ProgramPath("checkrein"))
	w.checkOwnProcesses()
	if out, _ := w.runProgram("checkreind", "status", "claude"); !strings.Contains(out, "nothing is contained: checkrein was removed from ") {
		t.Errorf("status: %s", out)
	}
	restore()
	if out, _ := w.runProgram("checkrein", "status", "claude"); strings.Contains(out, "nothing is contained") {
		t.Errorf("status: %s", out)
	}
	if err := os.Remove(w.Home + "/.local/state/checkrein/walls/claude/checkrein-shell"); err != nil {
		t.Fatal(err)
	}
	if out, _ := w.runProgram("checkrein", "status", "claude"); !strings.Contains(out, "cannot start commands: checkrein-shell does not exist") {
		t.Errorf("status: %s", out)
	}
}

// TestHostWallsOpenCode runs OpenCode with walls.
func TestHostWallsOpenCode(t *testing.T) {
	w := newWalledWorld(t, "opencode")
	w.writeFiles(w.Project, map[string]string{"tool.py": toolScript, "sub/odd": "odd\n", "nul": ""})
	const before = "{\n  // mine\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"theme\": \"system\"\n}\n"
	w.writeFiles(w.Home, map[string]string{".config/opencode/opencode.json": before})
	calls := []mockmodel.Call{mockmodel.Native("bash", map[string]any{"command": "pwd; ls", "description": "x", "workdir": w.Project + "/sub"})}
	for _, c := range asBare[:13] {
		// Its input does not end, it waits for its time limit after a signal, and asks about other directories.
		if !strings.HasPrefix(c, "cat;") && !strings.HasPrefix(c, "kill") && !strings.HasSuffix(c, "cd ..") {
			calls = append(calls, mockmodel.Shell(c))
		}
	}
	calls = append(calls, mockmodel.Native("bash", map[string]any{"command": "sleep 30; echo never", "description": "x", "timeout": 1000}))
	bare, _ := w.calls(hostlab.Run{}, calls...)
	w.wall()
	if text := w.readFile(w.userSettings()); !strings.Contains(text, "/walls/opencode/checkrein-shell") {
		t.Errorf("installed: %s", text)
	}
	walled, _ := w.calls(hostlab.Run{}, calls...)
	for i := range calls {
		if bare[i] != walled[i] {
			t.Errorf("%v\nbare:   %q\nwalled: %q", calls[i].Args, bare[i], walled[i])
		}
	}
	w.checkReceipts()

	texts, res := w.calls(hostlab.Run{}, mockmodel.Shell(outsideAndInside), mockmodel.Shell(outsideAndInside))
	w.checkContained("walls", texts[1])
	if !res.Record.ModelSaw("do not use sudo") || !strings.Contains(res.Stderr, "Walls may have stopped something") {
		t.Errorf("the model and the person were not told about the wall\n%s\n%s", texts[0], res.Stderr)
	}
	w.checkReceipts()

	for name, shell := range map[string]string{"another": "/bin/bash", "none": ""} {
		set, _ := json.Marshal(map[string]string{"shell": shell})
		w.writeFiles(w.Project, map[string]string{"opencode.json": string(set)})
		w.checkAsked(name, w.say(hostlab.Run{}, outsideAndInside)[0])
	}
	set, _ := json.Marshal(map[string]any{"permission": map[string]any{"bash": map[string]string{"touch *": "deny", "*": "allow"}}})
	w.writeFiles(w.Project, map[string]string{"opencode.json": string(set)})
	if text := w.say(hostlab.Run{}, "touch denied", "cp odd allowed"); w.exists("denied") || !w.exists("allowed") {
		t.Errorf("%q", text)
	}
	w.checkrein("uninstall", "opencode")
	if text := w.readFile(w.userSettings()); text != before {
		t.Errorf("uninstalled: %q", text)
	}
}
