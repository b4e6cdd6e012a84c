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

// A truster is the kit as the engine of a view asks it.
type truster struct {
	kit   *Kit
	trust *approval.Store
}

// Asks names what starts programs, though it needs no approval: what those were is on
// record.
func (t truster) Asks(h *checkrein.Hook) bool { return coverage.StartsPrograms(h) }

func (t truster) Check(h *checkrein.Hook) engine.Checked {
	out, _, files := t.check(h)
	if len(files) > 0 {
		out.After = func() string { return approval.ChangedMeanwhile(t.kit.root, files) }
	}
	return out
}

// check is Check with the reason as a message and the files that the hook was approved with.
func (t truster) check(h *checkrein.Hook) (engine.Checked, message.Message, []state.MarkedPath) {
	if h.From.Approval {
		state, why, read := t.trust.Check(h)
		return engine.Checked{State: heard[state], Why: approvalText(state, why), Runs: read.Runs}, why, read.Files
	}
	if !t.kit.mayBring(h) {
		_, runs := t.kit.planOf(h)
		return engine.Checked{State: engine.Approved, Runs: runs}, message.Message{}, nil
	}
	here := t.kit.here(h)
	state, why, read := t.trust.Check(&here)
	if state == approval.Approved {
		return engine.Checked{State: engine.Approved, Runs: read.Runs}, why, read.Files
	}
	what, runs := t.kit.brings(h)
	out := engine.Checked{State: engine.Refused, Runs: runs}
	switch {
	case what == "": // all that it runs is the person's own
		return engine.Checked{State: engine.Approved, Runs: runs}, message.Message{}, nil
	case state == approval.Changed:
		out.State = engine.Changed
	case state == approval.Short:
	default:
		// A person's gate is not skipped because of what a repository has: it
		// could not be relied on, so it faults.
		why.What = what + ", which was not approved"
	}
	out.Why = approvalText(state, why)
	return out, why, nil
}

// approvalText returns in one line why a hook does not run.
func approvalText(state approval.State, m message.Message) string {
	switch {
	case len(m.Remedies) == 0:
		return m.What
	case state == approval.Short:
		return m.What + ": review it and approve it again: " + m.Remedies[0].Command
	case m.What != "":
		m.What += "; "
	}
	return m.What + "to approve it, run: " + m.Remedies[0].Command
}

// heard is how the engine hears what trust says.
var heard = [...]engine.Approval{approval.Unapproved: engine.Unapproved, approval.Approved: engine.Approved, approval.Changed: engine.Changed, approval.Short: engine.Refused}

// sealedBy is the digest that the program of a sealed hook must have; "" = any, for
// it needs no approval.
func (k *Kit) sealedBy(h *checkrein.Hook) (string, error) {
	if !k.NeedsApproval(h) {
		return "", nil
	}
	asked := *h
	if !h.From.Approval {
		asked = k.here(h)
	}
	digest, ok := k.view().trust.Sealed(&asked)
	if !ok {
		return "", errors.New("sealed needs a hook that runs only one file and was approved in that form: remove sealed, or name only that file")
	}
	return digest, nil
}

// sealable returns why a hook runs more than one file, so that it cannot be sealed.
func (k *Kit) sealable(h *checkrein.Hook) error {
	var look coverage.DiskView
	plan := coverage.PlanFor(h, k.coveragePlace(), &look)
	switch {
	case len(plan.Unsure) > 0:
		return errors.New("sealed needs a hook that runs only one file, but checkrein cannot tell which files this one runs: " + visible.Line(plan.Unsure[0]) + ": remove sealed")
	case len(plan.Parts) > 1:
		other := &plan.Parts[1]
		return errors.New("sealed needs a hook that runs only one file, but this one also runs " + approval.ShortName(k.root, other.Path) + ": remove sealed, or put everything into one file")
	}
	return nil
}

// brings returns what of the project a hook would run that needs no approval for its own
// sake, "" = nothing, with the digest of all that it would run. That does. Hooks of the
// command line are the person's word for this run.
func (k *Kit) brings(h *checkrein.Hook) (what string, runs [32]byte) {
	if !k.mayBring(h) {
		return "", runs
	}
	plan, runs := k.planOf(h)
	return k.ofProject(h, &plan), runs
}

// planOf returns what a hook would run, and the digest of the contents of those files.
func (k *Kit) planOf(h *checkrein.Hook) (coverage.Plan, [32]byte) {
	var look coverage.DiskView
	plan := coverage.PlanFor(h, k.coveragePlace(), &look)
	return plan, coverage.ContentDigest(look.Observations())
}

// ofProject returns what of a plan needs approval.
func (k *Kit) ofProject(h *checkrein.Hook, plan *coverage.Plan) string {
	vouched := k.isVouchedFor(h)
	for i := range plan.Parts {
		part := &plan.Parts[i]
		if !k.lies(part.Path) || vouched && !config.InRepository(part.Path) {
			continue
		}
		name := "this project's " + approval.ShortName(k.root, part.Path)
		if part.Name != "" {
			name = visible.Line(part.Name) + " of " + name
		}
		return "it would run " + name
	}
	if len(plan.Unsure) > 0 && !vouched {
		return "cannot tell which of this project's files it runs: " + visible.Line(plan.Unsure[0])
	}
	return ""
}

// lies reports whether a file lies in the project, by its name or where links lead.
func (k *Kit) lies(path string) bool {
	if approval.Within(k.top, path) {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real != path && approval.Within(approval.Real(k.top), real)
}

// mayBring is brings without a look at any file.
func (k *Kit) mayBring(h *checkrein.Hook) bool {
	return k.foreign && !h.From.Approval && h.From.Scope != checkrein.ScopeFlag && coverage.StartsPrograms(h)
}

// coveragePlace is where hooks run.
func (k *Kit) coveragePlace() coverage.Place {
	return coverage.Place{Root: k.root, Top: k.top, Home: k.home, Environ: k.environ}
}

// here is a person's hook as it is approved for this project: for its files, so
// each project has an approval of its own.
func (k *Kit) here(h *checkrein.Hook) checkrein.Hook {
	out := *h
	out.From.Approval = true
	file := h.From.File
	if k.namedBy(file) != nil {
		file = approval.Real(file) // by whichever link it is named
	}
	out.From.File = approval.OwnName(k.root, file)
	return out
}

// approvable returns hooks with those marked that may need approval for what they
// run. Whether they do is asked when they are to run.
func (k *Kit) approvable(hooks []checkrein.Hook) []checkrein.Hook {
	mine := func(h checkrein.Hook) bool { return k.mayBring(&h) }
	if !slices.ContainsFunc(hooks, mine) {
		return hooks
	}
	hooks = slices.Clone(hooks)
	for i := range hooks {
		if mine(hooks[i]) {
			hooks[i] = k.here(&hooks[i])
		}
	}
	return hooks
}

// needsOwnApproval reports whether a hook of approvable needs approval indeed.
func (k *Kit) needsOwnApproval(h *checkrein.Hook) bool {
	for i := range k.config.Hooks {
		c := &k.config.Hooks[i]
		if c.ID == h.ID && c.On == h.On && c.From.Line == h.From.Line && (c.From.File == h.From.File || k.here(c).From.File == h.From.File) {
			return k.NeedsApproval(c)
		}
	}
	return false
}

// NeedsApproval reports whether a person must approve a hook before it runs.
func (k *Kit) NeedsApproval(h *checkrein.Hook) bool {
	if h.From.Approval {
		return true
	}
	what, _ := k.brings(h)
	return what != ""
}

// Approval reports whether a hook may run as it is now, and if not why.
func (k *Kit) Approval(h *checkrein.Hook) (engine.Approval, message.Message) {
	is, why, _ := truster{k, k.view().trust}.check(h)
	return is.State, why
}

// Approve records that the picked hooks may run exactly as they are now, with
// the files that they would run. Hooks that need no approval are passed over. The
// error names those that cannot be approved: broken ones, and those of which it
// cannot be told which files they run, which [Kit.Review] shows.
func (k *Kit) Approve(pick func(*checkrein.Hook) bool) ([]approval.Approval, error) {
	r, err := k.Review(pick)
	if err != nil {
		return nil, err
	}
	errs := r.Unsound()
	for _, it := range r.Items {
		if len(it.Unsure) > 0 {
			errs = append(errs, &checkrein.HookError{Hook: it.Hook.Label(), Origin: it.Hook.From, Err: errors.New("cannot tell which files it runs: " + strings.Join(it.Unsure, "; ")), Remedy: "to review it, run: " + k.Remedy("approve", it.Hook)})
		}
	}
	list, err := r.Approve(nil)
	return list, errors.Join(append(errs, err)...)
}

// Revoke takes back the picked approvals.
func (k *Kit) Revoke(pick func(approval.Approval) bool) ([]approval.Approval, error) {
	defer k.look()
	return approval.Revoke(k.state, pick)
}

// A Vanished is an approval whose hook is not there any more.
type Vanished struct {
	approval.Approval
	Why      string           // in words: "was approved, but is missing"
	Remedies []message.Remedy // to restore it, and to forget the approval
}

// Vanished lists approvals whose hook is not there any more, as far as this kit can
// tell: with files given by name it has read no others.
func (k *Kit) Vanished() []Vanished {
	return k.vanished(k.view().trust)
}

func (k *Kit) vanished(store *approval.Store) []Vanished {
	seen := approval.Seen{Alone: len(k.named) > 0}
	for _, f := range k.config.Files {
		if f.Err == nil {
			seen.Read = append(seen.Read, f.Path)
		} else {
			seen.Unread = append(seen.Unread, f.Path)
		}
	}
	var out []Vanished
	for _, v := range store.Vanished(seen) {
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
		one.Remedies = []message.Remedy{message.Do(restore), message.Run(store.Remedy("revoke", v.File, v.Agent, v.ID), "or to forget the approval")}
		out = append(out, one)
	}
	return out
}

// ProjectMayAllow reports whether the person lets a repository's files approve
// what an agent does.
func (k *Kit) ProjectMayAllow() bool { return k.config.Settings.ProjectMayAllow }

// SelfApproves reports whether the person leaves the approval of declared hooks to
// agents, as far as that counts.
func (k *Kit) SelfApproves() bool { return k.config.Settings.SelfApprove }

// SelfApproveWaits reports whether the person's file leaves approvals to agents, but must
// be confirmed first.
func (k *Kit) SelfApproveWaits() bool { return k.asked.SelfApprove && !k.config.Settings.SelfApprove }

// On reports whether the master switch is on. Managed hooks and self-protection run
// regardless.
func (k *Kit) On() bool { return !k.view().trust.Off() }

// Switch turns hooks on or off, managed ones and self-protection excepted.
func (k *Kit) Switch(on bool) error {
	err := approval.SetOff(k.state, !on)
	k.look()
	return err
}

// Files lists the configuration files in the order in which they count.
func (k *Kit) Files() []config.File { return k.config.Files }
