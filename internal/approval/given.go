package approval

import (
	"crypto/sha256"

	"github.com/checkrein/checkrein"
)

// ApprovedDigest returns the digest of what was approved: the definition, the contents of every file
// and part, and what could not be determined. It does not depend on when and where it was approved.
func (a *Approval) ApprovedDigest() [sha256.Size]byte {
	var room [512]byte
	d := definition{room[:0]}
	d.addText("checkrein approval 2")
	d.addText(a.Digest)
	for i := range a.Files {
		d.addText(a.Files[i].SHA256)
	}
	for i := range a.Parts {
		d.addText(a.Parts[i].Name)
		d.addText(a.Parts[i].SHA256)
	}
	for _, why := range a.Unsure {
		d.addText(why)
	}
	return sha256.Sum256(d.b)
}

// StateAndDigest returns the state of h by its definition alone, and the [Approval.ApprovedDigest] of
// its approval. It reads no file.
func (s *Store) StateAndDigest(h *checkrein.Hook) (State, [sha256.Size]byte) {
	if s.fault != nil {
		return Changed, [sha256.Size]byte{}
	}
	if len(s.bound) == 0 || len(s.book.approvals) == 0 {
		return Unapproved, [sha256.Size]byte{}
	}
	st := s.bound[s.keyOf(h)]
	if st.state == Unapproved {
		return Unapproved, [sha256.Size]byte{}
	}
	return st.state, s.book.approvals[st.approval].ApprovedDigest()
}
