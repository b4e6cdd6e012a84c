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
			t, err := parseTarget(args, all)
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

// runRevoke revokes the approvals that t selects among those for files or, if that is empty, among
// those in this project. It never revokes approvals in other projects.
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
	unrecorded := RecordAct(k, "hooks revoke", chosen, Actor{}) // a failure must not prevent the revocation
	done, err := k.Revoke(func(a approval.Approval) bool {
		i := slices.IndexFunc(found, func(b approval.Approval) bool { return sameApproval(a, b) })
		return i >= 0 && picked[i]
	})
	if err != nil {
		return base.AsRefusal(err)
	}
	if unrecorded != nil {
		fmt.Fprintln(env.Stderr, "this action could not be recorded in the ledger:", visible.EscapeLine(unrecorded.Error()))
	}
	for _, a := range done {
		fmt.Fprintln(env.Stdout, "revoked ", base.HookPlace(a.Event, a.ID, approvalFile(k, a.File)))
	}
	return nil
}

// approvalFile returns the path of the file in an approval for display. If file stands for the user's
// own file that runs the project's files, it is the user's file.
func approvalFile(k *app.Kit, file string) string {
	if own, is := approval.OwnFile(k.Root(), file); is {
		return own
	}
	return file
}

// revocableFiles returns a function that reports whether approvals for a file may be revoked in this
// project. If given is not empty, only approvals for those files may be.
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

// isOneOf reports whether approvals for file belong to one of files, which may be the project's files
// or the user's own files that run the project's.
func isOneOf(k *app.Kit, file string, files []string) bool {
	own, is := approval.OwnFile(k.Root(), file)
	return slices.ContainsFunc(files, func(f string) bool {
		return approval.CanonicalFile(k.Root(), f) == file || is && (own == f || own == approval.RealPath(f))
	})
}

// approvedPlace returns the file of an approved hook, with the line if the hook still exists.
func approvedPlace(k *app.Kit, a approval.Approval) string {
	hooks := k.Hooks()
	for i := range hooks {
		if h := &hooks[i]; h.ID == a.ID && approval.EventName(h) == a.Event && isOneOf(k, a.File, []string{h.From.File}) {
			return h.From.String()
		}
	}
	return approvalFile(k, a.File)
}

// sameApproval reports whether a and b are the same approval.
func sameApproval(a, b approval.Approval) bool {
	return a.File == b.File && a.Event == b.Event && a.ID == b.ID && a.Runs == b.Runs && a.At.Equal(b.At)
}
