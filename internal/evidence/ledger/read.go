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

// Whoever reads a ledger may do so in a copy that belongs to somebody else, and
// while it is written to. Therefore plain paths, and no lock: a segment is found
// by its number, whatever its file is called by now.

// ErrShorter reports that a segment ends before the position to read from: it was
// cut, or it is another ledger's.
var ErrShorter = errors.New("the segment is shorter than before")

// A Position is a place in a ledger. The zero Position is its beginning.
type Position struct {
	Segment int   `json:"segment"`
	Offset  int64 `json:"offset"`
}

// A Segment is one file of a ledger.
type Segment struct {
	Number  int
	Path    string
	Size    int64 // when it was looked at
	Current bool  // it is written to; in time it gets another name
}

// maxLooks bounds how often a directory is listed that changes meanwhile.
const maxLooks = 5

// Segments lists the segments in a ledger's directory, oldest first. The
// current one is among them if it exists, also when it is empty.
func Segments(dir string) ([]Segment, error) {
	var before []Segment
	for range maxLooks {
		now, err := listSegments(dir)
		if err != nil {
			return nil, err
		}
		// A file that is renamed while a directory is listed may be missed
		// under both names. Two lists alike have missed nothing.
		if slices.EqualFunc(before, now, func(a, b Segment) bool { return a.Path == b.Path && a.Number == b.Number }) {
			return now, nil
		}
		before = now
	}
	return before, nil
}

func listSegments(dir string) ([]Segment, error) {
	entries, err := state.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the ledger: %w", err)
	}
	var full, current []Segment
	for _, e := range entries {
		n, ok := segmentNumber(e.Name())
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // it is gone, or nothing that a writer made
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
		// It says its number itself; one that cannot be true is not believed.
		current[i].Number = max(claimedNumber(current[i].Path), last+1)
	}
	return append(full, current...), nil
}

// claimedNumber is what the first record of a segment says; 0 = there is none.
func claimedNumber(path string) int {
	f, err := state.OpenRegular(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	return claimOf(f)
}

func claimOf(f *os.File) int {
	line, ok := firstOf(f)
	if !ok {
		return 0
	}
	return segmentOf(&line)
}

// OpenSegment opens a segment for reading, whatever its file is called by now.
// One that is not there is an fs.ErrNotExist.
func OpenSegment(dir string, number int) (*os.File, error) {
	f, _, err := openSegment(dir, number)
	return f, err
}

// openSegment opens a segment, and says whether it is full. One that is not
// there is an fs.ErrNotExist.
func openSegment(dir string, number int) (f *os.File, full bool, err error) {
	if number < 1 {
		return nil, false, fs.ErrNotExist
	}
	f, err = state.OpenRegular(filepath.Join(dir, SegmentFile(number)))
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return f, true, err
	}
	if f, err = openCurrent(dir, number, number); f != nil || err != nil {
		return f, false, err
	}
	// It was renamed between the two, or does not say its number.
	segments, err := Segments(dir)
	if err != nil {
		return nil, false, err
	}
	for _, s := range segments {
		if s.Number != number {
			continue
		}
		if s.Current {
			// A number below its place is not believed, one above means that
			// it is another one by now.
			if f, err = openCurrent(dir, 0, number); f != nil || err != nil {
				return f, false, err
			}
		}
		f, err = state.OpenRegular(filepath.Join(dir, SegmentFile(number)))
		return f, true, err
	}
	return nil, false, fmt.Errorf("segment %d of the ledger: %w", number, fs.ErrNotExist)
}

// openCurrent opens the current segment if it says a number in a range; 0 is
// that of one that says none. It is nil if it does not, or is not there.
func openCurrent(dir string, from, to int) (*os.File, error) {
	f, err := state.OpenRegular(filepath.Join(dir, CurrentFile))
	if errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	if claim := claimOf(f); from <= claim && claim <= to {
		return f, nil
	}
	f.Close()
	return nil, nil
}

// Lost reports why the segment that is written to is not where it should be, or cannot be
// read; nil = it is there, or no ledger ever was.
func Lost(dir string) error {
	var err error
	for range 3 { // a writer may be about to begin the next one
		if err = lost(dir); err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

func lost(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if info, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%s does not exist or cannot be opened (%w): restore the ledger", dir, err)
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a directory: restore the ledger", dir)
	}
	head, err := state.ReadHead(filepath.Join(dir, HeadFile), 1<<10)
	empty := err == nil && (len(head) == 0 || bytes.Contains(head, []byte(`"seq":0,`))) || errors.Is(err, fs.ErrNotExist)
	path := filepath.Join(dir, CurrentFile)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && empty:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is missing, but %s says that there are records: restore it from a copy; the next record will report the loss", path, HeadFile)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is %s, not a file: nothing can be recorded until you move it away", path, state.KindOf(info.Mode()))
	case info.Size() == 0 && !empty:
		return fmt.Errorf("%s is empty, but %s says that there are records: restore it from a copy; the next record will report the loss", path, HeadFile)
	}
	f, err := state.OpenRegular(path)
	if err != nil {
		return fmt.Errorf("%w: run chmod 600 %s", err, path)
	}
	return f.Close()
}

// ReadAt returns size bytes of a ledger, such as a line whose place an index
// knows.
func ReadAt(dir string, at Position, size int) ([]byte, error) {
	f, _, err := openSegment(dir, at.Segment)
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
