//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Guards of one rule as users write them for hosts: they read the event, match the command
// and deny it.
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

// A coldRow measures whole runs of checkrein, for a session in a repository, against the smallest Go
// program that prints a line.
type coldRow struct {
	what, must, ambition string
	config               string // the user's configuration; "" for none
	inputs               func(workplace) ([]toolInput, error)
	host                 string   // "" means claude
	args                 []string // nil means those that `install` writes
	says                 string   // part of the output; "" means that there must be none
}

// bashCommand returns a function for coldRow.inputs that returns a single Bash call.
func bashCommand(command string) func(workplace) ([]toolInput, error) {
	return func(workplace) ([]toolInput, error) { return []toolInput{bashInput(command)}, nil }
}

// tempWorkplace creates a workplace in a new directory, which it also returns.
func (b *bench) tempWorkplace(name string) (w workplace, dir string, err error) {
	if dir, err = os.MkdirTemp(b.dir, name); err == nil {
		w, err = newWorkplace(dir)
	}
	return w, dir, err
}

// measureCold checks that c's command gives the expected answer, measures it and prints its row.
func (b *bench) measureCold(c coldRow) error {
	w, dir, err := b.tempWorkplace("cold")
	if err != nil {
		return err
	}
	if c.config != "" {
		own := filepath.Join(w.home, ".config", "checkrein")
		if err := errors.Join(os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, "checkrein.yaml"), []byte(c.config), 0o600)); err != nil {
			return err
		}
	}
	program, floor, events, err := b.prepare(w, dir, c.inputs)
	if err != nil {
		return err
	}
	if c.args == nil {
		c.args = w.hookArgs(cmp.Or(c.host, "claude"))
	}
	// One run beforehand, as in a session that has begun: checkrein's state exists.
	if _, err := launch(events[0], w.env(), append([]string{program[0]}, w.hookArgs("claude")...)); err != nil {
		return err
	}
	if err := checkOutput(events[0], w.env(), append([]string{program[0]}, c.args...), c.says); err != nil {
		return err
	}
	return b.measureRatio(c.what+" ÷ Go hello world", c.must, c.ambition,
		launchCandidate(events, w.env(), program, fileThenArgs(c.args...)), launchCandidate(events, w.env(), floor, fileThenArgs()))
}

// prepare installs checkrein for Claude Code and returns the copies of checkrein and of the hello
// program, and the files of the events.
func (b *bench) prepare(w workplace, dir string, inputs func(workplace) ([]toolInput, error)) (program, floor, events []string, err error) {
	if err = w.run(b.programPath(), "install", "claude"); err != nil {
		return
	}
	if program, err = b.programCopies("checkrein"); err != nil {
		return
	}
	if floor, err = b.programCopies("hello"); err != nil {
		return
	}
	all, err := inputs(w)
	if err != nil {
		return
	}
	events, err = w.writeEvents(dir, all...)
	return
}

// checkOutput runs argv once on an event before it is measured, and returns an error unless its output
// contains says. If says is "", there must be no output.
func checkOutput(event string, env, argv []string, says string) error {
	in, err := os.Open(event)
	if err != nil {
		return err
	}
	defer in.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Env = in, env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == exitDeny && says != "" {
		err = nil
	}
	if err != nil || !strings.Contains(string(out), says) || says == "" && len(out) > 0 {
		return fmt.Errorf("%v answered %q, not with %q: %w", argv, out, says, err)
	}
	return nil
}

// exitDeny is the exit code with which a hook may deny.
const exitDeny = 2

const denies = `"permissionDecision":"deny"`

// programPath returns the path of the built checkrein, which the copies are made from.
func (b *bench) programPath() string { return filepath.Join(b.programs, "checkrein") }

// measureInstalled measures the command line that `checkrein install` writes, run by a shell as Claude
// Code does.
func (b *bench) measureInstalled() error {
	for _, c := range []struct{ name, command, says string }{{"passes", passing, ""}, {"is denied", denied, denies}} {
		w, dir, err := b.tempWorkplace("installed")
		if err != nil {
			return err
		}
		program, floor, events, err := b.prepare(w, dir, bashCommand(c.command))
		if err != nil {
			return err
		}
		line, err := hookCommand(filepath.Join(w.home, ".claude", "settings.json"), "PreToolUse")
		if err != nil {
			return err
		}
		// Programs in a temporary directory cannot be installed, so replace the path in the line.
		by := func(file string) []string {
			return []string{"/bin/sh", "-c", strings.ReplaceAll(line, b.programPath(), file)}
		}
		if err := checkOutput(events[0], w.env(), by(program[0]), c.says); err != nil {
			return err
		}
		all := []candidate{launchCandidate(events, w.env(), program, by),
			launchCandidate(events, w.env(), floor, func(file string) []string { return []string{"/bin/sh", "-c", file + "; exit 0"} }),
			launchCandidate(events, w.env(), floor, fileThenArgs())}
		if _, err := runInTurns(3, all...); err != nil {
			return err
		}
		took, err := runInTurns(b.runs, all...)
		if err != nil {
			return err
		}
		printRow("as installed: the line of `install claude` by `sh -c`, a command that "+c.name+" ÷ Go hello world by `sh -c`", b.formatRatio(took[0], took[1]), "–", "–")
		printRow("the same ÷ Go hello world", b.formatRatio(took[0], took[2]), "–", "–")
	}
	return nil
}

// hookCommand returns the command of an event's first hook in Claude Code's settings file.
func hookCommand(file, event string) (string, error) {
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

// measureScripts measures guards of one rule that are scripts and record nothing.
func (b *bench) measureScripts() error {
	w, err := newWorkplace(b.dir)
	if err != nil {
		return err
	}
	_, floor, events, err := b.prepare(w, b.dir, bashCommand(denied))
	if err != nil {
		return err
	}
	for _, c := range []struct{ what, needs, file, text string }{
		{"a guard of one rule in bash and jq, nothing recorded ÷ Go hello world", "jq", "guard.sh", bashGuard},
		{"the same in Python ÷ Go hello world", "python3", "guard.py", pythonGuard},
		{"the same in Node ÷ Go hello world", "node", "guard.js", nodeGuard},
	} {
		if _, err := exec.LookPath(c.needs); err != nil {
			printRow(c.what, c.needs+" is not installed", "–", "–")
			continue
		}
		file := filepath.Join(b.dir, c.file)
		argv := fileThenArgs()
		if c.needs == "python3" { // the interpreter itself, not a script in PATH that starts it
			out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
			if err != nil {
				return err
			}
			argv = func(file string) []string { return []string{strings.TrimSpace(string(out)), file} }
		}
		if err := os.WriteFile(file, []byte(c.text), 0o700); err != nil {
			return err
		}
		few := &bench{runs: max(b.runs/5, 5), cpu: b.cpu}
		if err := few.measureRatio(c.what, "–", "–", launchCandidate(events, w.env(), []string{file}, argv), launchCandidate(events, w.env(), floor[:1], fileThenArgs())); err != nil {
			return err
		}
	}
	return nil
}
