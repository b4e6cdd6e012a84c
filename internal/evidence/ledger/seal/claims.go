package seal

import (
	"slices"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// checkStart checks that the ledger begins with its first record, or after segments that a signed
// record lists as removed.
func (v *verifier) checkStart() {
	f := v.first
	if f == nil || f.offset > 0 {
		return // nothing is left, or the damage at the beginning was reported
	}
	here := Finding{Kind: FindPruned, Segment: f.segment, Seq: f.seq}
	if f.segment == 1 {
		if f.seq != 1 || f.prev != (ledger.Hash{}) {
			v.addFinding(here.withKind(FindChain), "the first record of the ledger, number %d, is not a valid start: it must have number 1 and refer to no earlier record", f.seq)
		}
		return
	}
	if v.isStartMissing() {
		v.addFinding(here, "the ledger starts with segment %d and record %d, but no signed record says that earlier ones were removed", f.segment, f.seq)
	}
}

// isStartMissing reports whether segments before the first record are missing that none of the signed
// records read so far lists as removed.
func (v *verifier) isStartMissing() bool {
	f := v.first
	return f.segment > 1 && f.offset == 0 && !slices.ContainsFunc(v.pruned, func(p SegmentSummary) bool {
		return p.Segment == f.segment-1 && p.Last == f.seq-1 && p.Hash == f.prev
	})
}

// checkPruned checks line, a record about removed segments, and adds these to v.pruned.
func (v *verifier) checkPruned(line *ledger.Line, here Finding) {
	p, ok := parsePruned(line)
	if !ok {
		v.addFinding(here, "the record does not say which segments were removed")
		return
	}
	if v.public != nil && !p.isSignedBy(v.id, *v.public) {
		v.addFinding(here, "the list of removed segments is not signed with the ledger's key: it may be forged")
		return
	}
	for i := range p.segments {
		if s := &p.segments[i]; s.Damaged {
			v.addNotice(here, "segment %d did not verify or was missing: a person accepted that with checkrein audit prune --accept-damage", s.Segment)
		} else {
			v.checkLeftover(s, here)
		}
	}
	v.pruned = append(v.pruned, p.segments...)
}

// checkLeftover reports segment p if it still exists with other contents, although it should have been
// removed. Unchanged, it is just a leftover of a process that died while removing it.
func (v *verifier) checkLeftover(p *SegmentSummary, here Finding) {
	for i := range v.report.Segments {
		s := &v.report.Segments[i]
		if s.Segment == p.Segment && (s.First != p.First || s.Last != p.Last || s.Hash != p.Hash) {
			v.addFinding(here, "segment %d was meant to be removed but still exists, and its contents changed", p.Segment)
		}
	}
}

// checkHead checks that the ledger contains the record that its head names.
func (v *verifier) checkHead() {
	here := Finding{Kind: FindHead}
	if v.head == nil {
		if v.key != nil && !v.forged && v.first != nil {
			v.addFinding(here, "the head is missing")
		}
		return
	}
	if v.head.Ledger != v.id {
		v.addFinding(here, "the head belongs to ledger %s, not to %s", v.head.Ledger, v.id)
		return
	}
	here.Seq = v.head.Seq
	switch v.stateOfClaim(v.head.Seq, v.head.Hash) {
	case claimBeyond:
		v.addFinding(here.withKind(FindTruncated), "the head says that the ledger has %d records, but it ends with record %d: the newest ones were removed", v.head.Seq, v.at.seq)
	case claimDiffers:
		v.addFinding(here, "record %d differs from the one that the head names: it was rewritten", v.head.Seq)
	case claimAbsent:
		v.addFinding(here, "record %d, which the head names, is missing", v.head.Seq)
	}
	v.checkAfterHead()
}

// checkAfterHead reports records after the one that the head names if the ledger has no seals, since
// nothing else authenticates them.
func (v *verifier) checkAfterHead() {
	if v.sealed || v.at.seq <= v.head.Seq {
		return
	}
	if head, err := readHead(v.dir, *v.key); err == nil && head.Seq >= v.at.seq {
		return // they were written in the meantime
	}
	v.addFinding(Finding{Kind: FindUnsealed, Seq: v.head.Seq + 1}, "not sealed: %s, after the last one that the head names. Either another program wrote to the ledger, or checkrein was killed before it could update the head",
		numberRange("record", v.head.Seq+1, v.at.seq))
}

// checkClaims checks that the ledger contains the records that checkpoints name.
func (v *verifier) checkClaims() {
	others := map[string]bool{}
	for i := range v.claims {
		c := &v.claims[i]
		if c.Ledger != v.id && c.kind == FindWitness {
			others[c.Ledger] = true
			continue
		}
		if v.checkClaim(c) {
			mark := &v.report.Checkpoint
			if c.kind == FindWitness {
				mark = &v.report.Witness
			}
			if *mark == nil || (*mark).Seq < c.Seq {
				*mark = &Mark{Seq: c.Seq, Hash: c.Hash, Time: c.Time, By: c.by}
			}
		}
	}
	if len(others) > 0 && v.report.Witness == nil {
		v.addNotice(Finding{Kind: FindWitness}, "no witness has a matching checkpoint of ledger %s, but there are checkpoints of %s: this ledger may have replaced another one", v.id, countOf(len(others), "other ledger"))
	}
}

// checkClaim reports whether the checkpoint c confirms the ledger, and adds a finding if it
// contradicts it.
func (v *verifier) checkClaim(c *claim) bool {
	here := Finding{Kind: c.kind, Seq: c.Seq}
	if c.Ledger != v.id {
		v.addFinding(here, "%s is for ledger %s, not for %s", c.by, c.Ledger, v.id)
		return false
	}
	if v.public == nil {
		return false // the missing key was reported
	}
	if !c.IsSignedBy(*v.public) {
		v.addFinding(here, "%s is not signed with the ledger's key", c.by)
		return false
	}
	switch v.stateOfClaim(c.Seq, c.Hash) {
	case claimBeyond:
		v.addFinding(here, "%s has seen record %d, but the ledger ends with record %d: the newest ones were removed", c.by, c.Seq, v.at.seq)
	case claimDiffers:
		v.addFinding(here, "%s has seen a different record %d: the ledger was rewritten, or this copy was continued separately", c.by, c.Seq)
	case claimAbsent:
		v.addFinding(here, "%s has seen record %d, but it is missing", c.by, c.Seq)
	case claimFits:
		return true
	}
	return false
}

// A stateOfClaim is the state of a record that a checkpoint or the head names.
type claimState int

const (
	claimFits    claimState = iota
	claimRemoved            // pruned, so that it cannot be checked
	claimBeyond             // after the end of the ledger
	claimDiffers            // another record has its number
	claimAbsent             // it is missing from its place
)

// stateOfClaim returns the state of the record that a claim names by seq and hash.
func (v *verifier) stateOfClaim(seq uint64, hash ledger.Hash) claimState {
	switch {
	case seq == 0:
		return claimFits // no record is named
	case seq > v.at.seq:
		return claimBeyond
	case v.got[seq] == hash:
		return claimFits
	case v.got[seq] != ledger.Hash{}:
		return claimDiffers
	case seq >= v.first.seq:
		return claimAbsent
	}
	for _, p := range v.pruned {
		if p.Last == seq && p.Hash != hash {
			return claimDiffers
		}
		if p.Last == seq {
			return claimFits
		}
	}
	return claimRemoved
}
