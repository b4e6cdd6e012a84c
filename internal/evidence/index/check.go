package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
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
	secret, err := ledger.ReadSecret(dir, ledger.LabelIndex)
	if err != nil {
		return nil, nil // then one that stays is not used
	}
	c := checker{dir: dir, files: store{dir: state.At(dir), secret: secret}, CheckOptions: o}
	err = c.run(ctx)
	if errors.Is(err, errPlace) && !errors.Is(err, state.ErrNotDir) {
		err = nil // where it cannot be used, another one is
	}
	return c.found, err
}

// Remove removes the index beside a ledger: the next question makes it anew.
func Remove(dir string) error {
	s := store{dir: state.At(dir)}
	return s.clear()
}

// maxFound bounds what is said of one index.
const maxFound = 20

// A checker compares an index with its ledger.
type checker struct {
	CheckOptions
	dir   string
	files store
	found []string
}

func (c *checker) find(segment int, text string) {
	if len(c.found) < maxFound {
		c.found = append(c.found, fmt.Sprintf("%s: segment %d: %s", c.files.dir.Path(fileOf(segment)), segment, text))
	}
}

func (c *checker) run(ctx context.Context) error {
	numbers, err := c.files.segments()
	if err != nil {
		return err
	}
	id := ledgerID(c.dir)
	have := make(map[int]*sheet, len(numbers))
	for _, number := range numbers {
		if err := ctx.Err(); err != nil {
			return err
		}
		sh, err := c.files.load(number)
		switch {
		case errors.Is(err, errStale), errors.Is(err, errMoved), err == nil && sh.ledger != id:
			continue // it is made anew
		case damaged(err):
			c.find(number, err.Error())
			continue
		case err != nil:
			return err
		}
		switch err := c.sums(number, sh); {
		case errors.Is(err, errMoved):
			continue
		case damaged(err):
			c.find(number, err.Error())
		case err != nil:
			return err
		default:
			have[number] = sh
		}
	}
	return c.again(ctx, have)
}

// sums looks at every part.
func (c *checker) sums(number int, sh *sheet) error {
	all, err := c.parts(number, sh)
	if err != nil {
		return err
	}
	for i := range sh.chunks {
		for _, k := range kinds {
			if _, err := c.part(all, number, sh, k, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// parts reads all parts of a segment.
func (c *checker) parts(number int, sh *sheet) ([]byte, error) {
	f, err := c.files.again(number, sh)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := make([]byte, sh.at[len(sh.at)-1]-sh.at[0])
	return all, readAt(f, all, sh.at[0])
}

// part is one of those that parts read.
func (c *checker) part(all []byte, number int, sh *sheet, k kind, i int) ([]byte, error) {
	from, to := sh.part(k, i)
	return opened(c.files.secret, partName(k, firstChunk(number)+int64(i), &sh.chunks[i]), all[from-sh.at[0]:to-sh.at[0]])
}

// again makes what the index says of the segments once more.
func (c *checker) again(ctx context.Context, have map[int]*sheet) error {
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
		if i := slices.IndexFunc(segments, func(s ledger.Segment) bool { return s.Number == number }); i < 0 || segments[i].Size < k.done || !ix.stillThere(number, &k.known) {
			continue // it was pruned, or is another one and is read anew
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if same, err := c.same(number, k); err != nil {
			return err
		} else if !same {
			c.find(number, "the index differs from the ledger")
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
func (c *checker) same(number int, k *sheet) (bool, error) {
	all, err := c.parts(number, k)
	if errors.Is(err, errMoved) {
		return true, nil // somebody asks meanwhile
	}
	if err != nil {
		return false, err
	}
	j := job{segment: number, size: k.size, until: max(k.done, 1), chunk: newChunk(firstChunk(number))}
	same := true
	var last *known
	err = j.each(c.dir, func(made *chunk) error {
		last = made.segment()
		if made.n == 0 || !same {
			return nil
		}
		i := len(made.before)
		if i >= len(k.chunks) || k.chunks[i] != made.head() {
			same = false
			return nil
		}
		made.parts(func(_ int, kind kind, body []byte) {
			stored, err := c.part(all, number, k, kind, i)
			same = same && err == nil && bytes.Equal(stored, body)
		})
		return nil
	})
	if errors.Is(err, errMoved) {
		return true, nil // it was cut meanwhile, and is read anew
	}
	if err == nil && last.damaged+last.trailing > k.damaged {
		return true, nil // what were records are none any more: somebody changed the ledger, not the index
	}
	return same && last != nil && len(last.chunks) == len(k.chunks) && last.done == k.done && last.hash == k.hash && last.damaged == k.damaged, err
}
