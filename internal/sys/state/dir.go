// Package state manages the files of checkrein that outlive a process. It replaces them
// atomically, locks them between processes, expires values after a time to live, and limits
// the size of logs.
//
// All files live below one directory, a [Dir], that only its user may write. Reading never creates
// anything. Except where a method promises otherwise, nothing is flushed to the disk: a killed process
// never damages a file, but a power loss may lose the latest writes or, on some file systems, leave an
// empty file.
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

// ErrNotDir is the error if something other than a directory is in place of a directory of the state:
// a symlink, which may lead anywhere, a pipe or a file.
var ErrNotDir = errors.New("nothing in it is used")

const (
	dirMode  = 0o700
	fileMode = 0o600

	lockSuffix = ".lock"
	tempPrefix = ".checkrein-"
	tempSuffix = ".tmp"
)

// A Dir is checkrein's state directory. It is a plain value, safe for concurrent use, and holds no
// file open. The zero Dir has no place on disk: reads find nothing, and writes fail with [ErrNoState].
//
// Names of files are slash-separated paths below the directory, without empty, "." or ".." elements.
// Names of lock files and temporary files are reserved.
//
// Approvals are stored here. On Unix every method therefore refuses a file, or a directory from the
// state directory down to that of the file, that belongs to another user or that group or others may
// write; the error names the path and the remedy. The state directory itself may be a symlink, whose
// target is checked. Below it no symlink is followed, because it could redirect a write or a removal:
// one in place of a directory is an [ErrNotDir], and one in place of a file is an error too. On
// Windows the methods rely on the access rules inherited from the user's profile.
type Dir struct {
	path   string
	wait   time.Duration // how long to wait for a lock; zero means LockWait
	sealer Sealer        // authenticates sealed files; if nil, they cannot be read or written
}

// NewDir returns the state directory at path without accessing it. NewDir("") is the zero Dir.
func NewDir(path string) Dir {
	if path == "" {
		return Dir{}
	}
	return Dir{path: filepath.Clean(path)}
}

// Path returns elem joined to the path of the directory, for messages and for the user's own tools. It
// checks nothing, and returns "" for the zero Dir.
func (d Dir) Path(elem ...string) string {
	if d.path == "" {
		return ""
	}
	return filepath.Join(d.path, filepath.Join(elem...))
}

// Has reports whether the file name exists. It takes one system call, and checks neither the owner nor
// the type of the file.
func (d Dir) Has(name string) bool { return d.Size(name) >= 0 }

// Size returns the size of the file name, or -1 if it does not exist. Like [Dir.Has] it checks neither
// the owner nor the type of the file.
func (d Dir) Size(name string) int64 {
	if d.path == "" {
		return -1
	}
	return sizeOrMinusOne(d.path + string(filepath.Separator) + filepath.FromSlash(name))
}

// Read returns the content of the file name. If the file, or a directory leading to it, does not
// exist, the error is an [fs.ErrNotExist]. It is an error if the file has more than limit bytes or is
// not a regular file. Read does not block on a pipe or a device.
func (d Dir) Read(name string, limit int64) ([]byte, error) {
	full, err := d.resolve(name)
	if err != nil {
		return nil, err
	}
	data, _, err := readFile(full, limit)
	return data, err
}

// Write replaces the content of the file name with data, and creates the directories leading to it.
// Readers see either the old content or the new, never a mixture, even if the process dies half-way.
// Of concurrent writers the last one wins, so a caller that reads, changes and writes must hold the
// [Dir.Lock] of that name meanwhile.
func (d Dir) Write(name string, data []byte) error {
	full, err := d.makeParents(name)
	if err != nil {
		return err
	}
	return writeFile(full, data, time.Time{})
}

// WriteFast is Write that never waits for the disk, for content that is of little use after a restart.
// After a power loss the file may be empty, with the old content gone, on every file system.
func (d Dir) WriteFast(name string, data []byte) error {
	full, err := d.makeParents(name)
	if err != nil {
		return err
	}
	return replaceFile(full, data, time.Time{}, renameNoSync)
}

// Remove deletes the file name. It is no error if the file does not exist.
func (d Dir) Remove(name string) error {
	if d.path == "" {
		return fmt.Errorf("remove %s: %w", name, ErrNoState)
	}
	full, err := d.resolve(name)
	if err == nil {
		err = removeFile(full)
	}
	if IsMissing(err) {
		return nil
	}
	return err
}

// RemoveAll deletes the file name, or the directory name with its content. Symlinks in it are removed,
// but not their targets. It is no error if name does not exist.
func (d Dir) RemoveAll(name string) error {
	if d.path == "" {
		return fmt.Errorf("remove %s: %w", name, ErrNoState)
	}
	full, err := d.resolve(name)
	if IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(full)
}

// resolve checks name and the directories leading to it, and returns its full path. It creates
// nothing. The error is an fs.ErrNotExist if a directory is missing, and for every name in the zero
// Dir.
func (d Dir) resolve(name string) (string, error) {
	if d.path == "" {
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err := checkName(name); err != nil {
		return "", err
	}
	full := d.fullPath(name)
	if err := d.checkDirs(full); err != nil {
		return "", err
	}
	return full, nil
}

// fullPath returns the path of name, which must have been checked.
func (d Dir) fullPath(name string) string {
	if os.IsPathSeparator(d.path[len(d.path)-1]) {
		return filepath.Join(d.path, filepath.FromSlash(name))
	}
	return d.path + string(filepath.Separator) + filepath.FromSlash(name) // the same as Join, but cheaper
}

// makeParents is resolve for a write: it creates the missing directories that lead to name.
func (d Dir) makeParents(name string) (string, error) {
	if d.path == "" {
		return "", fmt.Errorf("write %s: %w", name, ErrNoState)
	}
	full, err := d.resolve(name)
	if !IsMissing(err) {
		return full, err
	}
	parent := filepath.Dir(d.fullPath(name))
	if err := os.MkdirAll(parent, dirMode); err != nil {
		return "", fmt.Errorf("make state directory %s: %w", parent, err)
	}
	// Another process may have created something of the same name first, so check again.
	return d.resolve(name)
}

// checkDirs checks the state directory and the directories between it and full, a path below it.
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

// notDirError returns the error for a file with the given mode in place of the directory path.
func notDirError(path string, mode fs.FileMode) error {
	return fmt.Errorf("state directory %s is %s, not a directory: %w: move it out of the way", path, DescribeKind(mode), ErrNotDir)
}

// IsMissing reports whether err means that a file does not exist, like errors.Is with
// [fs.ErrNotExist]. It recognises the errors of system calls without the cost of errors.Is, which
// exceeds that of the system call.
func IsMissing(err error) bool {
	if e, ok := err.(*fs.PathError); ok && e.Err == syscall.ENOENT {
		return true
	}
	return err != nil && errors.Is(err, fs.ErrNotExist)
}

// DescribeKind returns the kind of a file with the given mode in words, such as "a directory".
func DescribeKind(mode fs.FileMode) string {
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

// CheckDir returns an error if the directory sub cannot be used, which is an [fs.ErrNotExist] if it
// does not exist.
func (d Dir) CheckDir(sub string) error {
	_, err := d.resolveDir(sub)
	return err
}

// resolveDir is resolve for the directory sub, which it checks as well.
func (d Dir) resolveDir(sub string) (string, error) {
	full, err := d.resolve(sub)
	if err != nil {
		return "", err
	}
	return full, checkDir(full, false)
}

// checkName returns an error if name does not stay below the state directory, or is reserved.
func checkName(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`) || !filepath.IsLocal(name) {
		return fmt.Errorf("state file name %q: %w", name, fs.ErrInvalid)
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	if isTempName(base) || hasSuffixFold(base, lockSuffix) {
		return fmt.Errorf("state file name %q is reserved: %w", name, fs.ErrInvalid)
	}
	return nil
}

// hasSuffixFold is strings.HasSuffix that ignores case, as some file systems do.
func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// isTempName reports whether base is the name of a temporary file.
func isTempName(base string) bool {
	return strings.HasPrefix(base, tempPrefix) && strings.HasSuffix(base, tempSuffix)
}

// Names returns the names of the files in the directory sub, in no particular order and without lock
// files and temporary files.
func (d Dir) Names(sub string) ([]string, error) {
	full, err := d.resolveDir(sub)
	if err != nil {
		return nil, err
	}
	names, err := dirNames(full, -1)
	return slices.DeleteFunc(names, func(n string) bool { return isTempName(n) || hasSuffixFold(n, lockSuffix) }), err
}
