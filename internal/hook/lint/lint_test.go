package lint

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
)

// hookFile returns a file with one hook on pre_tool_use.
func hookFile(hook string) string {
	return "version: 1\nhooks:\n  pre_tool_use:\n    - " + hook + "\n"
}

// ruleFile returns a file with one rule that has the condition c.
func ruleFile(c string) string { return hookFile("{name: a, if: " + c + ", decision: ask}") }

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

// TestChecks checks that every check finds its mistake and suggests a remedy.
func TestChecks(t *testing.T) {
	t.Parallel()
	found := map[string]string{
		"control-character":  ruleFile(`{command: {regex: "\bnpm"}}`),
		"relative-path":      ruleFile(`{cwd: {glob: 'work/**'}}`),
		"relative-argument":  ruleFile(`{tool_input.file_path: {glob: 'src/**'}}`),
		"variable-in-path":   ruleFile(`{paths: {prefix: $HOME/.ssh}}`),
		"backslash-path":     ruleFile(`{paths: {glob: 'C:\work\**'}}`),
		"glob-directory":     ruleFile(`{paths: {glob: '**/build/'}}`),
		"glob-whole":         ruleFile(`{command: {glob: deploy}}`),
		"regex-slashes":      ruleFile(`{command: {regex: /deploy/i}}`),
		"glob-braces":        ruleFile(`{paths: {glob: '**/*.{js,ts}'}}`),
		"glob-in-text":       ruleFile(`{paths: {is: '**/.env'}}`),
		"matcher-glob":       hookFile(`{name: a, matcher: 'Bash*', decision: ask}`),
		"unknown-value":      ruleFile(`{event: {is: PreToolUse}}`),
		"unknown-effect":     ruleFile(`{effects: {is: deletes}}`),
		"unknown-host":       ruleFile(`{host: {is: claude-code}}`),
		"matcher-against-if": hookFile(`{name: a, matcher: shell, if: {tool: {is: write}}, decision: ask}`),
		"agents-tool-name":   hookFile(`{name: a, matcher: 'bash|read', command: x}`),
		"misses-patches":     hookFile(`{name: a, matcher: 'write|edit', command: x}`),
		"covered":            hookFile("{name: a, decision: deny}\n    - {name: b, if: {command: {is: x}}, decision: ask}"),
		"same-name":          hookFile("{name: a, if: {command: {is: x}}, decision: ask}\n    - {name: a, if: {command: {is: y}}, decision: ask}"),
		"pack-allow":         "version: 1\npacks: [{name: git, allow: [push-force]}]\n",
		"pack-off":           "version: 1\npacks: [{name: git, off: true, high: ask}]\n",
		"unknown-rule":       "version: 1\npacks: [{name: git, shadow: [git/push-forc]}]\n",
		"over":               "version: 1\nshadow: 2020-01-01\n",
		"timeout":            hookFile(`{name: a, command: x, timeout: 60000}`),
		"one-word-list":      hookFile(`{name: a, command: ["make test"]}`),
		"tilde-in-list":      hookFile(`{name: a, command: [~/bin/x]}`),
		"builtin-as-command": hookFile(`{name: a, command: add_date}`),
		"unset-variable":     hookFile(`{name: a, command: x, env: {A: "${env.NOT}"}}`),
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

// TestPastShadow checks that shadow mode that is over is found wherever it is set.
func TestPastShadow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		hookFile(`{name: a, if: {command: {is: x}}, decision: deny, mode: shadow, until: 2020-01-01}`):           true,
		hookFile(`{name: a, if: {command: {is: x}}, decision: deny, mode: shadow, until: 2020-01-01T10:00:00Z}`): true,
		hookFile(`{name: a, if: {command: {is: x}}, decision: deny, mode: shadow, until: 2099-01-01}`):           false,
		"version: 1\npacks: [{name: git, mode: shadow, until: 2020-01-01}]\n":                                    true,
		"version: 1\npacks: [{name: git, shadow: [clean], until: 2020-01-01}]\n":                                 true,
		"version: 1\npacks: [{name: git, shadow: [clean], until: 2099-01-01}]\n":                                 false,
		"version: 1\nmode: shadow\nuntil: 2020-01-01\n":                                                          true,
	} {
		over := slices.ContainsFunc(run(text), func(f Finding) bool { return f.Check == "over" && f.At.Remedy != "" })
		if over != want {
			t.Errorf("%s: found %v", text, over)
		}
	}
}

// TestOtherFilesAreNamed checks that a finding about two hooks says where the other one is.
func TestOtherFilesAreNamed(t *testing.T) {
	t.Parallel()
	const cond, other = "if: {command: {is: x}}, ", "{name: x, if: {command: {is: y}}, decision: ask}"
	for _, tt := range []struct{ first, second, want string }{
		{"{name: x, " + cond + "decision: deny}", "{name: x, " + cond + "decision: ask}", `the hook "x" (/a.yaml:4) denies the same calls`},
		{"{decision: deny}", "{name: y, " + cond + "decision: ask}", `the hook "pre_tool_use#1" (/a.yaml:4) denies every`},
		{"{name: x, " + cond + "decision: ask}", other, "/a.yaml:4 already has a hook with this name"},
		{other + "\n    - {name: z, " + cond + "decision: deny}\n    - {name: w, " + cond + "decision: ask}", "{name: v, decision: none}", `the hook "z" (line 5) denies`},
	} {
		c := Case{Now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Files: []File{{Path: "/a.yaml", Text: []byte(hookFile(tt.first))}, {Path: "/b.yaml", Text: []byte(hookFile(tt.second))}}}
		var got []string
		for _, f := range RunChecks(&c) {
			got = append(got, f.At.Error())
		}
		if all := strings.Join(got, "\n"); !strings.Contains(all, tt.want) {
			t.Errorf("%q lacks %q", all, tt.want)
		}
	}
}

// TestNoFalseFindings checks that there are no findings for correct settings.
func TestNoFalseFindings(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		ruleFile(`{command: {regex: '\bnpm\b'}}`),
		ruleFile(`{command: {contains: "a\nb"}}`),
		ruleFile(`{paths: {glob: 'migrations/**'}}`),
		ruleFile(`{paths: {glob: ['**/*.js', '/srv/[ab]*', '~/x/**']}}`),
		ruleFile(`{paths: {under: src}}`),
		ruleFile(`{cwd: {under: ~/work}}`),
		ruleFile(`{cwd: {glob: ['/work/**', '**/work/**']}}`),
		ruleFile(`{cwd: {regex: '^(/work|/srv)/'}}`),
		ruleFile(`{cwd: {regex: '^[A-Z]:/'}}`),
		ruleFile(`{command: {regex: '^deploy( |$)'}}`),
		ruleFile(`{command: {regex: '(^|; )deploy$'}}`),
		ruleFile(`{command: {regex: '(?m)a$\nb'}}`),
		ruleFile(`{command: {contains: ls -l, prefix: ls}}`),
		ruleFile(`{any: [{host: {is: claude}}, {host: {is: codex}}]}`),
		ruleFile(`{command: {is: a}, not: {command: {is: b}}}`),
		ruleFile(`{not: {any: [{host: {is: claude}}, {host: {is: codex}}]}}`),
		ruleFile(`{host: {is: claude}, not: {host: {is: claude}, command: {is: x}}}`),
		ruleFile(`{all: [{command: {is: a}}, {command: {is: b}}]}`), // a call may have several
		ruleFile(`{command: {regex: 'git push'}}`),
		ruleFile(`{command: {regex: 'git (push --force|status)'}}`),
		ruleFile(`{effects: {in: [destructive, delete]}}`),
		hookFile(`{name: a, matcher: 'Bash.*|mcp__.*', decision: ask}`),
		hookFile(`{name: a, matcher: 'write|edit|patch', decision: ask}`),
		hookFile(`{name: a, matcher: 'shell|bash|deploy|mcp__x__y', decision: ask}`),
		hookFile(`{name: a, matcher: Bash, dialect: claude, command: x}`),
		hookFile(`{name: a, matcher: Bash, if: {host: {is: claude}}, decision: ask}`),
		hookFile(`{name: a, matcher: shell, if: {tool: {in: [shell, write]}}, decision: ask}`),
		hookFile(`{name: a, matcher: 'shell|write', if: {command: {contains: x}}, decision: ask}`),
		hookFile("{name: a, if: {command: {prefix: deploy}}, decision: deny}\n    - {name: b, if: {command: {contains: deploy}}, decision: ask}"),
		hookFile("{name: a, decision: deny}\n    - {name: b, if: {command: {is: x}}, decision: ask, context: told}"),
		hookFile(`{name: a, command: [make, test], timeout: 30s, env: {A: "${env.SET}"}}`),
		hookFile("{name: a, decision: deny, mode: shadow}\n    - {name: b, if: {command: {is: x}}, decision: ask}"),
		hookFile(`{name: a, command: [/opt/my tools/x]}`),
		hookFile(`{name: a, type: builtin, command: add_date}`),
		"version: 1\npacks: [git, {name: filesystem, allow: ['./build/**', 'dist/**']}, {name: ours, rules: []}]\n",
		"version: 1\ngrants: [{call: git push --force, rules: [git/push-force], until: 2031-01-01, reason: y}]\n",
		"version: 1\nhooks: [x]\n", "- x\n", "version: [\n", "version: 1\nhooks:\n  pre_tool_use: [x, {if: x}, {hooks: x}]\n", "hooks: {pre_tool_use: {if: {not: {}}}}\n",
	} {
		for _, f := range run(text) {
			t.Errorf("%s: %s: %v", text, f.Check, f.At)
		}
	}
}

// FuzzRun checks that the checks terminate on any file.
func FuzzRun(f *testing.F) {
	f.Add(ruleFile(`{command: {regex: 'git push.*--force'}, not: {any: [{cwd: {glob: x}}]}}`))
	f.Fuzz(func(_ *testing.T, text string) { run(text) })
}
