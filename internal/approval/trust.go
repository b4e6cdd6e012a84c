// Package approval keeps what a person approved: which hooks that came with a
// repository may run, down to their exact bytes.
//
// An [Approval] covers a hook's definition and what it would run, as package coverage
// finds it: whole files, and the scripts and settings of package.json and its like. A
// [Store] compares both with what is there now, just before each run. Times of files are
// kept for people to see and decide nothing.
//
// What a file loads in turn is not covered unless the hook declares it. A file can
// still change between the check and the run that follows it: see
// [ChangedMeanwhile] and [Store.Sealed]. The file is sealed with the ledger's key:
// whoever can read that can approve, so that all this is a guard rail against
// repositories and careless agents, no boundary against the same user.
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

// A State is what is known of a hook's approval. The zero State is the safe
// one.
type State uint8

// The states.
const (
	Unapproved State = iota // nobody approved it: it is skipped
	Approved                // approved as it is now
	Changed                 // approved, and since then changed: it must not run, and that is a fault
	// Short: approved by an earlier version, which did not check all that would
	// run. It must not run, and that is a fault.
	Short
)

// A Store is the person's approvals, from trust.json of the state directory.
// Load, SetPlace and Bind come first; after that it is only read and safe for
// concurrent use.
type Store struct {
	names  names          // of configuration files; its root is where hooks run
	place  coverage.Place // likewise
	book   book
	fault  error // why the approvals could not be read
	bound  map[place]standing
	agents map[string][]string // by file, those whose hooks were read
	live   []bool              // by approval: a hook stands for it
	named  []string            // files that count because somebody names them
}

// Load reads the approvals. A missing file means that there are none. A file
// that cannot be read or is damaged is an error that names it and the remedy;
// the Store beside it is not nil and approves nothing: its Check calls every
// hook Changed, so that a damaged file closes gates rather than opening them.
func Load(dir state.Dir) (*Store, error) {
	b, err := read(dir)
	return &Store{book: b, fault: err}, err
}

// SetPlace sets where hooks run. Its root is the project's, absolute; without one it
// is, for each hook, the directory of its file. Symbolic links in it are resolved:
// whichever way leads there, the approvals are the same.
func (s *Store) SetPlace(at coverage.Place) {
	s.names = newNames(at.Root)
	at.Root = s.names.root
	s.place = at
}

// Off reports that the person turned hooks off. They are on by default. It is
// for the caller to act on: Check does not look at it.
func (s *Store) Off() bool { return s.book.off && !s.book.unsealed }

// Bind fixes which hooks there are now: all of them, in configuration order.
// Hooks that need no approval are ignored. It decides by definition alone:
//
//  1. A hook is approved when an approval for its file and event has the
//     digest of its definition, wherever in the file it stands by now.
//  2. Else it is changed when an approval for its file and event has its key
//     and belongs to no other hook by 1: somebody edited what was approved.
//  3. Else it is unapproved.
//
// Of identical hooks all share one approval. Bind keeps nothing of the slice.
func (s *Store) Bind(hooks []checkrein.Hook) {
	list := standings(&s.names, hooks)
	s.agents = agentsOf(&s.names, hooks)
	s.live = s.book.bind(list)
	s.bound = make(map[place]standing, len(list))
	for _, st := range list {
		st.hook = nil
		// Two hooks with one definition can differ only in their keys. The
		// stricter state is the answer for both.
		if s.bound[st.place].state != Changed {
			s.bound[st.place] = st
		}
	}
}

// Check reads the hook's files and says whether its exact bytes are approved.
// The message says what changed, or how to approve. Of an approved hook it returns
// what was read, for the record and for who compares once the hook has run. A hook
// that was not there at Bind is unapproved. It never waits for a pipe or a device,
// and is safe for concurrent use.
func (s *Store) Check(h *checkrein.Hook) (State, message.Message, Read) {
	for range settleTries {
		is, why, read := s.check(h)
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
	return Changed, message.New("its files are open for writing"), Read{}
}

// A Read is what an approved hook would run, as it was read.
type Read struct {
	Files []state.MarkedPath
	Runs  [sha256.Size]byte // see [coverage.Contents]
}

// settleTries is how often the files of a hook are read again because they were
// written to just now.
const settleTries = 5

func (s *Store) check(h *checkrein.Hook) (State, message.Message, Read) {
	if !h.From.Approval {
		return Approved, message.Message{}, Read{}
	}
	if s.fault != nil {
		return Changed, message.New("the approvals cannot be read: " + s.fault.Error()), Read{}
	}
	st := s.bound[s.placeOf(h)]
	switch st.state {
	case Approved:
	case Changed:
		return Changed, message.New("its definition changed"), Read{}
	default:
		return Unapproved, message.New("", message.Run(s.Remedy("approve", h.From.File, h.From.Agent, h.ID), "to approve it")), Read{}
	}
	a := &s.book.approvals[st.approval]
	at := placeFor(s.place, h)
	if read, same := a.holds(at); same {
		read.Files = state.AddParents(read.Files, at.Top)
		return Approved, message.Message{}, read
	}
	now := planOf(s.place, h)
	diff := a.differs(now)
	switch why, short := diff.why(); {
	case short:
		return Short, message.New(why, message.Run(s.Remedy("approve", h.From.File, h.From.Agent, h.ID), "to review it and approve it again")), Read{}
	case why != "":
		return Changed, message.New(why), Read{}
	}
	return Approved, message.Message{}, Read{state.AddParents(now.look.FileMarks(), at.Top), coverage.ContentDigest(now.look.Observations())}
}

// ChangedMeanwhile returns which of the files that a hook was approved with changed
// since they were read; "" = none.
func ChangedMeanwhile(root string, files []state.MarkedPath) string {
	path := state.FirstChanged(files)
	if path == "" {
		return ""
	}
	return "its file " + ShortName(root, path) + " changed while it ran"
}

func (s *Store) placeOf(h *checkrein.Hook) place {
	return place{s.names.of(h.From.File), h.From.Agent, EventOf(h), Definition(h)}
}

// Drift lists what about a hook is not as it was approved, and returns the
// approval that it is compared with. There is none of a hook that nobody
// approved.
func (s *Store) Drift(h *checkrein.Hook) (Approval, []Drift, bool) {
	st := s.bound[s.placeOf(h)]
	if st.state == Unapproved || s.fault != nil {
		return Approval{}, nil, false
	}
	a := s.book.approvals[st.approval]
	diff := a.differs(planOf(s.place, h))
	drifts := diff.drifts
	for _, what := range diff.parts {
		drifts = append(drifts, Drift{Name: what, Why: "changed, and a part of it was approved: approvals now cover whole files"})
	}
	for _, what := range diff.unlooked {
		drifts = append(drifts, Drift{Name: what, Why: "was not checked by the version that approved it"})
	}
	if st.state == Changed {
		drifts = append([]Drift{{Name: "its definition", Why: "changed"}}, drifts...)
	}
	return a, drifts, true
}

// agentsOf reports of which agents of each file there are hooks.
func agentsOf(n *names, hooks []checkrein.Hook) map[string][]string {
	out := map[string][]string{}
	var last, file string // a file's hooks follow each other
	for i := range hooks {
		if h := &hooks[i]; h.From.File != "" {
			if h.From.File != last {
				last, file = h.From.File, n.of(h.From.File)
			}
			if !slices.Contains(out[file], h.From.Agent) {
				out[file] = append(out[file], h.From.Agent)
			}
		}
	}
	return out
}

// ofOther reports whether an approval is for an agent of its file that was not
// read: a file's agents are read one at a time.
func (s *Store) ofOther(a *Approval) bool {
	read := s.agents[a.File]
	return len(read) > 0 && !slices.Contains(read, a.Agent)
}
