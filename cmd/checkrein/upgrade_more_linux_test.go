package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hasCommand reports whether the build has a command.
func (h *upgradeHome) hasCommand(name string) bool {
	h.t.Helper()
	code, _ := h.run(name, "--help")
	return code == 0
}

// workMore leaves what later builds keep, those that have it: a hook in shadow mode, a save,
// walls and an opening, a code for an answer, verdicts of canaries.
func (h *upgradeHome) workMore() {
	h.t.Helper()
	if h.hasCommand("shadow") {
		own := filepath.Join(h.home, ".config/checkrein/checkrein.yaml")
		text, err := os.ReadFile(own)
		if err != nil {
			h.t.Fatal(err)
		}
		h.write(own, string(text)+`    - {name: tried, type: rule, if: {command: {prefix: make try}}, decision: deny, reason: tried, mode: shadow}`+"\n")
		h.answer([]upgradeCall{h.shell("make try")})
		h.must("shadow", "report")
	}
	if h.hasCommand("walls") {
		h.must("install", "claude", "--walls", "--program", upgradeTop+"/bin/checkrein")
		h.must("install", "opencode", "--walls", "--program", upgradeTop+"/bin/checkrein")
		out := h.contained("opened")
		m := regexp.MustCompile(`Walls may have stopped .*checkrein allow ([0-9a-f]+)`).FindStringSubmatch(out)
		if m == nil {
			h.t.Fatalf("walls stopped nothing: %s", out)
		}
		h.mustShow("allowed (grant ", "allow", m[1])
		h.mustShow("", "undo", "--forget", "--all") // of the project before the command: keeps the archives small
	}
	if h.hasCommand("undo") {
		h.write(filepath.Join(h.project, upgradeLost), "Worth keeping.\n")
		lose := "rm " + upgradeLost
		h.answer([]upgradeCall{h.shell(lose), {Host: "codex", Run: []string{"sh", "-c", lose}, Dir: h.project}})
	}
	if h.hasCommand("approvals") {
		h.mustShow("answers once", "approvals", "code")
	}
	if h.hasCommand("canary") {
		h.person("canary", "--host", "checkrein", "--yes") // a hook that counts its calls cannot pass
	}
	h.must("audit", "verify")
}

// upgradeLost is a file that an agent deletes.
const upgradeLost = "lost.txt"

// contained has an agent run a program that checkrein does not know as Claude Code does: hook, wrapper,
// hook. The program writes a file into the project and one beside the state directory. It returns the
// hooks' replies.
func (h *upgradeHome) contained(program string) string {
	h.t.Helper()
	command := "./" + program + " README.md inside.txt && ./" + program + " README.md " + h.outside()
	call := h.answer([]upgradeCall{{Host: "claude", Dir: h.project, Run: []string{"sh", "-c", `
export CLAUDE_PROJECT_DIR=$PWD CLAUDE_CODE_SHELL_PREFIX=` + h.state("walls/claude/checkrein-shell") + `
cp /bin/cp ` + program + `
event() {
	printf '{"session_id":"6f1d3c1e","hook_event_name":"%s","tool_name":"Bash","tool_use_id":"%s","cwd":"%s","tool_input":{"command":"%s"}%s}' "$1" $$ "$PWD" ` + strconv.Quote(command) + ` "$2" | checkrein hook claude
}
event PreToolUse
out=$(unset CLAUDE_PROJECT_DIR; CLAUDE_CODE_SESSION_ID=6f1d3c1e $CLAUDE_CODE_SHELL_PREFIX "eval '` + command + `' < /dev/null && pwd -P >| .cwd" 2>&1 | tr '\n"' ' _')
event PostToolUse ",\"tool_response\":{\"stdout\":\"$out\",\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}"
rm -f inside.txt .cwd ` + program}}})[0]
	return call.Reply
}

// outside is a file outside of the project.
func (h *upgradeHome) outside() string { return h.home + "/.local/outside.txt" }

// testUpgradeSaves takes back a loss that the build saved.
func testUpgradeSaves(h *upgradeHome, _ string) {
	if !fileExists(h.state("undo")) {
		return // a build that saves nothing
	}
	if code, out := h.run("undo", "--last", "--yes"); code != 0 {
		h.t.Errorf("undo: exit code %d\n%s", code, out)
	}
	if text, err := os.ReadFile(filepath.Join(h.project, upgradeLost)); err != nil || string(text) != "Worth keeping.\n" {
		h.t.Errorf("%s: %q, %v", upgradeLost, text, err)
	}
}

// testUpgradeWalls has commands run through the wrapper that the build installed. A program for which the
// person opened the walls may write outside, another may not.
func testUpgradeWalls(h *upgradeHome, _ string) {
	if !fileExists(h.state("walls")) {
		return // a build without walls
	}
	if ok, err := condition("sandbox"); !ok {
		h.t.Skip("SKIPPED: no walls here, so nothing was contained", err)
	}
	for program, passes := range map[string]bool{"opened": true, "other": false} {
		if err := os.RemoveAll(h.outside()); err != nil {
			h.t.Fatal(err)
		}
		out := h.contained(program)
		if fileExists(h.outside()) != passes || strings.Contains(out, "Walls may have stopped") == passes {
			h.t.Errorf("%s: %s", program, out)
		}
	}
	if list := h.doctor(); slices.ContainsFunc(list, func(f string) bool { return strings.HasSuffix(f, " state-tampered") }) {
		h.t.Errorf("doctor: %q", list)
	}
}
