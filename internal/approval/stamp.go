package approval

import (
	"os"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Stamp records whether the approvals or the master switch changed without
// reading them.
type Stamp struct{ info os.FileInfo }

// Look takes the stamp of the approvals as they are now.
func Look(dir state.Dir) Stamp {
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

// Same reports whether nothing changed from one stamp to the other. The book is
// replaced and never written to, so it is another file each time.
func (s Stamp) Same(other Stamp) bool {
	if s.info == nil || other.info == nil {
		return s.info == nil && other.info == nil
	}
	return os.SameFile(s.info, other.info) && s.info.ModTime().Equal(other.info.ModTime()) && s.info.Size() == other.info.Size()
}
