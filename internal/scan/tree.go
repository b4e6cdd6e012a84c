package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A Tree yields files, and directories with everything in them except git's own directory. In a
// working tree it excludes files that git ignores, elsewhere those that a .gitignore names, and
// everywhere those that an [OwnIgnoreFile] names. Paths that the user named are never excluded.
// Symlinks within directories are not followed. A Tree can be used for one scan.
type Tree struct {
	Dir     string   // base directory of relative paths
	Paths   []string // paths as the user wrote them; findings use these names
	Environ []string // environment for git

	skipped, left, ignored, expected int
}

// ExpectedFiles returns the number of files that git has listed so far, for progress displays.
func (t *Tree) ExpectedFiles() int { return t.expected }

// AddCounts adds the counts that the scan itself does not know to total: skipped, excluded and ignored
// files.
func (t *Tree) AddCounts(total *Totals) {
	total.Skipped += t.skipped
	total.Excluded += t.left
	total.Ignored += t.ignored
}

// Source returns a source of the files.
func (t *Tree) Source(ctx context.Context) Source {
	return func(yield func(Item, Content) error) error {
		var errs []error
		for _, given := range t.Paths {
			err := t.yieldPath(ctx, given, yield)
			if err != nil && ctx.Err() != nil {
				return err
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	}
}

// A givenPath is a path that the user named.
type givenPath struct {
	given, full string
	top         string // top directory of the project that contains it
	own         *ignores
	all         bool // git ignores everything in it, but it is scanned because the user named it
}

// yieldPath calls yield with the files at given, a path that the user named.
func (t *Tree) yieldPath(ctx context.Context, given string, yield func(Item, Content) error) error {
	full := given
	if !filepath.IsAbs(full) {
		full = filepath.Join(t.Dir, full)
	}
	info, err := os.Stat(full)
	if err != nil {
		return err
	}
	p := givenPath{given: given, full: full}
	if !info.IsDir() {
		p.top = t.projectTop(filepath.Dir(full))
		if !info.Mode().IsRegular() {
			t.skipped++
			return nil
		}
		return yield(p.newItem(full), lazyContent(full))
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		p.full = real
	}
	p.top = t.projectTop(p.full)
	p.own = newIgnores(p.top, OwnIgnoreFile)
	files, err := t.gitFiles(ctx, &p)
	if err != nil {
		return err
	}
	if files == nil {
		return t.yieldWalked(ctx, &p, p.full, yield)
	}
	return t.yieldListed(ctx, &p, files, yield)
}

// projectTop returns the directory that paths in policies are relative to, for files in dir: the top
// of the working tree, or otherwise t.Dir if dir is below it, or dir itself.
func (t *Tree) projectTop(dir string) string {
	top := environ.RepoTop(dir)
	if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
		return top
	}
	here, err := filepath.EvalSymlinks(t.Dir)
	if err != nil {
		here = t.Dir
	}
	if rel, err := filepath.Rel(here, dir); err == nil && filepath.IsLocal(rel) {
		return here
	}
	return dir
}

// newItem returns the item for the file full, which is at or below p.
func (p *givenPath) newItem(full string) Item {
	it := Item{Shown: filepath.ToSlash(filepath.Join(p.given, strings.TrimPrefix(full, p.full)))}
	if rel, err := filepath.Rel(p.top, full); err == nil && filepath.IsLocal(rel) {
		it.Path = filepath.ToSlash(rel)
	} else {
		it.Path, it.Outside = strings.TrimLeft(it.Shown, "./"), filepath.IsAbs(p.given)
	}
	return it
}

// lazyContent returns the content of the file full, which is opened when it is read.
func lazyContent(full string) Content {
	return Content{Open: func() (io.ReadCloser, error) { return os.Open(full) }}
}

// gitFiles returns the files below p that git tracks or does not ignore, sorted. It returns nil if p
// is not in a working tree, or if git ignores all of it.
func (t *Tree) gitFiles(ctx context.Context, p *givenPath) ([]string, error) {
	if _, err := os.Lstat(filepath.Join(p.top, ".git")); err != nil {
		return nil, nil
	}
	r, err := git.OpenRepo(ctx, p.full, t.Environ)
	if errors.Is(err, git.ErrNoGit) || errors.Is(err, git.ErrNoRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if p.all, err = r.IsOutputDir(ctx); err != nil || p.all {
		return nil, err
	}
	files, err := r.ListFiles(ctx)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	ignored, err := r.CountIgnored(ctx)
	if err != nil {
		return nil, err
	}
	t.ignored += ignored
	t.expected += len(files)
	slices.Sort(files)
	return slices.Compact(files), nil
}

// yieldListed calls yield with files, which git listed below p.
func (t *Tree) yieldListed(ctx context.Context, p *givenPath, files []string, yield func(Item, Content) error) error {
	for _, name := range files {
		full := filepath.Join(p.full, filepath.FromSlash(name))
		info, err := os.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			continue // tracked, but removed from the working tree
		case err != nil:
			return err
		case info.IsDir(): // a nested repository
			err = t.yieldWalked(ctx, p, full, yield)
		case !info.Mode().IsRegular():
			t.skipped++
		case t.isExcluded(p, full):
			t.left++
		default:
			err = yield(p.newItem(full), lazyContent(full))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isExcluded reports whether a .checkreinignore excludes the file full.
func (t *Tree) isExcluded(p *givenPath, full string) bool {
	rel, err := filepath.Rel(p.top, full)
	return err == nil && filepath.IsLocal(rel) && p.own.isIgnored(filepath.ToSlash(rel), false)
}

// yieldWalked calls yield with the files below root, for which there is no list of git.
func (t *Tree) yieldWalked(ctx context.Context, p *givenPath, root string, yield func(Item, Content) error) error {
	names := []string{".gitignore", OwnIgnoreFile}
	if p.all {
		names = names[1:]
	}
	rules := newIgnores(root, names...)
	var unread []error
	err := filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			unread = append(unread, err)
			return nil
		}
		if full == root {
			return nil
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return fmt.Errorf("walking %s: %w", root, err)
		}
		switch {
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case rules.isIgnored(filepath.ToSlash(rel), d.IsDir()):
			t.left++
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			t.skipped++
			return nil
		}
		return yield(p.newItem(full), lazyContent(full))
	})
	return errors.Join(append(unread, err)...)
}
