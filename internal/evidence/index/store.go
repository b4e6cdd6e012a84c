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

// Folder is the directory of the index in a ledger's directory, with one file per segment.
const Folder = "index"

const extension = ".idx"

// indexPath returns the path of the file for segment, relative to the ledger's directory.
func indexPath(segment int) string { return fmt.Sprintf("%s/%08d%s", Folder, segment, extension) }

// parseIndexFile returns the segment whose index file has this name. It reports false if there is
// none.
func parseIndexFile(name string) (segment int, ok bool) {
	digits, ok := strings.CutSuffix(name, extension)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && indexPath(n) == Folder+"/"+name
}

// Every file begins with its format, which ends with the version of its contents and of
// the extracted terms. A file with another version is rebuilt.
const (
	formatName = "checkrein index "
	format     = formatName + "5\n"
)

// oldFiles lists files of versions that stored the index in a database.
var oldFiles = []string{"index.db", "index.db-wal", "index.db-shm", "index.db-journal"}

// errDamaged means that a file is not as it was written.
var errDamaged = errors.New("the index is damaged")

// errTampered means that a value in a file has no valid checksum.
var errTampered = fmt.Errorf("%w: something in it was changed or damaged", errDamaged)

// errStale means that a file has another version, or is empty after a power failure. It is rebuilt
// without a message.
var errStale = errors.New("the index has another version")

// errUnusableDir means that the index cannot be stored in this directory.
var errUnusableDir = errors.New("the index cannot be stored here")

// A store is the directory of an index. Files are replaced as a whole, so that a reader sees a file
// before or after a change, and the last of several writers wins. What any of them wrote is correct as
// far as it goes, and the next query adds the rest. So no process waits for another.
type store struct {
	dir    state.Dir // the directory that contains Folder
	secret *state.Secret
}

// A sheet is what the index contains about one segment, except for the parts.
type sheet struct {
	known
	sum [state.MACSize]byte // distinguishes this version of the file from all others
	at  []int64             // offsets of the parts, by kind and then by chunk, and the end of the last one
}

// partRange returns where the part of kind k of the i-th chunk begins and ends in the file.
func (s *sheet) partRange(k partKind, i int) (from, to int64) {
	p := slices.Index(partKinds, k)*len(s.chunks) + i
	return s.at[p], s.at[p+1]
}

// listSegments returns the segments that have an index file, in order.
func (s *store) listSegments() ([]int, error) {
	names, err := s.dir.Names(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnusableDir, err)
	}
	var out []int
	for _, name := range names {
		if n, ok := parseIndexFile(name); ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// openFile opens the file of segment. If it does not exist, the error is errChanged.
func (s *store) openFile(segment int) (*state.File, error) {
	f, err := s.dir.OpenExisting(indexPath(segment))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errChanged
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnusableDir, err)
	}
	return f, nil
}

// loadSheet reads the sheet of segment.
func (s *store) loadSheet(segment int) (*sheet, error) {
	f, err := s.openFile(segment)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return s.readSheet(segment, f)
}

// readSheet reads the sheet of segment from f. The error is errStale if the file must be rebuilt.
func (s *store) readSheet(segment int, f *state.File) (*sheet, error) {
	size, err := f.Size()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnusableDir, err)
	}
	if size == 0 {
		return nil, errStale
	}
	const front = int64(len(format) + 4)
	b := make([]byte, min(size, 2048))
	if err := readFullAt(f, b, 0); err != nil {
		return nil, err
	}
	if len(b) >= len(format) && string(b[:len(formatName)]) == formatName && string(b[:len(format)]) != format {
		return nil, errStale
	}
	if int64(len(b)) < front || string(b[:len(format)]) != format {
		return nil, errTampered
	}
	end := front + int64(binary.BigEndian.Uint32(b[len(format):]))
	if end > size {
		return nil, errTampered
	}
	if end > int64(len(b)) {
		b = make([]byte, end)
		if err := readFullAt(f, b, 0); err != nil {
			return nil, err
		}
	}
	body, err := verifyDigest(s.secret, sheetName(segment), b[front:end])
	if err != nil {
		return nil, err
	}
	sh, err := decodeSheet(body, end)
	if err != nil {
		return nil, err
	}
	copy(sh.sum[:], b[front:])
	if size != sh.at[len(sh.at)-1] {
		return nil, errTampered
	}
	return sh, nil
}

// reopen opens the file of segment. The error is errChanged if it is not the version that sh was read
// from.
func (s *store) reopen(segment int, sh *sheet) (*state.File, error) {
	f, err := s.openFile(segment)
	if err != nil {
		return nil, err
	}
	var sum [state.MACSize]byte
	if err = readFullAt(f, sum[:], int64(len(format)+4)); err == nil && sum != sh.sum {
		err = errChanged
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// writeFile writes the file of segment from k and parts, which have checksums and are ordered by kind
// and then by chunk. It returns the new sheet.
func (s *store) writeFile(segment int, k *known, parts [][][]byte) (*sheet, error) {
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
	front := prependDigest(s.secret, sheetName(segment), body)
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
	if err := s.dir.Write(indexPath(segment), data); err != nil {
		return nil, fmt.Errorf("%w: %w", errUnusableDir, err)
	}
	return sh, nil
}

// removeFile removes the file of a segment.
func (s *store) removeFile(segment int) error {
	if err := s.dir.Remove(indexPath(segment)); err != nil {
		return fmt.Errorf("%w: %w", errUnusableDir, err)
	}
	return nil
}

// removeAll removes all files of the index.
func (s *store) removeAll() error {
	numbers, err := s.listSegments()
	errs := []error{err}
	for _, n := range numbers {
		errs = append(errs, s.removeFile(n))
	}
	return errors.Join(errs...)
}

// readFullAt fills b with what f has at off. A file that is too short is damaged, so the error is
// errTampered.
func readFullAt(f *state.File, b []byte, off int64) error {
	if n, err := f.ReadAt(b, off); n < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			return errTampered
		}
		return fmt.Errorf("%w: %w", errUnusableDir, err)
	}
	return nil
}

// isDamaged reports whether err is due to the contents of the files.
func isDamaged(err error) bool { return errors.Is(err, errDamaged) }
