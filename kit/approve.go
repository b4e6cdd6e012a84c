package kit

import (
	"errors"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
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

// Approval says whether a hook may run as it is now, and if not why.
func (k *Kit) Approval(h *checkrein.Hook) (engine.Approval, string) {
	return truster{k.trust}.Check(h)
}

// Approve records that the picked hooks may run exactly as they are now, with
// the script files that they name. Hooks that need no approval are passed over.
// This kit keeps deciding by what it read when it was opened.
// A hook that is broken cannot be approved: nobody knows what it would run.
func (k *Kit) Approve(pick func(*checkrein.Hook) bool) ([]Approval, error) {
	for i := range k.config.Hooks {
		if h := &k.config.Hooks[i]; h.Broken != "" && h.From.Approval && pick(h) {
			return nil, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: errors.New(h.Broken), Remedy: "mend it, then approve it"}
		}
	}
	list, err := trust.Approve(k.state, k.root, k.now(), k.config.Hooks, pick)
	return approvalsOf(list), err
}

// Revoke takes back the picked approvals.
func (k *Kit) Revoke(pick func(Approval) bool) ([]Approval, error) {
	list, err := trust.Revoke(k.state, func(a trust.Approval) bool { return pick(approvalOf(a)) })
	return approvalsOf(list), err
}

// Vanished lists approvals whose hook is not there any more.
func (k *Kit) Vanished() []Approval {
	var read []string
	for _, f := range k.config.Files {
		if f.Err == nil {
			read = append(read, f.Path)
		}
	}
	return approvalsOf(k.trust.Vanished(read))
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
