package base

import (
	"fmt"
	"io"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/spf13/cobra"
)

// HotCommand returns a stub for a command that the hot program runs. It runs only if a user calls
// checkreind instead of checkrein, and returns an error then.
func HotCommand(name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return &Exit{Code: console.Usage, Err: fmt.Errorf("%s is a command of checkrein, not of checkreind: run 'checkrein %s'", name, name)}
		},
	}
}

// maxPayload is the maximum size of a payload in bytes.
const maxPayload = 16 << 20

// ReadInput reads the file name; "-" is standard input. It fails if there are more than maxPayload
// bytes.
func ReadInput(env *console.Env, name string) ([]byte, error) {
	if name == "-" {
		return readLimited(Stdin(env), maxPayload)
	}
	return state.ReadRegular(env.Path(name), maxPayload)
}

// readLimited reads r to its end. It fails if there are more than limit bytes.
func readLimited(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = fmt.Errorf("the payload is larger than %d MiB", limit>>20)
	}
	return body, err
}

// HelpCommand returns the help command, which prints the help of its parent's subcommands.
func HelpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Print this help, or the help for a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, _ := cmd.Parent().Find(args) // if this fails, rest is not empty
			if len(rest) > 0 {
				return fmt.Errorf("unknown command %q%s", rest[0], suggest.Hint(rest[0], CommandNames(about)))
			}
			return about.Help()
		},
	}
}

// ProjectFlags holds the flags that select the hooks that a command is about.
type ProjectFlags struct {
	Files []string
	Agent string
}

// Register adds the flags to cmd.
func (f *ProjectFlags) Register(cmd *cobra.Command) {
	FileFlag(cmd, &f.Files)
	cmd.Flags().StringVar(&f.Agent, "agent", "", "the agent's `NAME`, if the file declares several")
}

// Open opens the kit with the files that the flags name. Without files, it opens the kit of the
// project or, within a session of run, of the session's agent file.
func (f *ProjectFlags) Open(env *console.Env) (*app.Kit, error) {
	opts := app.Options{Files: f.Files, Agent: f.Agent, FilesByPlace: true}
	if in := env.Within; in != nil && len(f.Files) == 0 {
		opts.AgentFile = in.AgentFile
		if f.Agent == "" {
			opts.Agent = in.Agent
		}
	}
	return OpenKit(env, opts)
}

// CommandNames returns the names of the visible subcommands of a command.
func CommandNames(of *cobra.Command) (names []string) {
	for _, c := range of.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// FileFlag adds the flag --config, which sets files, to cmd.
func FileFlag(cmd *cobra.Command, files *[]string) {
	cmd.Flags().StringArrayVarP(files, "config", "c", nil, "read this `FILE` only; repeatable")
}
