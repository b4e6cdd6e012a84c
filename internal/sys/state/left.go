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

// An Entry is a name in a directory with a short text: a symlink that the text is the target of.
type Entry struct{ Name, Text string }

// AddEntry creates an [Entry] in the directory sub; an existing one is an [fs.ErrExist]. The text is
// one word. AddEntry opens no file and takes no lock.
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
	return writeFile(full, []byte(text), time.Time{}) // not every system has symlinks
}

// Entries returns at most limit entries of the directory sub, sorted. If there is no such directory,
// the common case, that costs one system call.
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

// RemoveEntries removes entries of the directory sub, and the directory if it is then empty.
func (d Dir) RemoveEntries(sub string, names []string) {
	for _, name := range names {
		_ = os.Remove(filepath.Join(d.path, sub, name))
	}
	_ = os.Remove(filepath.Join(d.path, sub))
}
