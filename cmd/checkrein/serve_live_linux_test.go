package main

import (
	"bufio"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// What a person does in a terminal counts at once for a plugin's server, which
// runs as long as its host.
func TestServeSeesChanges(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	skipBelowTerminal(t)
	d := newDesk(t, "version: 1\npacks: []\n", "version: 1\nhooks:\n  pre_tool_use:\n    - {name: guard, type: rule, decision: deny, reason: 'no, never'}\n")
	server := d.command(filepath.Join(programs, "ashost"), "checkrein hook opencode --serve-stdio --root "+d.project)
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	denied := func() bool {
		t.Helper()
		if _, err := io.WriteString(in, `{"id":1,"hook":"tool.execute.before","input":{"tool":"bash","sessionID":"s"},"output":{"args":{"command":"ls"}}}`+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(line, "no, never")
	}
	x := startInTerminal(t, d.command("bash", "--norc", "-i"))
	for _, step := range []struct {
		args string
		asks bool
		want bool
	}{
		{"list", false, false},
		{"approve --all", true, true},
		{"off", false, false},
		{"on", false, true},
		{"revoke guard", false, false},
	} {
		x.typeKeys("checkrein hooks " + step.args + " >said; echo exit of " + step.args + " is $?\n")
		if step.asks {
			x.expect("[y/N]")
			x.typeKeys("y\n")
		}
		x.expect("exit of " + step.args + " is 0")
		if got := denied(); got != step.want {
			t.Errorf("after %s: denied %v, want %v", step.args, got, step.want)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
}
