package scan

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"strings"

	"github.com/checkrein/checkrein/internal/scan/git"
)

// A Git yields the contents of a repository by their object ids. It can be used for one scan.
type Git struct {
	Repo *git.Repo
	Scan *Scan // provides the policy

	counts   git.Counts
	excluded int // entries that the policy excludes
}

// AddCounts adds the counts that the scan itself does not know to t: commits, and excluded entries.
func (g *Git) AddCounts(t *Totals) {
	t.Commits += g.counts.Commits
	t.Excluded += g.excluded
}

// StagedItems returns a source of the files that the next commit adds or changes.
func (g *Git) StagedItems(ctx context.Context) Source {
	return func(yield func(Item, Content) error) error {
		list, n, err := g.Repo.StagedEntries(ctx)
		if err != nil {
			return err
		}
		return g.EntryItems(ctx, list, n)(yield)
	}
}

// EntryItems returns a source of the contents of list. The counts n are added to the totals by
// AddCounts.
func (g *Git) EntryItems(ctx context.Context, list []git.Entry, n git.Counts) Source {
	return func(yield func(Item, Content) error) error {
		g.counts = n
		return g.readEntries(ctx, yield, func(report func(git.Entry) error) error { return eachEntry(list, report) })
	}
}

// CommitItems returns a source of the files that the commits ids add or change, and of their messages.
// This includes files that a later commit removes.
func (g *Git) CommitItems(ctx context.Context, ids []string) Source {
	return func(yield func(Item, Content) error) error {
		return g.readEntries(ctx, yield, func(report func(git.Entry) error) error {
			n, err := g.Repo.ReportChanges(ctx, ids, report)
			g.counts = n
			return err
		})
	}
}

// PushItems returns a source of everything that pushes send.
func (g *Git) PushItems(ctx context.Context, pushes []git.Push) Source {
	return func(yield func(Item, Content) error) error {
		var ids []string
		seen := map[string]bool{}
		for i := range pushes {
			for _, id := range pushes[i].Commits {
				if !seen[id] { // two refs may send the same commit
					seen[id] = true
					ids = append(ids, id)
				}
			}
		}
		return g.readEntries(ctx, yield, func(report func(git.Entry) error) error {
			for i := range pushes {
				if err := eachEntry(pushes[i].Others, report); err != nil {
					return err
				}
			}
			n, err := g.Repo.ReportChanges(ctx, ids, report)
			g.counts = n
			return err
		})
	}
}

// eachEntry calls report with each entry of list until it fails.
func eachEntry(list []git.Entry, report func(git.Entry) error) error {
	for _, e := range list {
		if err := report(e); err != nil {
			return err
		}
	}
	return nil
}

// errEnough stops a listing when no more entries are needed.
var errEnough = errors.New("enough")

// readEntries calls yield with the contents of the entries that list reports, while list is still
// running.
func (g *Git) readEntries(ctx context.Context, yield func(Item, Content) error, list func(report func(git.Entry) error) error) error {
	var listing error
	entries := iter.Seq[git.Entry](func(take func(git.Entry) bool) {
		listing = list(func(e git.Entry) error {
			it := newItem(e)
			switch {
			case !g.Scan.Policy.AppliesTo(it.Path):
				g.excluded++
			case !g.takeEntry(e, take):
				return errEnough
			}
			return nil
		})
	})
	var before *lineSet
	err := g.Repo.ReadEntries(ctx, entries, func(e git.Entry, c git.Content) error {
		if e.Kind == git.Before {
			if before == nil {
				before = newLineSet()
			}
			return before.addLines(c.Reader)
		}
		content := Content{Reader: c.Reader, Size: c.Size}
		if c.Header != "" { // append the header, so that the line numbers of the message stay right
			content.Reader = io.MultiReader(c.Reader, strings.NewReader("\n\n"+c.Header))
		}
		if c.Missing {
			content.Open = func() (io.ReadCloser, error) {
				return nil, fmt.Errorf("object %s is not in this clone: fetch it, then scan again", e.ID)
			}
		}
		it := newItem(e)
		it.before, before = before, nil
		return yield(it, content)
	})
	if err == nil && !errors.Is(listing, errEnough) {
		err = listing
	}
	return err
}

// newItem returns the item for e.
func newItem(e git.Entry) Item {
	return Item{Path: e.Path, Commit: e.Commit, Object: e.ID, Message: e.Kind == git.Message || e.Kind == git.Tag}
}

// takeEntry passes e to take and, if only added lines count, its earlier versions before it. It
// reports false if take did.
func (g *Git) takeEntry(e git.Entry, take func(git.Entry) bool) bool {
	if g.Scan.Added && e.Kind == git.File {
		for _, id := range e.Was {
			if !take(git.Entry{Kind: git.Before, ID: id, Path: e.Path}) {
				return false
			}
		}
	}
	return take(e)
}

// A lineSet is a set of lines, stored as hashes. A nil set is empty.
type lineSet struct {
	seed maphash.Seed
	sums map[uint64]struct{}
}

func newLineSet() *lineSet { return &lineSet{maphash.MakeSeed(), map[uint64]struct{}{}} }

// addLines adds all lines that r returns.
func (l *lineSet) addLines(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var h maphash.Hash
	h.SetSeed(l.seed)
	for {
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			h.Write(part)
			continue
		}
		h.Write(bytes.TrimRight(part, "\r\n"))
		l.sums[h.Sum64()] = struct{}{}
		h.Reset()
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, git.ErrMismatch) { // a mismatch is reported where the object is scanned
				err = nil
			}
			return err
		}
	}
}

// hasAll reports whether the set contains each of lines. It reports false for a nil set.
func (l *lineSet) hasAll(lines []byte) bool {
	if l == nil {
		return false
	}
	for line := range bytes.Lines(lines) {
		if _, ok := l.sums[maphash.Bytes(l.seed, bytes.TrimRight(line, "\r\n"))]; !ok {
			return false
		}
	}
	return true
}
