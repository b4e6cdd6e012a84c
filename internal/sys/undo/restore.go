package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Change is what restoring a save does at one place.
type Change struct {
	What string `json:"what"` // bring back, restore, remove, or the name of a ref, the index or HEAD
	Path string `json:"path"`
	// Later is set if the place was changed after the call, so that restoring would lose that. It is
	// then skipped unless Restore is forced.
	Later bool `json:"later,omitempty"`
	Lost  bool `json:"lost,omitempty"` // the copy itself was changed, so it cannot be restored

	file *file
	repo *repoState
	ref  *ref
}

// The values of Change.What for files.
const (
	BringBack = "bring back" // nothing is there now
	Replace   = "restore"    // something else is there now
	Remove    = "remove"     // nothing was there
)

// Other values of Change.What.
const (
	SetRef   = "set ref"
	SetIndex = "restore the index"
	SetState = "restore" // a small file of the git directory
	CheckOut = "check out"
)

// Preview returns what restoring the save would change. done is when its call had ended; the zero time
// means that this is unknown, and then everything that exists may have been changed later.
func (s *Store) Preview(ctx context.Context, e Entry, done time.Time) ([]Change, error) {
	m, err := s.readManifest(e.name)
	if err != nil {
		return nil, err
	}
	return s.changes(ctx, m, done)
}

// changes returns what restoring m would change.
func (s *Store) changes(ctx context.Context, m *manifest, done time.Time) ([]Change, error) {
	var out []Change
	for i := range m.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c, ok := s.fileChange(m, &m.files[i], done); ok {
			out = append(out, c)
		}
	}
	for i := range m.Repos {
		more, err := s.repoChanges(ctx, m, &m.Repos[i], done)
		if err != nil && !m.holds(m.Repos[i].Dir) { // else its files come back, and the rest then
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// fileChange returns what restoring f would change. It reports false if f is as it was.
func (s *Store) fileChange(m *manifest, f *file, done time.Time) (Change, bool) {
	c := Change{What: Replace, Path: f.path, file: f}
	now, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		c.What, now = BringBack, nil
		if f.kind == absent {
			return c, false
		}
	case err != nil:
		c.What, now = BringBack, nil // restoring it reports the error
	case f.kind == absent:
		c.What = Remove
	case f.kind == directory && now.IsDir():
		if now.Mode()&modeBits == f.mode {
			return c, false
		}
	case f.kind == symlink && now.Mode()&fs.ModeSymlink != 0:
		if target, err := os.Readlink(f.path); err == nil && target == f.target {
			return c, false
		}
	case f.kind == regular && now.Mode().IsRegular():
		if now.Mode()&modeBits == f.mode && s.hasContent(m, f, now) {
			return c, false
		}
	}
	c.Later = now != nil && wasChangedAfter(now, m.Time, done)
	if f.kind == regular {
		copied, err := os.Lstat(s.copyPath(m, f))
		if err == nil && now != nil && os.SameFile(copied, now) && now.ModTime().UnixNano() != f.mtime {
			return c, false // the call left it; what changed it later changed the copy too
		}
		c.Lost = err != nil || copied.Size() != f.size || f.linked && copied.ModTime().UnixNano() != f.mtime
	}
	return c, true
}

// modeBits are the bits of a mode that are restored.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// graceTime is how long after a call its own writes may end.
const graceTime = 50 * time.Millisecond

// wasChangedAfter reports whether info describes a file that was changed after a call, which began at
// began and had ended at done.
func wasChangedAfter(info fs.FileInfo, began, done time.Time) bool {
	changed := state.ChangeTime(info)
	if done.IsZero() {
		return changed.After(began)
	}
	return changed.After(done.Add(graceTime))
}

// copyPath returns the path of the copy of f.
func (s *Store) copyPath(m *manifest, f *file) string {
	return s.path(m.name, "files", copyName(f.number))
}

// hasContent reports whether the file f, which now describes, has the content of its copy.
func (s *Store) hasContent(m *manifest, f *file, now fs.FileInfo) bool {
	copied, err := os.Lstat(s.copyPath(m, f))
	if err != nil || copied.Size() != now.Size() {
		return false
	}
	if os.SameFile(copied, now) {
		return now.ModTime().UnixNano() == f.mtime
	}
	return sameContent(f.path, s.copyPath(m, f))
}

// sameContent reports whether the files a and b have the same content.
func sameContent(a, b string) bool {
	f, err := os.Open(a)
	if err != nil {
		return false
	}
	defer f.Close()
	g, err := os.Open(b)
	if err != nil {
		return false
	}
	defer g.Close()
	var x, y [32 << 10]byte
	for {
		n, err1 := io.ReadFull(f, x[:])
		k, err2 := io.ReadFull(g, y[:])
		if n != k || !bytes.Equal(x[:n], y[:k]) {
			return false
		}
		if err1 != nil || err2 != nil {
			return err1 != nil && err2 != nil
		}
	}
}

// A Result is what restoring a save did.
type Result struct {
	Done    []Change `json:"done"`
	Skipped []Change `json:"skipped,omitempty"` // changed later, or their copies were
	Undo    string   `json:"undo,omitempty"`    // the save with which restoring can be taken back; "" = nothing was changed
}

// Restore brings back what the save e holds, after it saved what it will overwrite. It skips what was
// changed after the call unless force is set. See [Store.Preview] for done.
func (s *Store) Restore(ctx context.Context, e Entry, done time.Time, force bool) (Result, error) {
	m, err := s.readManifest(e.name)
	if err != nil {
		return Result{}, err
	}
	if err := s.mendRepos(ctx, m); err != nil {
		return Result{}, err
	}
	all, err := s.changes(ctx, m, done)
	if err != nil {
		return Result{}, err
	}
	var out Result
	var todo []Change
	for _, c := range all {
		if c.Lost || c.Later && !force {
			out.Skipped = append(out.Skipped, c)
		} else {
			todo = append(todo, c)
		}
	}
	if len(todo) == 0 {
		return out, nil
	}
	back, err := s.save(context.WithoutCancel(ctx), Request{Session: m.Session, Command: m.Command, Dir: m.Dir, Losses: lossesOf(todo)}, m.ID)
	if err != nil {
		return out, fmt.Errorf("what would be overwritten cannot be saved: %w", err)
	}
	out.Undo = back.ID
	roots := newRoots()
	defer roots.close()
	var errs []error
	for _, c := range sortChanges(todo) {
		if err := s.apply(ctx, m, &c, roots); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Path, err))
			continue
		}
		out.Done = append(out.Done, c)
	}
	return out, errors.Join(errs...)
}

// mendRepos brings back the missing files of repositories that git cannot read any more, without which
// nothing else of them can be restored. It overwrites nothing.
func (s *Store) mendRepos(ctx context.Context, m *manifest) error {
	roots := newRoots()
	defer roots.close()
	for i := range m.Repos {
		r := &m.Repos[i]
		if _, err := (&git{store: s, r: r}).listRefs(ctx); err == nil || !m.holds(r.Dir) {
			continue
		}
		for k := range m.files {
			f := &m.files[k]
			c, changed := s.fileChange(m, f, time.Time{})
			if !changed || c.What != BringBack || c.Lost || f.path != r.Dir && !strings.HasPrefix(f.path, r.Dir+"/") {
				continue
			}
			if err := s.apply(ctx, m, &c, roots); err != nil {
				return fmt.Errorf("%s: %w", f.path, err)
			}
		}
	}
	return nil
}

// holds reports whether the save holds everything at path.
func (m *manifest) holds(path string) bool {
	return slices.ContainsFunc(m.files, func(f file) bool { return f.path == path && f.kind != absent })
}

// lossesOf returns what carrying out the changes loses, or brings back.
func lossesOf(changes []Change) []Loss {
	var out []Loss
	repos := map[string]int{}
	for _, c := range changes {
		if c.repo == nil || c.What == CheckOut {
			out = append(out, Loss{Path: c.Path, Literal: true, Shallow: true, InPlace: c.file != nil && c.file.inode != 0})
			continue
		}
		at, ok := repos[c.repo.Dir]
		if !ok {
			at = len(out)
			repos[c.repo.Dir] = at
			out = append(out, Loss{Repo: c.repo.Top, Work: true, Commits: true})
		}
		if c.ref != nil {
			out[at].Refs = append(out[at].Refs, c.ref.Name)
		}
	}
	return out
}

// sortChanges returns the changes in the order in which they are carried out: git's own files first,
// then directories before what is in them. Files that are removed come last.
func sortChanges(changes []Change) []Change {
	rank := func(c Change) int {
		switch {
		case c.ref != nil:
			return 0 // git adds to the list of stashes, which is a file that is restored next
		case c.repo != nil && c.What != CheckOut:
			return 1
		case c.repo != nil:
			return 2
		case c.What == Remove:
			return 4
		}
		return 3
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		if rank(a) == 4 {
			return strings.Compare(b.Path, a.Path)
		}
		return strings.Compare(a.Path, b.Path)
	})
	return changes
}

// apply carries out one change.
func (s *Store) apply(ctx context.Context, m *manifest, c *Change, roots *roots) error {
	if c.repo != nil {
		return s.applyToRepo(ctx, m, c, roots)
	}
	f := c.file
	if f.kind == absent {
		dir, err := roots.open(filepath.Dir(f.path), false)
		if err != nil {
			return err
		}
		return dir.Remove(filepath.Base(f.path))
	}
	if f.kind == directory {
		dir, err := roots.open(f.path, true)
		if err != nil {
			return err
		}
		return dir.Chmod(".", f.mode)
	}
	dir, err := roots.open(filepath.Dir(f.path), true)
	if err != nil {
		return err
	}
	base := filepath.Base(f.path)
	info, err := dir.Lstat(base)
	if err == nil && f.inode != 0 && info.Mode().IsRegular() && sharedInode(info) == f.inode {
		return s.writeBack(dir, base, info, s.copyPath(m, f), f)
	}
	if err == nil && info.IsDir() {
		if err := dir.Remove(base); err != nil {
			return fmt.Errorf("a directory is there now: %w", err)
		}
	}
	temp := ".checkrein-undo-" + strconv.Itoa(os.Getpid())
	_ = dir.Remove(temp) // of a killed process with this number
	if f.kind == symlink {
		err = dir.Symlink(f.target, temp)
	} else {
		err = s.copyBack(dir, temp, s.copyPath(m, f), f)
	}
	if err == nil {
		err = dir.Rename(temp, base)
	}
	if err != nil {
		_ = dir.Remove(temp)
	}
	return err
}

// writeBack copies the file from, the copy of f, into the file name of dir, which info describes, so
// that its other names get the content as well.
func (s *Store) writeBack(dir *os.Root, name string, info fs.FileInfo, from string, f *file) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := dir.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if now, err := out.Stat(); err != nil || !os.SameFile(now, info) {
		out.Close()
		return errors.New("it was replaced meanwhile")
	}
	err = out.Truncate(0)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	err = errors.Join(err, out.Chmod(f.mode), out.Close())
	at := time.Unix(0, f.mtime)
	return errors.Join(err, dir.Chtimes(name, at, at))
}

// copyBack copies the file from, the copy of f, to the new file name in dir.
func (s *Store) copyBack(dir *os.Root, name, from string, f *file) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if info, statErr := in.Stat(); f.linked && statErr == nil {
		if uid, gid, ok := ownerOf(info); ok {
			_ = out.Chown(uid, gid) // only root may give files away
		}
	}
	err = errors.Join(err, out.Chmod(f.mode), out.Close())
	at := time.Unix(0, f.mtime)
	return errors.Join(err, dir.Chtimes(name, at, at))
}
