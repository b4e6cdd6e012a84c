package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A Marked is a file with the mark that it had.
type Marked struct {
	Path string `json:"path"`
	Mark Mark   `json:"mark"` // of what is there behind all links; zero = only the link counts
	Link Mark   `json:"link"` // of the link that is at Path, zero if it is none
}

// WithLinks adds the links on the way to files, from the directory top on: who leads
// one elsewhere and back leaves no trace in the file.
func WithLinks(files []Marked, top string) []Marked {
	var seen []string
	for i := range files {
		for dir := filepath.Dir(files[i].Path); len(dir) > len(top) && !slices.Contains(seen, dir); dir = filepath.Dir(dir) {
			seen = append(seen, dir)
			if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				files = append(files, Marked{Path: dir, Link: MarkOf(info)})
			}
		}
	}
	return files
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

// Same reports whether the file is the one that was marked, and was not written to
// since. A directory above it that was renamed and put back does not show.
func (m *Marked) Same() bool {
	info, err := os.Lstat(m.Path)
	if err != nil {
		return false
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if m.Link != MarkOf(info) {
			return false
		}
		if m.Mark == (Mark{}) {
			return true
		}
		if info, err = os.Stat(m.Path); err != nil {
			return false
		}
	} else if m.Link != (Mark{}) {
		return false
	}
	return info.Mode().IsRegular() && MarkOf(info) == m.Mark
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
		for _, at := range [...]int64{files[i].Mark.Changed, files[i].Link.Changed} {
			if age := now.Sub(time.Unix(0, at)); age < tick && age > -tick {
				wait = max(wait, tick-age)
			}
		}
	}
	return wait
}
