package state

import (
	"bytes"
	"fmt"
)

// defaultLogMax is the cap of a Log that names none.
const defaultLogMax = 10 << 20

// LogFile is the log for people: what was stopped, changed or went wrong.
const LogFile = "log/checkrein.log"

// oldSuffix is what the name of a full log gets.
const oldSuffix = ".1"

// A Log appends lines to a file. A line for which there is no room below the cap
// makes the file the old one, name+".1", in place of the one before, and starts
// a new file. It is a plain value, safe for concurrent use by goroutines and
// processes. The zero Log is one in the zero [Dir].
type Log struct {
	// Max is the cap in bytes; zero or less means 10 MiB. Only a single line
	// longer than Max makes a file larger.
	Max int64

	dir  Dir
	name string
}

// Log returns the log in the named file, touching nothing.
func (d Dir) Log(name string) Log { return Log{dir: d, name: name} }

// Append adds line, and a newline if it has none, with one write. Newlines
// inside line become spaces: one call never makes two lines. A line is written
// whole or not at all, except when the process is killed meanwhile; then the
// next Append starts on a new line. An error means that the line is not in the
// log; nothing else follows from it.
func (l Log) Append(line []byte) error {
	full, err := l.dir.prepare(l.name)
	if err != nil {
		return err
	}
	held, err := acquire(full+lockSuffix, l.dir.lockWait())
	if err != nil {
		return err
	}
	defer held.release()
	text := oneLine(line)
	// One byte more, should the last line need its newline.
	f, size, err := l.open(full, int64(len(text))+1)
	if err != nil {
		return err
	}
	defer f.Close()
	if isTorn(f, size) {
		text = append([]byte{'\n'}, text...)
	}
	if n, err := f.Write(text); err != nil {
		if n > 0 {
			// Best effort: the next Append copes with half a line.
			_ = f.Truncate(size)
		}
		return fmt.Errorf("append to log: %w", err)
	}
	return nil
}

// open opens the log with room for more bytes and returns its size.
func (l Log) open(path string, more int64) (*File, int64, error) {
	f, err := openHandle(path, true)
	if err != nil {
		return nil, 0, err
	}
	size, err := f.Size()
	if err == nil && (size == 0 || size+more <= l.max()) {
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

func (l Log) max() int64 {
	if l.Max > 0 {
		return l.Max
	}
	return defaultLogMax
}

// isTorn reports whether a log of that size lacks its last newline.
func isTorn(f *File, size int64) bool {
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
