package binding

import (
	"testing"

	"github.com/checkrein/checkrein"
)

// TestWithCommand checks that the new call has the same form as the original one, so that they can be
// compared, without arguments that may change what the command does.
func TestWithCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, input, want string }{
		{"Bash", `{"command":"ls"}`, `{"command":"new"}`},
		{"Bash", `{"command":"ls","description":"d","run_in_background":false}`, `{"command":"new","run_in_background":false}`},
		{"Bash", `{"command":"ls","run_in_background":true,"env":{"A":"b"}}`, `{"command":"new"}`},
		{"exec_command", `{"cmd":"ls","workdir":"/srv","tty":null,"sandbox_permissions":"require_escalated"}`, `{"cmd":"new","workdir":"/srv","tty":null}`},
		{"shell", `{"command":["bash","-lc","ls"],"workdir":"/srv"}`, `{"command":["bash","-lc","new"],"workdir":"/srv"}`},
		{"shell", `{"command":["ls","-l"]}`, `{"command":["sh","-c","new"]}`},
		{"shell", `{"command":["bash","-x","run.sh"]}`, `{"command":["sh","-c","new"]}`},
		{"Bash", `{"command":"ls","cmd":"rm x"}`, ""}, // which one runs only the host knows
		{"Bash", `{}`, ""},
		{"Read", `{"file_path":"/a"}`, ""},
	} {
		ev, ok := WithCommand(&checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: tt.tool, Input: []byte(tt.input)}}, "new")
		if ok != (tt.want != "") || ok && string(ev.Tool.Input) != tt.want {
			t.Errorf("%s %s: %v %s", tt.tool, tt.input, ok, ev.Tool.Input)
		}
	}
}
