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

// CheckOptions holds options for Check.
type CheckOptions struct {
	// Most limits how many bytes of the ledger are read to rebuild the index, newest first; 0 means no
	// limit. The checksums of the whole index are verified in any case.
	Most     int64
	Progress func(done, total int64)
}

// Check rebuilds the index of the ledger in dir in memory, and returns the differences. It changes
// nothing. It returns none if there is no index, or none that would be used.
func Check(ctx context.Context, dir string, o CheckOptions) ([]string, error) {
	secret, err := ledger.ReadSecret(dir, ledger.LabelIndex)
	if err != nil {
		return nil, nil // a permanent index is not used then
	}
	c := checker{dir: dir, files: store{dir: state.NewDir(dir), secret: secret}, CheckOptions: o}
	err = c.run(ctx)
	if errors.Is(err, errUnusableDir) && !errors.Is(err, state.ErrNotDir) {
		err = nil // a temporary index is used instead
	}
	return c.found, err
}

// Remove removes the index of the ledger in dir. The next query rebuilds it.
func Remove(dir string) error {
	s := store{dir: state.NewDir(dir)}
	return s.removeAll()
}

// maxFound limits the findings about one index.
const maxFound = 20

// A checker compares an index with its ledger.
type checker struct {
	CheckOptions
	dir   string
	files store
	found []string
}

// addFinding adds text about a segment, unless there are too many findings.
func (c *checker) addFinding(segment int, text string) {
	if len(c.found) < maxFound {
		c.found = append(c.found, fmt.Sprintf("%s: segment %d: %s", c.files.dir.Path(indexPath(segment)), segment, text))
	}
}

// run checks the index of all segments.
func (c *checker) run(ctx context.Context) error {
	numbers, err := c.files.listSegments()
	if err != nil {
		return err
	}
	id := ledgerID(c.dir)
	have := make(map[int]*sheet, len(numbers))
	for _, number := range numbers {
		if err := ctx.Err(); err != nil {
			return err
		}
		sh, err := c.files.loadSheet(number)
		switch {
		case errors.Is(err, errStale), errors.Is(err, errChanged), err == nil && sh.ledger != id:
			continue // it will be rebuilt
		case isDamaged(err):
			c.addFinding(number, err.Error())
			continue
		case err != nil:
			return err
		}
		switch err := c.checkDigests(number, sh); {
		case errors.Is(err, errChanged):
			continue
		case isDamaged(err):
			c.addFinding(number, err.Error())
		case err != nil:
			return err
		default:
			have[number] = sh
		}
	}
	return c.compareRebuilt(ctx, have)
}

// checkDigests verifies the checksum of every part of the segment number.
func (c *checker) checkDigests(number int, sh *sheet) error {
	all, err := c.readParts(number, sh)
	if err != nil {
		return err
	}
	for i := range sh.chunks {
		for _, k := range partKinds {
			if _, err := c.verifyPart(all, number, sh, k, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// readParts returns all parts of the segment number, unverified.
func (c *checker) readParts(number int, sh *sheet) ([]byte, error) {
	f, err := c.files.reopen(number, sh)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := make([]byte, sh.at[len(sh.at)-1]-sh.at[0])
	return all, readFullAt(f, all, sh.at[0])
}

// verifyPart returns the part of kind k of the i-th chunk from all, which readParts returned, after
// verifying its checksum.
func (c *checker) verifyPart(all []byte, number int, sh *sheet, k partKind, i int) ([]byte, error) {
	from, to := sh.partRange(k, i)
	return verifyDigest(c.files.secret, partName(k, firstChunk(number)+int64(i), &sh.chunks[i]), all[from-sh.at[0]:to-sh.at[0]])
}

// compareRebuilt rebuilds the index of segments, newest first, and compares it with have.
func (c *checker) compareRebuilt(ctx context.Context, have map[int]*sheet) error {
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
		if i := slices.IndexFunc(segments, func(s ledger.Segment) bool { return s.Number == number }); i < 0 || segments[i].Size < k.done || !ix.isIndexCurrent(number, &k.known) {
			continue // it was pruned, or replaced and will be read again
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if same, err := c.matchesLedger(number, k); err != nil {
			return err
		} else if !same {
			c.addFinding(number, "the index differs from the ledger")
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

// matchesLedger reads the segment number as far as it is indexed, and reports whether the index k
// matches. It also reports true if one of them changed meanwhile.
func (c *checker) matchesLedger(number int, k *sheet) (bool, error) {
	all, err := c.readParts(number, k)
	if errors.Is(err, errChanged) {
		return true, nil // another process updated it
	}
	if err != nil {
		return false, err
	}
	j := job{segment: number, size: k.size, until: max(k.done, 1), chunk: newChunk(firstChunk(number))}
	same := true
	var last *known
	err = j.eachChunk(c.dir, func(made *chunk) error {
		last = made.toKnown()
		if made.n == 0 || !same {
			return nil
		}
		i := len(made.before)
		if i >= len(k.chunks) || k.chunks[i] != made.head() {
			same = false
			return nil
		}
		made.eachPart(func(_ int, kind partKind, body []byte) {
			stored, err := c.verifyPart(all, number, k, kind, i)
			same = same && err == nil && bytes.Equal(stored, body)
		})
		return nil
	})
	if errors.Is(err, errChanged) {
		return true, nil // it was truncated and will be read again
	}
	if err == nil && last.damaged+last.trailing > k.damaged {
		return true, nil // former records are damaged: the ledger was changed, not the index
	}
	return same && last != nil && len(last.chunks) == len(k.chunks) && last.done == k.done && last.hash == k.hash && last.damaged == k.damaged, err
}
