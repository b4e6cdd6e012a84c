package approval

import (
	"os"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Files lists the configuration files from which hooks were approved and not
// revoked.
func (s *Store) Files() []string {
	var out []string
	for i := range s.book.approvals {
		if file := s.book.approvals[i].File; !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	return out
}

// Empty reports that nothing is approved.
func (s *Store) Empty() bool { return len(s.book.approvals) == 0 }

// Standing returns what is known of a hook by its definition alone, and the approval
// that this is about, nil if there is none. It reads no file.
func (s *Store) Standing(h *checkrein.Hook) (State, *Approval) {
	st := s.bound[s.placeOf(h)]
	if s.fault != nil || st.state == Unapproved {
		return Unapproved, nil
	}
	return st.state, &s.book.approvals[st.approval]
}

// IsSealed reports whether a hook runs from the bytes that were approved, whatever
// becomes of its file.
func IsSealed(h *checkrein.Hook) bool {
	val, _ := rawjson.Get(h.With, "sealed")
	return string(val) == "true"
}

// Sealed is the digest of the one file that a hook was approved with; false = there
// is no such file.
func (s *Store) Sealed(h *checkrein.Hook) (string, bool) {
	state, a := s.Standing(h)
	if state != Approved || len(a.Parts) != 1 || a.Parts[0].Name != "" || len(a.Unsure) > 0 {
		return "", false
	}
	return a.Parts[0].SHA256, true
}

// A Torn is a configuration file that cannot be read, or only in part.
type Torn struct {
	Path string
	Lost bool // nobody can tell what it holds and includes
}

// Held lists the approvals that a torn file may hold, with the index of that file:
// they have no hook any more, so nobody knows what they have become.
//
// A file holds its own. A directory that cannot be read holds those below it. A
// file that is lost may have included any that was approved in this project, is
// there, and was not read, unless that is one which counts when somebody names it.
func (s *Store) Held(torn []Torn, read []string) (held []Approval, by []int) {
	root := s.names.root
	for i := range s.book.approvals {
		a := &s.book.approvals[i]
		if i < len(s.live) && s.live[i] || s.ofOther(a) {
			continue
		}
		is := func(file string) bool { return s.names.of(file) == a.File }
		at := slices.IndexFunc(torn, func(t Torn) bool { return is(t.Path) || t.Lost && Within(s.names.of(t.Path), a.File) })
		if at < 0 && !a.byName() && (a.Root == root || a.Root == "" && Within(root, a.File)) && !slices.ContainsFunc(read, is) {
			if _, err := os.Lstat(a.File); err == nil {
				at = slices.IndexFunc(torn, func(t Torn) bool { return t.Lost })
			}
		}
		if at >= 0 {
			held, by = append(held, *a), append(by, at)
		}
	}
	return held, by
}
