package approval

import "path/filepath"

// InheritFrom declares that the project is a fresh checkout of the one at source. What was approved
// there counts here too, as long as it is the same, byte for byte. Call it between SetPlace and Bind.
// It changes nothing on disk.
func (s *Store) InheritFrom(source string) {
	source = RealPath(source)
	here := func(path string) string {
		if !IsBelow(source, path) {
			return path
		}
		return filepath.Join(s.names.root, path[len(source):])
	}
	sums := func(list []FileDigest) []FileDigest {
		out := append([]FileDigest(nil), list...)
		for i := range out {
			out[i].Path = here(out[i].Path)
		}
		return out
	}
	for i := range s.book.approvals {
		a := &s.book.approvals[i]
		if a.Root != source {
			continue
		}
		// An agent file runs from its own location. Files that the project itself reads, and names that
		// stand for a user's own file, lie below the root.
		if _, own := OwnFile(source, a.File); own || !a.isByName() {
			a.File = here(a.File)
		}
		a.Root, a.Parts, a.Files = s.names.root, sums(a.Parts), sums(a.Files)
		a.Seen = nil // it names files of the other checkout, so a new plan is made
	}
}
