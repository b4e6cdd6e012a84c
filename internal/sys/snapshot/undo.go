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

// ErrChanged is the error if files of a step were changed after the step.
var ErrChanged = errors.New("changed since")

// ErrNothing is the error if there is no step to undo.
var ErrNothing = errors.New("there is nothing to undo")

// Undo restores the files of the latest step of session, or of all sessions if session is "", to their
// state before it, and removes the step. If files were changed after the step and force is not set, it
// restores nothing and returns an [ErrChanged]. If there is no step, it returns [ErrNothing].
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
	files, err := s.pointChanges(ctx, &p)
	if err != nil {
		return Step{}, err
	}
	in := *s
	in.scope = p.Scope
	if err := in.restoreFiles(ctx, &p, files, force); err != nil {
		return Step{}, err
	}
	return Step{p, files}, s.writePoints(slices.Delete(points, at, at+1))
}

// restoreFiles restores files, the changes of p, to their state before p. It returns an [ErrChanged]
// if they were changed after p and force is not set.
func (s *Shadow) restoreFiles(ctx context.Context, p *Point, files []Change, force bool) error {
	// The current state is stored too, so that its files can be recovered from the shadow.
	now, err := s.capture(ctx, "undo")
	if err != nil {
		return err
	}
	since, err := s.changedFiles(ctx, p.To.Tree, now, files)
	if err != nil {
		return err
	}
	left, err := s.changedFiles(ctx, p.From.Tree, now, files) // the other files are restored already
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
			if err := s.removeFile(c.Path); err != nil {
				return err
			}
			continue
		}
		back.WriteString(c.Path + "\x00")
	}
	if back.Len() > 0 {
		if _, err := s.runShadowGit(ctx, []byte(back.String()), "restore", "--source="+p.From.Tree, "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
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

// changedFiles returns the paths of those of files that differ between tree and now. Files that were
// too large to store always differ.
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

// removeFile removes the file name, and its parent directories that are empty then. It never leaves
// the working tree, whatever symlinks there are.
func (s *Shadow) removeFile(name string) error {
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
			break // dir is not empty
		}
	}
	return nil
}
