package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	commands "github.com/checkrein/checkrein/internal/cli/desk"
	"github.com/checkrein/checkrein/internal/cli/hot"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/spf13/cobra"
)

// TestHelp compares the help of every command, hidden ones included, with testdata/help.txt, so that
// options and names that change are visible in reviews. The flag -update writes the file.
func TestHelp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	show := func(name string, help func()) {
		fmt.Fprintf(&out, "=== %s --help\n\n", name)
		help()
		out.WriteByte('\n')
	}
	ofHot := func(name string) {
		show(name, func() {
			env := console.Env{
				Args: append(strings.Fields(name)[1:], "--help"), Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &out, Now: time.Now,
				Interrupts: func(ctx context.Context) context.Context { return ctx },
			}
			if code := hot.Run(context.Background(), env); code != console.Done {
				t.Errorf("%s --help: exit code %d", name, code)
			}
		})
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.DisableFlagParsing { // a stub of a command of the hot program
			ofHot(c.CommandPath())
			return
		}
		show(c.CommandPath()+map[bool]string{true: " (hidden)"}[c.Hidden], func() {
			c.SetOut(&out)
			c.InitDefaultHelpFlag()
			if err := c.Help(); err != nil {
				t.Error(err)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(commands.Commands())
	ofHot("checkrein git pre-commit")
	clitest.Golden(t, "help.txt", out.String())
}
