package approval

import (
	"os"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// ConfigFiles returns the configuration files that have approvals, without duplicates.
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

// StateByDefinition returns the state of h according to its definition alone, and its approval, or nil
// if there is none. It reads no files.
func (s *Store) StateByDefinition(h *checkrein.Hook) (State, *Approval) {
	st := s.bound[s.bindingKey(h)]
	if s.fault != nil || st.state == Unapproved {
		return Unapproved, nil
	}
	return st.state, &s.book.approvals[st.approval]
}

// IsSealed reports whether h is configured to run from the approved bytes, whatever happens to its
// file.
func IsSealed(h *checkrein.Hook) bool {
	val, _ := rawjson.Get(h.With, "sealed")
	return string(val) == "true"
}

// SealedDigest returns the digest of the single file that the approval of h covers. It reports false
// if h is not approved or the approval covers anything else.
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

// ApprovalsOfUnreadable returns the approvals without a hook that may belong to the unreadable files
// in torn, and for each the index of that file. read are the files that were read.
//
// A file holds its own approvals, and a directory that cannot be read those below it. A lost file may
// have included any file that was approved in this project, exists and was not read, except for files
// that count only when they are named.
func (s *Store) ApprovalsOfUnreadable(torn []UnreadableFile, read []string) (held []Approval, by []int) {
	root := s.names.root
	for i := range s.book.approvals {
		a := &s.book.approvals[i]
		if i < len(s.live) && s.live[i] || s.isOfUnreadAgent(a) {
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
