//go:build unix

package main

import (
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
func hosts(dir string, runs int) error {
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
	return scripts(dir, env, runs)
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
