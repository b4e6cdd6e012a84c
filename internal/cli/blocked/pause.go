package blocked

import (
	"errors"
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/spf13/cobra"
)

// PauseCommand returns the pause command.
func PauseCommand(env *console.Env) *cobra.Command {
	var why string
	cmd := &cobra.Command{
		Use: "pause [TIME|off]", Short: "For a while, record what hooks decide but enforce nothing",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return printPause(env)
			case args[0] == "off":
				return endPause(env)
			}
			d, err := time.ParseDuration(args[0])
			if err != nil || d < time.Minute || d > grant.MaxPause {
				return fmt.Errorf("%q is not valid: give a duration from 1m to 8h, such as 30m", args[0])
			}
			return startPause(env, d, why)
		},
	}
	cmd.Flags().StringVar(&why, "why", "", "record this `TEXT` as the reason")
	return cmd
}

// printPause prints whether the guard is paused, and until when.
func printPause(env *console.Env) error {
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	p, err := k.Grants().CurrentPause()
	if err != nil {
		return base.AsFailure(err)
	}
	if p != nil {
		fmt.Fprintf(env.Stdout, "paused until %s by %s; to end it: checkrein pause off\n", p.Until.Local().Format(time.DateTime), p.By)
		return nil
	}
	fmt.Fprintln(env.Stdout, "not paused: hook decisions are enforced")
	return nil
}

// startPause pauses the guard for d if the user agrees.
func startPause(env *console.Env, d time.Duration, why string) error {
	k, err := base.PersonKit(env, base.AtTerminal)
	if err != nil {
		return err
	}
	until := env.Now().Add(d)
	fmt.Fprintf(env.Stdout, "Until %s, nothing is blocked, asked about or changed, in any project or session, except by managed hooks and self-protection.\n", until.Local().Format(time.DateTime))
	if !base.Confirm(env, "Pause the guard?") {
		return base.AsRefusal(errors.New("nothing was changed"))
	}
	if err := k.SetPause(grant.Pause{Until: until, By: base.PersonName(), Why: why}); err != nil {
		return base.AsFailure(err)
	}
	fmt.Fprintln(env.Stdout, "paused; to end it: checkrein pause off")
	return nil
}

// endPause ends the pause. It needs no terminal, since it only makes the guard stricter.
func endPause(env *console.Env) error {
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	if p, err := k.Grants().CurrentPause(); p == nil && err == nil {
		fmt.Fprintln(env.Stdout, "not paused")
		return nil
	}
	if err := k.SetPause(grant.Pause{By: base.PersonName()}); err != nil {
		return base.AsFailure(err)
	}
	fmt.Fprintln(env.Stdout, "the pause is over: hook decisions are enforced again")
	return nil
}
