package state

import (
	"bytes"
	"fmt"
)

// defaultLogMax is the size limit of a Log that sets none.
const defaultLogMax = 10 << 20

// LogFile is the name of the log for people, which lists what was blocked, what was changed and what
// went wrong.
const LogFile = "log/checkrein.log"

// oldSuffix is appended to the name of a full log.
const oldSuffix = ".1"

// A Log appends lines to a file. If a line would exceed the size limit, the file is renamed to
// name+".1", replacing the previous one, and a new file is started. A Log is a plain value, safe for
// concurrent use by goroutines and processes. The zero Log is one in the zero [Dir].
type Log struct {
	// Max is the size limit in bytes; zero or less means 10 MiB. A file exceeds it only if a
	// single line does.
	Max int64

	dir  Dir
	name string
}

// OpenLog returns the log in the file name without accessing it.
func (d Dir) OpenLog(name string) Log { return Log{dir: d, name: name} }

// Append adds line, and a newline if it has none, with one write. Newlines within line become spaces,
// so that one call adds exactly one line. A line is written completely or not at all, unless the
// process is killed meanwhile; then the next Append starts on a new line. An error means that the line
// is not in the log; the log itself stays usable.
func (l Log) Append(line []byte) error {
	full, err := l.dir.makeParents(l.name)
	if err != nil {
		return err
	}
	held, err := acquireLock(full+lockSuffix, l.dir.lockWait())
	if err != nil {
		return err
	}
	defer held.release()
	text := oneLine(line)
	// Reserve one more byte, in case the last line lacks its newline.
	f, size, err := l.openWithRoom(full, int64(len(text))+1)
	if err != nil {
		return err
	}
	defer f.Close()
	if lacksNewline(f, size) {
		text = append([]byte{'\n'}, text...)
	}
	if n, err := f.Write(text); err != nil {
		if n > 0 {
			// If that fails, the next Append starts on a new line.
			_ = f.Truncate(size)
		}
		return fmt.Errorf("append to log: %w", err)
	}
	return nil
}

// openWithRoom opens the log at path with room for more bytes, in a new file if necessary, and returns
// it with its size.
func (l Log) openWithRoom(path string, more int64) (*File, int64, error) {
	f, err := openHandle(path, true)
	if err != nil {
		return nil, 0, err
	}
	size, err := f.Size()
	if err == nil && (size == 0 || size+more <= l.sizeLimit()) {
		return f, size, nil
	}
	f.Close()
	if err != nil {
		return nil, 0, err
	}
	if err := renameFile(path, path+oldSuffix); err != nil {
		return nil, 0, fmt.Errorf("start a new log: %w", err)
	}
	if f, err = openHandle(path, true); err != nil {
		return nil, 0, err
	}
	size, err = f.Size()
	return f, size, err
}

// sizeLimit returns the size limit of the file.
func (l Log) sizeLimit() int64 {
	if l.Max > 0 {
		return l.Max
	}
	return defaultLogMax
}

// lacksNewline reports whether f, a log of the given size, does not end with a newline.
func lacksNewline(f *File, size int64) bool {
	var last [1]byte
	if size == 0 {
		return false
	}
	_, err := f.ReadAt(last[:], size-1)
	return err == nil && last[0] != '\n'
}

// oneLine returns a copy of line with exactly one newline, at its end.
func oneLine(line []byte) []byte {
	line = bytes.TrimRight(line, "\r\n")
	text := make([]byte, 0, len(line)+1)
	text = append(text, bytes.ReplaceAll(line, []byte("\n"), []byte(" "))...)
	return append(text, '\n')
}
