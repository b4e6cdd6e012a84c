package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// aroundCases reads the rows of a kind, each the command that a host would run.
func aroundCases(t *testing.T, p verdictPlace, kind string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "around.txt"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) string {
		file := filepath.Join(p.project, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	fill := strings.NewReplacer("{off}", put("off.json", `{"disableAllHooks":true}`), "{on}", put("on.json", `{"model":"x"}`))
	var out []string
	for line := range strings.Lines(string(data)) {
		if command, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), kind+" "); ok {
			out = append(out, fill.Replace(command))
		}
	}
	if len(out) == 0 {
		t.Fatalf("no rows of kind %s", kind)
	}
	return out
}

// Commands that would bypass checkrein are stopped.
func TestCommandsThatBypassCheckrein(t *testing.T) {
	p := newVerdictPlace(t)
	p.judges = nil // whose home it is a program built for tests is told; the test binary is not
	for _, tt := range []struct {
		kind string
		pass bool
	}{{"ask", false}, {"quiet", true}, {"hooked", true}} {
		p.checkPass(t, tt.kind, aroundCases(t, p, tt.kind), tt.pass)
	}
	// The same with checkrein's hooks of git in the repository.
	hook := filepath.Join(p.project, ".git", "hooks", "pre-commit")
	if err := built.WriteScript(hook, "#!/bin/sh\nexec checkrein git pre-commit \"$@\"\n"); err != nil {
		t.Fatal(err)
	}
	p.checkPass(t, "with hooks of git", aroundCases(t, p, "hooked"), false)
}

// checkPass requires that all commands pass, or, if pass is false, that none does.
func (p verdictPlace) checkPass(t *testing.T, kind string, commands []string, pass bool) {
	t.Helper()
	guardtest.Each(commands, func(_ int, command *string) {
		if got, reply := p.callHook("claude", p.shellCall("claude", "", p.expandPaths(*command))); got == "broken" || (got == "none") != pass {
			t.Errorf("%s: %s: %s\n\t%s", kind, got, *command, reply)
		}
	})
}

// Changes to the folder that core.hooksPath names are stopped, by the shell and by file tools.
func TestBypassingGitHooks(t *testing.T) {
	p := newVerdictPlace(t)
	dir := filepath.Join(p.project, "hooks")
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(p.project, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), built.WriteScript(file, text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"core.hooksPath", "hooks"}, {"alias.skip", "commit --no-verify"}, {"alias.cm", "commit"}, {"alias.st", "status"}, {"alias.round", "back"}, {"alias.back", "round"}} {
		if out, err := exec.Command("git", "-C", p.project, "config", args[0], args[1]).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	kept, apart := aroundCases(t, p, "kept"), aroundCases(t, p, "apart")
	for _, name := range []string{"src/a.go", "src/run.sh", "hooks2/pre-commit"} {
		put(name, "x\n")
	}
	write := func(path string) string {
		input, err := json.Marshal(map[string]any{"session_id": "s", "cwd": p.project, "hook_event_name": "PreToolUse", "tool_name": "Write",
			"tool_input": map[string]string{"file_path": path, "content": "exit 0\n"}})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := p.callHook("claude", input)
		return got
	}
	for _, ours := range []bool{false, true} {
		text := "#!/bin/sh\nexec make lint\n"
		if ours {
			text = "#!/bin/sh\nexec checkrein git pre-commit\n"
		}
		put("hooks/pre-commit", text)
		put("hooks/pre-push", text)
		p.checkPass(t, fmt.Sprint("kept, hooks of ours ", ours), kept, !ours)
		p.checkPass(t, fmt.Sprint("apart, hooks of ours ", ours), apart, true)
		if got := write(filepath.Join(dir, "pre-commit")); (got != "none") != ours {
			t.Errorf("Write to a hook of ours %t: %s", ours, got)
		}
		if got := write(filepath.Join(p.project, "src", "a.go")); got != "none" {
			t.Errorf("Write beside hooks: %s", got)
		}
	}
}

// Self-protection itself asks, with the way that works.
func TestBypassDenialHasRemedy(t *testing.T) {
	p := newVerdictPlace(t)
	for command, remedy := range map[string]string{
		"claude --bare -p x":                     "so start it without that option or setting [protect/around]",
		"HOME=/tmp/x codex exec x":               "so start it without that option or setting [protect/around]",
		"pkill checkrein":                        "so name only processes that you started [protect/around]",
		"kill -STOP $PPID":                       "so name only processes that you started [protect/around]",
		"launchctl setenv HOME /tmp/x":           "so set it only in front of the command that needs it [protect/around]",
		"git config checkrein.program /bin/true": "so let the hooks run, and fix what they find [protect/around]",
	} {
		got, reply := p.callHook("claude", p.shellCall("claude", "", command))
		if got == "none" || !strings.Contains(reply, remedy) || !strings.Contains(reply, "A person can allow it") {
			t.Errorf("%s: %s, want %q:\n%s", command, got, remedy, reply)
		}
	}
}

// A host is recognized by its process number: here that is this test, which starts the hook.
func TestHostRecognizedByProcessID(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nobody tells who started whom")
	}
	p := newVerdictPlace(t)
	own := strconv.Itoa(os.Getpid())
	for _, command := range []string{"kill -STOP " + own, "kill " + own, "kill -9 -" + own, "prlimit --pid " + own + " --nproc=1", "prlimit --pid=" + own + " --cpu=1", "renice 19 -p " + own, "gdb -p " + own, "strace -p" + own, "P=" + own + "; kill $P"} {
		if got, reply := p.callHook("claude", p.shellCall("claude", "", command)); got == "none" || !strings.Contains(reply, "protect/around") {
			t.Errorf("%s: %s\n%s", command, got, reply)
		}
	}
	for _, command := range []string{"kill -0 " + own, "kill 99999999", "echo kill " + own, "ps -p " + own} {
		if got, reply := p.callHook("claude", p.shellCall("claude", "", command)); got != "none" {
			t.Errorf("%s: %s\n%s", command, got, reply)
		}
	}
}
