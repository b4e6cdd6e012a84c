//go:build unix

package command_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
)

// hostileCommand is a command with everything that the echo of some shell expands.
const hostileCommand = "true\nsudo apt update\t\"x\" 'y' \\n \\c \\\\ \\0101 é 😀 \x1b[0m"

// TestEchoedPayloadIsJSON checks that a payload of any dialect is still JSON after the echo of any
// shell.
func TestEchoedPayloadIsJSON(t *testing.T) {
	t.Parallel()
	input, err := json.Marshal(map[string]string{"command": hostileCommand})
	if err != nil {
		t.Fatal(err)
	}
	ev := bash("")
	ev.Tool.Input = input
	for _, name := range []string{"native", "docker-agent", "starchild", "hookmd", "claude"} {
		for _, sh := range [][]string{{"dash", "-c"}, {"bash", "-c"}, {"busybox", "sh", "-c"}} {
			if _, err := exec.LookPath(sh[0]); err != nil {
				continue
			}
			argv, _ := json.Marshal(append(sh, `INPUT=$(cat); echo "$INPUT" >&2; exit 2`))
			h := hook(`{"argv":` + string(argv) + `}`)
			if h.Dialect = name; name == "native" {
				h.Dialect = ""
			}
			ans := run(t, h, ev)
			var heard struct {
				ToolInput map[string]string `json:"tool_input"`
			}
			if err := json.Unmarshal([]byte(ans.Reason), &heard); err != nil {
				t.Errorf("%s under %s: %v in %s", name, sh[0], err, ans.Reason)
			}
			if got := heard.ToolInput["command"] + heard.ToolInput["cmd"]; got != hostileCommand {
				t.Errorf("%s under %s: the hook sees %q", name, sh[0], got)
			}
		}
	}
}

// TestDockerAgentRunsUnderBash checks that docker-agent's inline commands run with bash if it is
// installed, whatever SHELL is, and that functions, options and files of the environment have no
// effect.
func TestDockerAgentRunsUnderBash(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED, NOTHING WAS PROVEN: there is no bash here")
	}
	before := t.TempDir() + "/before"
	if err := os.WriteFile(before, []byte("exit 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := shell(`read -r line; [[ $line == *ls* ]] && echo "${BASH_VERSION:+bash} $0" >&2 && exit 2`)
	h.Dialect = "docker-agent"
	ans := run(t, h, bash("ls"), "SHELL=/bin/false", "BASH_ENV="+before, "BASH_FUNC_echo%%=() { :; }", "SHELLOPTS=noexec")
	if ans.Decision != checkrein.Deny || !strings.HasPrefix(ans.Reason, "bash ") {
		t.Errorf("got %v %q, log %q", ans.Decision, ans.Reason, ans.Log)
	}
	d, _ := dialect.Lookup("native")
	if d.Bash {
		t.Error("native hooks run under bash")
	}
}
