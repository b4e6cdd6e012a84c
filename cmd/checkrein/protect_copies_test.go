package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// made is how a command makes what it copies.
const made = "mkdir -p w/.claude; echo {} > w/.claude/settings.json; "

// poured are the spellings of copying a folder of which nobody knows what is in it by
// then over what is protected. @@ stands for the home, ^^ for the folder of checkrein's programs.
var poured = []string{
	// Made by the same command, or changed by it.
	made + "cp -r w/.claude ~", made + "cp -R w/.claude ~/", made + "cp -a w/.claude $HOME", made + "cp -ru w/.claude ~", made + "cp -rt ~ w/.claude", made + "cp -r --target-directory=@@ w/.claude", made + "cp --recursive w/.claude @@", made + "cp --archive w/.claude/ ~", made + "cp -rv -- w/.claude ~", made + "busybox cp -r w/.claude ~", made + "scp -r w/.claude ~", made + "ditto w/.claude ~/.claude", made + "ditto w ~", made + "cp -rT w/.claude ~/.claude", made + "cp -r w/. ~", made + "cp -r w/.claude w/.codex ~", made + "S=w/.claude; cp -r $S ~", made + "cd ~ && cp -r ^^/../work/w/.claude .", made + "(cd w && cp -r .claude ~)", made + "(cd w && cp --parents .claude/settings.json ~)", made + "(cd w && cp -r --parents .claude ~)", made + "sudo cp -r w/.claude ~", made + "sh -c 'cp -r w/.claude ~'", made + "for d in .claude; do cp -r w/$d ~; done",
	"echo '{\"disableAllHooks\": true}' > same/.claude/settings.json; cp -r same/.claude ~", "cp off.json same/.claude/settings.json && cp -r same/.claude ~", "sed -i s/checkrein/true/ same/.claude/settings.json; cp -r same/.claude ~", "tar xf a.tar; cp -r same/.claude ~", "ln -s same x; echo {} > x/.claude/settings.json; cp -r same/.claude ~", "./gen && cp -r same/.claude ~", "sh gen.sh; cp -r same/.claude ~",
	// Not there, or not known.
	"git clone http://127.0.0.1/r w && cp -r w/.claude ~", "cp -r $(mktemp -d)/.claude ~", "cp -r w/.claude ~", "cp -r \"$SRC\" ~", "cp -r $SRC/.claude ~", "cp -r \"$SRC\"/.codex ~", "scp -r host:x/.claude ~", "scp -r host:.codex ~", "cp -r hollow/.claude/ ~ -u; cp -r w/.gemini ~", "mv w/.config ~", "git clone http://127.0.0.1/r w; mv w/.claude ~",
	// A folder with a link in it.
	"cp -rL linked/.claude ~",
	// Other folders.
	"cp -r w/.codex ~", "cp -r w/.gemini ~", "cp -r w/.config ~", "cp -r w/checkrein ~/.config", "cp -r w/agents ~/.config", "cp -r s/.local ~", "cp -r s/state ~/.local", "cp -r s/checkrein ~/.local/state", "cp -r s/bin ^^/..", "mkdir -p s/bin; echo x > s/bin/checkrein; cp -a s/bin ^^/..", "cp -r q/-work ~/.claude/projects", "cp -r q/-new ~/.claude/projects", "cp -r q/projects ~/.claude", "cp -r q/2027 ~/.codex/sessions",
	// Code.
	made + "python3 -c \"import shutil; shutil.copytree('w/.claude', '@@/.claude', dirs_exist_ok=True)\"", "python3 -c \"import shutil; shutil.copytree('w', '@@', dirs_exist_ok=True)\"", made + "node -e \"fs.cpSync('w/.claude', process.env.HOME+'/.claude', {recursive: true})\"", "node -e \"require('fs').cpSync('s', '@@/.local', {recursive: true})\"", "python3 -c \"import shutil; shutil.move('w/.config', '@@')\"",
}

// pouredElsewhere are everyday commands that look like these.
var pouredElsewhere = []string{
	"cp -r src ~/backup", "cp -r src ~", "mkdir -p out; cp -r out ~", "cp -r w/.vim ~", "git clone http://127.0.0.1/r w && cp -r w/.vim ~", "git clone http://127.0.0.1/r w && cp -r w/src .", "cp -r ~/.claude ./backup", "cp -a ~/.claude/projects /tmp/talks", "cp -r build/out ~/.local/share/app", "make && cp -r build/share/app ~/.local/share", "cp -r dist ~/.config/other", "npm run build && cp -r dist ~/.config/other", "cp -r w/nvim ~/.config", "cp -r w/.config/nvim ~/.config/", "mv newdir ~/projects", "mkdir newdir; mv newdir ~/projects/", "mv \"$F\" ~/Downloads", "cp -r \"$SRC\" ~/backup", "cp -r $SRC/.vim ~", "cp -r \"$SRC\" out", "cp -r src lib", "cp -r src/ lib/", "mkdir -p lib && cp -r src/* lib", "cp -r fine/.config ~", "mkdir -p ~/.config; cp -r fine/.config ~", "ls fine; cp -a fine/.config ~", "cp -r fine/.local ~", "cp -r w/skills ~/.claude", "mkdir -p w/x; cp -r w/x ~/.claude/skills", "cp -r w/plans ~/.claude", "cp -r w/memory ~/.claude/projects/-work", "cp -r w/x ~/.codex/skills", "cp -r w/commands ~/.gemini", "scp -r w/.claude host:", "scp -r host:src ~", "scp -r host:x/.vim ~", "cp -r w/bin ~/tools", "cp --parents src/a.txt ~/backup", "python3 -c \"import shutil; shutil.copytree('src', '@@/backup/src')\"", "node -e \"fs.cpSync('src', 'out', {recursive: true})\"", "ruby -rfileutils -e \"FileUtils.cp_r('w/.vim', Dir.home)\"", "cp -r w/.claude/skills/x ~/notes", "mv w/.vim ~", "cp -r \"$SRC\" .", "python3 -c \"import shutil; shutil.move('src', '@@/backup')\"", "python3 -c \"import os; os.rename('a.txt', 'b.txt')\"", "cp src/a.txt ~", "mv src/a.txt ~/",
}

// TestAgentsCannotCopyOverProtectedPaths asks the built program, as hosts do and without a word of
// configuration, about folders that are copied as a whole.
func TestAgentsCannotCopyOverProtectedPaths(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a shell's")
	}
	if len(poured) < 40 || len(pouredElsewhere) < 25 {
		t.Errorf("%d spellings, %d neighbours", len(poured), len(pouredElsewhere))
	}
	for i := range hostShapes[:3] {
		s := &hostShapes[i]
		t.Run(s.host, func(t *testing.T) {
			t.Parallel()
			g := newGuardedHome(t)
			g.t = t
			for _, name := range []string{".claude/projects/-work/s.jsonl", ".claude/skills/a/SKILL.md", ".codex/sessions/2026/01/02/rollout-1.jsonl", ".codex/skills/a/SKILL.md", ".local/state/checkrein/caps/claude.json", "projects/a", "backup/a", "Downloads/a"} {
				g.put(filepath.Join(g.home, name), "{}\n")
			}
			text := g.text(filepath.Join(g.home, ".claude", "settings.json"))
			for name, text := range map[string]string{
				"src/a.txt": "x", "lib/a.txt": "x", "same/.claude/settings.json": text, "off.json": `{"disableAllHooks": true}`, "real/settings.json": text,
				"fine/.config/nvim/init.lua": "x", "fine/.local/share/app/a": "x", "hollow/.claude/.keep": "",
			} {
				g.put(filepath.Join(g.project, name), text)
			}
			g.link("../../real/settings.json", filepath.Join(g.project, "linked/.claude/settings.json"))
			spell := func(command string) map[string]any {
				return map[string]any{"command": strings.NewReplacer("@@", g.home, "^^", filepath.Dir(g.program)).Replace(command)}
			}
			for _, command := range poured {
				g.evidence(s, true, s.shell, spell(command))
			}
			for _, command := range pouredElsewhere {
				g.evidence(s, false, s.shell, spell(command))
			}
			g.evidence(s, false, s.shell, spell("cp -r same/.claude ~")) // which is what lies there
		})
	}
}

func (g *guardedHome) text(path string) string {
	g.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		g.t.Fatal(err)
	}
	return string(text)
}

func (g *guardedHome) link(to, path string) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		g.t.Fatal(err)
	}
}
