package seal

import (
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// Kinds of findings.
const (
	FindDamaged    = "damaged"    // bytes that are not a valid record
	FindChain      = "chain"      // a record that does not follow the one before
	FindSegment    = "segment"    // a segment that is missing, or belongs to another ledger
	FindTorn       = "torn"       // a torn record does not match what it closes
	FindHead       = "head"       // the head is missing, forged or names another record
	FindTruncated  = "truncated"  // the ledger ends before its head
	FindForged     = "forged"     // a record that no writer of the ledger wrote: its seal is not valid
	FindUnsealed   = "unsealed"   // a record without a seal among sealed ones
	FindGap        = "gap"        // a writer found that records were lost
	FindPruned     = "pruned"     // removed segments that no signed record names
	FindCheckpoint = "checkpoint" // one of the ledger's own checkpoints does not match
	FindWitness    = "witness"    // a checkpoint stored elsewhere does not match
	FindClock      = "clock"      // the clock was set back
	FindKey        = "key"        // the key is missing or belongs to another ledger
	FindDerived    = "derived"    // a derived store differs from what would be built now
	FindMode       = "mode"       // file modes prevented writing, and a writer repaired them
	FindMissed     = "missed"     // calls that no record reports, or a tampered count of them
)

// A Finding is a problem or, in Report.Notices, a remark.
type Finding struct {
	Kind    string `json:"kind"`
	Segment int    `json:"segment,omitempty"` // 0 means that it is about no segment
	Offset  int64  `json:"offset,omitempty"`
	Seq     uint64 `json:"seq,omitempty"`
	Text    string `json:"text"` // one sentence
}

// withKind returns f with another kind.
func (f Finding) withKind(kind string) Finding {
	f.Kind = kind
	return f
}

func (f Finding) String() string {
	if f.Segment == 0 {
		return f.Kind + ": " + f.Text
	}
	return fmt.Sprintf("%s: segment %d, offset %d: %s", f.Kind, f.Segment, f.Offset, f.Text)
}

// A Mark is a record in the chain.
type Mark struct {
	Seq  uint64      `json:"seq"`
	Hash ledger.Hash `json:"hash"`
	Time time.Time   `json:"time"`
	By   string      `json:"by,omitempty"` // the checkpoint that confirms it
}

// A SegmentSummary describes a segment. A pruned record has one for each segment that was removed.
//
// For a damaged segment it describes what could be read. If nothing could be read, only Segment, Last
// and Hash are set, from what the next record says about its predecessor.
type SegmentSummary struct {
	Segment int         `json:"segment"`
	First   uint64      `json:"first"` // seq
	Last    uint64      `json:"last"`
	Hash    ledger.Hash `json:"hash"` // of the last record
	Bytes   int64       `json:"bytes"`
	From    time.Time   `json:"from"`
	To      time.Time   `json:"to"`
	Damaged bool        `json:"damaged,omitempty"` // it did not verify, or was missing, and a person accepted that
}

// A Report is the result of Verify.
type Report struct {
	Ledger   string           `json:"ledger"`
	Records  uint64           `json:"records"`
	Bytes    int64            `json:"bytes"`
	Segments []SegmentSummary `json:"segments"`
	First    *Mark            `json:"first,omitempty"` // nil means that there are no records
	Last     *Mark            `json:"last,omitempty"`
	Torn     int              `json:"torn"`   // writers that died while writing, and whose unfinished records were closed
	Missed   uint64           `json:"missed"` // calls that could not be recorded

	Checkpoint *Mark `json:"checkpoint,omitempty"` // the latest of the ledger's own that matches; its time is that of the signature
	Witness    *Mark `json:"witness,omitempty"`    // the latest stored elsewhere that matches

	Findings     []Finding `json:"findings"`
	MoreFindings int       `json:"more_findings,omitempty"` // number of findings that are not listed
	Notices      []Finding `json:"notices"`
	MoreNotices  int       `json:"more_notices,omitempty"`
	CannotKnow   []string  `json:"cannot_know"` // what no verification of these files can show

	found, noticed tally
}

// newReport returns a report whose lists are empty, not null, in JSON.
func newReport() *Report {
	return &Report{Segments: []SegmentSummary{}, Findings: []Finding{}, Notices: []Finding{}, found: tally{}, noticed: tally{}}
}

// IsClean reports whether there are no findings.
func (r *Report) IsClean() bool { return len(r.Findings) == 0 && r.MoreFindings == 0 }

// maxListed limits how many findings, and how many notices, of one kind a report lists, so that many
// of one kind do not hide another.
const maxListed = 1000

// A tally counts by kind.
type tally map[string]int

// exceedsLimit counts one more of this kind, and reports whether there are now more than maxListed.
func (t tally) exceedsLimit(kind string) bool {
	t[kind]++
	return t[kind] > maxListed
}

// addFinding adds f with a formatted text, or counts it if there are too many of its kind.
func (r *Report) addFinding(f Finding, text string, args ...any) {
	if r.found.exceedsLimit(f.Kind) {
		r.MoreFindings++
		return
	}
	f.Text = fmt.Sprintf(text, args...)
	r.Findings = append(r.Findings, f)
}

// addNotice adds f as a notice with a formatted text, or counts it if there are too many of its kind.
func (r *Report) addNotice(f Finding, text string, args ...any) {
	if r.noticed.exceedsLimit(f.Kind) {
		r.MoreNotices++
		return
	}
	f.Text = fmt.Sprintf(text, args...)
	r.Notices = append(r.Notices, f)
}

// addCannotKnow lists what could not be checked. sealed is set if the key was available to check
// seals.
func (r *Report) addCannotKnow(sealed bool) {
	say := func(text string, args ...any) { r.CannotKnow = append(r.CannotKnow, fmt.Sprintf(text, args...)) }
	if r.Witness == nil {
		say("Whether the newest records were removed together with the head and the checkpoints: nothing outside the ledger can confirm it.")
		say("Whether someone who can read the key rewrote the whole ledger: nothing outside the ledger can confirm it.")
	} else {
		say("Whether someone who can read the key removed or rewrote records after record %d, the last one that a witness has seen (%s).",
			r.Witness.Seq, r.Witness.By)
	}
	if !sealed {
		say("Who wrote the head and the records: that needs the ledger's private key, which is not here.")
	}
	if r.First != nil && r.First.Seq > 1 {
		say("What records 1 to %d said: they were removed.", r.First.Seq-1)
	}
	say("Whether what agents and hooks reported is true: the ledger records what they report.")
	say("Which calls never reached checkrein: an agent without its hooks records nothing.")
}
