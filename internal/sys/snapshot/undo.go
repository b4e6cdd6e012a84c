package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ErrChanged is the error if files of a step were changed after it.
var ErrChanged = errors.New("changed since")

// ErrNothing is the error if there is no step to undo.
var ErrNothing = errors.New("there is nothing to undo")

// Undo restores the files of the latest step, of one session or of all, to their state before it, and
// removes the step. If files were changed after it, that is an [ErrChanged] and nothing is restored,
// unless force is set.
func (s *Shadow) Undo(ctx context.Context, session string, force bool) (Step, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return Step{}, err
	}
	defer unlock()
	points, err := s.readPoints()
	if err != nil {
		return Step{}, err
	}
	at := len(points) - 1
	for at >= 0 && session != "" && points[at].Session != session {
		at--
	}
	if at < 0 {
		return Step{}, ErrNothing
	}
	p := points[at]
	files, err := s.changes(ctx, &p)
	if err != nil {
		return Step{}, err
	}
	in := *s
	in.scope = p.Scope
	if err := in.restore(ctx, &p, files, force); err != nil {
		return Step{}, err
	}
	return Step{p, files}, s.writePoints(slices.Delete(points, at, at+1))
}

// restore restores the files of a step to their state before it.
func (s *Shadow) restore(ctx context.Context, p *Point, files []Change, force bool) error {
	// The current state is stored too, so that its files can be recovered from the shadow.
	now, err := s.capture(ctx, "undo")
	if err != nil {
		return err
	}
	since, err := s.changedFiles(ctx, p.To.Tree, now, files)
	if err != nil {
		return err
	}
	left, err := s.changedFiles(ctx, p.From.Tree, now, files) // the others are undone already
	if err != nil {
		return err
	}
	since = slices.DeleteFunc(since, func(name string) bool { return !slices.Contains(left, name) })
	if len(since) > 0 && !force {
		return fmt.Errorf("%w: %s", ErrChanged, strings.Join(since, ", "))
	}
	var back strings.Builder
	for _, c := range files {
		if c.Status == "A" {
			if err := s.remove(c.Path); err != nil {
				return err
			}
			continue
		}
		back.WriteString(c.Path + "\x00")
	}
	if back.Len() > 0 {
		if _, err := s.git(ctx, []byte(back.String()), "restore", "--source="+p.From.Tree, "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
			return err
		}
	}
	if now, err = s.capture(ctx, ""); err != nil {
		return err
	}
	left, err = s.changedFiles(ctx, p.From.Tree, now, files)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("these files could not be restored: %s", strings.Join(left, ", "))
	}
	return err
}

// changedFiles returns those of the files that differ from a tree now. Files that were too large to
// store always differ.
func (s *Shadow) changedFiles(ctx context.Context, tree string, now Shot, files []Change) ([]string, error) {
	list, err := s.diff(ctx, tree, now.Tree)
	if err != nil {
		return nil, err
	}
	other := map[string]bool{}
	for _, c := range list {
		other[c.Path] = true
	}
	for _, name := range now.Large {
		other[name] = true
	}
	var out []string
	for _, c := range files {
		if other[c.Path] {
			out = append(out, c.Path)
		}
	}
	return out, nil
}

// remove removes a file, and its parent directories that are then empty. It never leaves the working
// tree, whatever symlinks there are.
func (s *Shadow) remove(name string) error {
	top, err := os.OpenRoot(s.top)
	if err != nil {
		return err
	}
	defer top.Close()
	if err := top.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "." && dir != s.scope; dir = path.Dir(dir) {
		info, err := top.Lstat(filepath.FromSlash(dir))
		if err != nil || !info.IsDir() || top.Remove(filepath.FromSlash(dir)) != nil {
			break // it is not empty
		}
	}
	return nil
}
