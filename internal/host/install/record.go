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

// A record is what is kept of an installation, to undo it.
type record struct {
	Version int       `json:"version"`
	Host    string    `json:"host"`
	Scope   Scope     `json:"scope"`
	Project string    `json:"project,omitempty"`
	Program string    `json:"program"`
	Time    time.Time `json:"time"`
	Ledger  string    `json:"ledger,omitempty"` // see [ledger.InstalledMember]
	Events  []string  `json:"events,omitempty"` // wired beside those of the table
	Files   []kept    `json:"files"`
}

// A kept file is what there was before, and how to tell that nobody touched it
// since.
type kept struct {
	Path   string   `json:"path"`
	Made   bool     `json:"made,omitempty"` // there was none
	Before []byte   `json:"before,omitempty"`
	After  string   `json:"after"`          // SHA-256
	Dirs   []string `json:"dirs,omitempty"` // that were made for it, the innermost first
}

// maxRecord bounds a record: the files of which it keeps the bytes are bounded
// too.
const maxRecord = 64 << 20

func (m *Machine) newRecord(host string, s Scope) record {
	r := record{Version: 1, Host: host, Scope: s, Program: m.Program, Time: m.Now().UTC().Truncate(time.Second)}
	if s == Project {
		r.Project = m.Project
	}
	return r
}

// name is the record's file in the state directory; each project has its own.
func (r *record) name() string {
	name := "install/" + r.Host + "-" + string(r.Scope)
	if r.Scope == Project {
		name += "-" + Digest([]byte(r.Project))[:12]
	}
	return name + ".json"
}

func (r *record) file(path string) *kept {
	for i := range r.Files {
		if r.Files[i].Path == path {
			return &r.Files[i]
		}
	}
	return nil
}

// besides are the files of a record that are not among these.
func (r *record) besides(files []File) []kept {
	return slices.DeleteFunc(slices.Clone(r.Files), func(k kept) bool {
		return slices.ContainsFunc(files, func(f File) bool { return f.Path == k.Path })
	})
}

// record reads what is kept of an installation; there may be nothing.
func (m *Machine) record(host string, s Scope) (record, error) {
	r := m.newRecord(host, s)
	raw, err := m.State.Read(r.name(), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	var old record
	if err := json.Unmarshal(raw, &old); err != nil {
		return r, message.WrapSentences(fmt.Errorf("%s, which records how to undo an installation, cannot be read: %w", m.State.Path(filepath.FromSlash(r.name())), err), message.Do("move the file away"))
	}
	return old, nil
}

// Since is when checkrein was installed in a host: the first time of all scopes that
// there are now. It is zero if nothing is known of an installation.
func (m *Machine) Since(host string) time.Time {
	var first time.Time
	for _, s := range []Scope{User, Project} {
		r, err := m.record(host, s)
		if err == nil && len(r.Files) > 0 && (first.IsZero() || r.Time.Before(first)) {
			first = r.Time
		}
	}
	return first
}

// Any reports whether something is installed, in any host and scope.
func (m *Machine) Any() (bool, error) {
	names, err := m.State.Names("install")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(names) > 0, err
}

func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
