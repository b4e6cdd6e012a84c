package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/state"
	"modernc.org/sqlite"
)

// File is the index's name in a ledger's directory.
const File = "index.db"

// schema is the version of the tables and of what extract finds. A file with
// another one is made anew.
const schema = 4

// application tells our files from other people's: "rein".
const application = 0x7265696e

const tables = `
CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), ledger TEXT NOT NULL, generation INTEGER NOT NULL);
CREATE TABLE segment (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE part (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
INSERT INTO state VALUES (1, '', 0);
`

// patience is how long a lock is waited for while its owner gets nothing done.
const patience = 10 * time.Second

// errDamaged says that the file is not as we left it.
var errDamaged = errors.New("the index is damaged")

// errForged says that something in the file has no sum of ours.
var errForged = fmt.Errorf("%w: something in it is not as it was written", errDamaged)

// errStale says that the file is of another version, or gone: it is made anew, and that is
// nobody's concern.
var errStale = fmt.Errorf("%w: it is of another version, or was removed", errDamaged)

// errForeign says that a file is none of ours, so that it is not removed.
var errForeign = errors.New("not an index of a ledger; name another file for it, or remove this one")

// openStore opens the file and makes its tables if it is new. New files get the
// mode of the one named by like.
func openStore(ctx context.Context, path, like string) (*sql.DB, error) {
	db, err := connect(path, like)
	if err != nil {
		return nil, err
	}
	err = makeTables(ctx, db)
	if c := code(err); c == codeNotADB || c == codeCorrupt {
		err = fmt.Errorf("%w: %w", errForeign, err) // or it was ours once, which nobody can tell
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func connect(path, like string) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := placed(path); err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	if filepath.VolumeName(path) != "" {
		u.Path = "/" + u.Path
	}
	// Without the last transactions an index is still one; with half of one it
	// is not. Hence the log, and no waiting for the disk at each commit.
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()),
		"page_size(16384)", "journal_mode(WAL)", "synchronous(NORMAL)", "cache_size(-32768)", "wal_autocheckpoint(2000)",
	}}
	if like != "" {
		q.Set("modeof", like)
	}
	u.RawQuery = q.Encode()
	return sql.Open("sqlite", u.String())
}

// errPlace says that something lies in place of a file that is none.
var errPlace = errors.New("nothing in it is used")

// suffixes are of the files that SQLite keeps: the database, and those beside it.
var suffixes = []string{"", "-wal", "-shm", "-journal"}

// placed looks whether files are files: SQLite follows links, and waits for pipes.
func placed(path string) error {
	for _, suffix := range suffixes {
		if info, err := os.Lstat(path + suffix); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is %s, not a file: %w: remove it", path+suffix, state.KindOf(info.Mode()), errPlace)
		}
	}
	return nil
}

// makeTables checks that the file is ours and of this version. An empty one
// becomes that.
func makeTables(ctx context.Context, db *sql.DB) error {
	if fresh, err := inspect(ctx, db); err != nil || !fresh {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if fresh, err := inspect(ctx, tx); err != nil || !fresh {
		return err // another process was faster
	}
	if _, err := tx.ExecContext(ctx, tables); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", application, schema)); err != nil {
		return err
	}
	return tx.Commit()
}

// A queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// inspect reports whether nothing is in the file yet.
func inspect(ctx context.Context, db queryer) (fresh bool, err error) {
	var app, version, things int
	err = db.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)`).Scan(&app, &version, &things)
	switch {
	case err != nil:
		return false, err
	case app == 0 && version == 0 && things == 0:
		return true, nil
	case app != application:
		return false, errForeign
	case version != schema:
		return false, fmt.Errorf("%w (version %d)", errStale, version)
	}
	return false, nil
}

// removeStore removes the file, and what SQLite keeps beside it. Whoever has it
// open goes on with what it was.
func removeStore(path string) error {
	var errs []error
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Result codes of SQLite that mean something to us.
const (
	codeError    = 1
	codePerm     = 3
	codeBusy     = 5
	codeReadOnly = 8
	codeCorrupt  = 11
	codeCantOpen = 14
	codeTooBig   = 18 // nothing that we write is: a length in the file was changed
	codeNotADB   = 26
)

// code is the primary result code of an error of SQLite's; 0 = it is none.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// damaged reports whether an error is due to what is in the file.
func damaged(err error) bool {
	c := code(err)
	return errors.Is(err, errDamaged) || c == codeCorrupt || c == codeTooBig || c == codeNotADB
}

// damage is what an error means that came of reading what must be there.
func damage(err error) error {
	if err == nil || code(err) != 0 || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// unwritable reports whether there can be no index where it was wanted.
func unwritable(err error) bool {
	c := code(err)
	return c == codePerm || c == codeReadOnly || c == codeCantOpen
}
