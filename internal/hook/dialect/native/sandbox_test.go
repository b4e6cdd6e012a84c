package native

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/hook/hookfile"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

func TestSandbox(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ entry, with, err string }{
		{`{command: x, sandbox: {read: [., 1.10], write: [build], network: false}}`, `{"command":"x","sandbox":{"read":[".","1.10"],"write":["build"],"network":false}}`, ""},
		{`{command: x, sandbox: {}}`, `{"command":"x","sandbox":{}}`, ""}, // says something: nothing is permitted
		{`{command: [x], sandbox: {read: []}}`, `{"argv":["x"],"sandbox":{"read":[]}}`, ""},
		{`{command: x, sandbox: }`, "", "sandbox is null, not a mapping"},
		{`{command: x, sandbox: [.]}`, "", "sandbox is a list, not a mapping"},
		{`{command: x, sandbox: {read: .}}`, "", "sandbox.read is a string, not a list (write a list of paths)"},
		{`{command: x, sandbox: {write: [[a]]}}`, "", "sandbox.write holds a list"},
		{`{command: x, sandbox: {network: off}}`, "", "sandbox.network is a string, not a boolean (write true or false)"},
		{`{command: x, sandbox: {netwrok: false}}`, "", `unknown key "netwrok" in sandbox, did you mean "network"?`},
		{`{type: builtin, command: add_date, sandbox: {}}`, "", "sandbox has no effect on hooks of type builtin"},
		{`{type: http, url: "https://example.com/", sandbox: {}}`, "", "sandbox has no effect on hooks of type http"},
	} {
		f, err := parse(hookfile.Source{File: "checkrein.yaml", Data: []byte("version: 1\nhooks:\n  stop:\n    - " + tt.entry + "\n")})
		switch {
		case len(f.Hooks) != 1:
			t.Errorf("%s: %d hooks", tt.entry, len(f.Hooks))
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || f.Hooks[0].Broken == ""):
			t.Errorf("%s: error %v, broken %q", tt.entry, err, f.Hooks[0].Broken)
		case tt.err == "" && (err != nil || string(f.Hooks[0].With) != tt.with):
			t.Errorf("%s: got %s, %v", tt.entry, f.Hooks[0].With, err)
		}
	}
}
