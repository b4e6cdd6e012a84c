package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/clitest"
)

// TestHelp compares the help of all commands with testdata/help.txt, so that options and names that
// change are visible in reviews. The flag -update writes the file.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	show := func(args ...string) {
		fmt.Fprintf(&out, "=== %s\n\n", strings.Join(append([]string{"checkrein-hub"}, args...), " "))
		c := newCommand()
		c.SetOut(&out)
		c.SetArgs(args)
		if err := c.Execute(); err != nil {
			t.Error(err)
		}
		out.WriteByte('\n')
	}
	show("--help")
	for _, c := range newCommand().Commands() {
		show(c.Name(), "--help")
	}
	clitest.Golden(t, "help.txt", out.String())
}
