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
	NotRead                    // its file exists, but no configuration includes it any more
)

// A ConfigRead is what was read of the configuration.
type ConfigRead struct {
	Read      []string // files
	Unread    []string // files that could not be read or parsed: their hooks are unknown
	NamedOnly bool     // Read was named, and no other files were discovered
}

// VanishedApprovals returns the approvals whose hook no longer exists, as far as seen shows: those of
// files that were read, and those of this project's files that nothing includes.
//
// A file that counts by name, such as the agent file of a run, is read only when it is named. That it
// was not read means nothing as long as it exists. The approvals stay until they are revoked.
func (s *Store) VanishedApprovals(seen ConfigRead) []VanishedApproval {
	var out []VanishedApproval
	for i := range s.book.approvals {
		a := &s.book.approvals[i]
		if i < len(s.live) && s.live[i] || s.isOtherAgent(a) {
			continue
		}
		if why, gone := s.absence(a, &seen); gone {
			out = append(out, VanishedApproval{*a, why})
		}
	}
	return out
}

// absence returns why the hook of an approval that no hook uses does not exist. It returns false if it
// may exist.
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

// isByName reports whether the approval is for a file that counts only when it is named. Old records
// do not contain that; for files that can be run it is likely.
func (a *Approval) isByName() bool {
	return a.ByName || a.Tools != nil && a.Tools.Dialect == "docker-agent"
}

// ownDir is the directory below a project's root under which a user's own hooks that run its files are
// approved, separately for each project.
const ownDir = "~"

// OwnName returns the name of a user's own file in the approvals of a project.
func OwnName(root, file string) string { return filepath.Join(root, ownDir, file) }

// OwnFile returns the file that an OwnName stands for.
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
