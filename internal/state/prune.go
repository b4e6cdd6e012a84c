package state

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Prune removes the oldest files of a subdirectory until keep are left. It is
// for files that can be made again, and removes nothing else: lock files,
// temporary files and directories stay.
func (d Dir) Prune(sub string, keep int) error {
	full, err := d.existing(sub + "/any")
	if err != nil {
		return err
	}
	dir := filepath.Dir(full)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= keep {
		return err
	}
	type aged struct {
		name string
		at   time.Time
	}
	var files []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && checkName(e.Name()) == nil {
			files = append(files, aged{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b aged) int { return b.at.Compare(a.at) })
	for _, f := range files[min(keep, len(files)):] {
		if err := removeFile(filepath.Join(dir, f.name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
