package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// repoChanges returns what restoring the repository r of m would change, apart from files that were
// saved themselves.
func (s *Store) repoChanges(ctx context.Context, m *manifest, r *repoState, done time.Time) ([]Change, error) {
	var out []Change
	add := func(what, path string, later bool) *Change {
		out = append(out, Change{What: what, Path: path, Later: later, repo: r})
		return &out[len(out)-1]
	}
	g := &git{store: s, r: r}
	now, err := g.listRefs(ctx)
	if err != nil {
		return nil, err
	}
	have := map[string]string{}
	for _, x := range now {
		have[x.Name] = x.Object
	}
	for i := range r.Refs {
		x := &r.Refs[i]
		if have[x.Name] != x.Object {
			add(SetRef, x.Name, wasFileChangedAfter(filepath.Join(r.Common, filepath.FromSlash(x.Name)), m, done)).ref = x
		}
	}
	for name, data := range r.Files {
		path := r.statePath(name)
		current, err := state.ReadRegular(path, maxStateFile)
		if state.IsMissing(err) && data == nil {
			continue
		}
		if err != nil || data == nil || !bytes.Equal(current, data) {
			add(SetState, path, wasFileChangedAfter(path, m, done))
		}
	}
	if !r.Index || !r.Work {
		return out, nil
	}
	saved, index := s.path(m.name, repoDir(r.Number), "index"), filepath.Join(r.Dir, "index")
	if !sameContent(saved, index) {
		add(SetIndex, index, wasFileChangedAfter(index, m, done))
	}
	names, err := g.listDiffering(ctx, saved)
	if err != nil {
		return nil, err
	}
	own := make(map[string]bool, len(m.files))
	for i := range m.files {
		own[m.files[i].path] = true
	}
	for _, name := range names {
		path := filepath.Join(r.Top, filepath.FromSlash(name))
		if !own[path] {
			add(CheckOut, path, wasFileChangedAfter(path, m, done))
		}
	}
	return out, nil
}

// wasFileChangedAfter reports whether the file at path exists and was changed after the call of m.
func wasFileChangedAfter(path string, m *manifest, done time.Time) bool {
	info, err := os.Lstat(path)
	return err == nil && wasChangedAfter(info, m.Time, done)
}

// statePath returns the path of the small file name.
func (r *repoState) statePath(name string) string {
	if name == stashLog {
		return filepath.Join(r.Common, filepath.FromSlash(name))
	}
	return filepath.Join(r.Dir, name)
}

// listDiffering returns the names of files of the working tree that differ from the index at path. It runs
// nothing that the repository names.
func (g *git) listDiffering(ctx context.Context, path string) ([]string, error) {
	dir, err := os.MkdirTemp("", "checkrein-undo-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	plain := &git{store: g.store, r: g.r, plain: filepath.Join(dir, "empty")}
	if err := errors.Join(plain.makeEmpty(ctx), copyData(filepath.Join(dir, "index"), path)); err != nil {
		return nil, err
	}
	out, err := plain.run(ctx, filepath.Join(dir, "index"), nil, "diff-files", "--name-only", "-z", "--ignore-submodules=all")
	if err != nil {
		return nil, err
	}
	return splitNames(out), nil
}

// withIndex runs git on the repository itself with a copy of the index at path, to which git may write.
func (g *git) withIndex(ctx context.Context, path string, stdin []byte, args ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "checkrein-undo-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	on := g.store.source(g.r.Top)
	on.Index, on.Stdin = filepath.Join(dir, "index"), stdin
	if err := copyData(on.Index, path); err != nil {
		return nil, err
	}
	return on.Run(ctx, args...)
}

// applyToRepo carries out a change of a repository.
func (s *Store) applyToRepo(ctx context.Context, m *manifest, c *Change, roots *roots) error {
	r := c.repo
	if err := s.unpack(ctx, m, r); err != nil {
		return err
	}
	g := &git{store: s, r: r}
	switch {
	case c.ref != nil && c.ref.Object == "":
		_, err := s.source(r.Top).Run(ctx, "update-ref", "-d", c.ref.Name)
		return err
	case c.ref != nil:
		_, err := s.source(r.Top).Run(ctx, "update-ref", "-m", "checkrein undo "+m.ID, c.ref.Name, c.ref.Object)
		return err
	case c.What == SetIndex:
		data, err := state.ReadRegular(s.path(m.name, repoDir(r.Number), "index"), maxIndex)
		if err != nil {
			return err
		}
		return replaceLocked(roots, c.Path, data)
	case c.What == CheckOut:
		name, err := filepath.Rel(r.Top, c.Path)
		if err != nil {
			return err
		}
		saved := s.path(m.name, repoDir(r.Number), "index")
		_, err = g.withIndex(ctx, saved, []byte(filepath.ToSlash(name)+"\x00"), "checkout-index", "--force", "-z", "--stdin")
		return err
	}
	for name, data := range r.Files {
		if r.statePath(name) != c.Path {
			continue
		}
		if data == nil {
			if err := os.Remove(c.Path); !state.IsMissing(err) {
				return err
			}
			return nil // it went with its ref
		}
		return replaceLocked(roots, c.Path, data)
	}
	return errors.New("the save has no such file")
}

// replaceLocked replaces the content of path, a file of a git directory, as git does: by way of a file
// with the suffix .lock, so that it excludes git.
func replaceLocked(roots *roots, path string, data []byte) error {
	dir, err := roots.open(filepath.Dir(path), true)
	if err != nil {
		return err
	}
	base := filepath.Base(path)
	lock := base + ".lock"
	f, err := dir.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("git is running there: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = dir.Rename(lock, base)
	}
	if err != nil {
		_ = dir.Remove(lock)
	}
	return err
}

// unpack adds the saved commits to the repository r.
func (s *Store) unpack(ctx context.Context, m *manifest, r *repoState) error {
	if !r.Pack {
		return nil
	}
	pack, err := os.ReadFile(s.path(m.name, repoDir(r.Number), "commits.pack"))
	if err != nil {
		return err
	}
	on := s.source(r.Top)
	on.Stdin = pack
	if _, err := on.Run(ctx, "unpack-objects", "-q"); err != nil {
		return err
	}
	r.Pack = false // once is enough
	return nil
}
