package coverage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	maxFile  = 64 << 20 // bytes of a file that may run
	maxText  = 1 << 20  // bytes of a file whose text is analysed
	maxSeen  = 1000     // observations of one plan
	maxNames = 1000     // names in a directory that is listed
	readSize = 64 << 10
	headSize = 512 // bytes that identify the type of a file
)

// Errors for files and directories that are not read.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrLarge      = errors.New("too large")
	ErrTooMany    = errors.New("too many files")
)

// A Kind is the type of file at a path, after resolving symlinks.
type Kind uint8

// The kinds of files.
const (
	Nothing Kind = iota
	Regular
	Directory
	Special // a pipe, a device
)

// A DiskView reads the disk for a plan. It reads each file once and records the result, so that the
// whole plan is based on the same contents. It never blocks on a pipe or a device. The zero value is
// ready to use.
type DiskView struct {
	entries []entry
}

// An entry is one recorded observation.
type entry struct {
	path   string
	how    byte // what was observed: 'k' the kind, '=' the contents, '/' the names in a directory, '@' a symlink
	kind   Kind
	digest FileDigest
	text   []byte // the contents; nil if they exceed maxText
	head   []byte // the first bytes of the file
	list   []string
	link   string
	err    error
}

// A FileDigest describes the contents of a file.
type FileDigest struct {
	SHA256 string // in hex
	Size   int64
	MTime  time.Time
	Mark   state.Mark
}

// An Observation is one fact about the disk that a plan depends on.
type Observation struct {
	Path string
	// State is what was observed: "-" nothing, "d" a directory, "s" a special file, "f" a regular file
	// whose contents did not matter, "=" and a digest a file with those contents, "/" and a digest a
	// directory with those names, "@" and a digest a symlink with that target, "@" alone no symlink.
	State string
}

// Kind returns the kind of file at path, after resolving symlinks.
func (l *DiskView) Kind(path string) Kind {
	for i := range l.entries {
		if l.entries[i].path == path && l.entries[i].how != '@' {
			return l.entries[i].kind
		}
	}
	e := entry{path: path, how: 'k', kind: statKind(path)}
	l.record(e)
	return e.kind
}

// File returns the contents of the regular file at path. If it is larger than a megabyte, the error is
// ErrLarge; Digest works nevertheless.
func (l *DiskView) File(path string) ([]byte, error) {
	e := l.readFile(path)
	if e.err == nil && e.text == nil && e.digest.Size > 0 {
		return nil, ErrLarge
	}
	return e.text, e.err
}

// Head returns the first bytes of the regular file at path, or nil if it cannot be read.
func (l *DiskView) Head(path string) []byte { return l.readFile(path).head }

// Digest returns the digest of the regular file at path.
func (l *DiskView) Digest(path string) (FileDigest, error) {
	e := l.readFile(path)
	return e.digest, e.err
}

// Names returns the sorted names in the directory dir. If there are too many, the error is ErrTooMany.
func (l *DiskView) Names(dir string) ([]string, error) {
	at := l.indexOf(dir, '/')
	if at >= 0 {
		return l.entries[at].list, l.entries[at].err
	}
	e := entry{path: dir, how: '/', kind: Directory}
	var more bool
	if e.list, more, e.err = state.ListDir(dir, maxNames); more {
		e.err = ErrTooMany
	}
	if e.err != nil {
		e.kind = statKind(dir)
	}
	slices.Sort(e.list)
	l.record(e)
	return e.list, e.err
}

// Link returns the target of the symlink at path, or "" if path is not a symlink.
func (l *DiskView) Link(path string) string {
	if at := l.indexOf(path, '@'); at >= 0 {
		return l.entries[at].link
	}
	e := entry{path: path, how: '@', link: readSymlink(path)}
	l.record(e)
	return e.link
}

// readSymlink returns the target of the symlink at path, or "" if path is not a symlink.
func readSymlink(path string) string {
	to, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return to
}

// IsFull reports whether the limit of observations was reached, in which case a plan made with l may
// be incomplete.
func (l *DiskView) IsFull() bool { return len(l.entries) > maxSeen }

// Observations returns the recorded observations, without those of a kind that a listing or the
// contents of the same path imply.
func (l *DiskView) Observations() []Observation {
	out := make([]Observation, 0, len(l.entries))
	for i := range l.entries {
		e := &l.entries[i]
		if e.how != 'k' || l.indexOf(e.path, '=') < 0 && l.indexOf(e.path, '/') < 0 { // those observations include the kind
			out = append(out, Observation{e.path, e.state()})
		}
	}
	return out
}

// FileMarks returns the files whose contents were read, with their marks at that time.
func (l *DiskView) FileMarks() []state.MarkedPath {
	var out []state.MarkedPath
	for i := range l.entries {
		if e := &l.entries[i]; e.how == '=' && e.err == nil {
			out = append(out, state.NewMarkedPath(e.path, e.digest.Mark))
		}
	}
	return out
}

// ContentDigest returns a digest of the file contents in observed, in their order, or the zero digest
// if observed has none.
func ContentDigest(observed []Observation) [sha256.Size]byte {
	var room [512]byte
	b := append(room[:0], "checkrein runs 1\n"...)
	header := len(b)
	for i := range observed {
		if is := observed[i].State; is != "" && is[0] == '=' {
			b = append(append(b, is[1:]...), '\n')
		}
	}
	if len(b) == header {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(b)
}

// StillHold reports whether the disk still matches all observations.
func StillHold(observed []Observation) bool {
	_, holds := CheckObservations(observed)
	return holds
}

// CheckObservations reports, like [StillHold], whether the disk still matches all observations. It
// also returns the files whose contents were compared, with their present marks.
func CheckObservations(observed []Observation) (files []state.MarkedPath, holds bool) {
	for i := range observed {
		if !observed[i].stillHolds(&files) {
			return nil, false
		}
	}
	return files, true
}

// stillHolds reports whether the disk still matches s. If s is about the contents of a file, it
// appends that file to files.
func (s *Observation) stillHolds(files *[]state.MarkedPath) bool {
	if s.State == "" {
		return false
	}
	switch s.State[0] {
	case '=':
		sum, mark, ok := digestFile(s.Path)
		if !ok || sum != s.State[1:] {
			return false
		}
		*files = append(*files, state.NewMarkedPath(s.Path, mark))
		return true
	case '@':
		e := entry{how: '@', link: readSymlink(s.Path)}
		return e.state() == s.State
	case '/':
		names, more, err := state.ListDir(s.Path, maxNames)
		slices.Sort(names)
		return err == nil && !more && digestNames(names) == s.State[1:]
	}
	e := entry{kind: statKind(s.Path)}
	return e.state() == s.State
}

// state returns e in the notation of [Observation.State].
func (e *entry) state() string {
	switch {
	case e.how == '@' && e.link == "":
		return "@"
	case e.how == '@':
		return "@" + digestNames([]string{e.link})
	case e.how == '=' && e.err == nil:
		return "=" + e.digest.SHA256
	case e.how == '/' && e.err == nil:
		return "/" + digestNames(e.list)
	}
	return [...]string{Nothing: "-", Regular: "f", Directory: "d", Special: "s"}[e.kind]
}

// digestNames returns a digest of names, in hex.
func digestNames(names []string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	return hex.EncodeToString(sum[:])
}

// indexOf returns the index of the entry for path and how, or -1 if there is none.
func (l *DiskView) indexOf(path string, how byte) int {
	return slices.IndexFunc(l.entries, func(e entry) bool { return e.path == path && e.how == how })
}

// record adds e unless the limit is reached.
func (l *DiskView) record(e entry) {
	if len(l.entries) <= maxSeen {
		l.entries = append(l.entries, e)
	}
}

// readFile reads the file at path, unless it was read before, and returns the entry for its contents.
func (l *DiskView) readFile(path string) *entry {
	if at := l.indexOf(path, '='); at >= 0 {
		return &l.entries[at]
	}
	e := entry{path: path, how: '=', kind: Regular}
	var text []byte
	e.digest, e.err = readDigest(path, func(b []byte) {
		if len(text) <= maxText {
			text = append(text, b...)
		}
	})
	switch {
	case e.err != nil:
		e.kind = statKind(path)
	case len(text) <= maxText:
		e.text = text
	}
	e.head = slices.Clone(text[:min(len(text), headSize)])
	l.record(e)
	return &e
}

// statKind returns the kind of file at path, or Nothing if the path cannot be read.
func statKind(path string) Kind {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Nothing
	case info.Mode().IsRegular():
		return Regular
	case info.IsDir():
		return Directory
	}
	return Special
}

// readDigest reads the regular file at path, following symlinks, and returns its digest. It passes all
// bytes to keep unless keep is nil.
func readDigest(path string, keep func([]byte)) (FileDigest, error) {
	f, info, err := openRegular(path)
	if err != nil {
		return FileDigest{}, err
	}
	defer f.Close()
	if info.Size() > maxFile {
		return FileDigest{}, ErrLarge
	}
	digest := sha256.New()
	size, buf := int64(0), make([]byte, min(info.Size()+1, readSize))
	for {
		n, err := f.Read(buf)
		digest.Write(buf[:n])
		if keep != nil {
			keep(buf[:n])
		}
		if size += int64(n); size > maxFile {
			return FileDigest{}, ErrLarge // it grew while it was read
		}
		if err == io.EOF || err == nil && size == info.Size() && n < len(buf) { // the end of a regular file
			break
		}
		if err != nil {
			return FileDigest{}, err
		}
	}
	sum := FileDigest{SHA256: hex.EncodeToString(digest.Sum(nil)), Size: size, Mark: state.MarkOf(info)}
	// JSON cannot represent times outside these years. Nothing depends on MTime.
	if t := info.ModTime().UTC(); t.Year() >= 0 && t.Year() <= 9999 {
		sum.MTime = t
	}
	return sum, nil
}

// openRegular opens the regular file at path for reading. It checks the type after opening, since the
// file could be replaced by a pipe in between.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	f, err := openNoWait(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
