package transcript

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/catalog/transcripts"
)

// A File is a transcript on disk.
type File struct {
	Host string
	Form *Form // how the host writes it
	Path string
	Size int64
	// Time is when it was changed last, of its content or of what the disk says of it:
	// unlike the time of the content alone nobody sets it back. Nothing in the file was
	// written later; zero = unknown.
	Time time.Time
	// Skip is why it cannot be read; "" if it can.
	Skip string

	real string // where it is, if links lead to it
}

const (
	maxFiles   = 100_000 // of a place that are listed
	maxWalked  = 100_000 // folders of a place that are looked into
	maxFolders = 16      // below each other
)

// Find lists the transcripts that hosts keep for the person whose home it is, by
// host and path. The environment says where folders were moved to. Upper and lower
// case are the same in names. Links are followed, and what several names lead to is
// listed once. Pipes, what belongs to somebody else and what cannot be looked into is
// listed with the reason why it is not read.
func (list Forms) Find(home string, environ []string) []File {
	var all []File
	for _, f := range list {
		for p := range transcripts.All {
			if p.Host != f.Host {
				continue
			}
			w := walk{form: f, root: p.Dir(home, lookup(environ)), been: map[step]bool{}, listed: map[string]bool{}}
			if w.root == "" {
				continue
			}
			real, err := filepath.EvalSymlinks(w.root)
			if err != nil {
				real = w.root // into says what is wrong with it
			}
			for _, pattern := range p.Files {
				w.into("", real, strings.Split(pattern, "/"), 0)
			}
			w.behindLinks()
			all = append(all, w.found...)
		}
	}
	return all
}

// lookup returns variables of an environment.
func lookup(environ []string) func(string) string {
	return func(name string) string {
		for _, kv := range environ {
			if v, ok := strings.CutPrefix(kv, name+"="); ok && filepath.IsAbs(v) {
				return v
			}
		}
		return ""
	}
}

// A walk lists files below a root.
type walk struct {
	form   *Form
	root   string
	found  []File
	full   bool
	been   map[step]bool
	listed map[string]bool // real paths of files
	links  []link          // are for later: a file goes by its own name first
}

// A step of a walk is a folder that is looked into with a rest of a pattern.
type step struct {
	real string
	rest int // parts of the pattern
}

// A link leads to a folder or a file.
type link struct {
	at, real string
	pattern  []string // of what is below; none for a file
	depth    int
}

// into lists what matches the rest of a pattern below a folder, which is known by the
// name at and lies at real.
func (w *walk) into(at, real string, pattern []string, depth int) {
	if here := (step{real, len(pattern)}); w.full || w.been[here] {
		return
	} else if w.been[here] = true; len(w.been) > maxWalked {
		w.stop(fmt.Sprintf("there are more than %d folders", maxWalked))
		return
	}
	if depth > maxFolders {
		w.add(File{Path: filepath.Join(w.root, at), Skip: fmt.Sprintf("it lies below more than %d folders", maxFolders)})
		return
	}
	list, err := os.ReadDir(real)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.add(File{Path: filepath.Join(w.root, at), Skip: "the folder cannot be read: " + cause(err)})
		}
		return
	}
	if pattern[0] == "**" {
		w.into(at, real, pattern[1:], depth)
	}
	for _, e := range list {
		w.entry(e, filepath.Join(at, e.Name()), filepath.Join(real, e.Name()), pattern, depth)
	}
}

// entry looks at what a folder holds.
func (w *walk) entry(e fs.DirEntry, at, real string, pattern []string, depth int) {
	rest, deep := pattern, pattern[0] == "**"
	if !deep {
		if match, _ := path.Match(pattern[0], strings.ToLower(e.Name())); !match {
			return
		}
		rest = pattern[1:]
	}
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		w.follow(at, real, rest, deep, depth)
	case e.IsDir() && len(rest) > 0:
		w.into(at, real, rest, depth+1)
	case !e.IsDir() && len(rest) == 0:
		w.file(at, real)
	case !e.IsDir() && !deep && !strings.ContainsAny(pattern[0], "*?"):
		w.add(File{Path: filepath.Join(w.root, at), Time: changed(real), Skip: "it is not a folder, and transcripts belong in it"})
	}
}

// follow notes where a link leads to, if that is a folder or, at the end of a pattern,
// a file. On the way to any depth only folders count.
func (w *walk) follow(at, name string, rest []string, deep bool, depth int) {
	real, err := filepath.EvalSymlinks(name)
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(real)
	}
	switch {
	case err != nil && deep:
	case errors.Is(err, fs.ErrNotExist):
		w.add(File{Path: filepath.Join(w.root, at), Time: changed(name), Skip: "it is a link to nothing"})
	case err != nil:
		w.add(File{Path: filepath.Join(w.root, at), Time: changed(name), Skip: "the link cannot be followed: " + cause(err)})
	case info.IsDir() == (len(rest) > 0):
		w.links = append(w.links, link{at, real, rest, depth + 1})
	}
}

// behindLinks lists what links lead to, and links behind those.
func (w *walk) behindLinks() {
	for len(w.links) > 0 && !w.full {
		l := w.links[0]
		w.links = w.links[1:]
		if len(l.pattern) > 0 {
			w.into(l.at, l.real, l.pattern, l.depth)
		} else {
			w.file(l.at, l.real)
		}
	}
}

// file adds a file by what the disk says of it now.
func (w *walk) file(at, real string) {
	info, err := os.Lstat(real)
	if err != nil || info.IsDir() || w.listed[real] {
		return // it is gone, or known
	}
	w.listed[real] = true
	f := File{Path: filepath.Join(w.root, at), Size: info.Size(), Time: written(real, info), Skip: unfit(info)}
	if isDatabase(real) {
		if log := changed(real + "-wal"); log.After(f.Time) {
			f.Time = log // the newest is there
		}
	}
	if real != f.Path {
		f.real = real
	}
	w.add(f)
}

// changed is when something was changed last; zero if that cannot be told.
func changed(name string) time.Time {
	info, err := os.Lstat(name)
	if err != nil {
		return time.Time{}
	}
	return written(name, info)
}

func (w *walk) add(f File) {
	if len(w.found) >= maxFiles {
		w.stop(fmt.Sprintf("there are more than %d files", maxFiles))
		return
	}
	f.Host, f.Form = w.form.Host, w.form
	w.found = append(w.found, f)
}

// stop ends a walk that found too much, and says so once.
func (w *walk) stop(why string) {
	if !w.full {
		w.full = true
		w.found = append(w.found, File{Host: w.form.Host, Form: w.form, Path: w.root, Skip: why})
	}
}

// unfit returns why a file is not read, "" if it is.
func unfit(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return "it is a link" // and was none before
	case mode&fs.ModeNamedPipe != 0:
		return "it is a pipe"
	case !mode.IsRegular():
		return "it is not a regular file"
	case !owned(info):
		return "it belongs to another user"
	}
	return ""
}

// cause is an error without the path, which is said already.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// A SkipError describes why a file is not read.
type SkipError struct{ Path, Why string }

func (e *SkipError) Error() string { return e.Path + ": " + e.Why }

// Read reads the file to its end, as Read does.
func (f File) Read(o Options, fn func(*Call) error) (Report, error) {
	if f.Skip != "" {
		return Report{Host: f.Host}, &SkipError{f.Path, f.Skip}
	}
	real := cmp.Or(f.real, f.Path)
	file, info, err := open(real)
	if err != nil {
		return Report{Host: f.Host}, err
	}
	defer file.Close()
	d := newReader(f.Form, o, fn)
	if d.written = written(real, info); f.Time.After(d.written) {
		d.written = f.Time
	}
	if d.Form.Database != nil {
		return d.Form.Database(d, file, real)
	}
	if d.Form.Session != nil {
		d.Session = d.Form.Session(f.Path)
	}
	return d.read(file)
}

// A Gap is what was not read of a file.
type Gap struct {
	Lines int // that were left out; 0 = all of it
	Why   string
	Calls bool // it may hold calls
}

// writing is for how long after its last change a file may end within a line because its
// host is still writing.
const writing = time.Minute

// Gap returns what Read did not read, by what it returned; nil for nothing.
func (f File) Gap(rep Report, err error, now time.Time) *Gap {
	var foreign *ForeignError
	var skipped *SkipError
	switch {
	case errors.As(err, &foreign):
		return &Gap{Why: foreign.Error(), Calls: !foreign.Harmless}
	case errors.As(err, &skipped):
		return &Gap{Why: skipped.Why, Calls: true}
	case errors.Is(err, fs.ErrNotExist):
		return nil // it is gone by now
	case err != nil:
		return &Gap{Why: "it cannot be read: " + cause(err), Calls: true}
	case rep.SkippedAll > 0:
		g := &Gap{Lines: rep.SkippedAll, Why: "it has rows that are too long", Calls: rep.Lost > 0}
		if len(rep.Skipped) > 0 {
			g.Why = fmt.Sprintf("line %d: %s", rep.Skipped[0].Line, rep.Skipped[0].Why)
		}
		return g
	case rep.Cut && now.Sub(f.Time) > writing:
		return &Gap{Lines: 1, Why: "the last line is cut", Calls: rep.Torn}
	}
	return nil
}

// Before reports whether a file has nothing in it that was written since a time.
func (f File) Before(since time.Time) bool { return !f.Time.IsZero() && f.Time.Before(since) }

func isDatabase(path string) bool { return strings.EqualFold(filepath.Ext(path), ".db") }

// open opens a file that is to be read, and no other: it follows no link, waits for
// no writer of a pipe and takes nothing that belongs to somebody else.
func open(name string) (*os.File, fs.FileInfo, error) {
	file, err := openPlain(name)
	if err != nil {
		if info, lerr := os.Lstat(name); lerr == nil && unfit(info) != "" {
			return nil, nil, &SkipError{name, unfit(info)}
		}
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && unfit(info) != "" {
		err = &SkipError{name, unfit(info)}
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}
