package index

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/state"
)

// Options say how an index is kept. The zero value is the usual way.
type Options struct {
	// Path is the index's file. If it is empty the index lies beside the
	// segments, or where that cannot be written, in a temporary directory until
	// it is closed.
	Path string
	// Progress is told how many bytes of how many are read, from time to time,
	// by whoever opens the index or asks it.
	Progress func(done, total int64)
	// Renewed is told why an index was thrown away and made anew that somebody
	// changed or damaged.
	Renewed func(why error)
}

// A Hit says where a record stands.
type Hit struct {
	Seq     uint64
	Time    time.Time
	Segment int
	Offset  int64
	Len     int // of the line, without its newline
}

// An Index is open. It may be used by several goroutines, and the file by
// several processes.
type Index struct {
	dir      string // the ledger's
	path     string
	named    bool          // path was asked for
	temp     string        // holds path, until Close
	secret   *state.Secret // vouches for all that is in it
	progress func(done, total int64)
	renewed  func(why error)

	turn chan struct{} // taken by who catches up

	mu     sync.Mutex
	closed bool
	db     *sql.DB
	opened os.FileInfo // the file, as far as it was there
	old    []*sql.DB   // of files that were removed; others may be reading them
}

// Open returns the index of the ledger in a directory, up to date.
func Open(ctx context.Context, dir string, opts Options) (*Index, error) {
	ix := &Index{dir: dir, path: opts.Path, named: opts.Path != "", progress: opts.Progress, renewed: opts.Renewed, turn: make(chan struct{}, 1)}
	if !ix.named {
		ix.path = filepath.Join(dir, File)
	}
	var err error
	if ix.secret, err = ledger.ReadSecret(dir, ledger.LabelIndex); err != nil {
		// Nothing would vouch for a file that stays.
		ix.secret = new(state.Secret)
		if _, err = rand.Read(ix.secret[:]); err == nil {
			err = ix.moveAway(ctx)
		}
	} else {
		err = ix.CatchUp(ctx)
	}
	if (unwritable(err) || errors.Is(err, errPlace)) && !ix.named && ix.temp == "" {
		err = ix.moveAway(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("index %s: %w", ix.path, err), ix.Close())
	}
	return ix, nil
}

// moveAway keeps the index elsewhere until it is closed.
func (ix *Index) moveAway(ctx context.Context) error {
	temp, err := os.MkdirTemp("", "checkrein-index-")
	if err != nil {
		return err
	}
	ix.mu.Lock()
	ix.temp, ix.path = temp, filepath.Join(temp, File)
	ix.retire()
	ix.mu.Unlock()
	return ix.CatchUp(ctx)
}

// Close ends all questions.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.closed = true
	ix.retire()
	var errs []error
	for _, db := range ix.old {
		errs = append(errs, db.Close())
	}
	ix.old = nil
	if ix.temp != "" {
		errs = append(errs, os.RemoveAll(ix.temp))
	}
	return errors.Join(errs...)
}

// CatchUp adds what was recorded since. Every question does so first.
func (ix *Index) CatchUp(ctx context.Context) error {
	return ix.healing(ctx, func(*sql.Conn) error { return nil })
}

// retire puts the open file aside. The caller holds the lock.
func (ix *Index) retire() {
	if ix.db != nil {
		ix.old = append(ix.old, ix.db)
		ix.db = nil
	}
}

// store returns the open file, and opens it if need be.
func (ix *Index) store(ctx context.Context) (*sql.DB, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed {
		return nil, errors.New("the index is closed")
	}
	if ix.db != nil {
		return ix.db, nil
	}
	// Every connection asks for that file, so it must be one that stays.
	like := filepath.Join(ix.dir, ledger.HeadFile)
	if _, err := os.Stat(like); err != nil {
		like = ""
	}
	var err error
	ix.opened, _ = os.Stat(ix.path)
	ix.db, err = openStore(ctx, ix.path, like)
	if err == nil && ix.opened == nil {
		ix.opened, _ = os.Stat(ix.path)
	}
	return ix.db, err
}

// healing calls do with a connection, after catching up on it. If the file
// turns out to be damaged it is removed, and do is called again for a new one.
//
// All is done on one connection: another one may be to another file by now.
func (ix *Index) healing(ctx context.Context, do func(*sql.Conn) error) error {
	for try := 0; ; try++ {
		db, err := ix.store(ctx)
		if err == nil {
			err = ix.attempt(ctx, db, do)
		}
		if try == 0 && ix.ours(err) && ix.startOver(db) == nil {
			if ix.renewed != nil && !errors.Is(err, errStale) {
				ix.renewed(err)
			}
			continue
		}
		return err
	}
}

func (ix *Index) attempt(ctx context.Context, db *sql.DB, do func(*sql.Conn) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := ix.catchUp(ctx, conn); err != nil {
		return err
	}
	return do(conn)
}

// ours reports whether an error calls for a new file, and the old one may be
// removed: a file that somebody named could be anything.
func (ix *Index) ours(err error) bool {
	if errors.Is(err, errForeign) {
		return !ix.named
	}
	return damaged(err)
}

// startOver removes a damaged file, unless that has been done already.
func (ix *Index) startOver(db *sql.DB) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.db != db {
		return nil
	}
	ix.retire()
	if now, err := os.Stat(ix.path); err == nil && ix.opened != nil && !os.SameFile(now, ix.opened) {
		return nil // another process has begun a new one
	}
	return removeStore(ix.path)
}
