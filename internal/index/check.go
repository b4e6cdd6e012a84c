package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/state"
)

// CheckOptions say how an index is looked at.
type CheckOptions struct {
	// Most is how many bytes of the ledger are read to make the index again, the
	// newest first; 0 = all. The sums of all of it are looked at in any case.
	Most     int64
	Progress func(done, total int64)
}

// Check makes the index beside a ledger again from the ledger, and returns what is not
// the same. It changes nothing. Where no index is, or none that would be used, nothing
// is found.
func Check(ctx context.Context, dir string, o CheckOptions) ([]string, error) {
	path := filepath.Join(dir, File)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	secret, err := ledger.ReadSecret(dir, ledger.LabelIndex)
	if err != nil {
		return nil, nil // then one that stays is not used
	}
	c := checker{dir: dir, path: path, secret: secret, CheckOptions: o}
	err = c.run(ctx)
	switch {
	case errors.Is(err, errStale), unwritable(err): // where it cannot be written, another one is used
		err = nil
	case damaged(err), errors.Is(err, errForeign):
		c.find(err.Error())
		err = nil
	}
	return c.found, err
}

// Remove removes the index beside a ledger: the next question makes it anew.
func Remove(dir string) error { return removeStore(filepath.Join(dir, File)) }

// maxFound bounds what is said of one index.
const maxFound = 20

// A checker compares an index with its ledger.
type checker struct {
	CheckOptions
	dir, path string
	secret    *state.Secret
	tx        *sql.Tx
	found     []string
}

func (c *checker) find(text string) {
	if len(c.found) < maxFound {
		c.found = append(c.found, c.path+": "+text)
	}
}

func (c *checker) run(ctx context.Context) error {
	db, err := connect(c.path, "")
	if err != nil {
		return err
	}
	defer db.Close()
	if c.tx, err = db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
		return err
	}
	defer c.tx.Rollback()
	if fresh, err := inspect(ctx, c.tx); err != nil || fresh {
		return err
	}
	var id string
	if err := c.tx.QueryRowContext(ctx, "SELECT ledger FROM state").Scan(&id); err != nil {
		return damage(err)
	}
	if id != ledgerID(c.dir) {
		return nil // it was another ledger's, and is made anew
	}
	have, err := knownSegments(ctx, c.tx, c.secret)
	if err != nil {
		return err
	}
	if err := c.sums(ctx, have); err != nil {
		return err
	}
	return c.again(ctx, have)
}

// sums looks at every part that there must be, and that there are no more.
func (c *checker) sums(ctx context.Context, have map[int]*known) error {
	want := 0
	for number, k := range have {
		for i := range k.chunks {
			for _, kind := range kinds {
				want++
				if _, err := part(ctx, c.tx, c.secret, kind, firstChunk(number)+int64(i), &k.chunks[i]); damaged(err) {
					c.find(fmt.Sprintf("segment %d: a part is missing, or not as it was written", number))
				} else if err != nil {
					return err
				}
			}
		}
	}
	n := 0
	if err := c.tx.QueryRowContext(ctx, "SELECT count(*) FROM part").Scan(&n); err != nil {
		return damage(err)
	}
	if n > want {
		c.find(fmt.Sprintf("it holds %d things that are of no segment", n-want))
	}
	return nil
}

// again makes what the index says of the segments once more.
func (c *checker) again(ctx context.Context, have map[int]*known) error {
	segments, err := ledger.Segments(c.dir)
	if err != nil {
		return err
	}
	var done, total int64
	for _, s := range segments {
		total += s.Size
	}
	numbers := slices.Sorted(maps.Keys(have))
	slices.Reverse(numbers)
	for _, number := range numbers {
		k := have[number]
		ix := Index{dir: c.dir}
		if i := slices.IndexFunc(segments, func(s ledger.Segment) bool { return s.Number == number }); i < 0 || segments[i].Size < k.done || !ix.stillThere(number, k) {
			continue // it was pruned, or is another one and is read anew
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if same, err := c.same(ctx, number, k); err != nil {
			return err
		} else if !same {
			c.find(fmt.Sprintf("segment %d: it says something else than the ledger", number))
		}
		done += k.done
		if c.Progress != nil {
			c.Progress(min(done, total), total)
		}
		if c.Most > 0 && done >= c.Most {
			break
		}
	}
	return nil
}

// same reads a segment as far as the index has it, and compares.
func (c *checker) same(ctx context.Context, number int, k *known) (bool, error) {
	j := job{segment: number, size: k.size, until: max(k.done, 1), chunk: newChunk(firstChunk(number))}
	same := true
	var last *known
	err := j.each(c.dir, func(made *chunk) error {
		last = made.segment()
		if made.n == 0 || !same {
			return nil
		}
		i := len(made.before)
		if i >= len(k.chunks) || k.chunks[i] != made.head() {
			same = false
			return nil
		}
		return made.parts(func(kind kind, body []byte) error {
			stored, err := part(ctx, c.tx, c.secret, kind, made.id, &k.chunks[i])
			if err != nil && !damaged(err) {
				return err
			}
			same = same && err == nil && bytes.Equal(stored, body)
			return nil
		})
	})
	if errors.Is(err, errMoved) {
		return true, nil // it was cut meanwhile, and is read anew
	}
	if err == nil && last.damaged+last.trailing > k.damaged {
		return true, nil // what were records are none any more: somebody changed the ledger, not the index
	}
	return same && last != nil && len(last.chunks) == len(k.chunks) && last.done == k.done && last.hash == k.hash && last.damaged == k.damaged, err
}
