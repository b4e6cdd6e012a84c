//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A peer is another project's guard from npm. All of them run without a network once they are
// installed.
type peer struct {
	name, version string
	about         string   // added to the title; may be ""
	entry         string   // script of the package that is run
	args          []string // arguments of the entry
	script        string   // a guard that uses the package, instead of an entry
	denied        string   // a command that it denies
	says          string   // part of its output then
	passes        string   // part of its output for a command that passes
}

// peerGuards lists the guards that checkrein is compared with.
var peerGuards = []peer{
	{name: "cc-safety-net", version: "2.4.5", entry: "dist/bin/cc-safety-net.js", args: []string{"hook", "--claude-code"}, denied: denied, says: denies},
	{name: "block-no-verify", version: "1.3.0", about: "one rule", entry: "dist/cli.js", denied: "git commit --no-verify -m wip", says: "BLOCKED", passes: "{}"},
	{name: "cc-hooks-ts", version: "2.1.251", about: "a guard of one rule written with it", script: hooksGuard, denied: denied, says: "Blocked"},
}

const hooksGuard = `import { defineHook, runHook } from "cc-hooks-ts";
await runHook(defineHook({
  trigger: { PreToolUse: { Bash: true } },
  run: (c) => {
    const command = c.input.tool_input.command;
    return /rm\s+-[a-z]*r[a-z]*f?\s+(\/|~)/.test(command) ? c.blockingError("Blocked: " + command) : c.success();
  },
}));
`

func (p *peer) title() string {
	t := p.name + " " + p.version + " (npm)"
	if p.about != "" {
		t += ", " + p.about
	}
	return t
}

// install installs the peer with npm in dir and returns the command that starts it.
func (p *peer) install(dir string) ([]string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.New("node is not installed")
	}
	npm := exec.Command("npm", "install", "--prefix", dir, "--ignore-scripts", "--omit=optional", "--no-package-lock", "--no-audit", "--no-fund", p.name+"@"+p.version)
	if err := npm.Run(); err != nil {
		return nil, errors.New("npm cannot install it")
	}
	if p.script == "" {
		return append([]string{node, filepath.Join(dir, "node_modules", p.name, filepath.FromSlash(p.entry))}, p.args...), nil
	}
	file := filepath.Join(dir, "guard.mjs")
	return []string{node, file}, os.WriteFile(file, []byte(p.script), 0o600)
}

// measureAllPeers installs the peers and measures them and checkrein in turns.
func (b *bench) measureAllPeers() error {
	started := map[string][]string{}
	for _, p := range peerGuards {
		dir, err := os.MkdirTemp(b.dir, "peer")
		if err != nil {
			return err
		}
		argv, err := p.install(dir)
		if err != nil {
			printRow(p.title()+" ÷ Go hello world", "not shown: "+err.Error(), "–", "–")
			continue
		}
		started[p.name] = argv
	}
	for _, denies := range []bool{false, true} {
		if err := b.measurePeers(started, denies); err != nil {
			return err
		}
	}
	return nil
}

// measurePeers measures checkrein and its peers on a command that passes, or on one that is denied.
func (b *bench) measurePeers(started map[string][]string, isDenied bool) error {
	command, says, ends := passing, "", "a command that passes"
	if isDenied {
		command, says, ends = denied, denies, "a command that is denied"
	}
	w, dir, err := b.tempWorkplace("beside")
	if err != nil {
		return err
	}
	program, floor, events, err := b.prepare(w, dir, bashCommand(command))
	if err != nil {
		return err
	}
	ours := fileThenArgs(w.hookArgs("claude")...)
	if err := checkOutput(events[0], w.env(), ours(program[0]), says); err != nil {
		return err
	}
	names := []string{"checkrein, in the same turns"}
	all := []candidate{launchCandidate(events, w.env(), floor, fileThenArgs()), launchCandidate(events, w.env(), program, ours)}
	for _, p := range peerGuards {
		argv := started[p.name]
		if argv == nil {
			continue
		}
		command, says := passing, p.passes
		if isDenied {
			command, says = p.denied, p.says
		}
		own, err := os.MkdirTemp(dir, "events")
		if err != nil {
			return err
		}
		events, err := w.writeEvents(own, bashInput(command))
		if err != nil {
			return err
		}
		if err := checkOutput(events[0], w.env(), argv, says); err != nil {
			printRow(p.title()+", "+ends+" ÷ Go hello world", "not shown: "+tableCell(err.Error()), "–", "–")
			continue
		}
		names = append(names, p.title())
		all = append(all, launchCandidate(events, w.env(), []string{argv[0]}, func(string) []string { return argv }))
	}
	if _, err := runInTurns(2, all...); err != nil { // fill caches
		return err
	}
	took, err := runInTurns(max(b.runs/5, 5), all...)
	if err != nil {
		return err
	}
	for i, name := range names {
		printRow(name+", "+ends+" ÷ Go hello world", b.formatRatio(took[i+1], took[0]), "–", "–")
	}
	return nil
}

// tableCell returns text in one line and without vertical bars, for a table.
func tableCell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "/")
}
