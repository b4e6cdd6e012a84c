package hooks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// disableCommand returns the hooks disable command if off is set, and the hooks enable command
// otherwise.
func disableCommand(env *console.Env, off bool) *cobra.Command {
	var at base.ProjectFlags
	var all bool
	use, short := "enable", "Switch a disabled hook back on"
	long := short + ". This takes effect at once, also for programs that are already running."
	if off {
		use, short = "disable", "Switch one hook off and leave the others on"
		long = `Switch one hook off until you run checkrein hooks enable. Its file is not changed. This takes
effect at once in every project that has the hook, also for programs that are already running.
hooks, status and doctor show it, and the ledger records who did it.

A hook that can deny, ask or rewrite protects you, so you must confirm this in your own
terminal. The administrator's (managed) hooks and self-protection stay on. Agents cannot run this command.

An ID names one hook. A COMMAND names all hooks that run it, on all of their events, or only
on EVENT if you give one first.`
	}
	cmd := &cobra.Command{
		Use: use + " [-c FILE] [--all] [EVENT] ID|COMMAND", Short: short, Long: long,
		Example: "  checkrein hooks " + use + " no-force-push\n  checkrein hooks " + use + " pre_tool_use ./scripts/guard.sh",
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := parseTarget(args, all && len(args) > 0)
			if err != nil {
				return errors.New("name one hook: [EVENT] ID|COMMAND. To list the hooks, run checkrein hooks")
			}
			if err := base.RequirePerson(env, base.BySwitch); err != nil {
				return err
			}
			k, err := at.Open(env)
			if err != nil {
				return err
			}
			return setDisabled(env, k, t, off)
		},
	}
	at.Register(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "every hook with the given name")
	return cmd
}

// setDisabled disables the hooks that t selects if off is set, enables them otherwise, and prints
// them.
func setDisabled(env *console.Env, k *app.Kit, t target, off bool) error {
	hooks, err := selectHooks(k, t)
	if err != nil {
		return err
	}
	act := "hooks enable"
	if off {
		act = "hooks disable"
		if err := confirmDisable(env, k, hooks); err != nil {
			return err
		}
	}
	var about []approval.Approval
	for _, h := range hooks {
		about = append(about, approval.Approval{File: h.From.File, Event: approval.EventName(h), ID: h.ID})
	}
	unrecorded := RecordAct(k, act, about, Actor{})
	if unrecorded != nil && off {
		return base.AsRefusal(unrecorded)
	}
	done, err := k.SetDisabled(off, hooks...)
	if err != nil {
		return base.AsRefusal(err)
	}
	if unrecorded != nil {
		fmt.Fprintln(env.Stderr, "this action could not be recorded in the ledger:", visible.EscapeLine(unrecorded.Error()))
	}
	word := map[bool]string{true: "disabled", false: "enabled"}[off]
	for _, h := range hooks {
		said := word
		if !slices.Contains(done, h) {
			said += " already"
		}
		fmt.Fprintf(env.Stdout, "%s  %s\n", said, base.HookPlace(approval.EventName(h), visible.EscapeLine(h.Label()), h.From.String()))
	}
	if off && len(done) > 0 {
		fmt.Fprintf(env.Stdout, "to switch it back on, run checkrein hooks enable %s\n", visible.EscapeLine(hooks[0].Label()))
	}
	return nil
}

// selectHooks returns the hooks that t selects. It returns an error if there are none.
func selectHooks(k *app.Kit, t target) ([]*checkrein.Hook, error) {
	all := k.Hooks()
	var list []candidate
	var hooks, out []*checkrein.Hook
	for i := range all {
		if h := &all[i]; !standsForFile(h) {
			hooks, list = append(hooks, h), append(list, hookCandidate(h))
		}
	}
	picked, err := t.pick(list)
	if err != nil {
		return nil, err
	}
	for i, is := range picked {
		if is {
			out = append(out, hooks[i])
		}
	}
	if len(out) == 0 {
		if pack, rule, _ := strings.Cut(t.name, "/"); slices.Contains(shell.PackNames(), pack) || t.name == packset.Secrets {
			what := "a pack"
			if rule != "" {
				what = "a rule in the pack " + pack
			}
			return nil, base.AsRefusal(fmt.Errorf("%s is %s, not a hook. To see the line that switches it off or on, run checkrein packs %s. Then copy that line into your checkrein.yaml", visible.EscapeLine(t.name), what, visible.EscapeLine(t.name)))
		}
		return nil, t.unknownError(fmt.Sprintf("no hook here is named %q", t.name))
	}
	return out, nil
}

// confirmDisable returns an error if one of the hooks cannot be disabled. If some are guards, it asks
// the user to confirm, and returns an error if the user does not.
func confirmDisable(env *console.Env, k *app.Kit, hooks []*checkrein.Hook) error {
	var guards []string
	packs := false
	for _, h := range hooks {
		if h.From.Scope == checkrein.ScopeManaged {
			return base.AsRefusal(fmt.Errorf("%s is a managed hook (%s), so it stays on: ask your administrator to change that file", visible.EscapeLine(h.Label()), h.From))
		}
		if app.IsEnforced(h) {
			return base.AsRefusal(fmt.Errorf("%s is self-protection, so it stays on: it keeps agents from switching checkrein off", visible.EscapeLine(h.Label())))
		}
		if !k.IsDisabled(h) && canIntervene(k, h) {
			guards = append(guards, visible.EscapeLine(h.Label()))
			packs = packs || h.From.File == "" && rawjson.GetText(h.With, "name") == "packs"
		}
	}
	if len(guards) == 0 {
		return nil
	}
	if err := base.RequirePerson(env, base.AtTerminal); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "Until you enable them again, these will not deny, ask about or change anything, in any project or session: %s\n", strings.Join(guards, ", "))
	question := "Disable " + term.FormatCount(len(guards), "guard") + "?"
	if packs {
		fmt.Fprintf(env.Stdout, "This switches off every pack: %s. To see how to switch off just one: checkrein packs NAME\n", strings.Join(shell.PackNames(), ", "))
		question = "Disable all guard packs?"
	}
	if !base.Confirm(env, question) {
		return base.AsRefusal(errors.New("nothing was changed"))
	}
	return nil
}

// canIntervene reports whether h can deny, ask about or change something.
func canIntervene(k *app.Kit, h *checkrein.Hook) bool {
	const keeps = checkrein.CanDeny | checkrein.CanAsk | checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages
	return !h.Async && (k.Traits(h).Judges || h.Gate || checkrein.ContractOf(h.On).Effects&keeps != 0)
}

// DisabledMessages returns a message for each hook that the user disabled.
func DisabledMessages(k *app.Kit) []message.Message {
	var out []message.Message
	for _, h := range k.Hooks() {
		if k.IsDisabled(&h) {
			label := visible.EscapeLine(h.Label())
			out = append(out, message.New(fmt.Sprintf("%s on %s is disabled", label, approval.EventName(&h)), message.Run(approval.RemedyCommand("enable", h.Label()), "")))
		}
	}
	return out
}
