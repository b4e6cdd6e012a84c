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

// What a ledger keeps unless told otherwise.
const (
	DefaultKeep      = 90 * 24 * time.Hour
	DefaultKeepBytes = 2 << 30
)

// maxPruned bounds the segments that one record names, so that it stays a line.
const maxPruned = 1000

// An Appender adds records to a ledger. *ledger.Ledger is one.
type Appender interface {
	Append(kind string, members []byte, sync bool) (ledger.Receipt, error)
}

// PruneOptions say what to keep.
type PruneOptions struct {
	Keep      time.Duration // records younger than that; 0 = DefaultKeep, below 0 = all
	KeepBytes int64         // so many bytes in all; 0 = DefaultKeepBytes, below 0 = all
	Now       time.Time     // zero = now

	// AcceptDamage removes also what does not verify, and accepts that the
	// ledger begins where no signed record says so. That is a person's word; the
	// record records what was found.
	AcceptDamage bool
	// Remember refuses what an earlier Prune refused without another look, as
	// long as it is as it was then.
	Remember bool
}

// Prune removes the oldest segments of the ledger in dir: those whose last
// record is older than Keep, and others while there are more than KeepBytes. The
// current segment always stays. A signed record of what goes is written first;
// who dies after that leaves segments that the next Prune removes.
//
// It returns what that record says. What does not verify is not removed, because
// its traces would go with it; that is a Refusal.
func Prune(ctx context.Context, dir string, w Appender, o PruneOptions) ([]SegmentSummary, error) {
	gone, err := prune(ctx, dir, w, o)
	if err != nil {
		return gone, fmt.Errorf("pruning the ledger: %w", err)
	}
	return gone, nil
}

func prune(ctx context.Context, dir string, w Appender, o PruneOptions) ([]SegmentSummary, error) {
	unlock, err := state.At(dir).Lock("prune")
	if err != nil {
		return nil, err
	}
	defer unlock()
	last, err := lastToGo(dir, o)
	if err != nil || last == 0 && !o.AcceptDamage {
		return nil, err
	}
	key, err := ReadKey(dir)
	if err != nil {
		return nil, err
	}
	going, err := verified(ctx, dir, last, o)
	if err != nil || len(going) == 0 {
		return nil, err
	}
	if _, err := w.Append(ledger.KindPruned, prunedMembers(NewSigner(key), going), true); err != nil {
		return nil, err
	}
	for i, s := range going {
		if s.Segment > last {
			continue // it is named because what stays begins after it
		}
		if err := state.At(dir).Remove(ledger.SegmentFile(s.Segment)); err != nil {
			return going[:i], err
		}
	}
	return going, state.At(dir).Remove(refusedFile)
}

// verified returns what the segments up to last hold, if they are as they were
// written and the next one follows them, or if that is accepted.
func verified(ctx context.Context, dir string, last int, o PruneOptions) ([]SegmentSummary, error) {
	if o.Remember && !o.AcceptDamage {
		if was := remembered(dir, last); was != nil {
			return nil, was
		}
	}
	v, err := verifyPart(ctx, dir, last)
	if err != nil {
		return nil, err
	}
	if refusal := v.refusal(last); refusal != nil && !o.AcceptDamage {
		remember(dir, refusal)
		return nil, refusal
	}
	return v.going(last), nil
}

// lastToGo is the number of the newest segment to remove; 0 = all stay.
func lastToGo(dir string, o PruneOptions) (int, error) {
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
			age, err := ageOf(dir, s, o.Now)
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

// ageOf is the age of the last record of a segment that can be read, or else of
// its file: whether damage may go is seen later.
func ageOf(dir string, s ledger.Segment, now time.Time) (time.Duration, error) {
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
