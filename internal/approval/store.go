// Package approval stores which hooks of a repository a person has approved, down to their exact
// bytes.
//
// An [Approval] covers a hook's definition and what it would run, as package coverage finds it: whole
// files, and the scripts and settings of package.json and similar files. A [Store] compares both with
// the disk just before each run. Modification times are only stored for display.
//
// The files that a covered file loads are not covered unless the hook declares them. A file can still
// change between the check and the run; see [ChangedDuringRun] and [Store.SealedDigest]. The store is
// sealed with the ledger's key. Every process that can read the key can approve, so approvals protect
// against repositories and careless agents, not against other programs of the same user.
package approval

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

// A State is the state of a hook's approval. The zero State is the safe one.
type State uint8

// The states.
const (
	Unapproved State = iota // never approved: it is skipped
	Approved                // approved as it is now
	Changed                 // changed since it was approved: it must not run, and counts as a fault
	// Outdated means that an earlier version approved the hook without checking everything that it
	// would run. The hook must not run, and counts as a fault.
	Outdated
)

// A Store holds a person's approvals, from trust.json in the state directory. Call Load, SetPlace and
// Bind first. After that it does not change and is safe for concurrent use.
type Store struct {
	names  fileNames      // of configuration files; its root is where hooks run
	place  coverage.Place // where hooks run
	book   book
	fault  error // why the approvals could not be read
	bound  map[hookKey]boundHook
	agents map[string][]string // by file, the agents whose hooks were read
	live   []bool              // by approval, whether a hook uses it
	named  []string            // files that count only because they are named
}

// Load reads the approvals. If the file is missing, there are none. If it cannot be read or is
// damaged, the error names it and the remedy, and the Store approves nothing: its Check reports every
// hook as Changed, so that a damaged file closes gates rather than opens them.
func Load(dir state.Dir) (*Store, error) {
	b, err := readBook(dir)
	return &Store{book: b, fault: err}, err
}

// SetPlace sets where hooks run. at.Root is the absolute path of the project, or "" to use the
// directory of each hook's file. Symlinks in it are resolved, so that approvals do not depend on the
// path by which a project is reached.
func (s *Store) SetPlace(at coverage.Place) {
	s.names = newFileNames(at.Root)
	at.Root = s.names.root
	s.place = at
}

// IsOff reports whether a person turned all hooks off. They are on by default. Callers must check
// this, since Check does not.
func (s *Store) IsOff() bool { return s.book.off && !s.book.unsealed }

// Bind sets the current hooks: all of them, in configuration order.
// Hooks that need no approval are ignored. It decides by definition alone:
//
//  1. A hook is approved when an approval for its file and event has the
//     digest of its definition, wherever it now is in the file.
//  2. Otherwise it is changed when an approval for its file and event has its key
//     and belongs to no other hook by 1: the approved hook was edited.
//  3. Otherwise it is unapproved.
//
// Identical hooks share one approval. Bind does not retain the slice.
func (s *Store) Bind(hooks []checkrein.Hook) {
	list := newBoundHooks(&s.names, hooks)
	s.agents = agentsByFile(&s.names, hooks)
	s.live = s.book.bind(list)
	s.bound = make(map[hookKey]boundHook, len(list))
	for _, st := range list {
		st.hook = nil
		// Two hooks with the same definition can differ only in their keys. The stricter state applies to
		// both.
		if s.bound[st.hookKey].state != Changed {
			s.bound[st.hookKey] = st
		}
	}
}

// Check reads the files of h and returns whether their exact bytes are approved. The message describes
// what changed, or how to approve the hook. For an approved hook, Check also returns what it read, for
// the ledger and for a comparison after the run. A hook that was not passed to Bind is Unapproved.
// Check never blocks on a pipe or a device, and is safe for concurrent use.
func (s *Store) Check(h *checkrein.Hook) (State, message.Message, ApprovedFiles) {
	for range settleTries {
		is, why, read := s.checkOnce(h)
		if IsSealed(h) {
			read.Files = nil
			return is, why, read
		}
		wait := state.SettleDelay(read.Files, time.Now())
		if wait <= 0 {
			return is, why, read
		}
		time.Sleep(wait)
	}
	return Changed, message.New("its files keep changing"), ApprovedFiles{}
}

// ApprovedFiles is what an approved hook would run, as it was read.
type ApprovedFiles struct {
	Files         []state.MarkedPath
	ContentDigest [sha256.Size]byte // see [coverage.ContentDigest]
}

// settleTries is how many times Check reads the files of a hook that have just been written.
const settleTries = 5

// checkOnce is [Store.Check] without waiting for files that have just been written.
func (s *Store) checkOnce(h *checkrein.Hook) (State, message.Message, ApprovedFiles) {
	if !h.From.Approval {
		return Approved, message.Message{}, ApprovedFiles{}
	}
	if s.fault != nil {
		return Changed, message.New("the approvals cannot be read: " + s.fault.Error()), ApprovedFiles{}
	}
	st := s.bound[s.bindingKey(h)]
	switch st.state {
	case Approved:
	case Changed:
		return Changed, message.New("its definition changed"), ApprovedFiles{}
	default:
		return Unapproved, message.New("", message.Run(s.RemedyCommand("approve", h.From.File, h.From.Agent, h.ID), "to approve it")), ApprovedFiles{}
	}
	a := &s.book.approvals[st.approval]
	at := placeFor(s.place, h)
	if read, same := a.planHolds(at); same {
		read.Files = state.AddParents(read.Files, at.Top)
		return Approved, message.Message{}, read
	}
	now := planNow(s.place, h)
	diff := a.compareWith(now)
	switch why, short := diff.describe(); {
	case short:
		return Outdated, message.New(why, message.Run(s.RemedyCommand("approve", h.From.File, h.From.Agent, h.ID), "to review it and approve it again")), ApprovedFiles{}
	case why != "":
		return Changed, message.New(why), ApprovedFiles{}
	}
	return Approved, message.Message{}, ApprovedFiles{state.AddParents(now.disk.FileMarks(), at.Top), coverage.ContentDigest(now.disk.Observations())}
}

// ChangedDuringRun returns a message about the first of files that changed after it was read, or "" if
// none did. The files are those of an approved hook.
func ChangedDuringRun(root string, files []state.MarkedPath) string {
	path := state.FirstChanged(files)
	if path == "" {
		return ""
	}
	return "its file " + ShortName(root, path) + " changed while it ran"
}

// bindingKey returns the key of h, which identifies its approval.
func (s *Store) bindingKey(h *checkrein.Hook) hookKey {
	return hookKey{s.names.name(h.From.File), h.From.Agent, EventName(h), DefinitionHex(h)}
}

// DriftOf returns the approval of h and how h differs from it. It reports false if h was never
// approved.
func (s *Store) DriftOf(h *checkrein.Hook) (Approval, []Drift, bool) {
	st := s.bound[s.bindingKey(h)]
	if st.state == Unapproved || s.fault != nil {
		return Approval{}, nil, false
	}
	a := s.book.approvals[st.approval]
	diff := a.compareWith(planNow(s.place, h))
	drifts := diff.drifts
	for _, what := range diff.parts {
		drifts = append(drifts, Drift{Name: what, Why: "changed; only a part of it was approved, but approvals now cover whole files"})
	}
	for _, what := range diff.unchecked {
		drifts = append(drifts, Drift{Name: what, Why: "was not checked by the version that approved it"})
	}
	if st.state == Changed {
		drifts = append([]Drift{{Name: "its definition", Why: "changed"}}, drifts...)
	}
	return a, drifts, true
}

// agentsByFile returns, by file name, the agents that have hooks in that file.
func agentsByFile(n *fileNames, hooks []checkrein.Hook) map[string][]string {
	out := map[string][]string{}
	var last, file string // hooks of the same file are adjacent
	for i := range hooks {
		if h := &hooks[i]; h.From.File != "" {
			if h.From.File != last {
				last, file = h.From.File, n.name(h.From.File)
			}
			if !slices.Contains(out[file], h.From.Agent) {
				out[file] = append(out[file], h.From.Agent)
			}
		}
	}
	return out
}

// isOfUnreadAgent reports whether a is for an agent of its file that was not read. The agents of a
// file are read one at a time.
func (s *Store) isOfUnreadAgent(a *Approval) bool {
	read := s.agents[a.File]
	return len(read) > 0 && !slices.Contains(read, a.Agent)
}
