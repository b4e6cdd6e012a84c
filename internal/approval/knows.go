package approval

import (
	"os"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// ConfigFiles returns the configuration files that have approved hooks.
func (s *Store) ConfigFiles() []string {
	var out []string
	for i := range s.book.approvals {
		if file := s.book.approvals[i].File; !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	return out
}

// IsEmpty reports whether there are no approvals.
func (s *Store) IsEmpty() bool { return len(s.book.approvals) == 0 }

// StateByDefinition returns the state of h by its definition alone, and its approval, or nil if there
// is none. It reads no file.
func (s *Store) StateByDefinition(h *checkrein.Hook) (State, *Approval) {
	st := s.bound[s.keyOf(h)]
	if s.fault != nil || st.state == Unapproved {
		return Unapproved, nil
	}
	return st.state, &s.book.approvals[st.approval]
}

// IsSealed reports whether a hook runs from the approved bytes, whatever happens to its file.
func IsSealed(h *checkrein.Hook) bool {
	val, _ := rawjson.Get(h.With, "sealed")
	return string(val) == "true"
}

// SealedDigest returns the digest of the single file that h was approved with. It returns false if
// there is no such file.
func (s *Store) SealedDigest(h *checkrein.Hook) (string, bool) {
	state, a := s.StateByDefinition(h)
	if state != Approved || len(a.Parts) != 1 || a.Parts[0].Name != "" || len(a.Unsure) > 0 {
		return "", false
	}
	return a.Parts[0].SHA256, true
}

// An UnreadableFile is a configuration file that cannot be read, or only in part.
type UnreadableFile struct {
	Path string
	Lost bool // its contents and its includes are entirely unknown
}

// ApprovalsIn returns the approvals that may belong to unreadable files, each with the index of that
// file in by. These approvals have no hook now, so their state is unknown.
//
// A file holds its own approvals. A directory that cannot be read holds those below it. A lost file
// may have included any file that was approved in this project, exists and was not read, except for
// files that count only when they are named.
func (s *Store) ApprovalsIn(torn []UnreadableFile, read []string) (held []Approval, by []int) {
	root := s.names.root
	for i := range s.book.approvals {
		a := &s.book.approvals[i]
		if i < len(s.live) && s.live[i] || s.isOtherAgent(a) {
			continue
		}
		is := func(file string) bool { return s.names.name(file) == a.File }
		at := slices.IndexFunc(torn, func(t UnreadableFile) bool { return is(t.Path) || t.Lost && IsBelow(s.names.name(t.Path), a.File) })
		if at < 0 && !a.isByName() && (a.Root == root || a.Root == "" && IsBelow(root, a.File)) && !slices.ContainsFunc(read, is) {
			if _, err := os.Lstat(a.File); err == nil {
				at = slices.IndexFunc(torn, func(t UnreadableFile) bool { return t.Lost })
			}
		}
		if at >= 0 {
			held, by = append(held, *a), append(by, at)
		}
	}
	return held, by
}
