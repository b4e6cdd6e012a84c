package feed

import (
	"context"
	"errors"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// Follow calls add with each line that is added to the ledger in dir from now on, and flush after some
// lines, at most most of them. While flush fails, it is called again after retry; the ledger keeps the
// lines meanwhile. Follow returns when ctx is done, after a last call of flush.
func Follow(ctx context.Context, dir string, most int, retry time.Duration, add func(line []byte), flush func() error) error {
	from, err := positionBeforeEnd(dir, 0)
	if err != nil {
		return err
	}
	r := ledger.NewReader(dir, from)
	defer func() { r.Close() }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for isLast := false; ; isLast = ctx.Err() != nil {
		for n := most; n == most; {
			for n = 0; n < most; n++ {
				e, err := r.Next()
				if errors.Is(err, ledger.ErrShorter) { // this is another ledger
					r = ledger.NewReader(dir, ledger.Position{})
				}
				if err != nil {
					break
				}
				if !e.Damaged {
					add(e.Line.Raw)
				}
			}
			for n > 0 && flush() != nil {
				select {
				case <-ctx.Done():
					return nil
				case <-time.After(retry):
				}
			}
		}
		if isLast {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}
