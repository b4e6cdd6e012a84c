package approval

import (
	"path/filepath"
	"slices"
)

// A Vanished is an approval whose hook is there no more, neither as it was nor edited.
type Vanished struct {
	Approval
	Why Absence
}

// An Absence is how a hook came to be gone.
type Absence uint8

// The ways.
const (
	Removed     Absence = iota // its file was read and does not have it
	FileMissing                // its file is not there
	NotRead                    // its file is there, and nothing reads it: an include was removed, say
)

// Seen is what was read of the configuration.
type Seen struct {
	Read   []string // files
	Unread []string // those that could not be read or parsed: what they hold is not known
	Alone  bool     // Read was named, and nothing else was looked for
}

// Vanished lists the approvals whose hook is gone, as far as what was seen tells: those
// of files that were read, and those of this project's files that nothing reads.
//
// A file that counts by name, such as the agent file of a run, is read when somebody
// names it, so that it was not read means nothing as long as it is there. The approvals stay until
// they are revoked.
func (s *Store) Vanished(seen Seen) []Vanished {
	var out []Vanished
	for i := range s.book.approvals {
		a := &s.book.approvals[i]
		if i < len(s.live) && s.live[i] || s.ofOther(a) {
			continue
		}
		if why, gone := s.absent(a, &seen); gone {
			out = append(out, Vanished{*a, why})
		}
	}
	return out
}

// absent returns how the hook of an approval that no hook has came to be gone.
func (s *Store) absent(a *Approval, seen *Seen) (Absence, bool) {
	root := s.names.root
	file, own := OwnFile(root, a.File)
	if !own {
		file = a.File
	}
	is := func(f string) bool { return s.names.of(f) == a.File || own && (f == file || Real(f) == file) }
	switch {
	case slices.ContainsFunc(seen.Unread, is):
		return 0, false
	case slices.ContainsFunc(seen.Read, is):
		return Removed, true
	case seen.Alone, root == "", !Within(root, a.File):
		return 0, false
	case isMissing(file):
		return FileMissing, true
	case a.byName(), a.Root != root && a.Root != "":
		return 0, false
	}
	return NotRead, true
}

// byName reports whether the approval is of a file that counts when somebody names it.
// Old records do not say; of files that can be run it is likely.
func (a *Approval) byName() bool {
	return a.ByName || a.Tools != nil && a.Tools.Dialect == "docker-agent"
}

// ownMark is the directory below a project's root under which a person's own hooks
// that run its files are approved: for each project of its own.
const ownMark = "~"

// OwnName is what a person's own file is called in the approvals of a project.
func OwnName(root, file string) string { return filepath.Join(root, ownMark, file) }

// OwnFile is the file that an OwnName stands for.
func OwnFile(root, name string) (string, bool) {
	above := filepath.Join(root, ownMark)
	if root == "" || !Within(above, name) {
		return "", false
	}
	file := name[len(above):]
	if filepath.VolumeName(file[1:]) != "" {
		file = file[1:]
	}
	return file, true
}
