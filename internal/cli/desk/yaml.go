package desk

import (
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/spf13/cobra"
)

// yamlCommand returns the yaml command, which reads YAML for the hot program, since that program does
// not link a YAML reader.
func yamlCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "yaml", Short: "Read YAML on stdin for checkrein", Hidden: true,
		RunE: func(*cobra.Command, []string) error { return yamldoc.Serve(env.Stdin, env.Stdout, build.Version) },
	}
}
