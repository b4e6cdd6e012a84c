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
	Form *Form // how to read it
	Path string
	Size int64
	// Time is the last change of its contents or metadata, or zero if it is unknown. Unlike the
	// modification time it cannot be set back, so nothing in the file was written later.
	Time time.Time
	// Skip is why the file cannot be read; "" = it can.
	Skip string

	real string // the path without symlinks, if it differs
}

const (
	maxFiles   = 100_000 // listed per root
	maxWalked  = 100_000 // folders read per root
	maxFolders = 16      // depth of folders
)

// Find returns the transcripts of all hosts in the home directory, host by host. Variables in environ
// can move the folders of hosts. The case of file names does not matter. Find follows symlinks, and
// lists a file with several names once. It also lists pipes, files of other users and folders that it
// cannot read, with the reason in Skip.
func (list Forms) Find(home string, environ []string) []File {
	var all []File
	for _, f := range list {
		for p := range transcripts.AllPlaces {
			if p.Host != f.Host {
				continue
			}
			w := walker{form: f, root: p.Dir(home, absoluteVar(environ)), visited: map[step]bool{}, listed: map[string]bool{}}
			if w.root == "" {
				continue
			}
			real, err := filepath.EvalSymlinks(w.root)
			if err != nil {
				real = w.root // readDir reports the error
			}
			for _, pattern := range p.Files {
				w.readDir("", real, strings.Split(pattern, "/"), 0)
			}
			w.followSymlinks()
			all = append(all, w.found...)
		}
	}
	return all
}

// absoluteVar returns a function that returns the value of a variable in environ, or "" if it is not
// an absolute path.
func absoluteVar(environ []string) func(string) string {
	return func(name string) string {
		for _, kv := range environ {
			if v, ok := strings.CutPrefix(kv, name+"="); ok && filepath.IsAbs(v) {
				return v
			}
		}
		return ""
	}
}

// A walker finds the files below root that match patterns.
type walker struct {
	form    *Form
	root    string
	found   []File
	full    bool
	visited map[step]bool
	listed  map[string]bool // real paths of files
	links   []symlink       // followed last, so that a file is listed under its own path
}

// A step identifies the visit of a folder with the rest of a pattern.
type step struct {
	real string
	rest int // the number of elements that are left of the pattern
}

// A symlink is a symbolic link to a folder or a file that is still to be visited.
type symlink struct {
	at, real string
	pattern  []string // for the files below it; empty for a file
	depth    int
}

// readDir adds the files that match pattern in the folder at, which is relative to the root. real is
// the folder's path without symlinks.
func (w *walker) readDir(at, real string, pattern []string, depth int) {
	if here := (step{real, len(pattern)}); w.full || w.visited[here] {
		return
	} else if w.visited[here] = true; len(w.visited) > maxWalked {
		w.stop(fmt.Sprintf("there are more than %d folders", maxWalked))
		return
	}
	if depth > maxFolders {
		w.listFile(File{Path: filepath.Join(w.root, at), Skip: fmt.Sprintf("it is more than %d folders deep", maxFolders)})
		return
	}
	list, err := os.ReadDir(real)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.listFile(File{Path: filepath.Join(w.root, at), Skip: "the folder cannot be read: " + causeText(err)})
		}
		return
	}
	if pattern[0] == "**" {
		w.readDir(at, real, pattern[1:], depth)
	}
	for _, e := range list {
		w.visitEntry(e, filepath.Join(at, e.Name()), filepath.Join(real, e.Name()), pattern, depth)
	}
}

// visitEntry visits an entry of a folder if it matches the first element of pattern.
func (w *walker) visitEntry(e fs.DirEntry, at, real string, pattern []string, depth int) {
	rest, deep := pattern, pattern[0] == "**"
	if !deep {
		if match, _ := path.Match(pattern[0], strings.ToLower(e.Name())); !match {
			return
		}
		rest = pattern[1:]
	}
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		w.addSymlink(at, real, rest, deep, depth)
	case e.IsDir() && len(rest) > 0:
		w.readDir(at, real, rest, depth+1)
	case !e.IsDir() && len(rest) == 0:
		w.addFile(at, real)
	case !e.IsDir() && !deep && !strings.ContainsAny(pattern[0], "*?"):
		w.listFile(File{Path: filepath.Join(w.root, at), Time: changeTime(real), Skip: "it is a file where the agent keeps a folder of transcripts"})
	}
}

// addSymlink queues the symlink name if it leads to a folder or, at the end of a pattern, to a file.
// onlyFolders is set if "**" matched, which matches only folders; broken symlinks are then ignored.
func (w *walker) addSymlink(at, name string, rest []string, onlyFolders bool, depth int) {
	real, err := filepath.EvalSymlinks(name)
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(real)
	}
	switch {
	case err != nil && onlyFolders:
	case errors.Is(err, fs.ErrNotExist):
		w.listFile(File{Path: filepath.Join(w.root, at), Time: changeTime(name), Skip: "it is a broken symlink"})
	case err != nil:
		w.listFile(File{Path: filepath.Join(w.root, at), Time: changeTime(name), Skip: "the symlink cannot be followed: " + causeText(err)})
	case info.IsDir() == (len(rest) > 0):
		w.links = append(w.links, symlink{at, real, rest, depth + 1})
	}
}

// followSymlinks visits the targets of the queued symlinks, including symlinks that it finds there.
func (w *walker) followSymlinks() {
	for len(w.links) > 0 && !w.full {
		l := w.links[0]
		w.links = w.links[1:]
		if len(l.pattern) > 0 {
			w.readDir(l.at, l.real, l.pattern, l.depth)
		} else {
			w.addFile(l.at, l.real)
		}
	}
}

// addFile adds a file with its present size and time, unless it is already listed.
func (w *walker) addFile(at, real string) {
	info, err := os.Lstat(real)
	if err != nil || info.IsDir() || w.listed[real] {
		return // removed in the meantime, or already listed
	}
	w.listed[real] = true
	f := File{Path: filepath.Join(w.root, at), Size: info.Size(), Time: lastWrite(real, info), Skip: skipReason(info)}
	if isDatabase(real) {
		if log := changeTime(real + "-wal"); log.After(f.Time) {
			f.Time = log // SQLite writes to the log first
		}
	}
	if real != f.Path {
		f.real = real
	}
	w.listFile(f)
}

// changeTime returns when the contents or metadata of a file last changed, or zero if that is unknown.
func changeTime(name string) time.Time {
	info, err := os.Lstat(name)
	if err != nil {
		return time.Time{}
	}
	return lastWrite(name, info)
}

// listFile lists f, or stops the walk if too many files are listed.
func (w *walker) listFile(f File) {
	if len(w.found) >= maxFiles {
		w.stop(fmt.Sprintf("there are more than %d files", maxFiles))
		return
	}
	f.Host, f.Form = w.form.Host, w.form
	w.found = append(w.found, f)
}

// stop ends a walk that found too much, and lists the root with the reason why.
func (w *walker) stop(why string) {
	if !w.full {
		w.full = true
		w.found = append(w.found, File{Host: w.form.Host, Form: w.form, Path: w.root, Skip: why})
	}
}

// skipReason returns why a file must not be read, or "" if it may be.
func skipReason(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return "it is a symlink" // which replaced the file in the meantime
	case mode&fs.ModeNamedPipe != 0:
		return "it is a pipe"
	case !mode.IsRegular():
		return "it is not a regular file"
	case !isOwnedByUser(info):
		return "it belongs to another user"
	}
	return ""
}

// causeText returns the text of err without the path that an *fs.PathError has.
func causeText(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// A SkipError reports why a file was not read.
type SkipError struct{ Path, Why string }

func (e *SkipError) Error() string { return e.Path + ": " + e.Why }

// Read reads the file to its end as [Form.Read] does. The error is a *SkipError if the file must not
// be read.
func (f File) Read(o Options, fn func(*Call) error) (Report, error) {
	if f.Skip != "" {
		return Report{Host: f.Host}, &SkipError{f.Path, f.Skip}
	}
	real := cmp.Or(f.real, f.Path)
	file, info, err := openRegular(real)
	if err != nil {
		return Report{Host: f.Host}, err
	}
	defer file.Close()
	d := newReader(f.Form, o, fn)
	if d.written = lastWrite(real, info); f.Time.After(d.written) {
		d.written = f.Time
	}
	if d.Form.Database != nil {
		return d.Form.Database(d, file, real)
	}
	if d.Form.Session != nil {
		d.Session = d.Form.Session(f.Path)
	}
	return d.readAll(file)
}

// A Gap is the part of a file that was not read.
type Gap struct {
	Lines int // the number of lines that were skipped; 0 = all
	Why   string
	Calls bool // it may hold calls
}

// writeGrace is how long after the last change of a file an incomplete last line is not reported,
// because the host may still be writing it.
const writeGrace = time.Minute

// Gap returns the part of the file that [File.Read] skipped, given its results rep and err, or nil if
// it read everything.
func (f File) Gap(rep Report, err error, now time.Time) *Gap {
	var foreign *ForeignError
	var skipped *SkipError
	switch {
	case errors.As(err, &foreign):
		return &Gap{Why: foreign.Error(), Calls: !foreign.Harmless}
	case errors.As(err, &skipped):
		return &Gap{Why: skipped.Why, Calls: true}
	case errors.Is(err, fs.ErrNotExist):
		return nil // removed in the meantime
	case err != nil:
		return &Gap{Why: "it cannot be read: " + causeText(err), Calls: true}
	case rep.SkippedAll > 0:
		g := &Gap{Lines: rep.SkippedAll, Why: "it has rows that are too long", Calls: rep.Lost > 0}
		if len(rep.Skipped) > 0 {
			g.Why = fmt.Sprintf("line %d: %s", rep.Skipped[0].Line, rep.Skipped[0].Why)
		}
		return g
	case rep.Truncated && now.Sub(f.Time) > writeGrace:
		return &Gap{Lines: 1, Why: "the last line is incomplete", Calls: rep.TruncatedCall}
	}
	return nil
}

// UnchangedSince reports whether the file is known to be unchanged since a time.
func (f File) UnchangedSince(since time.Time) bool { return !f.Time.IsZero() && f.Time.Before(since) }

func isDatabase(path string) bool { return strings.EqualFold(filepath.Ext(path), ".db") }

// openRegular opens a regular file of this user. It does not follow symlinks or block on a pipe; for
// such files the error is a *SkipError.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	file, err := openNoFollow(name)
	if err != nil {
		if info, lerr := os.Lstat(name); lerr == nil && skipReason(info) != "" {
			return nil, nil, &SkipError{name, skipReason(info)}
		}
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && skipReason(info) != "" {
		err = &SkipError{name, skipReason(info)}
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}
