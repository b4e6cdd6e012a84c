package fleet

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/spf13/cobra"
)

// applyCommand returns the fleet apply command.
func applyCommand(env *console.Env) *cobra.Command {
	var root string
	cmd := &cobra.Command{
		Use: "apply DIR", Short: "Apply the files of fleet export to this machine",
		Long: `Apply the files that checkrein fleet export wrote to the directory DIR, on a machine that gets files by MDM
or configuration management instead of from a hub. The files are verified like those from a hub: their
signatures, their expiry, and that no version goes back. If a file is refused, nothing changes, and the exit
code is 4.

--root is the digest that fleet export printed. It is needed the first time; from then on, the machine
follows the keys that it knows.`,
		Example: `  sudo checkrein fleet apply /var/lib/fleet --root 5f70bf18a086…
  sudo checkrein fleet apply /var/lib/fleet`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f := machine.Files{Dir: dir(env, false), From: env.Path(args[0]), Root: root, Program: base.HotProgram(env)}
			if !f.IsPinned() { // otherwise it changes only what the administrator signed
				if err := base.RequirePerson(env, base.ByHand); err != nil {
					return err
				}
			}
			if os.Geteuid() != 0 {
				return base.AsRefusal(errors.New("the policy of a machine belongs to root: run it with sudo"))
			}
			s, err := f.Apply(cmd.Context())
			if refused := (*bundle.Refusal)(nil); errors.As(err, &refused) {
				return base.AsRefusal(err)
			}
			switch {
			case err != nil:
				return base.AsFailure(err)
			case s.Refused != "":
				return base.AsRefusal(errors.New(s.Refused))
			}
			printPolicy(env, filepath.Clean(args[0]), &s, false)
			return nil
		},
	}
	cmd.Flags().StringVar(&root, "root", "", "the `DIGEST` of the fleet's root metadata, which fleet export printed")
	return cmd
}
