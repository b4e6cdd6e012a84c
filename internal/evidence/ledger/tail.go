package ledger

import (
	"bytes"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// Tail returns the last complete lines of the current segment in dir, as many as fit into limit bytes.
// It returns nil if the segment cannot be read. The lines are not authenticated.
func Tail(dir string, limit int64) []byte {
	f, err := state.OpenRegular(filepath.Join(dir, CurrentFile))
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(info.Size()-limit, 0)
	data := make([]byte, info.Size()-from)
	n, _ := f.ReadAt(data, from)
	data = data[:n]
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data
}
