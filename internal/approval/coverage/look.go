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
	maxText  = 1 << 20  // bytes of a file that are looked into
	maxSeen  = 1000     // things that one plan may look at
	maxNames = 1000     // names of a directory that is listed
	readSize = 64 << 10
	headSize = 512 // bytes that tell what a file is
)

// What a look says about a file that it does not read.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrLarge      = errors.New("too large")
	ErrTooMany    = errors.New("too many files")
)

// A Kind is what lies at a path, behind all links.
type Kind uint8

// The kinds.
const (
	Nothing Kind = iota
	Regular
	Directory
	Special // a pipe, a device
)

// A Look is all that a plan learns from the disk. It reads each thing once and
// remembers what it saw, so that all of a plan is about the same bytes. It never
// waits for a pipe or a device.
type Look struct {
	seen []entry
}

// An entry is one thing that was seen.
type entry struct {
	path string
	how  byte // what was asked: see Seen
	kind Kind
	sum  Sum
	text []byte // nil = it is not kept
	head []byte // its beginning
	list []string
	link string
	err  error
}

// A Sum is the content of a file.
type Sum struct {
	SHA256 string // in hex
	Size   int64
	MTime  time.Time
	Mark   state.Mark
}

// A Seen is one thing that a plan was told by, and how it was.
type Seen struct {
	Path string
	// Is is how it was: "-" = nothing was there, "d" = a directory, "s" = something
	// special, "f" = a file whose content did not matter, "=" and a digest = a file
	// with that content, "/" and a digest = a directory with those names in it,
	// "@" and a digest = a link that leads there, "@" = no link.
	Is string
}

// Kind returns what lies at a path.
func (l *Look) Kind(path string) Kind {
	for i := range l.seen {
		if l.seen[i].path == path && l.seen[i].how != '@' {
			return l.seen[i].kind
		}
	}
	e := entry{path: path, how: 'k', kind: kindOf(path)}
	l.add(e)
	return e.kind
}

// File returns the content of a regular file: up to a megabyte, else ErrLarge,
// when its digest is known nevertheless.
func (l *Look) File(path string) ([]byte, error) {
	e := l.read(path)
	if e.err == nil && e.text == nil && e.sum.Size > 0 {
		return nil, ErrLarge
	}
	return e.text, e.err
}

// Head returns the beginning of a regular file, nil when it cannot be read.
func (l *Look) Head(path string) []byte { return l.read(path).head }

// Sum returns the digest of a file.
func (l *Look) Sum(path string) (Sum, error) {
	e := l.read(path)
	return e.sum, e.err
}

// Names lists a directory, sorted.
func (l *Look) Names(dir string) ([]string, error) {
	at := l.find(dir, '/')
	if at >= 0 {
		return l.seen[at].list, l.seen[at].err
	}
	e := entry{path: dir, how: '/', kind: Directory}
	var more bool
	if e.list, more, e.err = state.List(dir, maxNames); more {
		e.err = ErrTooMany
	}
	if e.err != nil {
		e.kind = kindOf(dir)
	}
	slices.Sort(e.list)
	l.add(e)
	return e.list, e.err
}

// Link returns where the link at a path leads; "" = there is none.
func (l *Look) Link(path string) string {
	if at := l.find(path, '@'); at >= 0 {
		return l.seen[at].link
	}
	e := entry{path: path, how: '@', link: linkAt(path)}
	l.add(e)
	return e.link
}

func linkAt(path string) string {
	to, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return to
}

// Full reports that there was more to look at than is looked at: a plan that was
// made with it does not tell everything.
func (l *Look) Full() bool { return len(l.seen) > maxSeen }

// Seen lists what was seen, each once.
func (l *Look) Seen() []Seen {
	out := make([]Seen, 0, len(l.seen))
	for i := range l.seen {
		e := &l.seen[i]
		if e.how != 'k' || l.find(e.path, '=') < 0 && l.find(e.path, '/') < 0 { // which tell more
			out = append(out, Seen{e.path, e.is()})
		}
	}
	return out
}

// Marked lists the files whose content counted, as they were read.
func (l *Look) Marked() []state.Marked {
	var out []state.Marked
	for i := range l.seen {
		if e := &l.seen[i]; e.how == '=' && e.err == nil {
			out = append(out, state.MarkAt(e.path, e.sum.Mark))
		}
	}
	return out
}

// Contents is the digest of the contents that were seen, in their order; zero = of none.
func Contents(seen []Seen) [sha256.Size]byte {
	var room [512]byte
	b := append(room[:0], "checkrein runs 1\n"...)
	none := len(b)
	for i := range seen {
		if is := seen[i].Is; is != "" && is[0] == '=' {
			b = append(append(b, is[1:]...), '\n')
		}
	}
	if len(b) == none {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(b)
}

// Holds reports whether everything is as it was seen.
func Holds(seen []Seen) bool {
	_, holds := Marked(seen)
	return holds
}

// Marked is Holds with the files whose content counted, as they were read now.
func Marked(seen []Seen) (files []state.Marked, holds bool) {
	for i := range seen {
		if !seen[i].holds(&files) {
			return nil, false
		}
	}
	return files, true
}

func (s *Seen) holds(files *[]state.Marked) bool {
	if s.Is == "" {
		return false
	}
	switch s.Is[0] {
	case '=':
		sum, mark, ok := digestFile(s.Path)
		if !ok || sum != s.Is[1:] {
			return false
		}
		*files = append(*files, state.MarkAt(s.Path, mark))
		return true
	case '@':
		e := entry{how: '@', link: linkAt(s.Path)}
		return e.is() == s.Is
	case '/':
		names, more, err := state.List(s.Path, maxNames)
		slices.Sort(names)
		return err == nil && !more && digestNames(names) == s.Is[1:]
	}
	e := entry{kind: kindOf(s.Path)}
	return e.is() == s.Is
}

func (e *entry) is() string {
	switch {
	case e.how == '@' && e.link == "":
		return "@"
	case e.how == '@':
		return "@" + digestNames([]string{e.link})
	case e.how == '=' && e.err == nil:
		return "=" + e.sum.SHA256
	case e.how == '/' && e.err == nil:
		return "/" + digestNames(e.list)
	}
	return [...]string{Nothing: "-", Regular: "f", Directory: "d", Special: "s"}[e.kind]
}

func digestNames(names []string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	return hex.EncodeToString(sum[:])
}

func (l *Look) find(path string, how byte) int {
	return slices.IndexFunc(l.seen, func(e entry) bool { return e.path == path && e.how == how })
}

func (l *Look) add(e entry) {
	if len(l.seen) <= maxSeen {
		l.seen = append(l.seen, e)
	}
}

func (l *Look) read(path string) *entry {
	if at := l.find(path, '='); at >= 0 {
		return &l.seen[at]
	}
	e := entry{path: path, how: '=', kind: Regular}
	var text []byte
	e.sum, e.err = sumFile(path, func(b []byte) {
		if len(text) <= maxText {
			text = append(text, b...)
		}
	})
	switch {
	case e.err != nil:
		e.kind = kindOf(path)
	case len(text) <= maxText:
		e.text = text
	}
	e.head = slices.Clone(text[:min(len(text), headSize)])
	l.add(e)
	return &e
}

func kindOf(path string) Kind {
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

// sumFile reads the file at path, behind all links, and gives keep, unless it is
// nil, every byte.
func sumFile(path string, keep func([]byte)) (Sum, error) {
	f, info, err := openRegular(path)
	if err != nil {
		return Sum{}, err
	}
	defer f.Close()
	if info.Size() > maxFile {
		return Sum{}, ErrLarge
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
			return Sum{}, ErrLarge // it grew meanwhile
		}
		if err == io.EOF || err == nil && size == info.Size() && n < len(buf) { // of a file, that is its end
			break
		}
		if err != nil {
			return Sum{}, err
		}
	}
	sum := Sum{SHA256: hex.EncodeToString(digest.Sum(nil)), Size: size, Mark: state.MarkOf(info)}
	// A file may claim a time that JSON cannot hold. Nothing depends on it.
	if t := info.ModTime().UTC(); t.Year() >= 0 && t.Year() <= 9999 {
		sum.MTime = t
	}
	return sum, nil
}

// openRegular opens a regular file for reading. It looks again after opening:
// what is there may have been replaced by a pipe in between.
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
