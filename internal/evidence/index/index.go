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

// Options holds options for Open.
type Options struct {
	// Progress, unless it is nil, is called regularly with the number of bytes read and their total,
	// while the index is opened or queried.
	Progress func(done, total int64)
	// Renewed, unless it is nil, is called with the reason when a damaged or tampered index is
	// discarded and rebuilt.
	Renewed func(why error)
}

// A Hit describes a record that was found, and where it is.
type Hit struct {
	Seq     uint64
	Time    time.Time
	Segment int
	Offset  int64
	Len     int // of the line, without its newline
}

// An Index is an open query index. It is safe for concurrent use; several processes may share its
// files.
type Index struct {
	dir      string // of the ledger
	files    store
	temp     string // temporary directory of the files, removed by Close
	progress func(done, total int64)
	renewed  func(why error)

	turn chan struct{} // held while updating

	mu     sync.Mutex
	closed bool
}

// Open returns the index of the ledger in dir, up to date. The index is stored next to the segments
// or, if that directory is not writable, in a temporary directory until it is closed.
func Open(ctx context.Context, dir string, opts Options) (*Index, error) {
	ix := &Index{dir: dir, files: store{dir: state.NewDir(dir)}, progress: opts.Progress, renewed: opts.Renewed, turn: make(chan struct{}, 1)}
	var err error
	if ix.files.secret, err = ledger.ReadSecret(dir, ledger.LabelIndex); err != nil {
		// Without the secret, permanent files could not be authenticated.
		ix.files.secret = new(state.Secret)
		if _, err = rand.Read(ix.files.secret[:]); err == nil {
			err = ix.useTempDir(ctx)
		}
	} else {
		RemoveOld(dir)
		err = ix.CatchUp(ctx)
	}
	if errors.Is(err, errUnusableDir) && ix.temp == "" {
		err = ix.useTempDir(ctx)
	}
	if err != nil {
		return nil, errors.Join(ix.wrapError(err), ix.Close())
	}
	return ix, nil
}

// wrapError returns err with the path of the index.
func (ix *Index) wrapError(err error) error {
	return fmt.Errorf("index %s: %w", ix.files.dir.Path(Folder), err)
}

// useTempDir makes the index use a temporary directory, which Close removes, and brings it up to date.
func (ix *Index) useTempDir(ctx context.Context) error {
	temp, err := os.MkdirTemp("", "checkrein-index-")
	if err != nil {
		return err
	}
	ix.temp, ix.files.dir = temp, state.NewDir(temp)
	return ix.CatchUp(ctx)
}

// Close makes later queries fail, and removes a temporary index.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.closed = true
	if ix.temp != "" {
		return os.RemoveAll(ix.temp)
	}
	return nil
}

// RemoveOld removes the files that older versions left next to the ledger in dir. It only frees disk
// space, so errors are ignored.
func RemoveOld(dir string) {
	for _, name := range oldFiles {
		_ = state.NewDir(dir).Remove(name)
	}
}

// CatchUp adds new records to the index. Every query does so first, too.
func (ix *Index) CatchUp(ctx context.Context) error {
	return ix.withSheets(ctx, func(map[int]*sheet) error { return nil })
}

// withSheets updates the index and calls do with the sheets of all segments. If a file is damaged, it
// removes all files, and calls do again once with rebuilt ones. It also calls do again if another
// process changed a file meanwhile.
func (ix *Index) withSheets(ctx context.Context, do func(map[int]*sheet) error) error {
	for again := true; ; {
		ix.mu.Lock()
		closed := ix.closed
		ix.mu.Unlock()
		if closed {
			return errors.New("the index is closed")
		}
		have, err := ix.update(ctx)
		if err == nil {
			err = do(have)
		}
		if errors.Is(err, errChanged) && ctx.Err() == nil {
			continue
		}
		if isDamaged(err) && again && ix.files.removeAll() == nil {
			again = false
			if ix.renewed != nil {
				ix.renewed(err)
			}
			continue
		}
		return err
	}
}
