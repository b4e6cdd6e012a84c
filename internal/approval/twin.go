package approval

import "path/filepath"

// Twin notes that the root is a fresh checkout of the project at source: what was
// approved there counts here too, as long as it is the same, byte for byte. It comes
// between SetPlace and Bind, and changes nothing that is kept.
func (s *Store) Twin(source string) {
	source = Real(source)
	here := func(path string) string {
		if !Within(source, path) {
			return path
		}
		return filepath.Join(s.names.root, path[len(source):])
	}
	sums := func(list []FileSum) []FileSum {
		out := append([]FileSum(nil), list...)
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
		// An agent file is run from where it lies; what a project reads by itself, and
		// what stands for a person's own file, is below the root.
		if _, own := OwnFile(source, a.File); own || !a.byName() {
			a.File = here(a.File)
		}
		a.Root, a.Parts, a.Files = s.names.root, sums(a.Parts), sums(a.Files)
		a.Seen = nil // what it was told by lies elsewhere, so the plan is made anew
	}
}
