package app

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// An approvalChecker checks the approval of hooks for the engine of a view.
type approvalChecker struct {
	kit   *Kit
	trust *approval.Store
}

// NeedsCheck reports whether h starts programs. Such hooks are checked even if they need no approval,
// because the record has which files they ran.
func (t approvalChecker) NeedsCheck(h *checkrein.Hook) bool { return coverage.StartsPrograms(h) }

// Check returns whether h may run, with a function that checks afterwards whether its files changed
// during the run.
func (t approvalChecker) Check(h *checkrein.Hook) engine.Checked {
	out, _, files := t.check(h)
	if len(files) > 0 {
		out.After = func() string { return approval.ChangedDuringRun(t.kit.root, files) }
	}
	return out
}

// check is Check without that function. It also returns the reason as a message, and the files that h
// was approved with.
func (t approvalChecker) check(h *checkrein.Hook) (engine.Checked, message.Message, []state.MarkedPath) {
	if h.From.Approval {
		state, why, read := t.trust.Check(h)
		return engine.Checked{State: engineStates[state], Why: approvalText(state, why), Runs: read.ContentDigest}, why, read.Files
	}
	if !t.kit.mayRunProjectFiles(h) {
		_, runs := t.kit.coveragePlan(h)
		return engine.Checked{State: engine.Approved, Runs: runs}, message.Message{}, nil
	}
	here := t.kit.forProject(h)
	state, why, read := t.trust.Check(&here)
	if state == approval.Approved {
		return engine.Checked{State: engine.Approved, Runs: read.ContentDigest}, why, read.Files
	}
	what, runs := t.kit.projectFiles(h)
	out := engine.Checked{State: engine.Refused, Runs: runs}
	switch {
	case what == "": // everything that the hook runs belongs to the user
		return engine.Checked{State: engine.Approved, Runs: runs}, message.Message{}, nil
	case state == approval.Changed:
		out.State = engine.Changed
	case state == approval.Outdated:
	default:
		// The user's gate is not skipped because it would run a repository's files. It faults,
		// since it cannot be relied on.
		why.What = what + ", which was not approved"
	}
	out.Why = approvalText(state, why)
	return out, why, nil
}

// approvalText returns in one line why a hook with this state does not run, and the command that
// approves it.
func approvalText(state approval.State, m message.Message) string {
	switch {
	case len(m.Remedies) == 0:
		return m.What
	case state == approval.Outdated:
		return m.What + "; review it, and to approve it again, run: " + m.Remedies[0].Command
	case m.What != "":
		m.What += "; "
	}
	return m.What + "to approve it, run: " + m.Remedies[0].Command
}

// engineStates maps states of package approval to those of the engine.
var engineStates = [...]engine.Approval{approval.Unapproved: engine.Unapproved, approval.Approved: engine.Approved, approval.Changed: engine.Changed, approval.Outdated: engine.Refused}

// sealedDigest returns the digest that the program of the sealed hook h must have, or "" if h needs no
// approval, so that any digest is accepted.
func (k *Kit) sealedDigest(h *checkrein.Hook) (string, error) {
	if !k.NeedsApproval(h) {
		return "", nil
	}
	asked := *h
	if !h.From.Approval {
		asked = k.forProject(h)
	}
	digest, ok := k.view().approvals.SealedDigest(&asked)
	if !ok {
		return "", errors.New("sealed needs a hook that runs only one file and was approved in that form: remove sealed, or name only that file")
	}
	return digest, nil
}

// checkSealable returns an error if h cannot be sealed, because it runs more than one file or unknown
// files.
func (k *Kit) checkSealable(h *checkrein.Hook) error {
	var look coverage.DiskView
	plan := coverage.PlanFor(h, k.coveragePlace(), &look)
	switch {
	case len(plan.Unsure) > 0:
		return errors.New("sealed needs a hook that runs only one file, but checkrein cannot tell which files this one runs: " + visible.EscapeLine(plan.Unsure[0]) + ": remove sealed")
	case len(plan.Parts) > 1:
		other := &plan.Parts[1]
		return errors.New("sealed needs a hook that runs only one file, but this one also runs " + approval.ShortName(k.root, other.Path) + ": remove sealed, or put everything into one file")
	}
	return nil
}

// projectFiles returns a description of the project's file for which the user's hook h needs approval,
// because it would run that file, or "" if there is none. It also returns the digest of everything
// that h would run. Hooks of the command line need no approval.
func (k *Kit) projectFiles(h *checkrein.Hook) (what string, runs [32]byte) {
	if !k.mayRunProjectFiles(h) {
		return "", runs
	}
	plan, runs := k.coveragePlan(h)
	return k.describeProjectPart(h, &plan), runs
}

// coveragePlan returns which files h would run, and the digest of their contents.
func (k *Kit) coveragePlan(h *checkrein.Hook) (coverage.Plan, [32]byte) {
	var look coverage.DiskView
	plan := coverage.PlanFor(h, k.coveragePlace(), &look)
	return plan, coverage.ContentDigest(look.Observations())
}

// describeProjectPart returns a description of the first part of plan that lies in the project and so
// needs approval, or "" if there is none.
func (k *Kit) describeProjectPart(h *checkrein.Hook, plan *coverage.Plan) string {
	vouched := k.isVouchedFor(h)
	for i := range plan.Parts {
		part := &plan.Parts[i]
		if !k.inRepository(part.Path) || vouched && !config.InRepository(part.Path) {
			continue
		}
		name := "this project's " + approval.ShortName(k.root, part.Path)
		if part.Name != "" {
			name = visible.EscapeLine(part.Name) + " of " + name
		}
		return "it would run " + name
	}
	if len(plan.Unsure) > 0 && !vouched {
		return "cannot tell which of this project's files it runs: " + visible.EscapeLine(plan.Unsure[0])
	}
	return ""
}

// inRepository reports whether path lies in the project's repository, as it is or with symlinks
// resolved.
func (k *Kit) inRepository(path string) bool {
	if approval.IsBelow(k.top, path) {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real != path && approval.IsBelow(approval.RealPath(k.top), real)
}

// mayRunProjectFiles reports whether h is the user's hook and could run files of the project. It reads
// no files.
func (k *Kit) mayRunProjectFiles(h *checkrein.Hook) bool {
	return k.foreign && !h.From.Approval && h.From.Scope != checkrein.ScopeFlag && coverage.StartsPrograms(h)
}

// coveragePlace returns the directories and the environment in which hooks run.
func (k *Kit) coveragePlace() coverage.Place {
	return coverage.Place{Root: k.root, Top: k.top, Home: k.home, Environ: k.environ}
}

// forProject returns the user's hook h in the form in which it is approved for this project. Each
// project has its own approval, since the hook runs that project's files.
func (k *Kit) forProject(h *checkrein.Hook) checkrein.Hook {
	out := *h
	out.From.Approval = true
	file := h.From.File
	if k.findNamed(file) != nil {
		file = approval.RealPath(file) // so that every symlink to it has the same approval
	}
	out.From.File = approval.OwnName(k.root, file)
	return out
}

// markApprovable returns hooks in which those that may need approval for the project's files that they
// run are marked. Whether they need it is checked when they are about to run.
func (k *Kit) markApprovable(hooks []checkrein.Hook) []checkrein.Hook {
	mine := func(h checkrein.Hook) bool { return k.mayRunProjectFiles(&h) }
	if !slices.ContainsFunc(hooks, mine) {
		return hooks
	}
	hooks = slices.Clone(hooks)
	for i := range hooks {
		if mine(hooks[i]) {
			hooks[i] = k.forProject(&hooks[i])
		}
	}
	return hooks
}

// needsOwnApproval reports whether h, which markApprovable returned, needs approval.
func (k *Kit) needsOwnApproval(h *checkrein.Hook) bool {
	for i := range k.config.Hooks {
		c := &k.config.Hooks[i]
		if c.ID == h.ID && c.On == h.On && c.From.Line == h.From.Line && (c.From.File == h.From.File || k.forProject(c).From.File == h.From.File) {
			return k.NeedsApproval(c)
		}
	}
	return false
}

// NeedsApproval reports whether h runs only if a person approved it.
func (k *Kit) NeedsApproval(h *checkrein.Hook) bool {
	if h.From.Approval {
		return true
	}
	what, _ := k.projectFiles(h)
	return what != ""
}

// Approval returns the state of the approval of h as it is now, and a message about why it may not
// run.
func (k *Kit) Approval(h *checkrein.Hook) (engine.Approval, message.Message) {
	is, why, _ := approvalChecker{k, k.view().approvals}.check(h)
	return is.State, why
}

// Approve records that the hooks that pick selects may run exactly as they are now, with the files
// that they would run. It skips hooks that need no approval. The error lists hooks that cannot be
// approved: broken ones, and those whose files are unknown, which [Kit.Review] shows.
func (k *Kit) Approve(pick func(*checkrein.Hook) bool) ([]approval.Approval, error) {
	r, err := k.Review(pick)
	if err != nil {
		return nil, err
	}
	errs := r.Unsound()
	for _, it := range r.Items {
		if len(it.Unsure) > 0 {
			errs = append(errs, &checkrein.HookError{Hook: it.Hook.Label(), Origin: it.Hook.From, Err: errors.New("cannot tell which files it runs: " + strings.Join(it.Unsure, "; ")), Remedy: "to review it, run: " + k.RemedyCommand("approve", it.Hook)})
		}
	}
	list, err := r.Approve(nil)
	return list, errors.Join(append(errs, err)...)
}

// Revoke removes the approvals that pick selects, and returns them.
func (k *Kit) Revoke(pick func(approval.Approval) bool) ([]approval.Approval, error) {
	defer k.refreshView()
	return approval.Revoke(k.state, pick)
}

// A Vanished is an approval whose hook no longer exists.
type Vanished struct {
	approval.Approval
	Why      string           // why the hook is gone, such as "was approved, but the file is missing"
	Remedies []message.Remedy // how to restore the hook, and how to remove the approval
}

// VanishedApprovals returns the approvals whose hooks no longer exist. If files were named, it
// considers only those files.
func (k *Kit) VanishedApprovals() []Vanished {
	return k.vanishedIn(k.view().approvals)
}

// vanishedIn returns the approvals in store whose hooks no longer exist.
func (k *Kit) vanishedIn(store *approval.Store) []Vanished {
	seen := approval.ConfigRead{NamedOnly: len(k.named) > 0}
	for _, f := range k.config.Files {
		if f.Err == nil {
			seen.Read = append(seen.Read, f.Path)
		} else {
			seen.Unread = append(seen.Unread, f.Path)
		}
	}
	var out []Vanished
	for _, v := range store.VanishedApprovals(seen) {
		one := Vanished{Approval: v.Approval}
		file, own := approval.OwnFile(k.root, v.File)
		if !own {
			file = v.File
		}
		one.File = file
		restore := ""
		switch v.Why {
		case approval.FileMissing:
			one.Why, restore = "was approved, but the file is missing", "restore the file"
		case approval.NotRead:
			one.Why, restore = "was approved, but no file includes that file any more", "include the file again"
		default:
			one.Why, restore = "was approved, but the file no longer has it", "put the hook back"
		}
		one.Remedies = []message.Remedy{message.Do(restore), message.Run(store.RemedyCommand("revoke", v.File, v.Agent, v.ID), "or to forget the approval")}
		out = append(out, one)
	}
	return out
}

// ProjectMayAllow reports whether the user lets the files of a repository allow an agent's calls.
func (k *Kit) ProjectMayAllow() bool { return k.config.Settings.ProjectMayAllow }

// SelfApproves reports whether agents may approve declared hooks, because the user's setting
// self_approve is in force.
func (k *Kit) SelfApproves() bool { return k.config.Settings.SelfApprove }

// IsSelfApproveHeld reports whether the user's file lets agents approve hooks, but the setting waits
// for confirmation.
func (k *Kit) IsSelfApproveHeld() bool {
	return k.fileSettings.SelfApprove && !k.config.Settings.SelfApprove
}

// IsOn reports whether the master switch is on. Managed hooks and self-protection run even if it is
// off.
func (k *Kit) IsOn() bool { return !k.view().approvals.IsOff() }

// SetOn switches all hooks on or off, except managed ones and self-protection.
func (k *Kit) SetOn(on bool) error {
	err := approval.SetOff(k.state, !on)
	k.refreshView()
	return err
}

// Files returns the configuration files, in order of precedence.
func (k *Kit) Files() []config.File { return k.config.Files }
