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

// A Tree yields files, and directories with all that is in them but git's own
// folder. In a working tree those files are left out that git ignores, elsewhere
// those that a .gitignore names, and everywhere those of [OwnIgnoreFile]. What
// was asked for by its name is never left out. Links inside are not followed. It
// is good for one scan.
type Tree struct {
	Dir     string   // relative paths start here
	Paths   []string // as they were given; findings are named so
	Environ []string // for git

	skipped, left, ignored, expected int
}

// Expected is how many files there are, as far as is known.
func (t *Tree) Expected() int { return t.expected }

// Count adds what the scan itself did not see.
func (t *Tree) Count(total *Totals) {
	total.Skipped += t.skipped
	total.Left += t.left
	total.Ignored += t.ignored
}

// Source yields the files.
func (t *Tree) Source(ctx context.Context) Source {
	return func(yield func(Item, Content) error) error {
		var errs []error
		for _, given := range t.Paths {
			err := t.root(ctx, given, yield)
			if err != nil && ctx.Err() != nil {
				return err
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	}
}

// A place is a path that was given.
type place struct {
	given, full string
	top         string // of the project that it is in
	own         *ignores
	all         bool // git ignores what is in it; it was named, so that is meant
}

func (t *Tree) root(ctx context.Context, given string, yield func(Item, Content) error) error {
	full := given
	if !filepath.IsAbs(full) {
		full = filepath.Join(t.Dir, full)
	}
	info, err := os.Stat(full)
	if err != nil {
		return err
	}
	p := place{given: given, full: full}
	if !info.IsDir() {
		p.top = t.top(filepath.Dir(full))
		if !info.Mode().IsRegular() {
			t.skipped++
			return nil
		}
		return yield(p.item(full), opener(full))
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		p.full = real
	}
	p.top = t.top(p.full)
	p.own = newIgnores(p.top, OwnIgnoreFile)
	files, err := t.tracked(ctx, &p)
	if err != nil {
		return err
	}
	if files == nil {
		return t.walk(ctx, &p, p.full, yield)
	}
	return t.listed(ctx, &p, files, yield)
}

// top is the directory that paths in policies start from: that of the working
// tree, else where the person is.
func (t *Tree) top(dir string) string {
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

// item is a file of the place.
func (p *place) item(full string) Item {
	it := Item{Shown: filepath.ToSlash(filepath.Join(p.given, strings.TrimPrefix(full, p.full)))}
	if rel, err := filepath.Rel(p.top, full); err == nil && filepath.IsLocal(rel) {
		it.Path = filepath.ToSlash(rel)
	} else {
		it.Path, it.Outside = strings.TrimLeft(it.Shown, "./"), filepath.IsAbs(p.given)
	}
	return it
}

func opener(full string) Content {
	return Content{Open: func() (io.ReadCloser, error) { return os.Open(full) }}
}

// tracked lists what git knows or does not ignore below a directory; nil when it
// lies in no working tree, or git ignores all of it.
func (t *Tree) tracked(ctx context.Context, p *place) ([]string, error) {
	if _, err := os.Lstat(filepath.Join(p.top, ".git")); err != nil {
		return nil, nil
	}
	r, err := git.Open(ctx, p.full, t.Environ)
	if errors.Is(err, git.ErrNoGit) || errors.Is(err, git.ErrNoRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if p.all, err = r.Output(ctx); err != nil || p.all {
		return nil, err
	}
	files, err := r.Files(ctx)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	ignored, err := r.Ignored(ctx)
	if err != nil {
		return nil, err
	}
	t.ignored += ignored
	t.expected += len(files)
	slices.Sort(files)
	return slices.Compact(files), nil
}

// listed yields the files of a list that git gave.
func (t *Tree) listed(ctx context.Context, p *place, files []string, yield func(Item, Content) error) error {
	for _, name := range files {
		full := filepath.Join(p.full, filepath.FromSlash(name))
		info, err := os.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			continue // git has it and the tree does not
		case err != nil:
			return err
		case info.IsDir(): // a repository inside
			err = t.walk(ctx, p, full, yield)
		case !info.Mode().IsRegular():
			t.skipped++
		case t.leaves(p, full):
			t.left++
		default:
			err = yield(p.item(full), opener(full))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaves reports whether an ignore file of ours leaves a file out.
func (t *Tree) leaves(p *place, full string) bool {
	rel, err := filepath.Rel(p.top, full)
	return err == nil && filepath.IsLocal(rel) && p.own.ignored(filepath.ToSlash(rel), false)
}

// walk yields what is below a directory that git says nothing about.
func (t *Tree) walk(ctx context.Context, p *place, root string, yield func(Item, Content) error) error {
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
		case rules.ignored(filepath.ToSlash(rel), d.IsDir()):
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
		return yield(p.item(full), opener(full))
	})
	return errors.Join(append(unread, err)...)
}
