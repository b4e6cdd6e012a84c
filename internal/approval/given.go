package approval

import (
	"crypto/sha256"

	"github.com/checkrein/checkrein"
)

// Sum is the digest of what was approved: the definition, the content of every file
// and part, and what could not be told. When and where it was approved is no part
// of it.
func (a *Approval) Sum() [sha256.Size]byte {
	var room [512]byte
	d := definition{room[:0]}
	d.text("checkrein approval 2")
	d.text(a.Digest)
	for i := range a.Files {
		d.text(a.Files[i].SHA256)
	}
	for i := range a.Parts {
		d.text(a.Parts[i].Name)
		d.text(a.Parts[i].SHA256)
	}
	for _, why := range a.Unsure {
		d.text(why)
	}
	return sha256.Sum256(d.b)
}

// Given returns what the approvals come to for a hook by its definition alone, and the
// [Approval.Sum] of the one that it stands for. It reads no file.
func (s *Store) Given(h *checkrein.Hook) (State, [sha256.Size]byte) {
	if s.fault != nil {
		return Changed, [sha256.Size]byte{}
	}
	if len(s.bound) == 0 || len(s.book.approvals) == 0 {
		return Unapproved, [sha256.Size]byte{}
	}
	st := s.bound[s.placeOf(h)]
	if st.state == Unapproved {
		return Unapproved, [sha256.Size]byte{}
	}
	return st.state, s.book.approvals[st.approval].Sum()
}
