package scrub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/checkrein/checkrein/internal/scan"
)

// MaxFile is how large a file may be.
const MaxFile = 64 << 20

// A Files are files to scrub. It is good for one run.
type Files struct {
	Scrubber
	Dir     string // relative paths start here
	Environ []string
	// Changed is told of each file that changes, before it is written; an error
	// ends the run. Undo, when set, keeps what a file was and makes Run write.
	Changed func(name string, r *Result) error
	Undo    *Undo

	Totals Totals
}

// Totals are what a run came to.
type Totals struct {
	Files    int // texts that were looked at
	Changed  int
	Masked   int // findings that were taken out
	Replaced int // matches of rules
	Binary   int // files without a text, and those that the policy leaves out
	Skipped  int // links, devices and the like
}

// Run scrubs files, and directories with what a scan finds in them. What cannot
// be scrubbed is an error, after the rest was.
func (f *Files) Run(ctx context.Context, paths []string) error {
	var errs []error
	for _, given := range paths {
		if err := f.root(ctx, given); err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(errs...)
}

// root scrubs what is at a path that was given. Nothing outside of it is
// touched, whatever links say.
func (f *Files) root(ctx context.Context, given string) error {
	full := given
	if !filepath.IsAbs(full) {
		full = filepath.Join(f.Dir, full)
	}
	info, err := os.Lstat(full)
	if err != nil {
		return err
	}
	dir := full
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		f.Totals.Skipped++
		return fmt.Errorf("%s is a symbolic link, and links are not followed: name its target", given)
	case !info.IsDir():
		dir = filepath.Dir(full)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	tree := &scan.Tree{Dir: f.Dir, Paths: []string{given}, Environ: f.Environ}
	var errs []error
	err = tree.Source(ctx)(func(it scan.Item, _ scan.Content) error {
		name := filepath.FromSlash(it.Shown)
		if !filepath.IsAbs(name) {
			name = filepath.Join(f.Dir, name)
		}
		rel, err := filepath.Rel(dir, name)
		if err == nil {
			err = f.file(ctx, root, rel, it)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", it.Shown, err))
		}
		return ctx.Err()
	})
	var t scan.Totals
	tree.Count(&t)
	f.Totals.Skipped += t.Skipped
	return errors.Join(append(errs, err)...)
}

// file scrubs one file.
func (f *Files) file(ctx context.Context, root *os.Root, rel string, it scan.Item) error {
	data, info, err := read(root, rel)
	if err != nil {
		return err
	}
	r, isText, err := f.Scrub(ctx, it.Path, data)
	if !isText {
		f.Totals.Binary++
		return err
	}
	f.Totals.Files++
	if err != nil || !r.Changed() {
		return err
	}
	f.Totals.Changed++
	f.Totals.Masked += r.Masked
	f.Totals.Replaced += r.Replaced
	if f.Changed != nil {
		if err := f.Changed(it.Shown, r); err != nil {
			return err
		}
	}
	if f.Undo == nil {
		return nil
	}
	mode := info.Mode() & keptMode
	if err := f.Undo.keep(filepath.Join(root.Name(), rel), mode, r); err != nil {
		return fmt.Errorf("saving the original: %w", err)
	}
	if err = replace(root, rel, r.After, mode, info); err != nil {
		f.Undo.drop()
	}
	return err
}

const keptMode = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

func read(root *os.Root, rel string) ([]byte, fs.FileInfo, error) {
	in, err := root.Open(rel)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, errors.New("is not a regular file")
	case info.Size() > MaxFile:
		return nil, nil, fmt.Errorf("is larger than %d MiB, so it was not scrubbed", MaxFile>>20)
	}
	data, err := io.ReadAll(io.LimitReader(in, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = fmt.Errorf("grew beyond %d MiB while it was read", MaxFile>>20)
	}
	return data, info, err
}

// replace writes a file whole or not at all, without leaving the root. One that
// is no longer as it was read stays; was is nil when there is none.
func replace(root *os.Root, rel string, data []byte, mode fs.FileMode, was fs.FileInfo) error {
	temp := filepath.Join(filepath.Dir(rel), ".checkrein-"+strconv.FormatUint(rand.Uint64(), 36))
	out, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	defer root.Remove(temp) // gone when all went well
	_, err = out.Write(data)
	if err == nil {
		keepOwner(out, was)
		err = out.Chmod(mode) // which the umask may have cut
	}
	if err == nil {
		err = out.Sync()
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil && was != nil {
		err = unchanged(root, rel, was)
	}
	if err == nil {
		err = root.Rename(temp, rel)
	}
	return err
}

// unchanged reports that a file was written or replaced since it was read: a hook
// may have taken its time, and nobody's work may be lost.
func unchanged(root *os.Root, rel string, was fs.FileInfo) error {
	now, err := root.Lstat(rel)
	if err == nil && (!os.SameFile(was, now) || now.Size() != was.Size() || !now.ModTime().Equal(was.ModTime())) {
		err = errors.New("was changed in the meantime, so it was left as it is: run the command again")
	}
	return err
}
