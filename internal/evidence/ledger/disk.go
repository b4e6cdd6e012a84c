package ledger

import (
	"cmp"
	"fmt"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A disk is what the writer needs of a directory. A test has one that fails and
// dies at will.
type disk interface {
	Key() ([]byte, error)
	OpenLocked(name string) (file, error)
	Append(name string) (file, error)
	OpenShared(name string, size int) (shared, error)
	Create(name string, data []byte) error     // whole or not at all
	CreateOnce(name string, data []byte) error // likewise, unless it is there
	Read(name string, limit int64) ([]byte, error)
	Rename(from, to string) error
	Names() ([]string, error)
	Size(name string) int64                        // -1 = it is not there
	Peek(name string, limit int64) ([]byte, error) // Read, whoever may write it
	Sync() error                                   // of the names

	Leave(name, text string) error // outside of the ledger
	Left() []Note
	Unleave([]Note)
	Mend() []string // puts modes right, and says whose
}

// A file is an open one.
type file interface {
	Size() (int64, error)
	ReadAt(b []byte, off int64) (int, error)
	Write(b []byte) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// A shared file is one that needs no lock.
type shared interface {
	ReadAt(b []byte, off int64) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Add(off int, delta uint64) (uint64, error)
	Close() error
}

// A folder is the ledger's part of a state directory.
type folder struct{ dir state.Dir }

func path(name string) string { return Folder + "/" + name }

func (f folder) Key() ([]byte, error) { return f.dir.Key(path(KeyFile)) }

func (f folder) OpenLocked(name string) (file, error) {
	h, err := f.dir.OpenLocked(path(name))
	if err != nil {
		return nil, err // not a nil *state.File
	}
	return h, nil
}

func (f folder) Append(name string) (file, error) {
	h, err := f.dir.OpenAppend(path(name))
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (f folder) OpenShared(name string, size int) (shared, error) {
	h, err := f.dir.OpenShared(path(name), size)
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (f folder) CreateOnce(name string, data []byte) error { return f.dir.CreateOnce(path(name), data) }

func (f folder) Create(name string, data []byte) error { return f.dir.Write(path(name), data) }
func (f folder) Rename(from, to string) error          { return f.dir.Rename(path(from), path(to)) }
func (f folder) Names() ([]string, error)              { return f.dir.Names(Folder) }
func (f folder) Peek(name string, limit int64) ([]byte, error) {
	return state.ReadRegular(f.dir.Path(Folder, name), limit)
}

func (f folder) Size(name string) int64 { return f.dir.Size(path(name)) }
func (f folder) Sync() error            { return f.dir.SyncDir(Folder) }

func (f folder) Leave(name, text string) error { return f.dir.AddEntry(SpareFolder, name, text) }
func (f folder) Left() []Note                  { return spareOf(f.dir) }

func (f folder) Unleave(list []Note) {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.name
	}
	f.dir.RemoveEntries(SpareFolder, names)
}

// Mend puts the modes right of the directory and of what is written to.
func (f folder) Mend() (what []string) {
	for _, name := range []string{"", Folder, path(KeyFile), path(HeadFile), path(CurrentFile), path(MissedFile), SpareFolder} {
		if was, ok := f.dir.FixMode(name); ok {
			what = append(what, fmt.Sprintf("%s had mode %04o", cmp.Or(name, "the state directory"), was))
		}
	}
	return what
}

func (f folder) Read(name string, limit int64) ([]byte, error) {
	return f.dir.Read(path(name), limit)
}
