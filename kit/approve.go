package kit

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/state"
	"github.com/checkrein/checkrein/internal/trust"
)

// An Approval is a person's word that a hook may run, as it was then.
type Approval struct {
	File  string    // the configuration file
	Event string    // the hook's event
	ID    string    // the hook
	Shows string    // what runs
	Gate  bool      // it can deny
	Names []string  // the script files that were approved with it
	At    time.Time // when
}

func approvalOf(a trust.Approval) Approval {
	out := Approval{File: a.File, Event: a.Event, ID: a.ID, Shows: a.Shows, Gate: a.Gate, At: a.At}
	for _, f := range a.Files {
		out.Names = append(out.Names, f.Path)
	}
	return out
}

func approvalsOf(list []trust.Approval) []Approval {
	out := make([]Approval, len(list))
	for i, a := range list {
		out[i] = approvalOf(a)
	}
	return out
}

// A truster is the kit as the engine asks it.
type truster struct{ kit *Kit }

func (t truster) Asks(h *checkrein.Hook) bool { return t.kit.brings(h) }

func (t truster) Check(h *checkrein.Hook) (engine.Approval, string) {
	asked := *h
	asked.From.Approval = true
	switch state, why := t.kit.trust.Check(&asked); state {
	case trust.Approved:
		return engine.Approved, why
	case trust.Changed:
		return engine.Changed, why
	default:
		if !h.From.Approval {
			// A person's gate is not skipped because of what a repository has:
			// it could not be relied on, so it faults.
			return engine.Changed, "it would run files of this project, which nobody approved; " + why
		}
		return engine.Unapproved, why
	}
}

// brings reports whether a hook that needs no approval for its own sake runs
// files of the project, which do.
func (k *Kit) brings(h *checkrein.Hook) bool {
	if !k.foreign || h.Run != "command" || h.From.Approval {
		return false
	}
	return slices.ContainsFunc(trust.NamedFiles(k.root, h), func(f string) bool {
		return trust.Within(k.root, f) && runnable(f)
	})
}

// runnable reports whether a file is a program rather than data that one reads.
func runnable(path string) bool {
	switch filepath.Ext(path) {
	case ".sh", ".bash", ".zsh", ".fish", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".ps1", ".lua", ".bat", ".cmd":
		return true
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0 {
		return err == nil && info.Mode().IsRegular()
	}
	head, err := state.ReadHead(path, 2)
	return err == nil && string(head) == "#!"
}

// approvable returns the hooks with those marked that may need approval for
// what they run. Whether they do is asked when they are to run.
func (k *Kit) approvable() []checkrein.Hook {
	if !k.foreign {
		return k.config.Hooks
	}
	hooks := slices.Clone(k.config.Hooks)
	for i := range hooks {
		if hooks[i].Run == "command" && hooks[i].From.File != "" {
			hooks[i].From.Approval = true
		}
	}
	return hooks
}

// own reports whether a hook of approvable needs approval indeed.
func (k *Kit) own(h *checkrein.Hook) bool {
	for i := range k.config.Hooks {
		if c := &k.config.Hooks[i]; c.ID == h.ID && c.On == h.On && c.From.File == h.From.File && c.From.Line == h.From.Line {
			return k.NeedsApproval(c)
		}
	}
	return false
}

// NeedsApproval reports whether a person must approve a hook before it runs.
func (k *Kit) NeedsApproval(h *checkrein.Hook) bool { return h.From.Approval || k.brings(h) }

// Approval says whether a hook may run as it is now, and if not why.
func (k *Kit) Approval(h *checkrein.Hook) (engine.Approval, string) {
	return truster{k}.Check(h)
}

// Approve records that the picked hooks may run exactly as they are now, with
// the script files that they name. Hooks that need no approval are passed over.
// This kit keeps deciding by what it read when it was opened.
// A hook that is broken cannot be approved: nobody knows what it would run.
func (k *Kit) Approve(pick func(*checkrein.Hook) bool) ([]Approval, error) {
	if pick == nil {
		pick = func(*checkrein.Hook) bool { return true }
	}
	for i := range k.config.Hooks {
		if h := &k.config.Hooks[i]; h.Broken != "" && h.From.Approval && pick(h) {
			return nil, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: errors.New(h.Broken), Remedy: "mend it, then approve it"}
		}
	}
	list, err := trust.Approve(k.state, k.root, k.now(), k.approvable(), func(h *checkrein.Hook) bool {
		return (h.From.Scope == checkrein.ScopeProject || k.own(h)) && pick(h)
	})
	return approvalsOf(list), err
}

// Revoke takes back the picked approvals.
func (k *Kit) Revoke(pick func(Approval) bool) ([]Approval, error) {
	list, err := trust.Revoke(k.state, func(a trust.Approval) bool { return pick(approvalOf(a)) })
	return approvalsOf(list), err
}

// Vanished lists approvals whose hook is not there any more.
func (k *Kit) Vanished() []Approval {
	var read, unread []string
	for _, f := range k.config.Files {
		if f.Err == nil {
			read = append(read, f.Path)
		} else {
			unread = append(unread, f.Path)
		}
	}
	return approvalsOf(k.trust.Vanished(read, unread...))
}

// On reports whether the master switch is on. Managed hooks run regardless.
func (k *Kit) On() bool { return !k.trust.Off() }

// Switch turns hooks on or off, managed ones excepted.
func (k *Kit) Switch(on bool) error { return trust.SetOff(k.state, !on) }

// Shows is what a hook runs, in one line for people.
func Shows(h *checkrein.Hook) string { return trust.Shows(h) }

// A File is a configuration file that was read, or could not be.
type File struct {
	Path     string
	Scope    checkrein.Scope
	Dialect  string
	Hooks    int
	Err      error   // everything wrong with it, joined
	Warnings []error // what works and is probably not meant
}

// Files lists the configuration files in the order in which they count.
func (k *Kit) Files() []File {
	out := make([]File, len(k.config.Files))
	for i, f := range k.config.Files {
		out[i] = File{f.Path, f.Scope, f.Dialect, f.Hooks, f.Err, f.Warnings}
	}
	return out
}
