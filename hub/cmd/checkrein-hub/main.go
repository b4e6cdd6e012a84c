// Checkrein-hub gives all machines of a fleet one policy, and keeps and verifies their records.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/checkrein/checkrein/internal/sys/build"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newCommand()
	misused := true
	for _, c := range root.Commands() {
		run := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			misused = false
			return run(c, args)
		}
	}
	if err := root.ExecuteContext(ctx); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "checkrein-hub:", err)
		if misused {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// newCommand returns the command with its subcommands.
func newCommand() *cobra.Command {
	build.UseModuleVersion()
	root := &cobra.Command{
		Use: "checkrein-hub", Short: "One policy for all machines, and all records in one place",
		Version:      build.Version,
		SilenceUsage: true, SilenceErrors: true,
	}
	root.AddCommand(initCommand(), serveCommand())
	return root
}
