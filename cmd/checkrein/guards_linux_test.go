package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/full"
)

// documents is where the documents' own files are, to the letter.
const documents = "../../examples/testdata"

// A documentGuard is a guard that a document prints, in a project of its own.
type documentGuard struct {
	name   string
	place  func(t *testing.T, dir string) // puts its files there
	inline bool                           // it is no script that names its own shell
	says   string                         // in the reason of its denial
	word   string                         // what it blocks
	// blind says which ways of writing the word its own script does not see, anywhere.
	blind []string
}

var guards = []documentGuard{
	{name: "docker-agent one-stop", inline: true, says: "HOOK BLOCKED", word: "sudo apt update", place: func(t *testing.T, dir string) {
		put(t, dir, "agent.yaml", strings.ReplaceAll(document(t, "docker-agent/one_stop.yaml"), "/tmp/", dir+"/"))
		put(t, dir, "checkrein.yaml", "version: 1\ninclude: [agent.yaml]\n")
	}},
	{name: "docker-agent one-stop, removal", inline: true, says: "HOOK BLOCKED", word: "rm -rf /tmp/test", place: func(t *testing.T, dir string) {
		put(t, dir, "agent.yaml", strings.ReplaceAll(document(t, "docker-agent/one_stop.yaml"), "/tmp/", dir+"/"))
		put(t, dir, "checkrein.yaml", "version: 1\ninclude: [agent.yaml]\n")
	}},
	{name: "docker-agent page", says: "Dangerous command blocked by policy", word: "rm -v -rf /tmp/cache", place: func(t *testing.T, dir string) {
		put(t, dir, "agent.yaml", document(t, "docker-agent/page/configuration.yaml"))
		put(t, dir, "checkrein.yaml", "version: 1\ninclude: [agent.yaml]\n")
		for _, name := range []string{"validate-command", "log-tool-call", "setup-env", "cleanup", "notify", "log-response", "alert"} {
			put(t, dir, "scripts/"+name+".sh", document(t, "docker-agent/page/scripts/"+name+".sh"))
		}
	}},
	// Its script looks for words between \b, which a letter of \u000a and \u0009 (or \n and
	// \t) takes away.
	{name: "HOOK.md", says: "would destroy the system", word: "mkfs.ext4 /dev/sdx", blind: []string{"lines", "tab", "both"}, place: placeHookMD},
	{name: "HOOK.md, removal", says: "would destroy the system", word: "rm -rf /home", blind: []string{"lines", "tab", "both"}, place: placeHookMD},
	{name: "starchild", says: "irreversible and would erase data", word: "rm -rf /", place: func(t *testing.T, dir string) {
		put(t, dir, "block.sh", document(t, "starchild/minimal_block.sh"))
		put(t, dir, "config/shell_hooks.yaml", "hooks:\n  - event: pre_tool_call\n    command: "+dir+"/block.sh\n    timeout: 120\n")
	}},
	{name: "starchild, with a matcher", says: "irreversible and would erase data", word: "rm -rf /", place: func(t *testing.T, dir string) {
		put(t, dir, "block.sh", document(t, "starchild/minimal_block.sh"))
		put(t, dir, "config/shell_hooks.yaml", "hooks:\n  - event: pre_tool_call\n    matcher: 'rm\\s+-rf\\s+/|dd\\s+if=|mkfs'\n    command: "+dir+"/block.sh\n    timeout: 120\n")
	}},
}

func placeHookMD(t *testing.T, dir string) {
	const folder = ".agents/hooks/block-dangerous-commands/"
	put(t, dir, folder+"HOOK.md", document(t, "hookmd/home/.config/agents/hooks/security-check/HOOK.md"))
	put(t, dir, folder+"scripts/run.sh", document(t, "hookmd/home/.config/agents/hooks/security-check/scripts/run.sh"))
}

// spellingsOf are ways of writing a command, each with WORD where the guard's word stands, as JSON.
var spellingsOf = []struct{ name, input string }{
	{"one line", `{"command":"WORD"}`},
	{"lines", `{"command":"true\nWORD"}`},
	{"lines, with blanks", `{"command":"true\n  WORD\ntrue"}`},
	{"tab", `{"command":"true;\tWORD"}`},
	{"both", `{"command":"true\n\tWORD\t#\n"}`},
	{"quotes", `{"command":"echo \"a\" 'b' ; WORD"}`},
	{"quotes around", `{"command":"sh -c \" WORD \""}`},
	{"backslash", `{"command":"echo a\\b \\\\ ; WORD"}`},
	{"backslashes that echo expands", `{"command":"echo \\n\\t\\0101 ; WORD"}`},
	{"what ends an echo", `{"command":"echo \\c ; WORD"}`},
	{"unicode", `{"command":"echo é😀\u2028 ; WORD"}`},
	{"escapes for what can be seen", `{"command":"ESCAPED"}`},
	{"escapes for a name", `{"\u0063ommand":" ESCAPED"}`},
	{"controls", `{"command":"printf '\u001b[0m\u0007' ; WORD"}`},
	{"a half pair", `{"command":"echo \ud800 ; WORD"}`},
	{"JSON in it", `{"command":"echo '{\"command\": \"ls\"}' ; WORD"}`},
	{"blanks and lines between", "{ \"command\" :\n\t\"true ; WORD\" }"},
	{"other arguments", `{"description":"say \"command\": \"ls\"\n","command":"true ; WORD"}`},
}

// Each guard that a document prints blocks what its document says, and nothing else, however
// the command is written, on the real program: with bash and dash for sh, and where there is
// no bash at all.
func TestGuardsFromDocuments(t *testing.T) {
	full.Skip(t)
	t.Parallel()
	for _, need := range []string{"jq", "bash", "dash", "python3"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("SKIPPED, NOTHING WAS PROVEN: there is no %s here", need)
		}
	}
	modes := []struct{ name, mount string }{
		{"sh is dash", `dash "$sh"`}, {"sh is bash", `bash "$sh"`}, {"no bash", `dash "$sh"; hide bash`},
	}
	var blocked, passed atomic.Int64
	for _, mode := range modes {
		shells := runWithShells(t, mode.mount)
		for _, g := range guards {
			if mode.name == "no bash" && !g.inline {
				continue // it names bash itself
			}
			t.Run(mode.name+"/"+g.name, func(t *testing.T) {
				w := newWorkshop(t, g, shells)
				asked := []struct {
					by   string
					ask  func(string) bool
					word string
				}{{"hook claude", w.claude, g.word}, {"eval", w.eval, g.word}, {"hook claude", w.claude, "pwd"}, {"eval", w.eval, "pwd"}}
				for i, way := range spellingsOf {
					for k, a := range asked {
						if k > 0 && i > 0 {
							continue // however it is written, eval gets the same text as the hook
						}
						// The echo of dash ends at \c: that is what bash is for.
						want := a.word == g.word && !slices.Contains(g.blind, way.name) && (mode.name != "no bash" || way.name != "what ends an echo")
						input := strings.NewReplacer("WORD", a.word, "ESCAPED", spelt(a.word)).Replace(way.input)
						denied := a.ask(input)
						if denied != want {
							t.Errorf("%s, %s, %q: blocked %v, want %v", a.by, way.name, a.word, denied, want)
						}
						if denied {
							blocked.Add(1)
						} else {
							passed.Add(1)
						}
					}
				}
			})
		}
	}
	t.Logf("%d calls blocked, %d passed", blocked.Load(), passed.Load())
}

// A guard whose reader gives up on hostile JSON has not agreed.
func TestGuardsFromDocumentsOnHostileJSON(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("SKIPPED, NOTHING WAS PROVEN: there is no jq here")
	}
	w := newWorkshop(t, guards[0], nil)
	deep := `{"command":"sudo apt update","x":` + strings.Repeat("[", 400) + strings.Repeat("]", 400) + `}`
	if !w.isDenied(w.call("PreToolUse", "Bash", deep), "deny", "hook", "claude") {
		t.Error("arguments that are nested too deep for jq passed")
	}
}

// In a session the guards are asked in the same way.
func TestGuardsFromDocumentsInSession(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("SKIPPED, NOTHING WAS PROVEN: there is no jq here")
	}
	for _, command := range []string{"touch made", "true\n\tsudo -n touch made", "echo \\c ; sudo -n touch made"} {
		w := newWorkshop(t, guards[0], nil)
		agent := strings.Replace(document(t, "docker-agent/one_stop.yaml"), "openai/gpt-4o", "scripted/calls.json", 1)
		dir := filepath.Join(filepath.Dir(w.dir), "own") // a person's own file needs no approval
		put(t, dir, "agent.yaml", strings.ReplaceAll(agent, "/tmp/", dir+"/"))
		calls, _ := json.Marshal(map[string]any{"steps": []any{
			map[string]any{"tool_calls": []any{map[string]any{"name": "shell", "arguments": map[string]string{"cmd": command}}}},
			map[string]any{"text": "done"},
		}})
		put(t, dir, "calls.json", string(calls))
		cmd := w.command("run", "agent.yaml", "--yolo", "go")
		if strings.Contains(command, "sudo") {
			cmd = w.command("run", "agent.yaml", "go")
		}
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		if got, want := strings.Contains(string(out), "HOOK BLOCKED"), strings.Contains(command, "sudo"); got != want {
			t.Errorf("%q: blocked %v\n%s", command, got, out)
		}
	}
}

// A workshop is a project with one guard, approved, and a home.
type workshop struct {
	t      *testing.T
	dir    string
	env    []string
	shells []string // the command that gives a command its shells
	says   string
}

func newWorkshop(t *testing.T, g documentGuard, shells []string) *workshop {
	t.Helper()
	top := built.TempDir(t)
	w := &workshop{t: t, dir: filepath.Join(top, "project"), shells: shells, says: g.says}
	w.env = []string{"HOME=" + filepath.Join(top, "home"), "PATH=" + programs + ":/usr/bin:/bin", "SHELL=/bin/false"}
	// Only the guard speaks.
	put(t, top, "home/.config/checkrein/checkrein.yaml", "version: 1\npacks: []\n")
	g.place(t, w.dir)
	approve := w.command("hooks", "approve", "--all", "--cannot-tell")
	if out, err := approve.CombinedOutput(); err != nil {
		t.Fatalf("approving: %v\n%s", err, out)
	}
	startAgent(t, w.dir, w.env)
	return w
}

func (w *workshop) command(args ...string) *exec.Cmd {
	argv := append(append([]string{}, w.shells...), append([]string{filepath.Join(programs, "checkrein")}, args...)...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

func (w *workshop) call(event, tool, input string) string {
	return fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":%q,"tool_name":%q,"tool_use_id":"t","tool_input":%s}`, w.dir, event, tool, input)
}

func (w *workshop) claude(input string) bool {
	return w.isDenied(w.call("PreToolUse", "Bash", input), w.says, "hook", "claude")
}

func (w *workshop) eval(input string) bool {
	return w.isDenied(w.call("pre_tool_use", "shell", input), w.says, "eval", "--json")
}

// isDenied reports whether the answer to payload is a denial that contains says. A denial with another
// reason is a failure.
func (w *workshop) isDenied(payload, says string, args ...string) bool {
	w.t.Helper()
	cmd := w.command(args...)
	cmd.Stdin = strings.NewReader(payload)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, _ := cmd.Output()
	denied := strings.Contains(string(out), `ecision":"deny"`)
	if denied && !strings.Contains(string(out), says) || stderr.Len() > 0 && !denied {
		w.t.Errorf("%s: %s %s", payload, out, stderr.String())
	}
	return denied
}

// runWithShells returns a command that runs a command with sh and bash replaced. $sh is the file
// behind /bin/sh.
func runWithShells(t *testing.T, mount string) []string {
	t.Helper()
	script := `
		sh=$(readlink -f /bin/sh) here=/mnt
		mount -t tmpfs none "$here" && cp "$(readlink -f /usr/bin/dash)" "$here/dash" && cp "$(readlink -f /usr/bin/bash)" "$here/bash" || exit 125
		dash() { mount --bind "$here/dash" "$1"; }
		bash() { mount --bind "$here/bash" "$1"; }
		hide() { mount --bind /dev/null "$(readlink -f /usr/bin/"$1")"; }
		` + strings.ReplaceAll(mount, ";", " || exit 125;") + ` || exit 125
		"$@"`
	argv := []string{"unshare", "-rmpf", "--mount-proc", "/bin/sh", "-c", script, "sh"} // the agents of other tests are not seen
	cmd := exec.Command(argv[0], append(argv[1:], "/bin/sh", "-c", "exit 0")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS PROVEN: no namespace to test in: %v %s", err, out)
	}
	return argv
}

// spelt writes a text as escapes.
func spelt(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

func document(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(documents, name))
	if err != nil {
		t.Fatal(err)
	}
	return seconds.ReplaceAllString(string(b), "${1}120${2}")
}

// seconds are the time limits of hooks, which a machine with other work to do exceeds.
var seconds = regexp.MustCompile(`(?m)^( *timeout: )(?:\d|[1-5]\d)(000)?$`)

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
