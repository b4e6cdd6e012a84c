package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// Readers may read a copy of a ledger that belongs to another user, and one that is being written. They
// therefore use plain paths and no lock: a segment is found by its number, whatever the current name of
// its file.

// ErrShorter means that a segment ends before the position to read from: it was truncated, or belongs
// to another ledger.
var ErrShorter = errors.New("the segment is shorter than before")

// A Position is an offset in a segment. The zero Position is the beginning of the ledger.
type Position struct {
	Segment int   `json:"segment"`
	Offset  int64 `json:"offset"`
}

// A Segment is one file of a ledger.
type Segment struct {
	Number  int
	Path    string
	Size    int64 // at the time of listing
	Current bool  // it is being written to, and will be renamed when it is full
}

// maxListings limits how many times a directory that keeps changing is listed.
const maxListings = 5

// Segments returns the segments in the ledger's directory dir, oldest first. They include the current
// one if it exists, even if it is empty.
func Segments(dir string) ([]Segment, error) {
	var before []Segment
	for range maxListings {
		now, err := listSegments(dir)
		if err != nil {
			return nil, err
		}
		// A file that is renamed while the directory is listed may be missing
		// under both names. Two equal lists in a row are complete.
		if slices.EqualFunc(before, now, func(a, b Segment) bool { return a.Path == b.Path && a.Number == b.Number }) {
			return now, nil
		}
		before = now
	}
	return before, nil
}

func listSegments(dir string) ([]Segment, error) {
	entries, err := state.ReadDirUnsorted(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the ledger: %w", err)
	}
	var full, current []Segment
	for _, e := range entries {
		n, ok := segmentNumber(e.Name())
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // it was removed, or is not from a writer
		}
		s := Segment{Number: n, Path: filepath.Join(dir, e.Name()), Size: info.Size()}
		switch {
		case ok:
			full = append(full, s)
		case e.Name() == CurrentFile:
			s.Current = true
			current = append(current, s)
		}
	}
	slices.SortFunc(full, func(a, b Segment) int { return a.Number - b.Number })
	last := 0
	if len(full) > 0 {
		last = full[len(full)-1].Number
	}
	for i := range current {
		// The first record contains the number; an impossible one is ignored.
		current[i].Number = max(claimedNumber(current[i].Path), last+1)
	}
	return append(full, current...), nil
}

// claimedNumber returns the segment number in the first record of the file at path, or 0 if there is
// none.
func claimedNumber(path string) int {
	f, err := state.OpenRegular(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	return claimedNumberOf(f)
}

func claimedNumberOf(f *os.File) int {
	line, ok := firstRecord(f)
	if !ok {
		return 0
	}
	return segmentNumberIn(&line)
}

// OpenSegment opens the segment with this number for reading, whatever the current name of its file.
// If it does not exist, the error is fs.ErrNotExist.
func OpenSegment(dir string, number int) (*os.File, error) {
	f, _, err := openSegmentFile(dir, number)
	return f, err
}

// openSegmentFile is OpenSegment. It also reports whether the segment is full.
func openSegmentFile(dir string, number int) (f *os.File, full bool, err error) {
	if number < 1 {
		return nil, false, fs.ErrNotExist
	}
	f, err = state.OpenRegular(filepath.Join(dir, SegmentFile(number)))
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return f, true, err
	}
	if f, err = openCurrentWithin(dir, number, number); f != nil || err != nil {
		return f, false, err
	}
	// It was renamed in between, or its first record has no number.
	segments, err := Segments(dir)
	if err != nil {
		return nil, false, err
	}
	for _, s := range segments {
		if s.Number != number {
			continue
		}
		if s.Current {
			// A claimed number that is too low is ignored. One that is too high means that another
			// segment is current by now.
			if f, err = openCurrentWithin(dir, 0, number); f != nil || err != nil {
				return f, false, err
			}
		}
		f, err = state.OpenRegular(filepath.Join(dir, SegmentFile(number)))
		return f, true, err
	}
	return nil, false, fmt.Errorf("segment %d of the ledger: %w", number, fs.ErrNotExist)
}

// openCurrentWithin opens the current segment if the number in its first record, or 0 if it has none,
// is between from and to. It returns nil if the number is outside, or if the file does not exist.
func openCurrentWithin(dir string, from, to int) (*os.File, error) {
	f, err := state.OpenRegular(filepath.Join(dir, CurrentFile))
	if errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	if claim := claimedNumberOf(f); from <= claim && claim <= to {
		return f, nil
	}
	f.Close()
	return nil, nil
}

// CheckCurrent returns an error if the current segment of the ledger in dir is missing or cannot be
// read. It returns nil if there never was a ledger.
func CheckCurrent(dir string) error {
	var err error
	for range 3 { // a writer may be about to create the next one
		if err = checkCurrentOnce(dir); err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

func checkCurrentOnce(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if info, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%s does not exist or cannot be opened (%w): restore it from a backup", dir, err)
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a directory: restore it from a backup", dir)
	}
	head, err := state.ReadHead(filepath.Join(dir, HeadFile), 1<<10)
	empty := err == nil && (len(head) == 0 || bytes.Contains(head, []byte(`"seq":0,`))) || errors.Is(err, fs.ErrNotExist)
	path := filepath.Join(dir, CurrentFile)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && empty:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is missing, but %s says that there are records: restore it from a backup, or the next record will report the loss", path, HeadFile)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is %s, not a file: nothing can be recorded until you move it away", path, state.DescribeKind(info.Mode()))
	case info.Size() == 0 && !empty:
		return fmt.Errorf("%s is empty, but %s says that there are records: restore it from a backup, or the next record will report the loss", path, HeadFile)
	}
	f, err := state.OpenRegular(path)
	if err != nil {
		return fmt.Errorf("%w: run chmod 600 %s", err, path)
	}
	return f.Close()
}

// ReadAt returns the size bytes at a position of the ledger in dir, such as a line that an index
// refers to. The error is ErrShorter if the segment ends before that.
func ReadAt(dir string, at Position, size int) ([]byte, error) {
	f, _, err := openSegmentFile(dir, at.Segment)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size < 0 || at.Offset < 0 || at.Offset > info.Size()-int64(size) {
		return nil, fmt.Errorf("segment %d, offset %d: %w", at.Segment, at.Offset, ErrShorter)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, at.Offset, int64(size)), data); err != nil {
		return nil, fmt.Errorf("segment %d, offset %d: %w", at.Segment, at.Offset, err)
	}
	return data, nil
}
