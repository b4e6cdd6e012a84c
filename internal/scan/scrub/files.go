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

// MaxFile is the maximum size in bytes of a file that is scrubbed.
const MaxFile = 64 << 20

// A FileScrubber scrubs files. It can be used for one run.
type FileScrubber struct {
	Scrubber
	Dir     string // base directory of relative paths
	Environ []string
	// Changed is called for each file that changes, before it is written; an error leaves the
	// file unchanged. If Undo is set, it stores the original files and Run writes the changed
	// ones; otherwise nothing is written.
	Changed func(name string, r *Result) error
	Undo    *Undo

	Totals Totals
}

// Totals holds the counts of a run.
type Totals struct {
	Files    int // texts that were checked
	Changed  int
	Masked   int // findings that were masked
	Replaced int // matches of rules that were replaced
	Binary   int // binary files, and files that the policy excludes
	Skipped  int // symlinks, devices and similar files
}

// Run scrubs the files paths and, for directories among them, the files in them that a scan includes.
// If a file cannot be scrubbed, it scrubs the rest and then returns an error.
func (f *FileScrubber) Run(ctx context.Context, paths []string) error {
	var errs []error
	for _, given := range paths {
		if err := f.scrubPath(ctx, given); err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(errs...)
}

// scrubPath scrubs the file or directory given, which the user named. It never changes anything
// outside it, wherever symlinks lead.
func (f *FileScrubber) scrubPath(ctx context.Context, given string) error {
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
			err = f.scrubFile(ctx, root, rel, it)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", it.Shown, err))
		}
		return ctx.Err()
	})
	var t scan.Totals
	tree.AddCounts(&t)
	f.Totals.Skipped += t.Skipped
	return errors.Join(append(errs, err)...)
}

// scrubFile scrubs the file rel within root, whose item is it.
func (f *FileScrubber) scrubFile(ctx context.Context, root *os.Root, rel string, it scan.Item) error {
	data, info, err := readFile(root, rel)
	if err != nil {
		return err
	}
	r, isText, err := f.Scrub(ctx, it.Path, data)
	if !isText {
		f.Totals.Binary++
		return err
	}
	f.Totals.Files++
	if err != nil || !r.HasChanges() {
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
	if err := f.Undo.storeOriginal(filepath.Join(root.Name(), rel), mode, r); err != nil {
		return fmt.Errorf("saving the original: %w", err)
	}
	if err = replaceFile(root, rel, r.After, mode, info); err != nil {
		f.Undo.dropLast()
	}
	return err
}

const keptMode = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// readFile returns the content of the regular file rel within root, and its file info.
func readFile(root *os.Root, rel string) ([]byte, fs.FileInfo, error) {
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

// replaceFile replaces the file rel within root atomically. If the file changed since was, it returns
// an error and leaves the file unchanged; was is nil if there is no file.
func replaceFile(root *os.Root, rel string, data []byte, mode fs.FileMode, was fs.FileInfo) error {
	temp := filepath.Join(filepath.Dir(rel), ".checkrein-"+strconv.FormatUint(rand.Uint64(), 36))
	out, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	defer root.Remove(temp) // fails after a successful rename
	_, err = out.Write(data)
	if err == nil {
		keepOwner(out, was)
		err = out.Chmod(mode) // the umask may have removed bits
	}
	if err == nil {
		err = out.Sync()
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil && was != nil {
		err = checkUnchanged(root, rel, was)
	}
	if err == nil {
		err = root.Rename(temp, rel)
	}
	return err
}

// checkUnchanged returns an error if the file rel was written or replaced since was: a hook may have
// taken long, and another program's changes must not be lost.
func checkUnchanged(root *os.Root, rel string, was fs.FileInfo) error {
	now, err := root.Lstat(rel)
	if err == nil && (!os.SameFile(was, now) || now.Size() != was.Size() || !now.ModTime().Equal(was.ModTime())) {
		err = errors.New("was changed in the meantime, so it was left as it is: run the command again")
	}
	return err
}
