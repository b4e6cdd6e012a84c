package seal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Witness is a copy of checkpoints stored outside the ledger. It may contain those of several
// ledgers.
type Witness struct {
	Name string // its name in a report
	Data []byte // checkpoints, one per line
}

// ReadWitness reads the witness file at path.
func ReadWitness(path string) (Witness, error) {
	data, err := state.ReadRegular(path, maxCheckpoints)
	if err != nil {
		return Witness{}, fmt.Errorf("reading the witness file: %w", err)
	}
	return Witness{Name: path, Data: data}, nil
}

// AppendWitness appends c to the witness file at path, and creates the file if it does not exist. If
// it returns nil, the checkpoint survives a power failure.
func AppendWitness(path string, c *Checkpoint) error {
	if err := appendSynced(path, c.Line()); err != nil {
		return fmt.Errorf("writing to the witness file: %w", err)
	}
	return nil
}

// appendSynced appends line to the file at path and syncs the file. If the file does not end with a
// newline, it adds one first.
func appendSynced(path string, line []byte) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // a pipe would block
		return fmt.Errorf("%s is not a regular file", path)
	}
	made := err != nil
	if !made && endsIncomplete(path, info.Size()) {
		line = append([]byte("\n"), line...)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil && made {
		syncDir(filepath.Dir(path))
	}
	return err
}

// endsIncomplete reports whether the file at path has no newline at its end, because a writer died. It
// returns false if the file cannot be read, since it may still be writable.
func endsIncomplete(path string, size int64) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var last [1]byte
	_, err = f.ReadAt(last[:], size-1)
	return err == nil && last[0] != '\n'
}

// syncDir makes the names of new files in dir durable. Errors are ignored, since not every file system
// supports that.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// eachCheckpoint calls fn for each line of data, a file of checkpoints. number starts at 1.
func eachCheckpoint(data []byte, fn func(number int, c Checkpoint, err error)) {
	for number := 1; len(data) > 0; number++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		c, err := ParseCheckpoint(line)
		fn(number, c, err)
	}
}
