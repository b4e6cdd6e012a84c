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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newCommand().ExecuteContext(ctx); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "checkrein-hub:", err)
		os.Exit(1)
	}
}

// newCommand returns the command with its subcommands.
func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "checkrein-hub", Short: "One policy for all machines, and all records in one place",
		SilenceUsage: true, SilenceErrors: true,
	}
	root.AddCommand(initCommand(), serveCommand())
	return root
}
