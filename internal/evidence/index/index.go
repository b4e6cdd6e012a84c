package index

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Options say how an index is kept. The zero value is the usual way.
type Options struct {
	// Progress is told how many bytes of how many are read, from time to time,
	// by whoever opens the index or asks it.
	Progress func(done, total int64)
	// Renewed is told why an index was thrown away and made anew that somebody
	// changed or damaged.
	Renewed func(why error)
}

// A Hit describes where a record stands.
type Hit struct {
	Seq     uint64
	Time    time.Time
	Segment int
	Offset  int64
	Len     int // of the line, without its newline
}

// An Index is open. It may be used by several goroutines, and the files by
// several processes.
type Index struct {
	dir      string // the ledger's
	files    store
	temp     string // holds the files, until Close
	progress func(done, total int64)
	renewed  func(why error)

	turn chan struct{} // taken by who catches up

	mu     sync.Mutex
	closed bool
}

// Open returns the index of the ledger in a directory, up to date. It lies beside the
// segments, or where that cannot be written, in a temporary directory until it is closed.
func Open(ctx context.Context, dir string, opts Options) (*Index, error) {
	ix := &Index{dir: dir, files: store{dir: state.At(dir)}, progress: opts.Progress, renewed: opts.Renewed, turn: make(chan struct{}, 1)}
	var err error
	if ix.files.secret, err = ledger.ReadSecret(dir, ledger.LabelIndex); err != nil {
		// Nothing would vouch for files that stay.
		ix.files.secret = new(state.Secret)
		if _, err = rand.Read(ix.files.secret[:]); err == nil {
			err = ix.moveAway(ctx)
		}
	} else {
		RemoveOld(dir)
		err = ix.CatchUp(ctx)
	}
	if errors.Is(err, errPlace) && ix.temp == "" {
		err = ix.moveAway(ctx)
	}
	if err != nil {
		return nil, errors.Join(ix.failed(err), ix.Close())
	}
	return ix, nil
}

// failed returns which index an error is of.
func (ix *Index) failed(err error) error {
	return fmt.Errorf("index %s: %w", ix.files.dir.Path(Folder), err)
}

// moveAway keeps the index elsewhere until it is closed.
func (ix *Index) moveAway(ctx context.Context) error {
	temp, err := os.MkdirTemp("", "checkrein-index-")
	if err != nil {
		return err
	}
	ix.temp, ix.files.dir = temp, state.At(temp)
	return ix.CatchUp(ctx)
}

// Close ends all questions.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.closed = true
	if ix.temp != "" {
		return os.RemoveAll(ix.temp)
	}
	return nil
}

// RemoveOld removes what older versions left beside a ledger. It is a courtesy to the
// disk, so its own failures are not told.
func RemoveOld(dir string) {
	for _, name := range old {
		_ = state.At(dir).Remove(name)
	}
}

// CatchUp adds what was recorded since. Every question does so first.
func (ix *Index) CatchUp(ctx context.Context) error {
	return ix.healing(ctx, func(map[int]*sheet) error { return nil })
}

// healing calls do with what the index says of all segments, after catching up. If a file
// turns out to be damaged, all are removed, and do is called again for new ones. So it is
// when another process changed a file meanwhile.
func (ix *Index) healing(ctx context.Context, do func(map[int]*sheet) error) error {
	for again := true; ; {
		ix.mu.Lock()
		closed := ix.closed
		ix.mu.Unlock()
		if closed {
			return errors.New("the index is closed")
		}
		have, err := ix.catchUp(ctx)
		if err == nil {
			err = do(have)
		}
		if errors.Is(err, errMoved) && ctx.Err() == nil {
			continue
		}
		if damaged(err) && again && ix.files.clear() == nil {
			again = false
			if ix.renewed != nil {
				ix.renewed(err)
			}
			continue
		}
		return err
	}
}
