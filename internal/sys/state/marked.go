package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A Marked is a file, or something on the way to one, with the mark that it had.
type Marked struct {
	Path string `json:"path"`
	Mark Mark   `json:"mark"`           // of what is there behind all links; of a link on the way nothing
	Link Mark   `json:"link"`           // of the link that is at Path, zero if it is none
	Way  bool   `json:"way,omitempty"`  // a directory, or a link to one, on the way to a file
	Made int64  `json:"made,omitempty"` // of a directory, when something was last made or removed in it
}

// MarkAt remembers a file by the mark that it has: that of the very descriptor by
// which it was read.
func MarkAt(path string, mark Mark) Marked {
	m := Marked{Path: path, Mark: mark}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		m.Link = MarkOf(info)
	}
	return m
}

// WithWays adds the directories and links on the way to files, each once, from the
// directory top on for files that lie below it: who leads one elsewhere and back leaves
// no trace in the file.
func WithWays(files []Marked, top string) []Marked {
	n := len(files)
	for i := range n {
		dir := filepath.Dir(files[i].Path)
		var linked bool
		if files, linked = addWay(files, n, dir, top); linked {
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				files, _ = addWay(files, n, real, top)
			}
		}
	}
	return files
}

// addWay adds a directory and those above it to the ways, which begin at from. It
// reports whether one of them is a link.
func addWay(files []Marked, from int, dir, top string) ([]Marked, bool) {
	linked := false
	for {
		known := slices.IndexFunc(files[from:], func(m Marked) bool { return m.Path == dir })
		if known < 0 {
			if info, err := os.Lstat(dir); err == nil {
				m := Marked{Path: dir, Way: true}
				if info.Mode()&fs.ModeSymlink != 0 {
					m.Link = MarkOf(info)
				} else {
					m.Mark, m.Made = MarkOf(info), info.ModTime().UnixNano()
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

// Same reports whether the file is the one that was marked, and was not written to
// since. A directory on the way must not have been moved; that something was made in
// it, which hooks do, is no difference.
func (m *Marked) Same() bool {
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
	case m.Way && linked:
		return true
	case m.Way:
		// A move changes the directory, and nothing in it.
		return info.IsDir() && is.Dev == m.Mark.Dev && is.Inode == m.Mark.Inode &&
			(is.Changed == m.Mark.Changed || info.ModTime().UnixNano() != m.Made)
	case linked:
		if info, err = os.Stat(m.Path); err != nil {
			return false
		}
		is = MarkOf(info)
	}
	return info.Mode().IsRegular() && is == m.Mark
}

// FirstChanged names the first file that is not as it was marked; "" = all are.
func FirstChanged(files []Marked) string {
	for i := range files {
		if !files[i].Same() {
			return files[i].Path
		}
	}
	return ""
}

// tick is how far apart two changes of a file are that surely have different
// times: systems count these times in steps.
const tick = 20 * time.Millisecond

// Unsettled is how long to wait before files are read again: one that changed just
// now can change once more and keep its mark. 0 = all are settled.
func Unsettled(files []Marked, now time.Time) time.Duration {
	var wait time.Duration
	for i := range files {
		if files[i].Way { // where much may be made
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
