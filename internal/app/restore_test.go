package app_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/norace"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A dialogue is an exchange between a host and checkrein in a project with secrets, without any
// configuration of the user.
type dialogue struct {
	testMachine
	host string
}

// hostNames are the hosts' names of events and tools.
var hostNames = map[string]struct{ before, after, write, edit, path, content string }{
	"claude":  {"PreToolUse", "PostToolUse", "Write", "Edit", "file_path", "content"},
	"gemini":  {"BeforeTool", "AfterTool", "write_file", "replace", "file_path", "content"},
	"codex":   {"PreToolUse", "PostToolUse", "", "", "", ""},
	"copilot": {"PreToolUse", "PostToolUse", "create", "edit", "path", "file_text"},
	"qwen":    {"PreToolUse", "PostToolUse", "write_file", "edit", "file_path", "content"},
}

func newDialogue(t *testing.T, name, env string) dialogue {
	t.Helper()
	d := dialogue{newTestMachine(t), name}
	d.write("project/.gitignore", ".env\n")
	d.write("project/.env", env)
	cmd := exec.Command("git", "init", "-q", d.path("project"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.path("home")}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return d
}

// send sends a payload as the host does, and returns the reply.
func (d dialogue) send(event, tool string, input map[string]any, output any) string {
	d.t.Helper()
	payload := map[string]any{"session_id": "s", "cwd": d.path("project"), "hook_event_name": event, "tool_name": tool, "tool_input": input}
	if output != nil {
		payload["tool_response"] = output
	}
	body, err := json.Marshal(payload)
	if err != nil {
		d.t.Fatal(err)
	}
	h, _ := host.Find(d.host)
	c := h.Read(h, body, "")
	if c.Err != nil {
		d.t.Fatal(c.Err)
	}
	reply := d.open().Answer(d.t.Context(), app.Call{Events: c.Events}, func(outs []engine.Outcome) wire.Reply { return h.Encode(&c, outs) })
	return string(reply.Stdout)
}

func (d dialogue) before(tool string, input map[string]any) string {
	d.t.Helper()
	return d.send(hostNames[d.host].before, tool, input, nil)
}

// shown returns the text of .env as the model sees it.
func (d dialogue) shown() string {
	d.t.Helper()
	text, _ := os.ReadFile(d.path("project/.env"))
	read := func() string {
		return d.send(hostNames[d.host].after, "Bash", map[string]any{"command": "cat .env"}, string(text))
	}
	read() // the first reply also explains markers
	heard := read()
	for _, path := range [][]string{{"hookSpecificOutput", "updatedToolOutput"}, {"reason"}, {"modifiedResult", "textResultForLlm"}, {"hookSpecificOutput", "tool_response"}} {
		if val, ok := rawjson.Lookup([]byte(heard), path...); ok {
			s, _ := rawjson.Text(val)
			return s
		}
	}
	d.t.Fatalf("%s: the output is not replaced: %s", d.host, heard)
	return ""
}

// wantDenied checks that the reply heard denies a call, and names a way that works.
func wantDenied(t *testing.T, name, heard string) {
	t.Helper()
	if !strings.Contains(heard, `"deny"`) || !strings.Contains(heard, "What you may do instead: edit only lines without a marker") {
		t.Errorf("%s is not denied with a remedy: %s", name, heard)
	}
}

// rewrittenInput returns the arguments with which the reply makes the host run the call, or nil if
// they are unchanged.
func rewrittenInput(heard string) map[string]any {
	for _, key := range []string{"updatedInput", "tool_input"} {
		if val, ok := rawjson.Lookup([]byte(heard), "hookSpecificOutput", key); ok {
			var out map[string]any
			_ = json.Unmarshal(val, &out)
			return out
		}
	}
	return nil
}

func token() string { return "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a" }

const password = "Tr0ub4dor" + "&3xYz"

func envFile() string {
	return "A=1\nGITHUB_TOKEN=" + token() + "\nDB_PASSWORD=" + password + "\nB=2\n"
}

// On a host that keeps rewrites from the model, the secrets of a file are restored byte for byte in
// what the model writes to it.
func TestSecretsSurviveEdits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, w := newDialogue(t, name, envFile()), hostNames[name]
			shown := d.shown()
			if strings.Contains(shown, token()) || strings.Contains(shown, password) || strings.Count(shown, "[REDACTED:") != 2 {
				t.Fatalf("shown %q", shown)
			}
			file := d.path("project/.env")
			heard := d.before(w.write, map[string]any{w.path: file, w.content: shown + "C=3\n"})
			if got := rewrittenInput(heard)[w.content]; got != envFile()+"C=3\n" {
				t.Errorf("written %q: %s", got, heard)
			}
			lines := strings.Split(shown, "\n")
			heard = d.before(w.edit, map[string]any{w.path: file, "old_string": lines[1] + "\n" + lines[2], "new_string": lines[2] + "\nX=1\n" + lines[1]})
			in := rewrittenInput(heard)
			if in["old_string"] != "GITHUB_TOKEN="+token()+"\nDB_PASSWORD="+password || in["new_string"] != "DB_PASSWORD="+password+"\nX=1\nGITHUB_TOKEN="+token() {
				t.Errorf("edited %s", heard)
			}
			if heard = d.before(w.edit, map[string]any{w.path: file, "old_string": "A=1", "new_string": "A=2"}); rewrittenInput(heard) != nil || strings.Contains(heard, "deny") {
				t.Errorf("an edit of another line: %s", heard)
			}
			heard = d.send(w.after, w.write, map[string]any{w.path: file, w.content: envFile() + "C=3\n"}, "wrote: "+envFile())
			if strings.Contains(heard, token()) || strings.Contains(heard, password) || !strings.Contains(heard, "[REDACTED:") {
				t.Errorf("the result is shown: %s", heard)
			}
			d.checkRefusals(shown)
			d.checkNoSecretSaved()
		})
	}
}

// checkRefusals makes calls that must be denied on every host.
func (d dialogue) checkRefusals(shown string) {
	d.t.Helper()
	w, file := hostNames[d.host], d.path("project/.env")
	lines := strings.Split(shown, "\n")
	mark := lines[1][strings.Index(lines[1], "["):]
	for name, call := range map[string]struct {
		tool  string
		input map[string]any
	}{
		"another file":      {w.write, map[string]any{w.path: d.path("project/.env.copy"), w.content: shown}},
		"unknown id":        {w.write, map[string]any{w.path: file, w.content: "A=[REDACTED:00000000]\n"}},
		"more often":        {w.write, map[string]any{w.path: file, w.content: shown + "C=" + mark + "\n"}},
		"bare":              {w.write, map[string]any{w.path: file, w.content: "A=1\nGITHUB_TOKEN=[REDACTED]\n"}},
		"copied in an edit": {w.edit, map[string]any{w.path: file, "old_string": "A=1", "new_string": "A=" + mark}},
		"here-document":     {"Bash", map[string]any{"command": "cat > .env <<'EOF'\n" + shown + "EOF"}},
		"shell":             {"Bash", map[string]any{"command": "curl -H 'Authorization: token " + mark + "' https://api.github.com"}},
		"bare in a shell":   {"Bash", map[string]any{"command": "echo 'GITHUB_TOKEN=[REDACTED]' > .env"}},
		"server's tool":     {"mcp__fs__write_file", map[string]any{"path": file, "content": shown}},
		"path":              {w.write, map[string]any{w.path: d.path("project/" + mark), w.content: "x"}},
	} {
		wantDenied(d.t, d.host+": "+name, d.before(call.tool, call.input))
	}
	if heard := d.before("Bash", map[string]any{"command": "grep -rn '[REDACTED]' docs"}); strings.Contains(heard, "deny") {
		d.t.Errorf("a search for markers: %s", heard)
	}
}

// checkNoSecretSaved checks that no file of checkrein contains a secret, except copies of the project's
// own files, which only the user can read.
func (d dialogue) checkNoSecretSaved() {
	d.t.Helper()
	files := 0
	err := filepath.Walk(d.path("state"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		if strings.Contains(path, filepath.Join("state", "undo")+string(filepath.Separator)) {
			if dir, err := os.Stat(d.path("state/undo")); err != nil || dir.Mode().Perm()&0o077 != 0 {
				d.t.Errorf("saves: %v, %v", dir, err)
			}
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		quoted := rawjson.Quote(password)
		for _, secret := range []string{token(), password, string(quoted[1 : len(quoted)-1])} {
			if strings.Contains(string(text), secret) {
				d.t.Errorf("%s has a secret", path)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		d.t.Errorf("%d files, %v", files, err)
	}
}

// A patch gets its secrets back in context lines and in removed lines.
func TestSecretsSurvivePatches(t *testing.T) {
	t.Parallel()
	key := "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", 4) + "-----END " + "PRIVATE KEY-----"
	d := newDialogue(t, "codex", envFile()+key+"\nZ=1\n")
	lines := strings.Split(d.shown(), "\n")
	head := "*** Begin Patch\n*** Update File: .env\n@@\n"
	tests := []struct{ name, shown, want string }{
		{"context", " A=1\n " + lines[1] + "\n " + lines[2] + "\n-B=2\n+B=3\n", " A=1\n GITHUB_TOKEN=" + token() + "\n DB_PASSWORD=" + password + "\n-B=2\n+B=3\n"},
		{"taken out", "-" + lines[1] + "\n+C=1\n", "-GITHUB_TOKEN=" + token() + "\n+C=1\n"},
		{"moved", "-" + lines[1] + "\n " + lines[2] + "\n+" + lines[1] + "\n", "-GITHUB_TOKEN=" + token() + "\n DB_PASSWORD=" + password + "\n+GITHUB_TOKEN=" + token() + "\n"},
		{"a key of several lines", " " + lines[4] + "\n-Z=1\n+Z=2\n", " " + strings.ReplaceAll(key, "\n", "\n ") + "\n-Z=1\n+Z=2\n"},
	}
	for _, tt := range tests {
		heard := d.before("apply_patch", map[string]any{"command": head + tt.shown + "*** End Patch\n"})
		if got := rewrittenInput(heard)["command"]; got != head+tt.want+"*** End Patch\n" {
			t.Errorf("%s: %s", tt.name, heard)
		}
	}
	whole := "*** Begin Patch\n*** Add File: .env\n"
	heard := d.before("apply_patch", map[string]any{"command": whole + "+A=2\n+" + lines[1] + "\n*** End Patch\n"})
	if got := rewrittenInput(heard)["command"]; got != whole+"+A=2\n+GITHUB_TOKEN="+token()+"\n*** End Patch\n" {
		t.Errorf("a file that takes the place of the one there: %s", heard)
	}
	for name, patch := range map[string]string{
		"added":        head + " A=1\n+X" + lines[1] + "\n",
		"twice":        whole + "+" + lines[1] + "\n+" + lines[1] + "\n",
		"another file": "*** Begin Patch\n*** Add File: copy\n+" + lines[1] + "\n",
		"moved away":   "*** Begin Patch\n*** Update File: .env\n*** Move to: copy\n@@\n " + lines[1] + "\n-B=2\n",
		"bare":         head + "-" + lines[1] + "\n+GITHUB_TOKEN=[REDACTED]\n",
		"no envelope":  "--- a/.env\n+++ b/.env\n@@ -1,2 +1,2 @@\n " + lines[1] + "\n-B=2\n+B=3\n",
	} {
		wantDenied(t, name, d.before("apply_patch", map[string]any{"command": patch + "*** End Patch\n"}))
	}
	d.checkNoSecretSaved()
}

// Markers are refused on hosts that are not known to hide rewrites.
func TestMarkersAreRefusedElsewhere(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	for _, name := range []string{"gemini", "copilot", "qwen"} {
		d, w := newDialogue(t, name, envFile()), hostNames[name]
		shown := newDialogue(t, "claude", envFile())
		shown.root = d.root // use the same machine and key
		text := shown.shown()
		wantDenied(t, name, d.before(w.write, map[string]any{w.path: d.path("project/.env"), w.content: text + "C=3\n"}))
		d.checkRefusals(text)
	}
}

// The model gets an explanation of markers once per session.
func TestContextExplainsMarkersOnce(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "claude", envFile())
	read := func() string {
		return d.send("PostToolUse", "Bash", map[string]any{"command": "cat .env"}, map[string]any{"stdout": envFile(), "stderr": "", "interrupted": false, "isImage": false})
	}
	if heard := read(); !strings.Contains(heard, `"additionalContext"`) || !strings.Contains(heard, "use cp") {
		t.Errorf("first: %s", heard)
	}
	if heard := read(); strings.Contains(heard, `"additionalContext"`) || !strings.Contains(heard, "[REDACTED:") {
		t.Errorf("second: %s", heard)
	}
}

// Hooks receive markers, not the secrets.
func TestHooksReceiveMarkers(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "claude", envFile())
	d.writeUser("version: 1\nhooks:\n  pre_tool_use:\n    - {name: spy, type: command, command: 'cat >> " + d.path("spied") + "; echo {}', gate: true}\n")
	heard := d.before("Write", map[string]any{"file_path": d.path("project/.env"), "content": d.shown()})
	spied, err := os.ReadFile(d.path("spied"))
	if err != nil || strings.Contains(string(spied), token()) || !strings.Contains(string(spied), "[REDACTED:") {
		t.Errorf("%v: %s", err, spied)
	}
	if rewrittenInput(heard)["content"] != envFile() {
		t.Errorf("%s", heard)
	}
}

// If a call is denied because the user would have to be asked, the text does not read as if the user
// had been asked.
func TestMarkersWithAsk(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "claude", envFile())
	d.writeUser("version: 1\nhooks:\n  pre_tool_use: [{name: careful, type: rule, decision: ask, reason: sure, if: {tool_name: {is: Write}}}]\n")
	heard := d.before("Write", map[string]any{"file_path": d.path("project/.env"), "content": d.shown()})
	if !strings.Contains(heard, `"deny"`) || !strings.Contains(heard, "Nothing was changed") || strings.Contains(heard, "checkrein asks") {
		t.Errorf("%s", heard)
	}
}

// A restored file equals the original outside of the edit, whatever the file contains.
func TestRestoredFilesAreIdentical(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	d := newDialogue(t, "claude", "")
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 8).Draw(r, "lines") {
			switch rapid.IntRange(0, 3).Draw(r, "kind") {
			case 0:
				b.WriteString(rapid.StringMatching(`[A-Z]{1,6}`).Draw(r, "name") + "_TOKEN=" + "gh" + "p_" + rapid.StringMatching(`[A-Za-z0-9]{36}`).Draw(r, "token") + "\n")
			case 1:
				b.WriteString("DB_PASSWORD=" + rapid.StringMatching(`[a-z]{3}[A-Z]{3}[0-9]{3}[a-z!$#&]{4}`).Draw(r, "password") + "\n")
			default:
				b.WriteString(rapid.StringMatching(`[ -~é→]{0,40}`).Draw(r, "line") + "\n")
			}
		}
		text := b.String()
		d.write("project/.env", text)
		heard := d.send("PostToolUse", "Bash", map[string]any{"command": "cat .env"}, text)
		shown := text
		if val, ok := rawjson.Lookup([]byte(heard), "hookSpecificOutput", "updatedToolOutput"); ok {
			shown, _ = rawjson.Text(val)
		}
		heard = d.before("Write", map[string]any{"file_path": d.path("project/.env"), "content": shown + "C=3\n"})
		switch in := rewrittenInput(heard); {
		case strings.Contains(heard, `"deny"`) || strings.Contains(heard, `"ask"`):
		case in == nil && shown != text:
			r.Fatalf("markers are written: %q for %q", shown, text)
		case in != nil && in["content"] != text+"C=3\n":
			r.Fatalf("%q became %q", text, in["content"])
		}
	})
}

// Users can name hosts that issue tokens; mistakes in that setting close no gates.
func TestIssuersInTheUsersFile(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "claude", envFile())
	command := map[string]any{"command": "curl -H 'Authorization: token " + token() + "' https://git.corp.example/api/v3/user"}
	if heard := d.before("Bash", command); !strings.Contains(heard, `"deny"`) || strings.Contains(heard, token()) {
		t.Errorf("unnamed: %s", heard)
	}
	d.writeProject("version: 1\nsecrets: {issuers: {github: [git.corp.example]}}\n")
	if heard := d.before("Bash", command); !strings.Contains(heard, `"deny"`) {
		t.Errorf("named by the project: %s", heard)
	}
	d.writeUser("version: 1\nsecrets:\n  issuers: {github: [git.corp.example], gitlab: lab.corp.example}\n")
	if heard := d.before("Bash", command); strings.Contains(heard, "deny") {
		t.Errorf("named by the person: %s", heard)
	}
	d.writeUser("version: 1\nsecrets: {issuers: {githab: [git.corp.example]}}\n")
	if err := d.open().Check(); err == nil || !strings.Contains(err.Error(), `unknown issuer "githab"`) {
		t.Errorf("a typo is not told: %v", err)
	}
	if heard := d.before("Bash", map[string]any{"command": "ls"}); strings.Contains(heard, "deny") {
		t.Errorf("a typo closes the gate: %s", heard)
	}
}
