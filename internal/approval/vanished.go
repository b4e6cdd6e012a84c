package approval

import (
	"path/filepath"
	"slices"
)

// A VanishedApproval is an approval whose hook no longer exists, neither unchanged nor edited.
type VanishedApproval struct {
	Approval
	Why Absence
}

// An Absence is the reason why a hook no longer exists.
type Absence uint8

// The reasons.
const (
	Removed     Absence = iota // its file was read and does not contain it
	FileMissing                // its file does not exist
	NotRead                    // its file exists, but no configuration includes it
)

// A ConfigRead describes which configuration files were read.
type ConfigRead struct {
	Read      []string // files that were read
	Unread    []string // files that could not be read or parsed: their hooks are unknown
	NamedOnly bool     // the files in Read were named, and no others were looked for
}

// VanishedApprovals returns the approvals whose hook no longer exists, as far as seen shows: those of
// files that were read, and those of files of this project that no configuration includes.
//
// A file that counts by name, such as the agent file of a run, is read only when it is named. As long
// as it exists, its approvals are not returned just because it was not read. Approvals stay until they
// are revoked.
func (s *Store) VanishedApprovals(seen ConfigRead) []VanishedApproval {
	var out []VanishedApproval
	for i := range s.book.approvals {
		a := &s.book.approvals[i]
		if i < len(s.live) && s.live[i] || s.isOfUnreadAgent(a) {
			continue
		}
		if why, gone := s.absence(a, &seen); gone {
			out = append(out, VanishedApproval{*a, why})
		}
	}
	return out
}

// absence returns why the hook of a, an approval that no hook uses, does not exist. It reports false
// if the hook may exist.
func (s *Store) absence(a *Approval, seen *ConfigRead) (Absence, bool) {
	root := s.names.root
	file, own := OwnFile(root, a.File)
	if !own {
		file = a.File
	}
	is := func(f string) bool { return s.names.name(f) == a.File || own && (f == file || RealPath(f) == file) }
	switch {
	case slices.ContainsFunc(seen.Unread, is):
		return 0, false
	case slices.ContainsFunc(seen.Read, is):
		return Removed, true
	case seen.NamedOnly, root == "", !IsBelow(root, a.File):
		return 0, false
	case isMissing(file):
		return FileMissing, true
	case a.isByName(), a.Root != root && a.Root != "":
		return 0, false
	}
	return NotRead, true
}

// isByName reports whether a is for a file that counts only when it is named. Old records do not store
// that; for those, isByName is true if the file is an agent file.
func (a *Approval) isByName() bool {
	return a.ByName || a.Tools != nil && a.Tools.Dialect == "docker-agent"
}

// ownDir is the name below a project's root under which approvals store a user's own hooks that run
// files of the project, separately for each project.
const ownDir = "~"

// OwnName returns the name under which the approvals of the project at root store file, a user's own
// file.
func OwnName(root, file string) string { return filepath.Join(root, ownDir, file) }

// OwnFile returns the file for which [OwnName] returns name. It reports false if there is none.
func OwnFile(root, name string) (string, bool) {
	above := filepath.Join(root, ownDir)
	if root == "" || !IsBelow(above, name) {
		return "", false
	}
	file := name[len(above):]
	if filepath.VolumeName(file[1:]) != "" {
		file = file[1:]
	}
	return file, true
}
