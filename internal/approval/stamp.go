package approval

import (
	"os"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Stamp shows whether the approvals or the master switch changed, without reading them.
type Stamp struct{ info os.FileInfo }

// TakeStamp returns the stamp of the current approvals, or the zero Stamp if there are none.
func TakeStamp(dir state.Dir) Stamp {
	path := dir.Path(bookName)
	if path == "" {
		return Stamp{}
	}
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}
	}
	return Stamp{info}
}

// Equal reports whether nothing changed between two stamps. The file of approvals is replaced rather
// than written in place, so each change creates another file.
func (s Stamp) Equal(other Stamp) bool {
	if s.info == nil || other.info == nil {
		return s.info == nil && other.info == nil
	}
	return os.SameFile(s.info, other.info) && s.info.ModTime().Equal(other.info.ModTime()) && s.info.Size() == other.info.Size()
}
