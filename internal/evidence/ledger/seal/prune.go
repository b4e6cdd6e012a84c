package seal

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// The defaults of [PruneOptions].
const (
	DefaultKeep      = 90 * 24 * time.Hour
	DefaultKeepBytes = 2 << 30
)

// maxPruned limits how many segments one record names, so that it fits in a line.
const maxPruned = 1000

// An Appender adds records to a ledger. *ledger.Ledger is one.
type Appender interface {
	Append(kind string, members []byte, sync bool) (ledger.Receipt, error)
}

// PruneOptions limit what Prune keeps.
type PruneOptions struct {
	Keep      time.Duration // records younger than this; 0 means DefaultKeep, negative means all
	KeepBytes int64         // total size; 0 means DefaultKeepBytes, negative means all
	Now       time.Time     // zero means the current time

	// AcceptDamage also removes segments that do not verify, and accepts that the ledger begins where
	// no signed record says so. It requires a person's consent. The record lists the damage.
	AcceptDamage bool
	// Remember makes Prune refuse without reading the segments again if an earlier Prune refused and
	// nothing has changed.
	Remember bool
}

// Prune removes the oldest segments of the ledger in dir: those whose last record is older than Keep,
// and further ones while the ledger is larger than KeepBytes. The current segment always stays. Prune
// first writes a signed record of the segments with w; if the process dies after that, the next Prune
// removes the rest.
//
// It returns the summaries in that record. Segments that do not verify are not removed, because the
// evidence would be lost; the error is then a *Refusal.
func Prune(ctx context.Context, dir string, w Appender, o PruneOptions) ([]SegmentSummary, error) {
	gone, err := pruneLocked(ctx, dir, w, o)
	if err != nil {
		return gone, fmt.Errorf("pruning the ledger: %w", err)
	}
	return gone, nil
}

// pruneLocked is [Prune]. It holds a lock meanwhile.
func pruneLocked(ctx context.Context, dir string, w Appender, o PruneOptions) ([]SegmentSummary, error) {
	unlock, err := state.NewDir(dir).Lock("prune")
	if err != nil {
		return nil, err
	}
	defer unlock()
	last, err := lastToPrune(dir, o)
	if err != nil || last == 0 && !o.AcceptDamage {
		return nil, err
	}
	key, err := ReadKey(dir)
	if err != nil {
		return nil, err
	}
	going, err := verifiedSummaries(ctx, dir, last, o)
	if err != nil || len(going) == 0 {
		return nil, err
	}
	if _, err := w.Append(ledger.KindPruned, prunedMembers(NewSigner(key), going), true); err != nil {
		return nil, err
	}
	for i, s := range going {
		if s.Segment > last {
			continue // named only because the remaining ledger begins after it
		}
		if err := state.NewDir(dir).Remove(ledger.SegmentFile(s.Segment)); err != nil {
			return going[:i], err
		}
	}
	return going, state.NewDir(dir).Remove(refusedFile)
}

// verifiedSummaries returns the summaries of the segments up to last. Unless damage is accepted, it
// returns a *Refusal if these segments do not verify or the next one does not follow them.
func verifiedSummaries(ctx context.Context, dir string, last int, o PruneOptions) ([]SegmentSummary, error) {
	if o.Remember && !o.AcceptDamage {
		if was := loadRefusal(dir, last); was != nil {
			return nil, was
		}
	}
	v, err := verifyPart(ctx, dir, last)
	if err != nil {
		return nil, err
	}
	if refusal := v.refusalFor(last); refusal != nil && !o.AcceptDamage {
		storeRefusal(dir, refusal)
		return nil, refusal
	}
	return v.summariesToPrune(last), nil
}

// lastToPrune returns the number of the newest segment to remove, or 0 if there is none.
func lastToPrune(dir string, o PruneOptions) (int, error) {
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	if o.KeepBytes == 0 {
		o.KeepBytes = DefaultKeepBytes
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	segments, err := ledger.Segments(dir)
	if err != nil {
		return 0, err
	}
	var total int64
	for _, s := range segments {
		total += s.Size
	}
	last := 0
	for i, s := range segments {
		if s.Current || i == maxPruned {
			break
		}
		if o.KeepBytes < 0 || total <= o.KeepBytes {
			age, err := segmentAge(dir, s, o.Now)
			if err != nil {
				return 0, err
			}
			if o.Keep < 0 || age <= o.Keep {
				break
			}
		}
		total -= s.Size
		last = s.Number
	}
	return last, nil
}

// segmentAge returns the age of the last readable record of s or, if there is none, of its file. It
// does not verify the segment.
func segmentAge(dir string, s ledger.Segment, now time.Time) (time.Duration, error) {
	size := min(s.Size, ledger.MaxLine+1)
	data, err := ledger.ReadAt(dir, ledger.Position{Segment: s.Number, Offset: s.Size - size}, int(size))
	if err != nil {
		return 0, err
	}
	for data = bytes.TrimSuffix(data, []byte("\n")); len(data) > 0; {
		end := max(0, bytes.LastIndexByte(data, '\n'))
		if line, err := ledger.ParseLine(bytes.TrimPrefix(data[end:], []byte("\n"))); err == nil {
			return now.Sub(line.Time), nil
		}
		data = data[:end]
	}
	info, err := os.Stat(s.Path)
	if err != nil {
		return 0, err
	}
	return now.Sub(info.ModTime()), nil
}
