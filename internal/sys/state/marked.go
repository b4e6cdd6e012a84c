package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A MarkedPath is the path of a file, or of a directory or symlink leading to one, with the mark that
// it had.
type MarkedPath struct {
	Path     string `json:"path"`
	Mark     Mark   `json:"mark"`           // mark of the file that Path leads to; zero for a symlink to a directory
	Link     Mark   `json:"link"`           // mark of the symlink at Path; zero if Path is no symlink
	IsParent bool   `json:"way,omitempty"`  // Path is a directory, or a symlink to one, that leads to a file
	ModTime  int64  `json:"made,omitempty"` // for a directory, when an entry was last created or removed in it
}

// NewMarkedPath returns path with mark, which the caller must take from the descriptor through which
// it read the file.
func NewMarkedPath(path string, mark Mark) MarkedPath {
	m := MarkedPath{Path: path, Mark: mark}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		m.Link = MarkOf(info)
	}
	return m
}

// AddParents adds the directories and symlinks that lead to files, each once, from top down for files
// below the directory top. They matter because redirecting a directory and restoring it leaves no
// trace in the file itself.
func AddParents(files []MarkedPath, top string) []MarkedPath {
	n := len(files)
	for i := range n {
		dir := filepath.Dir(files[i].Path)
		var linked bool
		if files, linked = addParentsOf(files, n, dir, top); linked {
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				files, _ = addParentsOf(files, n, real, top)
			}
		}
	}
	return files
}

// addParentsOf adds dir and its parent directories up to top to files, where the directories added
// earlier begin at index from. It reports whether one of them is a symlink.
func addParentsOf(files []MarkedPath, from int, dir, top string) ([]MarkedPath, bool) {
	linked := false
	for {
		known := slices.IndexFunc(files[from:], func(m MarkedPath) bool { return m.Path == dir })
		if known < 0 {
			if info, err := os.Lstat(dir); err == nil {
				m := MarkedPath{Path: dir, IsParent: true}
				if info.Mode()&fs.ModeSymlink != 0 {
					m.Link = MarkOf(info)
				} else {
					m.Mark, m.ModTime = MarkOf(info), info.ModTime().UnixNano()
				}
				files, known = append(files, m), len(files)-from
			}
		}
		linked = linked || known >= 0 && files[from+known].Link != (Mark{})
		up := filepath.Dir(dir)
		if up == dir || dir == top {
			return files, linked
		}
		dir = up
	}
}

// IsUnchanged reports whether the file at m.Path is the one that was marked and has not been written
// since. A directory that leads to a file must not have been moved; new entries in it, which hooks may
// create, are no change.
func (m *MarkedPath) IsUnchanged() bool {
	info, err := os.Lstat(m.Path)
	if err != nil {
		return false
	}
	is := MarkOf(info)
	switch linked := info.Mode()&fs.ModeSymlink != 0; {
	case m.Link != (Mark{}) != linked:
		return false
	case linked && is != m.Link:
		return false
	case m.IsParent && linked:
		return true
	case m.IsParent:
		// Moving a directory changes its change time, but not its modification time.
		return info.IsDir() && is.Dev == m.Mark.Dev && is.Inode == m.Mark.Inode &&
			(is.Changed == m.Mark.Changed || info.ModTime().UnixNano() != m.ModTime)
	case linked:
		if info, err = os.Stat(m.Path); err != nil {
			return false
		}
		is = MarkOf(info)
	}
	return info.Mode().IsRegular() && is == m.Mark
}

// FirstChanged returns the path of the first of files that changed since it was marked, or "" if none
// did.
func FirstChanged(files []MarkedPath) string {
	for i := range files {
		if !files[i].IsUnchanged() {
			return files[i].Path
		}
	}
	return ""
}

// tick is the minimum time between two changes of a file after which their times certainly differ.
// File systems have coarse clocks.
const tick = 20 * time.Millisecond

// SettleDelay returns how long to wait at now before reading files again. A file that changed just now
// can change once more and keep its mark. It returns 0 if no file changed that recently.
func SettleDelay(files []MarkedPath, now time.Time) time.Duration {
	var wait time.Duration
	for i := range files {
		if files[i].IsParent { // entries may be created in a directory at any time
			continue
		}
		for _, at := range [...]int64{files[i].Mark.Changed, files[i].Link.Changed} {
			if age := now.Sub(time.Unix(0, at)); age < tick && age > -tick {
				wait = max(wait, tick-age)
			}
		}
	}
	return wait
}
