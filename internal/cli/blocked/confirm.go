package blocked

import (
	"errors"
	"fmt"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// ConfirmCommand returns the confirm command.
func ConfirmCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "confirm", Short: "Confirm settings in your own file that loosen the guard",
		Example: `  checkrein confirm`,
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runConfirm(env) },
	}
}

// runConfirm shows the settings that are held back, and applies them if the user agrees.
func runConfirm(env *console.Env) error {
	k, err := base.PersonKit(env, base.ByHand)
	if err != nil {
		return err
	}
	guards := k.Guards()
	if len(guards.Held) == 0 {
		fmt.Fprintln(env.Stdout, "nothing is held back")
		return nil
	}
	fmt.Fprintln(env.Stdout, "settings held back because they appeared in your file while an agent was running:")
	for _, what := range guards.Held {
		fmt.Fprintln(env.Stdout, "  "+visible.EscapeLine(what))
	}
	if err := base.RequirePerson(env, base.AtTerminal); err != nil {
		return err
	}
	if !base.Confirm(env, "Did you write this, and should it take effect?") {
		return base.AsRefusal(errors.New("nothing was changed"))
	}
	if err := k.Confirm(); err != nil {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	fmt.Fprintln(env.Stdout, "confirmed: it takes effect with the next event")
	return nil
}
