package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Ctrl-C ends a command that waits for an answer, and nothing is changed.
func TestCtrlCAtQuestions(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "git")
	skipBelowTerminal(t)
	d := newDesk(t, "version: 1\npacks: []\nhooks:\n  pre_tool_use:\n    - {name: guard, type: rule, if: {command: {contains: danger}}, decision: deny, reason: 'no, never'}\n", "version: 1\n")
	hook := d.command(filepath.Join(programs, "ashost"), "sh -c 'checkrein hook claude; true'")
	hook.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"` + d.project + `","tool_name":"Bash","tool_input":{"command":"danger"}}`)
	if out, err := hook.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	d.write(filepath.Join(d.project, "sub", ".claude", "settings.json"), `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}`)
	cmd := d.command("bash", "--norc", "-i")
	cmd.Env = slices.Concat(cmd.Env, []string{"TERM=xterm", "PS1=next> ", "PAGER=cat"})
	x := startInTerminal(t, cmd)
	x.typeKeys("git init -q sub && cd sub && echo ready to $((1+1))\n")
	x.expect("ready to 2")
	for _, tt := range []struct{ command, question string }{
		{"checkrein allow", "Which one? [number, or Enter for none] "},
		{"checkrein pause 5m", "Pause the guard? [y/N] "},
		{"checkrein init", "Include them? [y/N] "},
		{"checkrein git install", "will it be? [y/N] "},
	} {
		x.typeKeys(tt.command + "\n")
		x.expect(tt.question)
		x.typeKeys("\x03")
		x.expect("next> ")
		x.typeKeys("echo ended with $?\n")
		x.expect("ended with $?")
		x.expect("ended with 4\r\n")
	}
	x.typeKeys("ls -A; git config core.hooksPath; echo the end\n")
	x.expect(".claude  .git\r\nthe end\r\n")
}
