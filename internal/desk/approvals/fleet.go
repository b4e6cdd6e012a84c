package approvals

import (
	"crypto/ed25519"
	"net/http"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A Fleet is the fleet of this machine, whose approvers may answer.
type Fleet struct {
	Machine string            // the id of this machine
	Key     ed25519.PublicKey // of the hub
	// Advisory is set if the account itself joined, so that its agents could have replaced Key. Approvers
	// can only deny then.
	Advisory bool
}

// AnswerFleet carries out the answer s of an approver of f. Each answer is used up, whether it counts or
// not.
func (d *Desk) AnswerFleet(f *Fleet, s *protocol.SignedAnswer) (*Answered, error) {
	refuse := func(why string) error {
		return &Error{Status: http.StatusForbidden, Why: why, Remedy: "answer it on the machine: checkrein allow"}
	}
	a, err := s.Open(f.Key)
	switch {
	case err != nil:
		return nil, refuse(err.Error())
	case a.Machine != f.Machine:
		return nil, refuse("the answer is for another machine")
	case !d.opts.Now().Before(a.Expires):
		return nil, refuse("the answer has expired")
	case f.Advisory && a.Decision != grant.AnswerDeny:
		return nil, refuse("this account joined the fleet without root, so approvers can only deny")
	case a.Decision != grant.AnswerDeny && a.Decision != grant.AnswerAllow || len(a.Words) > maxWords:
		return nil, refuse("the answer is not valid")
	}
	k, err := d.opts.Open("")
	if err != nil {
		return nil, err
	}
	if err := OpenBook(k.Grants()).useUp(string(s.Answer), a.Expires); err != nil {
		return nil, refuse(err.Error())
	}
	r := &Request{Handle: a.Handle, Digest: a.Digest, Decision: a.Decision, Programs: a.Programs, Words: a.Words}
	return d.carryOut(r, func(*app.Kit) (string, error) { return d.opts.Person + " (fleet approver " + a.By + ")", nil })
}
