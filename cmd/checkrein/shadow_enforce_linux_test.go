package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shadow enforce says what it did, and that is so.
func TestShadowEnforce(t *testing.T) {
	t.Parallel()
	const head = "version: 1\nhooks:\n  pre_tool_use:\n"
	rule := func(name, mode string) string {
		return "    - {name: " + name + ", if: {command: {prefix: ls}}, decision: deny, reason: no" + mode + "}\n"
	}
	const onPrompt = "  user_prompt_submit:\n    - {name: a, if: {prompt: {prefix: ls}}, decision: deny, reason: no, mode: shadow} # try\n"
	for _, tt := range []struct {
		title, file, name string
		code              int
		says              string
		after             string // the file; "" = unchanged
		denied            bool   // ls, afterwards
	}{
		{"one", head + rule("a", ", mode: shadow"), "a", 0, "a is enforced from the next event on", head + rule("a", ""), true},
		{"two of a name", head + rule("a", ", mode: shadow") + rule("b", "") + rule("a", ", mode: shadow, until: 2099-01-01"), "a", 0, "a is enforced", head + rule("a", "") + rule("b", "") + rule("a", ""), true},
		{"two of a name, one enforced", head + rule("a", "") + rule("a", ", mode: shadow"), "a", 0, "a is enforced", head + rule("a", "") + rule("a", ""), true},
		{"on two events", head + rule("a", ", mode: shadow") + onPrompt, "a", 0, "a is enforced", head + rule("a", "") + strings.Replace(onPrompt, ", mode: shadow", "", 1), true},
		{"everything is in shadow mode", head + rule("a", "") + "shadow: 2099-01-01\n", "a", 4, "a is not in shadow mode by itself, but shadow: at the top level", "", false},
		{"both", head + rule("a", ", mode: shadow") + "shadow: 2099-01-01\n", "a", 0, "but shadow: at the top level", head + rule("a", "") + "shadow: 2099-01-01\n", false},
		{"no such name", head + rule("a", ", mode: shadow"), "none", 4, "there is no hook, pack or rule none", "", false},
		{"nearly the name", head + rule("no-deploys", ", mode: shadow"), "no-deploy", 4, `did you mean "no-deploys"`, "", false},
		{"it counts", head + rule("a", ""), "a", 4, "a is not in shadow mode: its decisions count", "", true},
		{"a pack that counts", head + rule("a", ""), "git", 4, "git is not in shadow mode: its decisions count", "", true},
		{"a rule of a pack", "version: 1\npacks:\n  - name: git\n    shadow:\n      - clean # why\n      - push-force # also why\n", "git/clean", 0, "git/clean is enforced", "version: 1\npacks:\n  - name: git\n    shadow:\n      - push-force # also why\n", false},
	} {
		t.Run(tt.title, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tt.file, "version: 1\n")
			code, out := d.run("shadow", "enforce", tt.name, "--yes")
			if code != tt.code || !strings.Contains(out, tt.says) {
				t.Errorf("exit %d: %s", code, out)
			}
			got, err := os.ReadFile(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"))
			if want := tt.after; err != nil || string(got) != want && (want != "" || string(got) != tt.file) {
				t.Errorf("the file is\n%s\nwant\n%s%v", got, want, err)
			}
			cmd := d.command(filepath.Join(programs, "checkrein"), "eval", "--json")
			cmd.Stdin = strings.NewReader(event("ls"))
			if out, _ := cmd.CombinedOutput(); strings.Contains(string(out), `{"decision":"deny"`) != tt.denied {
				t.Errorf("afterwards: %s", out)
			}
		})
	}
}
