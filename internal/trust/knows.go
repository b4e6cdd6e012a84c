package trust

// Knows reports whether any hook of a configuration file was ever approved and
// not revoked.
func (s *Store) Knows(file string) bool {
	file = s.names.of(file)
	for i := range s.book.approvals {
		if s.book.approvals[i].File == file {
			return true
		}
	}
	return false
}
