package desk

import (
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/text/archive"
	"github.com/spf13/cobra"
)

// unpackCommand takes an archive on stdin apart for the hot program, which does
// not link what that needs.
func unpackCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "unpack", Short: "Unpack an archive on stdin for checkrein scan", Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			if _, err := env.Admitted(env.Args...); err != nil {
				return &base.Exit{Code: console.Refused, Err: err}
			}
			out := scan.NewFrameWriter(env.Stdout)
			return out.Close(archive.Walk(env.Stdin, archive.Standard, out.Member))
		},
	}
}
