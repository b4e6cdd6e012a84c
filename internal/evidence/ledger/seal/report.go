package seal

import (
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// Kinds of findings.
const (
	FindDamaged    = "damaged"    // bytes that are no record as it was written
	FindChain      = "chain"      // a record that does not follow the one before
	FindSegment    = "segment"    // a segment that is missing, or is another's
	FindTorn       = "torn"       // what a torn record closes is not what is there
	FindHead       = "head"       // the head is missing, forged or names another record
	FindTruncated  = "truncated"  // the ledger ends before its head
	FindForged     = "forged"     // a record that no writer of the ledger wrote: its seal does not fit
	FindUnsealed   = "unsealed"   // a record without a seal, where all have one
	FindGap        = "gap"        // a writer saw that records were lost
	FindPruned     = "pruned"     // removed segments that no signed record names
	FindCheckpoint = "checkpoint" // a checkpoint of the ledger's own that does not fit
	FindWitness    = "witness"    // a checkpoint kept outside that does not fit
	FindClock      = "clock"      // the clock was set back
	FindKey        = "key"        // the key is missing or another's
	FindDerived    = "derived"    // a store that saves time is not what it would be made now
	FindMode       = "mode"       // files that could not be written, which a writer put right
	FindMissed     = "missed"     // calls that no record tells, or the count of them is not as it was written
)

// A Finding is something that should not be, or in Notices something to know.
type Finding struct {
	Kind    string `json:"kind"`
	Segment int    `json:"segment,omitempty"` // 0 = about no segment
	Offset  int64  `json:"offset,omitempty"`
	Seq     uint64 `json:"seq,omitempty"`
	Text    string `json:"text"` // one sentence
}

// as is the same place for a finding of another kind.
func (f Finding) as(kind string) Finding {
	f.Kind = kind
	return f
}

func (f Finding) String() string {
	if f.Segment == 0 {
		return f.Kind + ": " + f.Text
	}
	return fmt.Sprintf("%s: segment %d, offset %d: %s", f.Kind, f.Segment, f.Offset, f.Text)
}

// A Mark is a place in the chain.
type Mark struct {
	Seq  uint64      `json:"seq"`
	Hash ledger.Hash `json:"hash"`
	Time time.Time   `json:"time"`
	By   string      `json:"by,omitempty"` // who vouches for it
}

// A SegmentSummary is what a segment holds. A pruned record has one for each
// segment that it removes.
//
// Of a damaged one it is what could be read, or what the record after it says
// came before: then only Segment, Last and Hash are set.
type SegmentSummary struct {
	Segment int         `json:"segment"`
	First   uint64      `json:"first"` // seq
	Last    uint64      `json:"last"`
	Hash    ledger.Hash `json:"hash"` // of the last record
	Bytes   int64       `json:"bytes"`
	From    time.Time   `json:"from"`
	To      time.Time   `json:"to"`
	Damaged bool        `json:"damaged,omitempty"` // it did not verify, or was gone, and somebody accepted that
}

// A Report is what Verify found.
type Report struct {
	Ledger   string           `json:"ledger"`
	Records  uint64           `json:"records"`
	Bytes    int64            `json:"bytes"`
	Segments []SegmentSummary `json:"segments"`
	First    *Mark            `json:"first,omitempty"` // nil = no records
	Last     *Mark            `json:"last,omitempty"`
	Torn     int              `json:"torn"`   // writers that died half-way and were cleaned up after
	Missed   uint64           `json:"missed"` // calls that could not be recorded

	Checkpoint *Mark `json:"checkpoint,omitempty"` // the newest of its own that fits; its time is that of the signature
	Witness    *Mark `json:"witness,omitempty"`    // the newest outside that fits

	Findings     []Finding `json:"findings"`
	MoreFindings int       `json:"more_findings,omitempty"` // that are not listed
	Notices      []Finding `json:"notices"`
	MoreNotices  int       `json:"more_notices,omitempty"`
	CannotKnow   []string  `json:"cannot_know"` // what no verification of these files can tell

	found, noticed tally
}

// newReport has lists that are empty in JSON as well.
func newReport() *Report {
	return &Report{Segments: []SegmentSummary{}, Findings: []Finding{}, Notices: []Finding{}, found: tally{}, noticed: tally{}}
}

// Clean reports whether there is nothing that should not be.
func (r *Report) Clean() bool { return len(r.Findings) == 0 && r.MoreFindings == 0 }

// maxListed bounds the findings, and the notices, of one kind that a report
// lists: many of one kind must not hide another.
const maxListed = 1000

// A tally counts by kind.
type tally map[string]int

// full counts one more of a kind, and reports whether that is too many.
func (t tally) full(kind string) bool {
	t[kind]++
	return t[kind] > maxListed
}

func (r *Report) find(f Finding, text string, args ...any) {
	if r.found.full(f.Kind) {
		r.MoreFindings++
		return
	}
	f.Text = fmt.Sprintf(text, args...)
	r.Findings = append(r.Findings, f)
}

func (r *Report) notice(f Finding, text string, args ...any) {
	if r.noticed.full(f.Kind) {
		r.MoreNotices++
		return
	}
	f.Text = fmt.Sprintf(text, args...)
	r.Notices = append(r.Notices, f)
}

// cannotKnow lists what was not to be seen.
func (r *Report) cannotKnow(sealed bool) {
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
	say("Whether agents and hooks told the truth: the ledger records what it was told.")
	say("Which calls never reached checkrein: an agent without its hooks records nothing.")
}
