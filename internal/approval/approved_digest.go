package approval

import (
	"crypto/sha256"

	"github.com/checkrein/checkrein"
)

// ApprovedDigest returns a digest of what was approved: the definition, the contents of every file and
// part, and what could not be determined. When and where it was approved does not count.
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

// StateAndDigest returns the state of h according to its definition alone, and the
// [Approval.ApprovedDigest] of its approval, or the zero digest if there is none. If the approvals
// could not be read, the state is Changed. It reads no files.
func (s *Store) StateAndDigest(h *checkrein.Hook) (State, [sha256.Size]byte) {
	if s.fault != nil {
		return Changed, [sha256.Size]byte{}
	}
	if len(s.bound) == 0 || len(s.book.approvals) == 0 {
		return Unapproved, [sha256.Size]byte{}
	}
	st := s.bound[s.bindingKey(h)]
	if st.state == Unapproved {
		return Unapproved, [sha256.Size]byte{}
	}
	return st.state, s.book.approvals[st.approval].ApprovedDigest()
}
