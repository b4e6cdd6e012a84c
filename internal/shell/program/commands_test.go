package program

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestShellCommands checks the commands that options pass to a shell. Those of wrappers are left out,
// because package resolve handles them.
func TestShellCommands(t *testing.T) {
	row := Row{Name: "x", Options: "-e|--exec=command -o=write"}
	c := shell.Call{Name: "x", Args: []shell.Word{{Text: "-e"}, {Text: "rm -rf ~"}, {Text: "--exec=ls"}, {Text: "-o"}, {Text: "y"}}}
	m := &cachedReading{name: "x", args: c.Args, reading: Reading{Call: &c, Row: &row, Name: "x", Dash: -1}}
	for i := 0; i < len(c.Args); i++ {
		i += m.reading.readArg(c.Args, i)
	}
	c.Memo = m
	if got := ShellCommands(&c); len(got) != 2 || got[0] != "rm -rf ~" || got[1] != "ls" {
		t.Errorf("%q", got)
	}
	row.Runs = "here"
	if got := ShellCommands(&c); got != nil {
		t.Errorf("a wrapper has shell commands: %q", got)
	}
}
