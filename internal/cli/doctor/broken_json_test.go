//go:build unix

package doctor

import (
	"fmt"
	"os/exec"
	"testing"
)

// Hooks that break their payload are found, whatever they print; those that read it correctly are not.
func TestHooksThatBreakTheirPayload(t *testing.T) {
	t.Parallel()
	for _, need := range []string{"jq", "bash"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("SKIPPED, NOTHING WAS PROVEN: there is no %s here", need)
		}
	}
	const guard = `| jq -r .tool_input.cmd); if echo "$CMD" | grep -q mkfs; then exit 2; fi`
	for _, tt := range []struct {
		name, script, what string // "" = the script reads its payload correctly
	}{
		{"echo -e", `INPUT=$(cat); CMD=$(echo -e "$INPUT" ` + guard, "parse error: "},
		{"printf without a format", `INPUT=$(cat); CMD=$(printf "$INPUT" ` + guard, "parse error: "},
		{"read without -r", `read INPUT; CMD=$(echo "$INPUT" ` + guard, "parse error: "},
		{"jq's exit code is a denial", `set -eo pipefail; INPUT=$(cat); echo -e "$INPUT" | jq .`, "parse error: "},
		{"it swallows the error", `INPUT=$(cat); echo -e "$INPUT" >&2`, "prints its payload as invalid JSON"},
		{"it fails by it", `INPUT=$(cat); echo -e "$INPUT" | jq . >/dev/null 2>&1 || exit 1`, "it fails: exit code 1"},
		{"echo", `INPUT=$(cat); CMD=$(echo "$INPUT" ` + guard, ""},
		{"printf", `INPUT=$(cat); CMD=$(printf '%s\n' "$INPUT" ` + guard, ""},
		{"jq alone", `CMD=$(cat ` + guard, ""},
		{"it prints it", `tee /dev/stderr | jq . >&2`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := fmt.Sprintf("agents:\n  root:\n    hooks:\n      pre_tool_use:\n        - {matcher: shell, hooks: [{name: g, type: command, command: %q}]}\n", tt.script)
			p := newTestMachine(t, map[string]string{"agent.yaml": file})
			r := p.checkHooks(nil, "agent.yaml")
			if tt.what != "" {
				wantFinding(t, r, "broken-json", Error, tt.what)
			} else if f, ok := findingOf(r, "broken-json"); ok {
				t.Errorf("found %+v", f)
			}
		})
	}
}
