package approval

import (
	"os"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Stamp is used to find out whether the approvals or the master switch changed without reading them.
type Stamp struct{ info os.FileInfo }

// TakeStamp returns the stamp of the current approvals.
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

// Equal reports whether nothing changed between two stamps. The book is replaced and never written in
// place, so that it is another file after each change.
func (s Stamp) Equal(other Stamp) bool {
	if s.info == nil || other.info == nil {
		return s.info == nil && other.info == nil
	}
	return os.SameFile(s.info, other.info) && s.info.ModTime().Equal(other.info.ModTime()) && s.info.Size() == other.info.Size()
}
