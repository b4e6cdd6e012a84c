// Package state owns the files of checkrein that outlive a process: it replaces
// them atomically, locks them between processes, forgets values after a time to
// live and keeps logs below a cap.
//
// Everything lives below one directory, a [Dir], that only its user may write.
// Reading never creates anything. Nothing is flushed to the disk: a killed
// process never damages a file, a power loss may lose the latest writes or, on
// some file systems, leave an empty file.
package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrNoState is the error of every write to the zero [Dir].
var ErrNoState = errors.New("no state directory")

// ErrPlace reports that something else lies in place of a directory of the state: a link,
// which may lead anywhere, a pipe, a file.
var ErrPlace = errors.New("nothing in it is used")

const (
	dirMode  = 0o700
	fileMode = 0o600

	lockSuffix = ".lock"
	tempPrefix = ".checkrein-"
	tempSuffix = ".tmp"
)

// A Dir is checkrein's state directory. It is a plain value, safe for
// concurrent use, and holds no file open. The zero Dir has no place on disk:
// reads find nothing, writes fail with [ErrNoState].
//
// Names of files are slash-separated paths below the directory, without empty,
// "." or ".." elements. Names of lock files and temporary files are reserved.
//
// Trust decisions live here. On Unix every method therefore refuses a
// directory, from the state directory down to the file's own, and a file, that
// belongs to another user or that group or others may write; the error names
// the path and the remedy. The state directory itself may be a symbolic link, and
// is judged by its target; below it no link is followed, neither to a directory, an
// [ErrPlace], nor to a file, lest somebody says with one what is written or removed
// elsewhere. On Windows the access rules inherited from the user's profile are relied
// on.
type Dir struct {
	path   string
	wait   time.Duration // for a lock; zero means LockWait
	sealer Sealer        // of sealed files; nil = they cannot be read or written
}

// At returns the state directory at path, touching nothing. At("") is the zero
// Dir.
func At(path string) Dir {
	if path == "" {
		return Dir{}
	}
	return Dir{path: filepath.Clean(path)}
}

// Path joins elem to the directory's path, for messages and for the user's own
// tools. It checks nothing and is "" for the zero Dir.
func (d Dir) Path(elem ...string) string {
	if d.path == "" {
		return ""
	}
	return filepath.Join(d.path, filepath.Join(elem...))
}

// Has reports whether something lies at the place of the named file, at the price of
// one look: neither whose it is nor what is asked.
func (d Dir) Has(name string) bool { return d.Size(name) >= 0 }

// Size is Has, and returns the size of what lies there; -1 = nothing does.
func (d Dir) Size(name string) int64 {
	if d.path == "" {
		return -1
	}
	return sizeAt(d.path + string(filepath.Separator) + filepath.FromSlash(name))
}

// Read returns the content of the named file. A file, or a directory on the way
// to it, that does not exist is an [fs.ErrNotExist]. A file of more than limit
// bytes and anything but a regular file are errors; neither a pipe nor a device
// makes Read wait.
func (d Dir) Read(name string, limit int64) ([]byte, error) {
	full, err := d.existing(name)
	if err != nil {
		return nil, err
	}
	data, _, err := readFile(full, limit)
	return data, err
}

// Write makes data the content of the named file, creating the directories on
// the way. Readers see the old content or the new, never a mixture, also when
// the process dies half-way; of concurrent writers the last one wins. Who reads,
// changes and writes holds the [Dir.Lock] of that name meanwhile.
func (d Dir) Write(name string, data []byte) error {
	full, err := d.prepare(name)
	if err != nil {
		return err
	}
	return writeFile(full, data, time.Time{})
}

// WriteFast is Write for what is of little use once the machine was off: after a loss
// of power the file may be empty, with the old content gone, on every file system. The
// writer never waits for the disk.
func (d Dir) WriteFast(name string, data []byte) error {
	full, err := d.prepare(name)
	if err != nil {
		return err
	}
	return replaceFile(full, data, time.Time{}, swapFile)
}

// Remove deletes the named file. To remove what does not exist is no error.
func (d Dir) Remove(name string) error {
	if d.path == "" {
		return fmt.Errorf("remove %s: %w", name, ErrNoState)
	}
	full, err := d.existing(name)
	if err == nil {
		err = removeFile(full)
	}
	if Missing(err) {
		return nil
	}
	return err
}

// RemoveAll deletes a directory, or a file, with all that is in it. Links in it go, and
// what they lead to stays.
func (d Dir) RemoveAll(name string) error {
	if d.path == "" {
		return fmt.Errorf("remove %s: %w", name, ErrNoState)
	}
	full, err := d.existing(name)
	if Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(full)
}

// existing checks name and the directories on its way and returns its full
// path. It creates nothing: what is missing is an fs.ErrNotExist, and so is
// everything in the zero Dir.
func (d Dir) existing(name string) (string, error) {
	if d.path == "" {
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err := checkName(name); err != nil {
		return "", err
	}
	full := d.full(name)
	if err := d.checkDirs(full); err != nil {
		return "", err
	}
	return full, nil
}

// full is the path of a name that was checked.
func (d Dir) full(name string) string {
	if os.IsPathSeparator(d.path[len(d.path)-1]) {
		return filepath.Join(d.path, filepath.FromSlash(name))
	}
	return d.path + string(filepath.Separator) + filepath.FromSlash(name) // as Join would, which looks at all of it
}

// prepare is existing for a write: it creates the directories that are missing.
func (d Dir) prepare(name string) (string, error) {
	if d.path == "" {
		return "", fmt.Errorf("write %s: %w", name, ErrNoState)
	}
	full, err := d.existing(name)
	if !Missing(err) {
		return full, err
	}
	parent := filepath.Dir(d.full(name))
	if err := os.MkdirAll(parent, dirMode); err != nil {
		return "", fmt.Errorf("make state directory %s: %w", parent, err)
	}
	// Someone else may have been quicker with the same name, so look again.
	return d.existing(name)
}

// checkDirs checks the state directory and those between it and a path below it.
func (d Dir) checkDirs(full string) error {
	if err := checkDir(d.path, true); err != nil {
		return err
	}
	for i := len(d.path) + 1; i < len(full); i++ {
		if !os.IsPathSeparator(full[i]) {
			continue
		}
		if err := checkDir(full[:i], false); err != nil {
			return err
		}
	}
	return nil
}

// notDir reports that something else is in place of a directory.
func notDir(path string, mode fs.FileMode) error {
	return fmt.Errorf("state directory %s is %s, not a directory: %w: move it out of the way", path, KindOf(mode), ErrPlace)
}

// Missing reports whether an error says that nothing is there, as errors.Is tells of
// [fs.ErrNotExist]: of what the system says of a file it does so at a glance, where the
// general question costs more than to look at the file.
func Missing(err error) bool {
	if e, ok := err.(*fs.PathError); ok && e.Err == syscall.ENOENT {
		return true
	}
	return err != nil && errors.Is(err, fs.ErrNotExist)
}

// KindOf describes in words what a file is.
func KindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Folder reports why a directory of the state cannot be used; one that is not there is an
// [fs.ErrNotExist].
func (d Dir) Folder(sub string) error {
	_, err := d.folder(sub)
	return err
}

// folder is existing for a directory.
func (d Dir) folder(sub string) (string, error) {
	full, err := d.existing(sub)
	if err != nil {
		return "", err
	}
	return full, checkDir(full, false)
}

func checkName(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`) || !filepath.IsLocal(name) {
		return fmt.Errorf("state file name %q: %w", name, fs.ErrInvalid)
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	if isTemp(base) || hasSuffixFold(base, lockSuffix) {
		return fmt.Errorf("state file name %q is reserved: %w", name, fs.ErrInvalid)
	}
	return nil
}

// hasSuffixFold ignores case, since some file systems do.
func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

func isTemp(base string) bool {
	return strings.HasPrefix(base, tempPrefix) && strings.HasSuffix(base, tempSuffix)
}

// Names returns the names of the files in the directory sub, in no order, but
// not those of locks and temporary files.
func (d Dir) Names(sub string) ([]string, error) {
	full, err := d.folder(sub)
	if err != nil {
		return nil, err
	}
	names, err := dirNames(full, -1)
	return slices.DeleteFunc(names, func(n string) bool { return isTemp(n) || hasSuffixFold(n, lockSuffix) }), err
}
