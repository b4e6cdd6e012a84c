// Package trust keeps what a person approved: which hooks that came with a
// repository may run, down to their exact bytes.
//
// An [Approval] covers a hook's definition and the content of the script files
// that the definition names. A [Store] compares both with what is there now,
// just before each run. Times of files are kept for people to see and decide
// nothing.
//
// What is covered are the files that a command names, see [NamedFiles]; not
// what those files load in turn, and not what a command names only once a shell
// has expanded it. A file can still change between the check and the run that
// follows it. Whoever can write to the state directory can approve: all this is
// a guard rail against repositories, no boundary against the same user.
package trust

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/state"
)

// A State is what is known of a hook's approval. The zero State is the safe
// one.
type State uint8

// The states.
const (
	Unapproved State = iota // nobody approved it: it is skipped
	Approved                // approved as it is now
	Changed                 // approved, and since then changed: it must not run, and that is a fault
)

// A Store is the person's approvals, from trust.json of the state directory.
// Load, SetRoot and Bind come first; after that it is only read and safe for
// concurrent use.
type Store struct {
	root  string
	book  book
	fault error // why the approvals could not be read
	bound map[place]standing
	live  []bool // by approval: a hook stands for it
}

// Load reads the approvals. A missing file means that there are none. A file
// that cannot be read or is damaged is an error that names it and the remedy;
// the Store beside it is not nil and approves nothing: its Check calls every
// hook Changed, so that a damaged file closes gates rather than opening them.
func Load(dir state.Dir) (*Store, error) {
	b, err := read(dir)
	return &Store{book: b, fault: err}, err
}

// SetRoot says which directory hooks run in, absolute: the project's root.
// Without one it is, for each hook, the directory of its file.
func (s *Store) SetRoot(root string) { s.root = root }

// Off reports that the person turned hooks off. They are on by default. It is
// for the caller to act on: Check does not look at it.
func (s *Store) Off() bool { return s.book.off }

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
	list := standings(hooks)
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
// The text says what changed, or how to approve. A hook that was not there at
// Bind is unapproved. It never waits for a pipe or a device, and is safe for
// concurrent use.
func (s *Store) Check(h *checkrein.Hook) (State, string) {
	if !h.From.Approval {
		return Approved, ""
	}
	if s.fault != nil {
		return Changed, "nobody can tell what was approved: " + s.fault.Error()
	}
	st := s.bound[placeOf(h)]
	switch st.state {
	case Approved:
	case Changed:
		return Changed, "its definition changed"
	default:
		return Unapproved, "to approve it, run: checkrein hooks approve " + shellQuote(h.ID)
	}
	if why := filesChanged(s.root, h, s.book.approvals[st.approval].Files); why != "" {
		return Changed, why
	}
	return Approved, ""
}

// Vanished lists the approvals whose hook stands in its file no more. It judges
// only what Bind can have seen: approvals for the given files, which the caller
// has read without error, and for files below the root that exist no more. They
// stay until they are revoked.
func (s *Store) Vanished(files []string) []Approval {
	var gone []Approval
	for i, a := range s.book.approvals {
		if i < len(s.live) && s.live[i] {
			continue
		}
		read := slices.ContainsFunc(files, func(f string) bool { return filepath.Clean(f) == a.File })
		if read || s.root != "" && within(s.root, a.File) && isMissing(a.File) {
			gone = append(gone, a)
		}
	}
	return gone
}

// shellQuote makes s, which a stranger wrote, one harmless word of a command
// line that a person may copy.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r == '.' || r == '_' || r == '-' || r == ':' || r == '/' ||
			'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	s = visible(s)
	if s != "" && s[0] != '-' && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
