package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/text/message"
)

// A record describes an installation, so that it can be undone.
type record struct {
	Version int          `json:"version"`
	Host    string       `json:"host"`
	Scope   Scope        `json:"scope"`
	Project string       `json:"project,omitempty"`
	Program string       `json:"program"`
	Time    time.Time    `json:"time"`
	Ledger  string       `json:"ledger,omitempty"` // see [ledger.InstalledMember]
	Events  []string     `json:"events,omitempty"` // installed in addition to those of the wire table
	Files   []fileRecord `json:"files"`
}

// A fileRecord holds the contents of a file before the installation, and the digest of those after it.
type fileRecord struct {
	Path   string   `json:"path"`
	Made   bool     `json:"made,omitempty"` // install created the file
	Before []byte   `json:"before,omitempty"`
	After  string   `json:"after"`          // SHA-256
	Dirs   []string `json:"dirs,omitempty"` // directories created for it, innermost first
}

// maxRecord limits the size of a record, which holds the contents of files.
const maxRecord = 64 << 20

// newRecord returns a record without files.
func (m *Machine) newRecord(host string, s Scope) record {
	r := record{Version: 1, Host: host, Scope: s, Program: m.Program, Time: m.Now().UTC().Truncate(time.Second)}
	if s == Project {
		r.Project = m.Project
	}
	return r
}

// fileName returns the name of the record's file in the state directory. Each project has its own
// record.
func (r *record) fileName() string {
	name := "install/" + r.Host + "-" + string(r.Scope)
	if r.Scope == Project {
		name += "-" + Digest([]byte(r.Project))[:12]
	}
	return name + ".json"
}

// findFile returns the record of the file at path, or nil if there is none.
func (r *record) findFile(path string) *fileRecord {
	for i := range r.Files {
		if r.Files[i].Path == path {
			return &r.Files[i]
		}
	}
	return nil
}

// filesExcept returns the records of files that are not in files.
func (r *record) filesExcept(files []File) []fileRecord {
	return slices.DeleteFunc(slices.Clone(r.Files), func(k fileRecord) bool {
		return slices.ContainsFunc(files, func(f File) bool { return f.Path == k.Path })
	})
}

// loadRecord reads the record of an installation. If there is none, it returns a new record without
// files.
func (m *Machine) loadRecord(host string, s Scope) (record, error) {
	r := m.newRecord(host, s)
	raw, err := m.State.Read(r.fileName(), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	var old record
	if err := json.Unmarshal(raw, &old); err != nil {
		return r, message.WrapSentences(fmt.Errorf("%s, which records how to undo an installation, cannot be read: %w", m.State.Path(filepath.FromSlash(r.fileName())), err), message.Do("move the file away"))
	}
	return old, nil
}

// InstalledSince returns when checkrein was installed in a host: the earliest time in the records of
// both scopes, or zero if there is no record.
func (m *Machine) InstalledSince(host string) time.Time {
	var first time.Time
	for _, s := range []Scope{User, Project} {
		r, err := m.loadRecord(host, s)
		if err == nil && len(r.Files) > 0 && (first.IsZero() || r.Time.Before(first)) {
			first = r.Time
		}
	}
	return first
}

// ManagedProgram returns the program that a host calls for all users, according to the record of its
// installation. It reports false if there is none.
func (m *Machine) ManagedProgram(host string) (string, bool) {
	r, err := m.loadRecord(host, Managed)
	return r.Program, err == nil && len(r.Files) > 0
}

// HasRecords reports whether there is a record of any installation.
func (m *Machine) HasRecords() (bool, error) {
	names, err := m.State.Names("install")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(names) > 0, err
}

// Digest returns the SHA-256 digest of b as hexadecimal digits.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
