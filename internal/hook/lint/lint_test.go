package lint

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
)

// on writes a file with one hook of pre_tool_use.
func on(hook string) string {
	return "version: 1\nhooks:\n  pre_tool_use:\n    - " + hook + "\n"
}

// cond writes a file with one rule.
func cond(c string) string { return on("{name: a, if: " + c + ", decision: ask}") }

func run(text string) []Finding {
	c := Case{
		Files: []File{{Path: "/c.yaml", Text: []byte(text)}}, Builtins: []string{"add_date"}, Hosts: []string{"claude", "codex"}, Patching: []string{"Codex CLI"}, Effects: []string{"destructive", "delete"},
		Rules: []string{"git/push-force"}, Now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC),
		Getenv: func(name string) (string, bool) { return "x", name == "SET" },
	}
	if strings.Contains(text, "timeout: 60000") {
		c.Hooks = []checkrein.Hook{{ID: "a", Timeout: 60000 * time.Second, Run: "command", From: checkrein.Origin{File: "/c.yaml", Line: 4}}}
	}
	return RunChecks(&c)
}

// Every check finds what it is for, and says what to do about it.
func TestChecks(t *testing.T) {
	t.Parallel()
	found := map[string]string{
		"control-character":  cond(`{command: {regex: "\bnpm"}}`),
		"relative-path":      cond(`{cwd: {glob: 'work/**'}}`),
		"relative-argument":  cond(`{tool_input.file_path: {glob: 'src/**'}}`),
		"variable-in-path":   cond(`{paths: {prefix: $HOME/.ssh}}`),
		"backslash-path":     cond(`{paths: {glob: 'C:\work\**'}}`),
		"glob-directory":     cond(`{paths: {glob: '**/build/'}}`),
		"glob-whole":         cond(`{command: {glob: deploy}}`),
		"regex-slashes":      cond(`{command: {regex: /deploy/i}}`),
		"glob-braces":        cond(`{paths: {glob: '**/*.{js,ts}'}}`),
		"glob-in-text":       cond(`{paths: {is: '**/.env'}}`),
		"matcher-glob":       on(`{name: a, matcher: 'Bash*', decision: ask}`),
		"unknown-value":      cond(`{event: {is: PreToolUse}}`),
		"unknown-effect":     cond(`{effects: {is: deletes}}`),
		"unknown-host":       cond(`{host: {is: claude-code}}`),
		"matcher-against-if": on(`{name: a, matcher: shell, if: {tool: {is: write}}, decision: ask}`),
		"misses-patches":     on(`{name: a, matcher: 'Write|edit', command: x}`),
		"covered":            on("{name: a, decision: deny}\n    - {name: b, if: {command: {is: x}}, decision: ask}"),
		"same-name":          on("{name: a, if: {command: {is: x}}, decision: ask}\n    - {name: a, if: {command: {is: y}}, decision: ask}"),
		"pack-allow":         "version: 1\npacks: [{name: git, allow: [push-force]}]\n",
		"pack-off":           "version: 1\npacks: [{name: git, off: true, high: ask}]\n",
		"grant-rule":         "version: 1\ngrants: [{call: x, rules: [push-force], reason: y}]\n",
		"over":               "version: 1\nshadow: 2020-01-01\n",
		"timeout":            on(`{name: a, command: x, timeout: 60000}`),
		"one-word-list":      on(`{name: a, command: ["make test"]}`),
		"tilde-in-list":      on(`{name: a, command: [~/bin/x]}`),
		"builtin-as-command": on(`{name: a, command: add_date}`),
		"unset-variable":     on(`{name: a, command: x, env: {A: "${env.NOT}"}}`),
	}
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			list := run(found[c.Name])
			i := slices.IndexFunc(list, func(f Finding) bool { return f.Check == c.Name })
			if i < 0 {
				t.Fatalf("nothing found: %v", list)
			}
			if f := list[i]; f.Level != c.Level || f.At.Remedy == "" || f.At.Origin.Line == 0 || c.What == "" {
				t.Errorf("got %v, level %d", f.At, f.Level)
			}
			if len(list) > 1 {
				t.Errorf("more is found: %v, %v", list[0].At, list[1].At)
			}
		})
	}
}

// What is meant as it is written is not found fault with.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		cond(`{command: {regex: '\bnpm\b'}}`),
		cond(`{command: {contains: "a\nb"}}`),
		cond(`{paths: {glob: 'migrations/**'}}`),
		cond(`{paths: {glob: ['**/*.js', '/srv/[ab]*', '~/x/**']}}`),
		cond(`{paths: {under: src}}`),
		cond(`{cwd: {under: ~/work}}`),
		cond(`{cwd: {glob: ['/work/**', '**/work/**']}}`),
		cond(`{cwd: {regex: '^(/work|/srv)/'}}`),
		cond(`{cwd: {regex: '^[A-Z]:/'}}`),
		cond(`{command: {regex: '^deploy( |$)'}}`),
		cond(`{command: {regex: '(^|; )deploy$'}}`),
		cond(`{command: {regex: '(?m)a$\nb'}}`),
		cond(`{command: {contains: ls -l, prefix: ls}}`),
		cond(`{any: [{host: {is: claude}}, {host: {is: codex}}]}`),
		cond(`{command: {is: a}, not: {command: {is: b}}}`),
		cond(`{not: {any: [{host: {is: claude}}, {host: {is: codex}}]}}`),
		cond(`{host: {is: claude}, not: {host: {is: claude}, command: {is: x}}}`),
		cond(`{all: [{command: {is: a}}, {command: {is: b}}]}`), // a call may have several
		cond(`{command: {regex: 'git push'}}`),
		cond(`{command: {regex: 'git (push --force|status)'}}`),
		cond(`{effects: {in: [destructive, delete]}}`),
		on(`{name: a, matcher: 'Bash.*|mcp__.*', decision: ask}`),
		on(`{name: a, matcher: 'write|edit|patch', decision: ask}`),
		on(`{name: a, matcher: shell, if: {tool: {in: [shell, write]}}, decision: ask}`),
		on(`{name: a, matcher: 'shell|write', if: {command: {contains: x}}, decision: ask}`),
		on("{name: a, if: {command: {prefix: deploy}}, decision: deny}\n    - {name: b, if: {command: {contains: deploy}}, decision: ask}"),
		on("{name: a, decision: deny}\n    - {name: b, if: {command: {is: x}}, decision: ask, context: told}"),
		on(`{name: a, command: [make, test], timeout: 30s, env: {A: "${env.SET}"}}`),
		on(`{name: a, command: [/opt/my tools/x]}`),
		on(`{name: a, type: builtin, command: add_date}`),
		"version: 1\npacks: [git, {name: filesystem, allow: ['./build/**', 'dist/**']}, {name: ours, rules: []}]\n",
		"version: 1\ngrants: [{call: git push --force, rules: [git/push-force], until: 2031-01-01, reason: y}]\n",
		"version: 1\nhooks: [x]\n", "- x\n", "version: [\n", "version: 1\nhooks:\n  pre_tool_use: [x, {if: x}, {hooks: x}]\n", "hooks: {pre_tool_use: {if: {not: {}}}}\n",
	} {
		for _, f := range run(text) {
			t.Errorf("%s: %s: %v", text, f.Check, f.At)
		}
	}
}

// Whatever a file holds, looking at it ends.
func FuzzRun(f *testing.F) {
	f.Add(cond(`{command: {regex: 'git push.*--force'}, not: {any: [{cwd: {glob: x}}]}}`))
	f.Fuzz(func(_ *testing.T, text string) { run(text) })
}
