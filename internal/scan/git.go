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

// A Git yields what is in a repository, by the ids of the contents. It is good
// for one scan.
type Git struct {
	Repo *git.Repo
	Scan *Scan // whose policy counts

	counts git.Counts
	left   int // that the policy leaves out
}

// Count adds what the scan itself did not see.
func (g *Git) Count(t *Totals) {
	t.Commits += g.counts.Commits
	t.Left += g.left
}

// Staged yields what the next commit adds or changes.
func (g *Git) Staged(ctx context.Context) Source {
	return func(yield func(Item, Content) error) error {
		list, n, err := g.Repo.Staged(ctx)
		if err != nil {
			return err
		}
		return g.Listed(ctx, list, n)(yield)
	}
}

// Listed yields entries that are known already.
func (g *Git) Listed(ctx context.Context, list []git.Entry, n git.Counts) Source {
	return func(yield func(Item, Content) error) error {
		g.counts = n
		return g.read(ctx, yield, func(report func(git.Entry) error) error { return each(list, report) })
	}
}

// Commits yields what commits add or change, with their messages. What one adds
// and another removes is among it.
func (g *Git) Commits(ctx context.Context, ids []string) Source {
	return func(yield func(Item, Content) error) error {
		return g.read(ctx, yield, func(report func(git.Entry) error) error {
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
		return g.read(ctx, yield, func(report func(git.Entry) error) error {
			for i := range pushes {
				if err := each(pushes[i].Others, report); err != nil {
					return err
				}
			}
			n, err := g.Repo.Changes(ctx, ids, report)
			g.counts = n
			return err
		})
	}
}

func each(list []git.Entry, report func(git.Entry) error) error {
	for _, e := range list {
		if err := report(e); err != nil {
			return err
		}
	}
	return nil
}

// errEnough ends a listing whose entries nobody takes any more.
var errEnough = errors.New("enough")

// read yields the contents of entries while they are being listed.
func (g *Git) read(ctx context.Context, yield func(Item, Content) error, list func(report func(git.Entry) error) error) error {
	var listing error
	entries := iter.Seq[git.Entry](func(take func(git.Entry) bool) {
		listing = list(func(e git.Entry) error {
			it := itemOf(e)
			switch {
			case !g.Scan.Policy.Covers(it.Path):
				g.left++
			case !g.list(e, take):
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
			return before.read(c.Reader)
		}
		content := Content{Reader: c.Reader, Size: c.Size}
		if c.Header != "" { // behind the message, whose lines people count
			content.Reader = io.MultiReader(c.Reader, strings.NewReader("\n\n"+c.Header))
		}
		if c.Missing {
			content.Open = func() (io.ReadCloser, error) {
				return nil, fmt.Errorf("object %s is not in this clone: fetch it, then scan again", e.ID)
			}
		}
		it := itemOf(e)
		it.before, before = before, nil
		return yield(it, content)
	})
	if err == nil && !errors.Is(listing, errEnough) {
		err = listing
	}
	return err
}

func itemOf(e git.Entry) Item {
	return Item{Path: e.Path, Commit: e.Commit, Object: e.ID, Message: e.Kind == git.Message || e.Kind == git.Tag}
}

// list passes an entry to take and, if only added lines count, its earlier versions first.
func (g *Git) list(e git.Entry, take func(git.Entry) bool) bool {
	if g.Scan.Added && e.Kind == git.File {
		for _, id := range e.Was {
			if !take(git.Entry{Kind: git.Before, ID: id, Path: e.Path}) {
				return false
			}
		}
	}
	return take(e)
}

// A lineSet is a set of lines, kept as hashes. A nil set is empty.
type lineSet struct {
	seed maphash.Seed
	sums map[uint64]struct{}
}

func newLineSet() *lineSet { return &lineSet{maphash.MakeSeed(), map[uint64]struct{}{}} }

// read adds all lines of a text.
func (l *lineSet) read(r io.Reader) error {
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
			if errors.Is(err, io.EOF) || errors.Is(err, git.ErrOther) { // which is reported where the object is scanned
				err = nil
			}
			return err
		}
	}
}

// has reports whether all of some lines are in the set.
func (l *lineSet) has(lines []byte) bool {
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
