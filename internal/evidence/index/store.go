package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// Folder is where the index lies in a ledger's directory: a file for each segment.
const Folder = "index"

const extension = ".idx"

// fileOf is the name of a segment's file below the ledger's directory.
func fileOf(segment int) string { return fmt.Sprintf("%s/%08d%s", Folder, segment, extension) }

// segmentIn is the segment whose file has a name.
func segmentIn(name string) (int, bool) {
	digits, ok := strings.CutSuffix(name, extension)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && fileOf(n) == Folder+"/"+name
}

// Every file begins with its format, which ends in the version of what follows and of
// what extract finds. A file of another version is made anew.
const (
	formatName = "checkrein index "
	format     = formatName + "5\n"
)

// old are files of versions that kept the index in a database.
var old = []string{"index.db", "index.db-wal", "index.db-shm", "index.db-journal"}

// errDamaged reports that a file is not as we left it.
var errDamaged = errors.New("the index is damaged")

// errForged reports that something in a file has no sum of ours.
var errForged = fmt.Errorf("%w: something in it was changed or damaged", errDamaged)

// errStale reports that a file is of another version, or has nothing in it, as after a loss
// of power: it is made anew, and not told.
var errStale = errors.New("the index has another version")

// errPlace reports that there can be no index where it was wanted.
var errPlace = errors.New("the index cannot be kept here")

// A store is the directory of an index. Its files are replaced whole, so that who reads
// one sees it before or after, and of several writers the last one wins. Whatever was
// written so is right as far as it goes, and the next question adds the rest. So no
// process waits for another.
type store struct {
	dir    state.Dir // the directory that Folder lies in
	secret *state.Secret
}

// A sheet is what the index says of one segment, without the parts.
type sheet struct {
	known
	sum [state.MACSize]byte // tells this writing of the file from all others
	at  []int64             // where the parts begin, of each kind those of all chunks; and where the last one ends
}

// part returns where a part lies: of the i-th chunk, from its first byte to the one behind
// its last.
func (s *sheet) part(k kind, i int) (from, to int64) {
	p := slices.Index(kinds, k)*len(s.chunks) + i
	return s.at[p], s.at[p+1]
}

// segments returns the segments that have a file.
func (s *store) segments() ([]int, error) {
	names, err := s.dir.Names(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPlace, err)
	}
	var out []int
	for _, name := range names {
		if n, ok := segmentIn(name); ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// open opens a segment's file. One that is not there is errMoved.
func (s *store) open(segment int) (*state.File, error) {
	f, err := s.dir.OpenExisting(fileOf(segment))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errMoved
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPlace, err)
	}
	return f, nil
}

// load reads the sheet of a segment.
func (s *store) load(segment int) (*sheet, error) {
	f, err := s.open(segment)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return s.read(segment, f)
}

// read reads a sheet from its file.
func (s *store) read(segment int, f *state.File) (*sheet, error) {
	size, err := f.Size()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPlace, err)
	}
	if size == 0 {
		return nil, errStale
	}
	const front = int64(len(format) + 4)
	b := make([]byte, min(size, 2048))
	if err := readAt(f, b, 0); err != nil {
		return nil, err
	}
	if len(b) >= len(format) && string(b[:len(formatName)]) == formatName && string(b[:len(format)]) != format {
		return nil, errStale
	}
	if int64(len(b)) < front || string(b[:len(format)]) != format {
		return nil, errForged
	}
	end := front + int64(binary.BigEndian.Uint32(b[len(format):]))
	if end > size {
		return nil, errForged
	}
	if end > int64(len(b)) {
		b = make([]byte, end)
		if err := readAt(f, b, 0); err != nil {
			return nil, err
		}
	}
	body, err := opened(s.secret, segmentName(segment), b[front:end])
	if err != nil {
		return nil, err
	}
	sh, err := decodeSheet(body, end)
	if err != nil {
		return nil, err
	}
	copy(sh.sum[:], b[front:])
	if size != sh.at[len(sh.at)-1] {
		return nil, errForged
	}
	return sh, nil
}

// again opens a segment's file, which must be as it was when its sheet was read.
func (s *store) again(segment int, sh *sheet) (*state.File, error) {
	f, err := s.open(segment)
	if err != nil {
		return nil, err
	}
	var sum [state.MACSize]byte
	if err = readAt(f, sum[:], int64(len(format)+4)); err == nil && sum != sh.sum {
		err = errMoved
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// write makes the file of a segment out of what is known of it and its sealed parts: for
// each kind those of all chunks.
func (s *store) write(segment int, k *known, parts [][][]byte) (*sheet, error) {
	sh := &sheet{known: *k}
	body := k.encode()
	at, total := []int64{0}, int64(0)
	for _, of := range parts {
		for _, part := range of {
			body = binary.AppendUvarint(body, uint64(len(part)))
			total += int64(len(part))
			at = append(at, total)
		}
	}
	front := sealed(s.secret, segmentName(segment), body)
	copy(sh.sum[:], front)
	data := make([]byte, 0, int64(len(format)+4+len(front))+total)
	data = append(data, format...)
	data = append(binary.BigEndian.AppendUint32(data, uint32(len(front))), front...)
	for i := range at {
		at[i] += int64(len(data))
	}
	sh.at = at
	for _, of := range parts {
		for _, part := range of {
			data = append(data, part...)
		}
	}
	if err := s.dir.Write(fileOf(segment), data); err != nil {
		return nil, fmt.Errorf("%w: %w", errPlace, err)
	}
	return sh, nil
}

// forget removes the file of a segment.
func (s *store) forget(segment int) error {
	if err := s.dir.Remove(fileOf(segment)); err != nil {
		return fmt.Errorf("%w: %w", errPlace, err)
	}
	return nil
}

// clear removes all files of the index.
func (s *store) clear() error {
	numbers, err := s.segments()
	errs := []error{err}
	for _, n := range numbers {
		errs = append(errs, s.forget(n))
	}
	return errors.Join(errs...)
}

// readAt reads all of b. A file that ends before is not as it was written.
func readAt(f *state.File, b []byte, off int64) error {
	if n, err := f.ReadAt(b, off); n < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			return errForged
		}
		return fmt.Errorf("%w: %w", errPlace, err)
	}
	return nil
}

// damaged reports whether an error is due to what is in the files.
func damaged(err error) bool { return errors.Is(err, errDamaged) }
