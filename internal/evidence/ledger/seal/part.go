package seal

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// verifyPart reads and checks the segments up to last and the first record after them, which is all
// that pruning needs.
func verifyPart(ctx context.Context, dir string, last int) (*verifier, error) {
	return retryVanished(ctx, func() (*verifier, error) {
		v := newVerifier(dir, VerifyOptions{AllowClock: true})
		v.stop = last + 1
		v.readKey()
		if err := v.readSegments(ctx); err != nil {
			return nil, err
		}
		if err := v.searchPruned(ctx); err != nil {
			return nil, err
		}
		v.checkStart()
		return v, nil
	})
}

// searchPruned searches the segments that were not read, newest first, for the signed record that
// names what preceded the first record.
func (v *verifier) searchPruned(ctx context.Context) error {
	for _, s := range slices.Backward(v.listed) {
		if s.Number < v.stop || v.first == nil || !v.isStartMissing() {
			break
		}
		if err := v.addPrunedFrom(ctx, s.Number); err != nil {
			return err
		}
	}
	return nil
}

// addPrunedFrom adds the removed segments that signed records in this segment name to v.pruned.
func (v *verifier) addPrunedFrom(ctx context.Context, segment int) error {
	r := ledger.NewReader(v.dir, ledger.Position{Segment: segment})
	defer r.Close()
	for ctx.Err() == nil {
		e, err := r.Next()
		if errors.Is(err, io.EOF) || err == nil && e.At.Segment != segment {
			return nil
		}
		if err != nil {
			return err
		}
		if e.Damaged || e.Line.Kind != ledger.KindPruned {
			continue
		}
		if p, ok := parsePruned(&e.Line); ok && v.public != nil && p.isSignedBy(v.id, *v.public) {
			v.pruned = append(v.pruned, p.segments...)
		}
	}
	return ctx.Err()
}

// refusalFor returns why the segments up to last must not be removed without a person's consent, or
// nil if nothing prevents it. Losses that a writer has recorded are no reason.
func (v *verifier) refusalFor(last int) *Refusal {
	for _, f := range v.report.Findings {
		if f.Kind != FindGap {
			return &Refusal{Finding: f}
		}
	}
	if v.next == nil {
		return &Refusal{Finding: Finding{Kind: FindSegment, Segment: last, Text: "nothing readable follows it"}}
	}
	return nil
}

// summariesToPrune returns the summaries of the segments up to last, for the signed record.
func (v *verifier) summariesToPrune(last int) []SegmentSummary {
	damaged := map[int]bool{}
	for _, f := range v.report.Findings {
		if start := f.Kind == FindPruned && f.Seq == v.first.seq; f.Kind != FindGap && !start {
			damaged[f.Segment] = true
		}
	}
	var out []SegmentSummary
	for _, s := range v.listed {
		if s.Number > last {
			break
		}
		sum := SegmentSummary{Segment: s.Number, Bytes: s.Size, Damaged: true} // nothing in it could be read
		if i := slices.IndexFunc(v.report.Segments, func(r SegmentSummary) bool { return r.Segment == s.Number && r.First > 0 }); i >= 0 {
			sum = v.report.Segments[i]
			sum.Damaged = damaged[s.Number]
		}
		out = append(out, sum)
	}
	if v.first != nil && v.isStartMissing() {
		out = v.first.addPredecessor(out)
	}
	if len(out) > 0 && v.next != nil && v.next.offset == 0 {
		out = v.next.addPredecessor(out)
	}
	return out
}

// addPredecessor returns list with the segment that precedes f, as far as f describes it. The
// remaining ledger must begin after a segment that the list names.
func (f *firstRecord) addPredecessor(list []SegmentSummary) []SegmentSummary {
	i := slices.IndexFunc(list, func(s SegmentSummary) bool { return s.Segment == f.segment-1 })
	if i < 0 {
		i, _ = slices.BinarySearchFunc(list, f.segment-1, func(s SegmentSummary, n int) int { return s.Segment - n })
		list = slices.Insert(list, i, SegmentSummary{Segment: f.segment - 1})
	}
	if s := &list[i]; s.Last != f.seq-1 || s.Hash != f.prev {
		s.Last, s.Hash, s.Damaged = f.seq-1, f.prev, true
	}
	return list
}
