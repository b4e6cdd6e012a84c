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

// A cold row measures whole runs of the hot program, for a session at work in a
// repository, against the smallest Go program that prints a line.
type cold struct {
	what, must, ambition string
	config               string // the person's settings; none on a fresh machine
	inputs               func(workplace) ([]input, error)
	host                 string   // "" = claude
	args                 []string // nil = those of the line that `install` writes
	says                 string   // part of the answer; "" means that it is silent
}

func commandOf(command string) func(workplace) ([]input, error) {
	return func(workplace) ([]input, error) { return []input{bash(command)}, nil }
}

// workplace makes a home with a project in it, in a directory of its own.
func (b *bench) workplace(name string) (w workplace, dir string, err error) {
	if dir, err = os.MkdirTemp(b.dir, name); err == nil {
		w, err = newWorkplace(dir)
	}
	return w, dir, err
}

func (b *bench) cold(c cold) error {
	w, dir, err := b.workplace("cold")
	if err != nil {
		return err
	}
	if c.config != "" {
		own := filepath.Join(w.home, ".config", "checkrein")
		if err := errors.Join(os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, "checkrein.yaml"), []byte(c.config), 0o600)); err != nil {
			return err
		}
	}
	program, floor, events, err := b.ready(w, dir, c.inputs)
	if err != nil {
		return err
	}
	if c.args == nil {
		c.args = w.hookArgs(cmp.Or(c.host, "claude"))
	}
	// The session is at work already: what checkrein remembers of a person is there.
	if _, err := launch(events[0], w.env(), append([]string{program[0]}, w.hookArgs("claude")...)); err != nil {
		return err
	}
	if err := speaks(events[0], w.env(), append([]string{program[0]}, c.args...), c.says); err != nil {
		return err
	}
	return b.against(c.what+" ÷ Go hello world", c.must, c.ambition,
		launches(events, w.env(), program, fileThenArgs(c.args...)), launches(events, w.env(), floor, fileThenArgs()))
}

// ready installs checkrein for Claude Code, and returns the copies of both programs and the
// events that they are given.
func (b *bench) ready(w workplace, dir string, inputs func(workplace) ([]input, error)) (program, floor, events []string, err error) {
	if err = w.run(b.programPath(), "install", "claude"); err != nil {
		return
	}
	if program, err = b.program("checkrein"); err != nil {
		return
	}
	if floor, err = b.program("hello"); err != nil {
		return
	}
	all, err := inputs(w)
	if err != nil {
		return
	}
	events, err = w.events(dir, all...)
	return
}

// speaks asks once what is measured hundreds of times.
func speaks(event string, env, argv []string, says string) error {
	in, err := os.Open(event)
	if err != nil {
		return err
	}
	defer in.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Env = in, env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == blocks && says != "" {
		err = nil
	}
	if err != nil || !strings.Contains(string(out), says) || says == "" && len(out) > 0 {
		return fmt.Errorf("%v answered %q, not with %q: %w", argv, out, says, err)
	}
	return nil
}

// blocks is the exit code by which a hook may deny.
const blocks = 2

const denies = `"permissionDecision":"deny"`

// programPath returns the path of the built program, which copies are made from.
func (b *bench) programPath() string { return filepath.Join(b.programs, "checkrein") }

// measureInstalled measures the line that `checkrein install` writes, run by a shell as Claude Code
// does.
func (b *bench) measureInstalled() error {
	for _, c := range []struct{ name, command, says string }{{"passes", passing, ""}, {"is denied", denied, denies}} {
		w, dir, err := b.workplace("installed")
		if err != nil {
			return err
		}
		program, floor, events, err := b.ready(w, dir, commandOf(c.command))
		if err != nil {
			return err
		}
		line, err := lineOf(filepath.Join(w.home, ".claude", "settings.json"), "PreToolUse")
		if err != nil {
			return err
		}
		// What is in a temporary directory cannot be installed, so the copies take its place.
		by := func(file string) []string {
			return []string{"/bin/sh", "-c", strings.ReplaceAll(line, b.programPath(), file)}
		}
		if err := speaks(events[0], w.env(), by(program[0]), c.says); err != nil {
			return err
		}
		all := []candidate{launches(events, w.env(), program, by),
			launches(events, w.env(), floor, func(file string) []string { return []string{"/bin/sh", "-c", file + "; exit 0"} }),
			launches(events, w.env(), floor, fileThenArgs())}
		if _, err := turns(3, all...); err != nil {
			return err
		}
		took, err := turns(b.runs, all...)
		if err != nil {
			return err
		}
		row("as installed: the line of `install claude` by `sh -c`, a command that "+c.name+" ÷ Go hello world by `sh -c`", b.ratio(took[0], took[1]), "–", "–")
		row("the same ÷ Go hello world", b.ratio(took[0], took[2]), "–", "–")
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

// scripts measures guards of one rule that record nothing.
func (b *bench) scripts() error {
	w, err := newWorkplace(b.dir)
	if err != nil {
		return err
	}
	_, floor, events, err := b.ready(w, b.dir, commandOf(denied))
	if err != nil {
		return err
	}
	for _, c := range []struct{ what, needs, file, text string }{
		{"a guard of one rule in bash and jq, nothing recorded ÷ Go hello world", "jq", "guard.sh", bashGuard},
		{"the same in Python ÷ Go hello world", "python3", "guard.py", pythonGuard},
		{"the same in Node ÷ Go hello world", "node", "guard.js", nodeGuard},
	} {
		if _, err := exec.LookPath(c.needs); err != nil {
			row(c.what, c.needs+" is not here", "–", "–")
			continue
		}
		file := filepath.Join(b.dir, c.file)
		argv := fileThenArgs()
		if c.needs == "python3" { // itself, and no script that looks for it
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
		if err := few.against(c.what, "–", "–", launches(events, w.env(), []string{file}, argv), launches(events, w.env(), floor[:1], fileThenArgs())); err != nil {
			return err
		}
	}
	return nil
}
