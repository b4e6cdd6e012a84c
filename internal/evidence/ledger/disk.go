package ledger

import (
	"cmp"
	"fmt"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A disk is the writer's view of the ledger's directory. Tests replace it with one that fails, or
// whose writer dies, at a chosen step.
type disk interface {
	Key() ([]byte, error)
	OpenLocked(name string) (diskFile, error)
	OpenAppend(name string) (diskFile, error)
	OpenShared(name string, size int) (sharedFile, error)
	Create(name string, data []byte) error     // atomic
	CreateOnce(name string, data []byte) error // atomic; fails if the file exists
	Read(name string, limit int64) ([]byte, error)
	Rename(from, to string) error
	Names() ([]string, error)
	Size(name string) int64                        // -1 means that it does not exist
	Peek(name string, limit int64) ([]byte, error) // Read without checking permissions
	Sync() error                                   // of the directory

	AddMissNote(name, text string) error // in SpareFolder, outside the ledger
	MissNotes() []MissNote
	RemoveMissNotes([]MissNote)
	RepairModes() []string // returns a description of each repair
}

// A diskFile is an open file.
type diskFile interface {
	Size() (int64, error)
	ReadAt(b []byte, off int64) (int, error)
	Write(b []byte) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// A sharedFile is an open file that is used without a lock.
type sharedFile interface {
	ReadAt(b []byte, off int64) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Add(off int, delta uint64) (uint64, error)
	Close() error
}

// A stateFolder is the ledger's part of a state directory.
type stateFolder struct{ dir state.Dir }

// ledgerPath returns the path of the ledger's file name, relative to the state directory.
func ledgerPath(name string) string { return Folder + "/" + name }

func (f stateFolder) Key() ([]byte, error) { return f.dir.ReadOrCreateKey(ledgerPath(KeyFile)) }

func (f stateFolder) OpenLocked(name string) (diskFile, error) {
	h, err := f.dir.OpenLocked(ledgerPath(name))
	if err != nil {
		return nil, err // not a nil *state.File
	}
	return h, nil
}

func (f stateFolder) OpenAppend(name string) (diskFile, error) {
	h, err := f.dir.OpenAppend(ledgerPath(name))
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (f stateFolder) OpenShared(name string, size int) (sharedFile, error) {
	h, err := f.dir.OpenShared(ledgerPath(name), size)
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (f stateFolder) CreateOnce(name string, data []byte) error {
	return f.dir.CreateIfMissing(ledgerPath(name), data)
}

func (f stateFolder) Create(name string, data []byte) error {
	return f.dir.Write(ledgerPath(name), data)
}
func (f stateFolder) Rename(from, to string) error {
	return f.dir.Rename(ledgerPath(from), ledgerPath(to))
}
func (f stateFolder) Names() ([]string, error) { return f.dir.Names(Folder) }
func (f stateFolder) Peek(name string, limit int64) ([]byte, error) {
	return state.ReadRegular(f.dir.Path(Folder, name), limit)
}

func (f stateFolder) Size(name string) int64 { return f.dir.Size(ledgerPath(name)) }
func (f stateFolder) Sync() error            { return f.dir.SyncDir(Folder) }

func (f stateFolder) AddMissNote(name, text string) error {
	return f.dir.AddEntry(SpareFolder, name, text)
}
func (f stateFolder) MissNotes() []MissNote { return readSpare(f.dir) }

func (f stateFolder) RemoveMissNotes(list []MissNote) {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.name
	}
	f.dir.RemoveEntries(SpareFolder, names)
}

// RepairModes repairs the modes of the state directory and of the ledger's directories and files, and
// returns a description of each repair.
func (f stateFolder) RepairModes() (what []string) {
	for _, name := range []string{"", Folder, ledgerPath(KeyFile), ledgerPath(HeadFile), ledgerPath(CurrentFile), ledgerPath(MissedFile), SpareFolder} {
		if was, ok := f.dir.FixMode(name); ok {
			what = append(what, fmt.Sprintf("%s had mode %04o", cmp.Or(name, "the state directory"), was))
		}
	}
	return what
}

func (f stateFolder) Read(name string, limit int64) ([]byte, error) {
	return f.dir.Read(ledgerPath(name), limit)
}
