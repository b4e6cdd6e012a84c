package seal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Witness is a copy of checkpoints that was kept outside of the ledger. It may
// hold those of several ledgers.
type Witness struct {
	Name string // what to call it in a report
	Data []byte // checkpoints, one a line
}

// ReadWitness reads a witness file.
func ReadWitness(path string) (Witness, error) {
	data, err := state.ReadRegular(path, maxCheckpoints)
	if err != nil {
		return Witness{}, fmt.Errorf("reading the witness file: %w", err)
	}
	return Witness{Name: path, Data: data}, nil
}

// AppendWitness adds a checkpoint to a witness file, which is made if it is not
// there. When it returns without an error the checkpoint survives a power loss.
func AppendWitness(path string, c *Checkpoint) error {
	if err := appendSynced(path, c.Line()); err != nil {
		return fmt.Errorf("writing to the witness file: %w", err)
	}
	return nil
}

func appendSynced(path string, line []byte) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // a pipe would make it wait
		return fmt.Errorf("%s is not a regular file", path)
	}
	made := err != nil
	if !made && endsInHalf(path, info.Size()) {
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

// endsInHalf reports whether a file has a last line without newline, which
// somebody left that died. One that cannot be read may well be written to.
func endsInHalf(path string, size int64) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var last [1]byte
	_, err = f.ReadAt(last[:], size-1)
	return err == nil && last[0] != '\n'
}

// syncDir makes a new name last. Not every file system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// eachCheckpoint calls fn for the lines of a file of checkpoints.
func eachCheckpoint(data []byte, fn func(number int, c Checkpoint, err error)) {
	for number := 1; len(data) > 0; number++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		c, err := ParseCheckpoint(line)
		fn(number, c, err)
	}
}
