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

// A Git yields the contents of a repository, by their object ids. It can be used for one scan.
type Git struct {
	Repo *git.Repo
	Scan *Scan // its policy is used

	counts git.Counts
	left   int // entries that the policy excludes
}

// AddCounts adds to t what the scan itself does not count.
func (g *Git) AddCounts(t *Totals) {
	t.Commits += g.counts.Commits
	t.Left += g.left
}

// StagedItems yields what the next commit adds or changes.
func (g *Git) StagedItems(ctx context.Context) Source {
	return func(yield func(Item, Content) error) error {
		list, n, err := g.Repo.StagedEntries(ctx)
		if err != nil {
			return err
		}
		return g.EntryItems(ctx, list, n)(yield)
	}
}

// EntryItems yields the contents of entries.
func (g *Git) EntryItems(ctx context.Context, list []git.Entry, n git.Counts) Source {
	return func(yield func(Item, Content) error) error {
		g.counts = n
		return g.readEntries(ctx, yield, func(report func(git.Entry) error) error { return eachEntry(list, report) })
	}
}

// Commits yields what commits add or change, with their messages. This includes contents that a later
// commit removes.
func (g *Git) Commits(ctx context.Context, ids []string) Source {
	return func(yield func(Item, Content) error) error {
		return g.readEntries(ctx, yield, func(report func(git.Entry) error) error {
			n, err := g.Repo.Changes(ctx, ids, report)
			g.counts = n
			return err
		})
	}
}

// Push yields what pushes send.
func (g *Git) Push(ctx context.Context, pushes []git.Push) Source {
	return func(yield func(Item, Content) error) error {
		var ids []string
		seen := map[string]bool{}
		for i := range pushes {
			for _, id := range pushes[i].Commits {
				if !seen[id] { // two refs may send the same
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
			n, err := g.Repo.Changes(ctx, ids, report)
			g.counts = n
			return err
		})
	}
}

func eachEntry(list []git.Entry, report func(git.Entry) error) error {
	for _, e := range list {
		if err := report(e); err != nil {
			return err
		}
	}
	return nil
}

// errEnough ends a listing when no more entries are wanted.
var errEnough = errors.New("enough")

// readEntries yields the contents of entries while they are being listed.
func (g *Git) readEntries(ctx context.Context, yield func(Item, Content) error, list func(report func(git.Entry) error) error) error {
	var listing error
	entries := iter.Seq[git.Entry](func(take func(git.Entry) bool) {
		listing = list(func(e git.Entry) error {
			it := newItem(e)
			switch {
			case !g.Scan.Policy.AppliesTo(it.Path):
				g.left++
			case !g.takeEntry(e, take):
				return errEnough
			}
			return nil
		})
	})
	var before *lineSet
	err := g.Repo.Read(ctx, entries, func(e git.Entry, c git.Content) error {
		if e.Kind == git.Before {
			if before == nil {
				before = newLineSet()
			}
			return before.addLines(c.Reader)
		}
		content := Content{Reader: c.Reader, Size: c.Size}
		if c.Header != "" { // after the message, so that its line numbers stay right
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

func newItem(e git.Entry) Item {
	return Item{Path: e.Path, Commit: e.Commit, Object: e.ID, Message: e.Kind == git.Message || e.Kind == git.Tag}
}

// takeEntry passes an entry to take and, if only added lines count, its earlier versions first.
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

// addLines adds all lines of a text.
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
			if errors.Is(err, io.EOF) || errors.Is(err, git.ErrMismatch) { // which is reported where the object is scanned
				err = nil
			}
			return err
		}
	}
}

// hasAll reports whether all of the lines are in the set.
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
