package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A guarded home has every host that is tested installed for real.
type guardedHome struct {
	t             *testing.T
	home, project string
	program       string
	env           []string
}

// hostShape is how a host names its tools and calls its hooks.
type hostShape struct {
	host, settings, off  string // its settings below the home, and what turns hooks off there
	write, path, content string // its tool that writes a file, with its arguments
	edit, old, to        string
	shell, event         string
	patches              bool // it has no tool for files but apply_patch
	payload              func(g *guardedHome, s *hostShape, tool string, input map[string]any) map[string]any
}

func claudeLike(g *guardedHome, s *hostShape, tool string, input map[string]any) map[string]any {
	return map[string]any{"session_id": "s", "cwd": g.project, "hook_event_name": s.event, "tool_name": tool, "tool_input": input}
}

var hostShapes = []hostShape{
	{host: "claude", settings: ".claude/settings.json", off: `"disableAllHooks": true`, write: "Write", path: "file_path", content: "content", edit: "Edit", old: "old_string", to: "new_string", shell: "Bash", event: "PreToolUse", payload: claudeLike},
	{host: "codex", settings: ".codex/hooks.json", write: "apply_patch", edit: "apply_patch", shell: "Bash", event: "PreToolUse", patches: true, payload: claudeLike},
	{host: "gemini", settings: ".gemini/settings.json", off: `"hooksConfig": {"enabled": false}`, write: "write_file", path: "file_path", content: "content", edit: "replace", old: "old_string", to: "new_string", shell: "run_shell_command", event: "BeforeTool", payload: claudeLike},
	{host: "qwen", settings: ".qwen/settings.json", off: `"disableAllHooks": true`, write: "write_file", path: "file_path", content: "content", edit: "edit", old: "old_string", to: "new_string", shell: "run_shell_command", event: "PreToolUse", payload: claudeLike},
	{host: "copilot", settings: ".copilot/hooks/checkrein.json", write: "create", path: "path", content: "file_text", edit: "edit", old: "old_str", to: "new_str", shell: "bash", event: "preToolUse",
		payload: func(g *guardedHome, s *hostShape, tool string, input map[string]any) map[string]any {
			return map[string]any{"sessionId": "s", "timestamp": 1768473000000, "cwd": g.project, "toolName": tool, "toolArgs": input}
		}},
	{host: "opencode", settings: ".config/opencode/opencode.json", off: `"plugin": []`, write: "write", path: "filePath", content: "content", edit: "edit", old: "oldString", to: "newString", shell: "bash", event: "tool.execute.before",
		payload: func(g *guardedHome, s *hostShape, tool string, input map[string]any) map[string]any {
			return map[string]any{"hook": s.event, "directory": g.project, "input": map[string]any{"tool": tool, "sessionID": "s", "callID": "c"}, "output": map[string]any{"args": input}}
		}},
}

func newGuardedHome(t *testing.T) *guardedHome {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &guardedHome{t: t, home: filepath.Join(top, "home"), project: filepath.Join(top, "work"), program: filepath.Join(top, "bin", "checkrein")}
	g.env = []string{"HOME=" + g.home, "PATH=" + filepath.Dir(g.program) + ":/usr/bin:/bin"}
	g.put(filepath.Join(g.project, "README"), "x\n")
	if out, err := exec.Command("git", "init", "-q", g.project).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	for _, name := range []string{"checkrein", "checkreind"} {
		if err := os.MkdirAll(filepath.Dir(g.program), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(programs, name), filepath.Join(filepath.Dir(g.program), name)); err != nil {
			if out, err := exec.Command("cp", filepath.Join(programs, name), filepath.Dir(g.program)).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
		}
	}
	for _, s := range hostShapes {
		g.run("install", s.host, "--program", g.program)
	}
	g.put(filepath.Join(g.home, ".codex", "config.toml"), "model = \"a\"\n\n[hooks.state.\"x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:aa\"\n")
	g.put(filepath.Join(g.home, ".bashrc"), "# mine\n")
	g.put(filepath.Join(g.home, ".aws", "credentials"), "[default]\n")
	return g
}

func (g *guardedHome) put(path, text string) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

func (g *guardedHome) run(args ...string) {
	g.t.Helper()
	cmd := exec.Command(g.program, args...)
	cmd.Env, cmd.Dir = g.env, g.project
	if out, err := cmd.CombinedOutput(); err != nil {
		g.t.Fatalf("checkrein %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// callTool returns the decision of a host about a call (deny, ask or ""), and the reply.
func (g *guardedHome) callTool(s *hostShape, tool string, input map[string]any) (verdict, reply string) {
	g.t.Helper()
	body, err := json.Marshal(s.payload(g, s, tool, input))
	if err != nil {
		g.t.Fatal(err)
	}
	args := []string{"hook", s.host}
	if s.host == "copilot" {
		args = append(args, "--event", s.event)
	}
	cmd := exec.Command(g.program, args...)
	cmd.Env, cmd.Dir, cmd.Stdin = g.env, g.project, strings.NewReader(string(body))
	out, _ := cmd.CombinedOutput()
	reply = string(out)
	for _, word := range []string{`"deny"`, `"block"`} {
		if strings.Contains(reply, word) {
			return "deny", reply
		}
	}
	if strings.Contains(reply, `"ask"`) {
		return "ask", reply
	}
	return "", reply
}

// writeCall returns the call with which a host writes a whole file.
func (s *hostShape) writeCall(path, text string) (string, map[string]any) {
	if !s.patches {
		return s.write, map[string]any{s.path: path, s.content: text}
	}
	var b strings.Builder
	b.WriteString("*** Begin Patch\n*** Add File: " + path + "\n")
	for line := range strings.Lines(text) {
		b.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
	}
	return s.write, map[string]any{"command": b.String() + "*** End Patch\n"}
}

func (s *hostShape) editCall(path, old, to string) (string, map[string]any) {
	if !s.patches {
		return s.edit, map[string]any{s.path: path, s.old: old, s.to: to}
	}
	return s.edit, map[string]any{"command": "*** Begin Patch\n*** Update File: " + path + "\n@@\n-" + old + "\n+" + to + "\n*** End Patch\n"}
}

// TestAgentsCannotChangeGuard asks the built program, as each host does after a
// real installation and without a word of configuration.
func TestAgentsCannotChangeGuard(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a shell's")
	}
	for i := range hostShapes {
		s := &hostShapes[i]
		t.Run(s.host, func(t *testing.T) {
			t.Parallel()
			g := newGuardedHome(t)
			g.t = t
			g.checkStoppedCalls(s)
			g.checkPassingCalls(s)
		})
	}
}

func (g *guardedHome) want(s *hostShape, want, tool string, input map[string]any) {
	g.t.Helper()
	got, reply := g.callTool(s, tool, input)
	stopped := got != ""
	if want == "stop" && !stopped || want != "stop" && got != want {
		g.t.Errorf("%s %s: heard %q, want %q: %s", tool, input, got, want, reply)
	}
}

// checkStoppedCalls requires that every attempt to switch the guard off is stopped.
func (g *guardedHome) checkStoppedCalls(s *hostShape) {
	config := filepath.Join(g.home, ".config", "checkrein", "checkrein.yaml")
	state := filepath.Join(g.home, ".local", "state", "checkrein")
	settings := filepath.Join(g.home, s.settings)
	text, err := os.ReadFile(settings)
	if err != nil {
		g.t.Fatal(err)
	}
	for path, content := range map[string]string{
		config: "packs: []\n", filepath.Join(state, "trust.json"): "{}\n", filepath.Join(state, "ledger", "current.jsonl"): "", g.program: "#!/bin/sh\n", g.program + "d": "x",
		filepath.Join(g.home, ".config", "agents", "hooks", "x", "HOOK.md"): "x", settings: "{}\n",
		filepath.Join(g.home, ".claude", "settings.json"): `{"disableAllHooks": true}`, filepath.Join(g.home, ".gemini", "trustedFolders.json"): "{}\n",
		filepath.Join(g.home, ".config", "opencode", "checkrein", "plugin.js"): "export default () => ({})\n",
		filepath.Join(g.project, ".claude", "settings.local.json"):             "{\"disableAllHooks\": true}\n", filepath.Join(g.project, ".codex", "config.toml"): "[features]\nhooks = false\n",
	} {
		tool, input := s.writeCall(path, content)
		g.want(s, "deny", tool, input)
		g.want(s, "deny", "mcp__fs__write_file", map[string]any{"path": path, "content": content})
		g.want(s, "deny", "mcp__fs__write_files", map[string]any{"files": []map[string]any{{"path": path, "content": content}}})
		g.want(s, "deny", s.shell, map[string]any{"command": "cat > " + path + " <<'E'\n" + content + "\nE"})
	}
	if s.off != "" {
		tool, input := s.writeCall(settings, strings.Replace(string(text), "{", "{"+s.off+", ", 1))
		g.want(s, "deny", tool, input)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, "checkrein") && (strings.Contains(line, "ool") || strings.Contains(line, "plugin.js")) {
			tool, input := s.editCall(settings, line, "")
			g.want(s, "deny", tool, input)
			break
		}
	}
	tool, input := s.editCall(filepath.Join(g.home, ".codex", "config.toml"), `trusted_hash = "sha256:aa"`, `trusted_hash = "sha256:bb"`)
	g.want(s, "deny", tool, input)
	for _, command := range []string{
		"rm " + settings, "sed -i s/checkrein/true/ " + settings, "jq . x > " + settings, "mv " + settings + " x", "ln " + settings + " x", "rm -rf " + filepath.Dir(settings), "rm -rf " + state, "mv ~/.config ~/.c2",
		"checkrein hooks off", "checkrein uninstall " + s.host, "python3 -c \"open('" + config + "','w')\"", "echo 'self_approve: true' >> ~/.config/checkrein/checkrein.yaml", "cp /bin/true " + g.program,
	} {
		g.want(s, "deny", s.shell, map[string]any{"command": command})
	}
	for _, path := range []string{filepath.Join(g.home, ".bashrc"), filepath.Join(g.home, ".ssh", "authorized_keys"), "/etc/hosts", filepath.Join(g.project, ".git", "hooks", "pre-commit"), filepath.Join(g.home, ".aws", "credentials")} {
		tool, input := s.writeCall(path, "x\n")
		g.want(s, "stop", tool, input)
		g.want(s, "stop", "mcp__fs__write_file", map[string]any{"path": path, "content": "x"})
	}
	g.want(s, "stop", s.shell, map[string]any{"command": "git config core.hooksPath /tmp/x"})
	g.want(s, "stop", s.shell, map[string]any{"command": "echo x >> ~/.bashrc"})
	waiting := ""
	if s.host == "codex" { // which asks nobody about what is typed
		waiting = "deny"
	}
	for _, command := range []string{"bash", "python3 -i"} {
		g.want(s, waiting, s.shell, map[string]any{"command": command})
	}
}

// TestWritesToProtectedPaths asks about the commands that reach the guard without naming it, and
// about everyday ones that look like them.
func TestWritesToProtectedPaths(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a shell's")
	}
	g := newGuardedHome(t)
	s := &hostShapes[0]
	bin := filepath.Dir(g.program)
	text, err := os.ReadFile(filepath.Join(g.home, ".claude", "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	off := strings.Replace(string(text), "{", `{"disableAllHooks": true, `, 1)
	for path, text := range map[string]string{
		"dir/checkrein": "x", "dir/settings.json": "{}", "dir/hooks.json": "{}", "off/settings.json": off, "tpl/.claude/settings.json": `{"disableAllHooks": true}`, "fine/.claude/settings.json": `{"model": "x"}`, "fine/a.txt": "x",
		"x.patch": "--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -0,0 +1 @@\n+{\"disableAllHooks\": true}\n", "y.patch": "--- a/README\n+++ b/README\n@@ -1 +1 @@\n-x\n+y\n", "e.sh": "cp /bin/true $(which checkrein)\n",
	} {
		g.put(filepath.Join(g.project, path), text)
	}
	for _, command := range []string{
		"cp /bin/true $(which checkrein)", `cd "$(dirname "$(which checkrein)")"; cp /bin/true checkrein`, "find " + bin + ` -type f | while read f; do cp /bin/true "$f"; done`,
		"find " + filepath.Dir(bin) + ` -name "check*" -print0 | xargs -0 -n1 cp /bin/true`, "which checkrein | xargs rm", "mv $(which checkrein){,.off}", "chmod -x $(command -v checkrein)", "rm =checkrein", "bash e.sh",
		`python3 -c "import shutil;shutil.copy('/bin/true',shutil.which('checkrein'))"`, `python3 -c "import subprocess,shutil;p=subprocess.getoutput('which checkrein');shutil.copy('/bin/true',p)"`,
		"grep -rl checkrein ~/.claude | xargs sed -i s/checkrein/true/", "sed -i s/checkrein/true/ $(grep -rl checkrein ~/.claude)", `echo {} > "$(find ~/.claude -name settings.json)"`,
		"h=$(getent passwd dev|cut -d: -f6); echo {} > $h/.claude/settings.json", "exec 9<~; echo {} > /dev/fd/9/.claude/settings.json", "cd $(ls -d ~/.cl*) && echo {} > settings.json", "cp /bin/true " + bin + "/$(ls " + bin + " | head -1)",

		"cp dir/checkrein " + bin + "/", "mv -t " + bin + " dir/checkrein", "install -m755 dir/checkrein " + bin, "cp dir/settings.json ~/.claude", "cp dir/hooks.json ~/.codex", "cp off/settings.json ~/.claude/", "cp -r tpl/.claude .", "mv tpl/.claude .", "rsync -a tpl/ .", "cp -r tpl/.[a-z]* .",

		"curl -so " + g.program + " https://example.com/x", "gcc -o " + g.program + " a.c", "wget -O ~/.config/checkrein/checkrein.yaml https://example.com", "git bundle create ~/.claude/settings.json HEAD", "script -qc true ~/.claude/settings.json", `vim -es -c "wq! ` + filepath.Join(g.home, ".claude", "settings.json") + `" x`,
		"python3 -m json.tool x ~/.claude/settings.json", "python3 -m zipfile -e z.zip ~/.claude", "dos2unix ~/.claude/settings.json", "prettier --write ~/.claude/settings.json", "mysqldump -r " + g.program + " db",

		"git config -f ~/.codex/config.toml features.hooks false", "git config --file=$HOME/.codex/config.toml features.hooks false", "GIT_CONFIG=$HOME/.codex/config.toml git config features.hooks false", "git -C ~/.codex config -f config.toml features.hooks false",
		"cd ~ && git apply nothere.patch", "cd ~ && patch -p1 < nothere.patch", "patch -p1 < x.patch", "git apply x.patch", "git -C ~/.claude restore settings.json", "git --work-tree=$HOME/.claude checkout -- .", "GIT_WORK_TREE=$HOME/.claude git restore settings.json", "git config core.worktree ~/.claude",

		"cat > .gemini/settings.json <<'E'\n{\"hooksConfig\":{\"enabled\":false}}\nE", "echo '{}' > .claude/settings.json; echo '{\"disableAllHooks\":true}' > .claude/settings.json", "echo '{}' > ~/.claude/settings.json", "rm -rf ~/.claude/plans ~/.claude/settings.json",
		"checkrein scrub --apply --rules r ~/.claude/settings.json", "checkrein convert --to claude --force --out ~/.claude c.yaml", "checkrein audit export -o f", "checkrein run x",
		"cp " + g.program + " x", "ln -s $(which checkrein) c", "cat " + g.program + " > c", "cp -r " + bin + " x",
	} {
		g.want(s, "stop", s.shell, map[string]any{"command": command})
	}
	for _, command := range []string{
		"mkdir -p .gemini; cat > .gemini/settings.json <<'E'\n{\"theme\":\"x\"}\nE", "mkdir -p .codex; cat > .codex/config.toml <<'E'\nmodel=\"x\"\nE", "mkdir -p .cursor; cat > .cursor/hooks.json <<'E'\n{\"version\":1,\"hooks\":{}}\nE", "echo '{}' > .github/hooks/x.json",
		"rm ~/.claude/plans/old.md", "mv ~/.claude/plans/a.md ~/.claude/plans/b.md", "echo x > fixtures/.ssh/authorized_keys", "mkdir -p templates/.claude; echo '{\"disableAllHooks\":true}' > templates/.claude/settings.json",
		"checkrein scan .", "checkrein audit query", "checkrein eval < x.json", "checkrein scrub --help",
		"ls -l $(which checkrein)", "grep -rl foo ~/.claude", `cat $(find ~/.claude -name '*.md')`, "find . -name '*.go' | xargs gofmt -l", "which checkrein && checkrein status", "grep -rl checkrein . | xargs sed -i s/checkrein/x/", `x=$(mktemp); ls ~/.claude > "$x"`,
		"cp -r fine/.claude .", "cp README dir/", "cp ~/.claude/settings.json dir/backup.json", "jq . ~/.claude/settings.json", "python3 -m json.tool ~/.claude/settings.json", "diff ~/.claude/settings.json dir/settings.json", "patch -p1 < y.patch", "git apply y.patch",
		"git config -f .gitmodules a.b c", "git -C ~/.claude status", "sha256sum " + g.program, "file $(command -v checkrein)", `for f in dir/*; do cp "$f" out/; done`, "echo x > ~/.claude/plans/$(date +%F).md", "find ~/.claude/projects -name '*.tmp' | wc -l",
	} {
		g.want(s, "", s.shell, map[string]any{"command": command})
	}
}

// TestUnknownTools asks about tools that nobody knows, by what their arguments hold.
func TestUnknownTools(t *testing.T) {
	t.Parallel()
	g := newGuardedHome(t)
	s := &hostShapes[0]
	claude, host := filepath.Join(g.home, ".claude", "settings.json"), filepath.Join(g.home, ".claude")
	type args = map[string]any
	for i, input := range []args{
		{"files": args{claude: "{}"}}, {"directory": host, "file_name": "settings.json"}, {"root": g.home, "relative_path": ".claude/settings.json"}, {"opts": args{"a": []args{{"target_file": claude}}}}, {"old": g.program, "new": g.program + "2"},
		{"items": []string{g.program}}, {"output": g.program}, {"dst": claude}, {"logfile": claude}, {"to_file": filepath.Join(g.home, ".config/checkrein/checkrein.yaml")}, {"p": "~/.config/checkrein/checkrein.yaml"}, {claude: "{}"},
	} {
		g.want(s, "deny", []string{"mcp__x__do", "frobnicate"}[i%2], input)
	}
	g.want(s, "deny", "mcp__x__extract", args{"archive": "x.zip", "to": host})
	for tool, input := range map[string]args{
		"mcp__fs__read_thing": {"where": claude}, "mcp__x__save": {"where": filepath.Join(g.project, "a.txt"), "note": "x"}, "mcp__gh__comment": {"body": claude}, "mcp__x__log": {"logfile": filepath.Join(g.home, ".claude", "plans", "x.md")}, "mcp__x__list": {"dir": host},
	} {
		g.want(s, "", tool, input)
	}
}

// checkPassingCalls requires that everyday work near protected files passes.
func (g *guardedHome) checkPassingCalls(s *hostShape) {
	claude := filepath.Join(g.home, ".claude", "settings.json")
	text, err := os.ReadFile(claude)
	if err != nil {
		g.t.Fatal(err)
	}
	for path, content := range map[string]string{
		claude: strings.Replace(string(text), "{", `{"permissions": {"allow": ["Bash(make)"]}, `, 1),
		filepath.Join(g.home, ".claude", "plans", "x.md"): "plan\n", filepath.Join(g.home, ".claude", "CLAUDE.md"): "x\n", filepath.Join(g.home, ".claude", "skills", "x", "SKILL.md"): "x\n",
		filepath.Join(g.home, ".claude", "projects", "p", "memory", "MEMORY.md"): "x\n", filepath.Join(g.home, ".codex", "prompts", "x.md"): "x\n", filepath.Join(g.home, ".gemini", "GEMINI.md"): "x\n",
		filepath.Join(g.project, "checkrein.yaml"): "version: 1\n", filepath.Join(g.project, ".agents", "hooks", "x", "HOOK.md"): "---\nname: x\n---\n", filepath.Join(g.project, ".claude", "settings.json"): `{"permissions": {"allow": ["Bash"]}}`,
		filepath.Join(g.project, ".husky", "pre-commit"): "npm test\n", filepath.Join(g.project, "package.json"): "{}\n", filepath.Join(g.project, "opencode.json"): `{"model": "x"}`, filepath.Join(g.project, ".github", "workflows", "ci.yml"): "on: push\n",
	} {
		tool, input := s.writeCall(path, content)
		g.want(s, "", tool, input)
		g.want(s, "", "mcp__fs__write_file", map[string]any{"path": path, "content": content})
	}
	tool, input := s.editCall(filepath.Join(g.home, ".codex", "config.toml"), `model = "a"`, `model = "b"`)
	g.want(s, "", tool, input)
	for _, command := range []string{
		"cat ~/.config/checkrein/checkrein.yaml " + claude, "echo x > ~/.claude/plans/y.md", "mkdir -p .agents/hooks/y && echo x > .agents/hooks/y/HOOK.md", "echo hi | bash", "bash -c 'echo hi'", "git config user.email x@example.com", "checkrein hooks list", "ls -la ~/.claude", "npm install", "go build ./...",
	} {
		g.want(s, "", s.shell, map[string]any{"command": command})
	}
}
