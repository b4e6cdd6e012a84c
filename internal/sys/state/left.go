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

// A Left is a name with a short text.
type Left struct{ Name, Text string }

// Leave makes a name in the directory sub that says a short text. It opens no file, and
// waits for nobody. Text is one word.
func (d Dir) Leave(sub, name, text string) error {
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
		if _, mended := d.Mend(sub); err != nil && mended {
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
	return writeFile(full, []byte(text), time.Time{}) // not every system has links
}

// Left returns the names in the directory sub with their texts, sorted, at most so many.
// None is the common case, and costs one look.
func (d Dir) Left(sub string, most int) []Left {
	if d.path == "" {
		return nil
	}
	dir := filepath.Join(d.path, sub)
	if _, err := os.Lstat(dir); err != nil || checkDir(d.path, true) != nil {
		return nil
	}
	d.Mend(sub)
	if checkDir(dir, false) != nil {
		return nil
	}
	f, err := openDir(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(most)
	if err != nil && err != io.EOF {
		return nil
	}
	slices.Sort(names)
	var list []Left
	for _, name := range names {
		if isTemp(name) || checkName(name) != nil {
			continue
		}
		text, err := os.Readlink(filepath.Join(dir, name))
		if err != nil {
			data, _ := d.Read(sub+"/"+name, 1<<10)
			text = string(data)
		}
		list = append(list, Left{name, text})
	}
	return list
}

// Unleave removes names, and their directory if it is empty then.
func (d Dir) Unleave(sub string, names []string) {
	for _, name := range names {
		_ = os.Remove(filepath.Join(d.path, sub, name))
	}
	_ = os.Remove(filepath.Join(d.path, sub))
}
