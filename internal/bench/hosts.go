//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The guards that people write for hosts today: read the event, look at the
// command, say no.
const (
	bashGuard = `#!/usr/bin/env bash
command=$(jq -r '.tool_input.command // ""')
if [[ $command =~ rm[[:space:]]+-[a-z]*r[a-z]*f?[[:space:]]+(/|~) ]]; then
  jq -nc --arg why "Blocked: $command" '{hookSpecificOutput:{hookEventName:"PreToolUse",permissionDecision:"deny",permissionDecisionReason:$why}}'
fi
`
	pythonGuard = `#!/usr/bin/env python3
import json, re, sys
event = json.load(sys.stdin)
command = event.get("tool_input", {}).get("command", "")
if re.search(r"rm\s+-[a-z]*r[a-z]*f?\s+(/|~)", command):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "Blocked: " + command}}))
`
	nodeGuard = `#!/usr/bin/env node
const event = JSON.parse(require("fs").readFileSync(0, "utf8"));
const command = (event.tool_input || {}).command || "";
if (/rm\s+-[a-z]*r[a-z]*f?\s+(\/|~)/.test(command)) {
  console.log(JSON.stringify({hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "Blocked: " + command}}));
}
`
)

// hosts measures what a host waits for: the default packs on a machine without
// any configuration, with the record in the ledger, beside guards in scripts.
func hosts(dir, programs string, runs int) error {
	home := filepath.Join(dir, "fresh")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	program, floor := filepath.Join(dir, "checkrein"), filepath.Join(dir, "hello")
	for _, c := range []struct{ what, name, event, must, ambition string }{
		{"`hook claude`, 1 KB shell event that is denied, default packs, durable record ÷ Go hello world", "denied", shellEvent("rm -rf ~"), "≤ 1.8", "≤ 1.5"},
		{"the same, a command that passes", "passes", shellEvent("ls -la"), "≤ 1.8", "≤ 1.5"},
		{"`hook claude`, 50 KB write event, default packs ÷ Go hello world", "write", writeEvent(), "≤ 2.4", "≤ 1.9"},
	} {
		event := filepath.Join(dir, c.name+".json")
		if err := os.WriteFile(event, []byte(c.event), 0o600); err != nil {
			return err
		}
		cmd, base := launch(event, env, program, "hook", "claude"), launch(event, env, floor)
		series(10, cmd, base)
		a, b := series(runs, cmd, base)
		row(c.what, ratio(a, b), c.must, c.ambition)
	}
	if err := installed(dir, programs, runs); err != nil {
		return err
	}
	return scripts(dir, env, runs)
}

// installed measures the line that `checkrein install` writes, run as Claude Code
// does: by a shell, for a session that works in a repository.
func installed(dir, programs string, runs int) error {
	home, project := filepath.Join(dir, "person"), filepath.Join(dir, "work")
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if err := errors.Join(os.MkdirAll(filepath.Join(home, ".claude"), 0o700), os.MkdirAll(project, 0o700)); err != nil {
		return err
	}
	built, program, floor := filepath.Join(programs, "checkrein"), filepath.Join(dir, "checkrein"), filepath.Join(dir, "hello")
	for _, argv := range [][]string{{"git", "init", "-q"}, {"git", "remote", "add", "origin", "https://git.example/team/work.git"}, {built, "install", "claude"}} {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env, cmd.Dir = env, project
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", argv, err, out)
		}
	}
	line, err := lineOf(filepath.Join(home, ".claude", "settings.json"), "PreToolUse")
	if err != nil {
		return err
	}
	line = strings.ReplaceAll(line, built, program) // what is in a temporary directory cannot be installed
	for _, c := range []struct{ name, command string }{{"passes", "git status --short && go test ./..."}, {"is denied", "rm -rf ~"}} {
		event := filepath.Join(dir, "installed.json")
		text := strings.NewReplacer(`"session_id":""`, `"session_id":"0b9f1c52-6f0e-4b55-9a3e-0c6f3d0f5a11"`, `"cwd":"/"`, fmt.Sprintf(`"cwd":%q`, project)).Replace(shellEvent(c.command))
		if err := os.WriteFile(event, []byte(text), 0o600); err != nil {
			return err
		}
		cmd, shell, bare := launch(event, env, "/bin/sh", "-c", line), launch(event, env, "/bin/sh", "-c", floor+"; exit 0"), launch(event, env, floor)
		turns(10, cmd, shell, bare)
		all := turns(runs, cmd, shell, bare)
		row("as installed: the line of `install claude` by `sh -c`, in a repository, a command that "+c.name+" ÷ Go hello world by `sh -c`", ratio(all[0], all[1]), "–", "–")
		row("the same ÷ Go hello world", ratio(all[0], all[2]), "–", "–")
	}
	return nil
}

// lineOf finds the command of an event's first hook in Claude Code's settings.
func lineOf(file, event string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		return "", err
	}
	for _, group := range settings.Hooks[event] {
		for _, h := range group.Hooks {
			return h.Command, nil
		}
	}
	return "", fmt.Errorf("%s has no hook on %s", file, event)
}

func scripts(dir string, env []string, runs int) error {
	event, floor := filepath.Join(dir, "denied.json"), filepath.Join(dir, "hello")
	for _, c := range []struct{ what, needs, file, text string }{
		{"a guard of one rule in bash and jq, nothing recorded ÷ Go hello world", "jq", "guard.sh", bashGuard},
		{"the same in Python ÷ Go hello world", "python3", "guard.py", pythonGuard},
		{"the same in Node ÷ Go hello world", "node", "guard.js", nodeGuard},
	} {
		if _, err := exec.LookPath(c.needs); err != nil {
			row(c.what, c.needs+" is not here", "–", "–")
			continue
		}
		argv := []string{filepath.Join(dir, c.file)}
		if c.needs == "python3" { // itself, and no script that looks for it
			out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
			if err != nil {
				return err
			}
			argv = []string{strings.TrimSpace(string(out)), argv[0]}
		}
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o700); err != nil {
			return err
		}
		cmd, base := launch(event, env, argv...), launch(event, env, floor)
		series(3, cmd, base)
		a, b := series(max(runs/5, 10), cmd, base)
		row(c.what, ratio(a, b), "–", "–")
	}
	return nil
}

// shellEvent is about 1 KB, as a host sends it.
func shellEvent(command string) string {
	return fmt.Sprintf(`{"session_id":"","transcript_path":"/home/dev/.claude/projects/x.jsonl","cwd":"/","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q,"description":%q},"tool_use_id":"toolu_1"}`+"\n", command, strings.Repeat("why this is run, in words. ", 28))
}

// writeEvent writes 50 KB of source code.
func writeEvent() string {
	line := "func add(a, b int) int { return a + b } // an ordinary line of a file\\n"
	return `{"session_id":"","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/srv/p/a.go","content":"` + strings.Repeat(line, 50<<10/len(line)) + `"},"tool_use_id":"toolu_2"}` + "\n"
}
