package state

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// An Entry is a name in a directory with a short text. It is stored as a symlink whose target is the
// text.
type Entry struct{ Name, Text string }

// AddEntry creates the entry name with text, which must be one word, in the directory sub. If it
// exists already, the error is an [fs.ErrExist]. AddEntry opens no file and takes no lock.
func (d Dir) AddEntry(sub, name, text string) error {
	if d.path == "" {
		return ErrNoState
	}
	if err := checkName(sub + "/" + name); err != nil {
		return err
	}
	err := checkDir(d.path, true)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(d.path, dirMode)
	}
	if err != nil {
		return err
	}
	dir := filepath.Join(d.path, sub)
	if err = os.Mkdir(dir, dirMode); errors.Is(err, fs.ErrExist) {
		err = checkDir(dir, false)
		if _, fixed := d.FixMode(sub); err != nil && fixed {
			err = checkDir(dir, false)
		}
	}
	if err != nil {
		return err
	}
	full := filepath.Join(dir, name)
	if err := os.Symlink(text, full); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return writeFile(full, []byte(text), time.Time{}) // this system has no symlinks
}

// Entries returns at most limit entries of the directory sub, sorted, or nil if they cannot be read.
// If the directory does not exist, which is the common case, it takes one system call.
func (d Dir) Entries(sub string, limit int) []Entry {
	if d.path == "" {
		return nil
	}
	dir := filepath.Join(d.path, sub)
	if _, err := os.Lstat(dir); err != nil || checkDir(d.path, true) != nil {
		return nil
	}
	d.FixMode(sub)
	if checkDir(dir, false) != nil {
		return nil
	}
	f, err := openDir(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(limit)
	if err != nil && err != io.EOF {
		return nil
	}
	slices.Sort(names)
	var list []Entry
	for _, name := range names {
		if isTempName(name) || checkName(name) != nil {
			continue
		}
		text, err := os.Readlink(filepath.Join(dir, name))
		if err != nil {
			data, _ := d.Read(sub+"/"+name, 1<<10)
			text = string(data)
		}
		list = append(list, Entry{name, text})
	}
	return list
}

// RemoveEntries removes the entries names of the directory sub, and the directory if it is empty then.
// Errors are ignored.
func (d Dir) RemoveEntries(sub string, names []string) {
	for _, name := range names {
		_ = os.Remove(filepath.Join(d.path, sub, name))
	}
	_ = os.Remove(filepath.Join(d.path, sub))
}
