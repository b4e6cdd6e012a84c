package wire

import "testing"

func TestIsUnattended(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		asks     Asks
		terminal bool
		args     []string
		want     bool
	}{
		{"in a terminal", Asks{Reach: AtTerminal}, true, []string{"x"}, false},
		{"in CI", Asks{Reach: AtTerminal}, false, []string{"x"}, true},
		{"told not to ask", Asks{Reach: AtTerminal, NoAskOptions: []string{"-p"}}, true, []string{"x", "-p"}, true},
		{"a prompt that looks so", Asks{Reach: AtTerminal, NoAskOptions: []string{"-p"}}, true, []string{"x", "--", "-p"}, false},
		{"never asks, in a terminal", Asks{Reach: Never}, true, nil, false},
		{"never asks, in CI", Asks{Reach: Never}, false, nil, true},
		{"windows of its own", Asks{Reach: Always}, false, []string{"x"}, false},
		{"windows of its own, told not to ask", Asks{Reach: Always, NoAskOptions: []string{"-p"}}, false, []string{"x", "-p"}, true},
		{"windows of its own, with options", Asks{Reach: Always, NoAskOptions: []string{"-p"}}, false, []string{"x"}, false},
		{"an editor drives it", Asks{Reach: AtTerminal, NoAskOptions: []string{"-p"}, EditorArgs: []string{"--tool", "stdio"}}, false, []string{"x", "-p", "--tool", "stdio"}, false},
		{"driven by one word", Asks{Reach: AtTerminal, NoAskOptions: []string{"-p"}, EditorArgs: []string{"--tool", "stdio"}}, false, []string{"x", "-p", "--tool=stdio"}, false},
		{"another tool", Asks{Reach: AtTerminal, NoAskOptions: []string{"-p"}, EditorArgs: []string{"--tool", "stdio"}}, false, []string{"x", "-p", "--tool", "other"}, true},
		{"a prompt that looks like an editor", Asks{Reach: AtTerminal, NoAskOptions: []string{"-p"}, EditorArgs: []string{"--tool", "stdio"}}, false, []string{"x", "-p", "--", "--tool", "stdio"}, true},
		{"the program of that name", Asks{Reach: AtTerminal, EditorArgs: []string{"--acp"}}, false, []string{"--acp"}, true},
	} {
		h := Host{Asks: tt.asks}
		if got := h.IsUnattended(func() HostProcess { return HostProcess{Terminal: tt.terminal, Args: tt.args} }); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
