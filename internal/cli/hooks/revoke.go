package hooks

import (
	"fmt"
	"slices"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// revokeCommand returns the hooks revoke command.
func revokeCommand(env *console.Env) *cobra.Command {
	var at base.ProjectFlags
	var all bool
	cmd := &cobra.Command{
		Use: "revoke [-c FILE] (--all | [--all] [EVENT] COMMAND|ID)", Short: "Withdraw the approval of hooks in this project",
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := readTarget(args, all)
			if err != nil {
				return err
			}
			if err := base.RequirePerson(env, base.BySwitch); err != nil {
				return err
			}
			k, err := at.Open(env)
			if err != nil {
				return err
			}
			return runRevoke(env, k, t, base.AbsolutePaths(env, at.Files))
		},
	}
	at.Register(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "withdraw all approvals in this project, or those of all hooks with the given name")
	return cmd
}

// runRevoke revokes approvals for the given files, or else for this project's, and never for
// another's.
func runRevoke(env *console.Env, k *app.Kit, t target, files []string) error {
	ours := revocableFiles(k, files)
	var found []approval.Approval
	var list []candidate
	_, err := k.Revoke(func(a approval.Approval) bool {
		if ours(a.File) {
			found = append(found, a)
			list = append(list, candidate{a.Event, []string{a.ID}, a.Runs, base.HookPlace(a.Event, a.ID, approvedPlace(k, a)), nil})
		}
		return false // only collect
	})
	if err != nil {
		return base.AsRefusal(err)
	}
	picked, err := t.pick(list)
	if err != nil {
		return err
	}
	if !slices.Contains(picked, true) {
		return t.unknownError("no such approval in this project")
	}
	var chosen []approval.Approval
	for i, is := range picked {
		if is {
			chosen = append(chosen, found[i])
		}
	}
	unrecorded := RecordAct(k, "hooks revoke", chosen, Actor{}) // a failure must not keep the approval
	done, err := k.Revoke(func(a approval.Approval) bool {
		i := slices.IndexFunc(found, func(b approval.Approval) bool { return sameApproval(a, b) })
		return i >= 0 && picked[i]
	})
	if err != nil {
		return base.AsRefusal(err)
	}
	if unrecorded != nil {
		fmt.Fprintln(env.Stderr, "this action could not be recorded in the ledger:", visible.Line(unrecorded.Error()))
	}
	for _, a := range done {
		fmt.Fprintln(env.Stdout, "revoked ", base.HookPlace(a.Event, a.ID, ownFile(k, a.File)))
	}
	return nil
}

// ownFile returns the file of an approval, for display.
func ownFile(k *app.Kit, file string) string {
	if own, is := approval.OwnFile(k.Root(), file); is {
		return own
	}
	return file
}

// revocableFiles returns a function that reports whether approvals of a file may be revoked in this
// project.
func revocableFiles(k *app.Kit, given []string) func(file string) bool {
	if len(given) == 0 {
		for _, f := range k.Files() {
			given = append(given, f.Path)
		}
		root := approval.RealPath(k.Root())
		return func(file string) bool {
			return k.Root() != "" && approval.IsBelow(root, file) || isOneOf(k, file, given)
		}
	}
	return func(file string) bool { return isOneOf(k, file, given) }
}

// isOneOf reports whether approvals of a file belong to one of files: as the project's, or as a
// person's own file that runs the project's files.
func isOneOf(k *app.Kit, file string, files []string) bool {
	own, is := approval.OwnFile(k.Root(), file)
	return slices.ContainsFunc(files, func(f string) bool {
		return approval.CanonicalFile(k.Root(), f) == file || is && (own == f || own == approval.RealPath(f))
	})
}

// approvedPlace returns where an approved hook is, with the line if it still exists.
func approvedPlace(k *app.Kit, a approval.Approval) string {
	hooks := k.Hooks()
	for i := range hooks {
		if h := &hooks[i]; h.ID == a.ID && approval.EventName(h) == a.Event && isOneOf(k, a.File, []string{h.From.File}) {
			return h.From.String()
		}
	}
	return ownFile(k, a.File)
}

// sameApproval reports whether a and b are the same approval.
func sameApproval(a, b approval.Approval) bool {
	return a.File == b.File && a.Event == b.Event && a.ID == b.ID && a.Runs == b.Runs && a.At.Equal(b.At)
}
