package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/transcript/kept"
)

// A File is a transcript on disk.
type File struct {
	Host string
	Path string
	Size int64
	Time time.Time // of its last change
	// Skip says why it cannot be read; "" if it can.
	Skip string
}

// maxFiles is how many files are listed of a place.
const maxFiles = 100_000

// Find lists the transcripts that hosts keep for the person whose home it is, by
// host and path. The environment says where folders were moved to. Folders and
// files that are symbolic links are not followed, except the folder of a host
// itself; those, pipes and what belongs to somebody else are listed with the reason
// why they are not read.
func Find(home string, environ []string) []File {
	var all []File
	for _, f := range forms() {
		for _, p := range kept.Of(f.host) {
			w := walk{host: f.host, root: p.Dir(home, lookup(environ))}
			if w.root == "" {
				continue
			}
			for _, pattern := range p.Files {
				w.into("", strings.Split(pattern, "/"), 0)
			}
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
	host, root string
	found      []File
	full       bool
}

const maxFolders = 16 // below each other

// into lists what matches the rest of a pattern below a folder.
func (w *walk) into(dir string, pattern []string, depth int) {
	if depth > maxFolders || w.full {
		return
	}
	full := filepath.Join(w.root, dir)
	list, err := os.ReadDir(full)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.add(File{Path: full, Skip: "the folder cannot be read: " + cause(err)})
		}
		return
	}
	if pattern[0] == "**" {
		w.into(dir, pattern[1:], depth)
	}
	for _, e := range list {
		at := filepath.Join(dir, e.Name())
		last := len(pattern) == 1
		match := pattern[0] == "**" && e.IsDir()
		if pattern[0] != "**" {
			match, _ = path.Match(pattern[0], e.Name())
		}
		switch {
		case !match:
		case last:
			w.file(at)
		case e.IsDir() && pattern[0] == "**":
			w.into(at, pattern, depth+1)
		case e.IsDir():
			w.into(at, pattern[1:], depth+1)
		case e.Type()&fs.ModeSymlink != 0:
			w.add(File{Path: filepath.Join(w.root, at), Skip: "a symbolic link is not followed"})
		}
	}
}

// file adds a file by what the disk says of it now.
func (w *walk) file(at string) {
	full := filepath.Join(w.root, at)
	info, err := os.Lstat(full)
	if err != nil {
		return // it is gone
	}
	if info.IsDir() {
		return
	}
	w.add(File{Path: full, Size: info.Size(), Time: info.ModTime(), Skip: unfit(info)})
}

func (w *walk) add(f File) {
	if len(w.found) >= maxFiles {
		if !w.full {
			w.full = true
			w.found = append(w.found, File{Host: w.host, Path: w.root, Skip: fmt.Sprintf("there are more than %d files", maxFiles)})
		}
		return
	}
	f.Host = w.host
	w.found = append(w.found, f)
}

// unfit says why a file is not read, "" if it is.
func unfit(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link is not followed"
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

// A SkipError says why a file is not read.
type SkipError struct{ Path, Why string }

func (e *SkipError) Error() string { return e.Path + ": " + e.Why }

// Read reads the file to its end, as Read does.
func (f File) Read(o Options, fn func(*Call) error) (Report, error) {
	if f.Skip != "" {
		return Report{Host: f.Host}, &SkipError{f.Path, f.Skip}
	}
	file, info, err := open(f.Path)
	if err != nil {
		return Report{Host: f.Host}, err
	}
	defer file.Close()
	d, err := newDesk(f.Host, o, fn)
	if err != nil {
		return Report{Host: f.Host}, err
	}
	if filepath.Ext(f.Path) == ".db" {
		return d.readDatabase(file, f.Path)
	}
	d.whole = d.form.whole != nil && d.form.whole(f.Path)
	d.session = f.session()
	at := int64(0)
	if o.From > 0 && !d.whole {
		if at, err = d.resume(file, info.Size(), o.From); err != nil {
			return d.rep, err
		}
	}
	return d.read(file, at)
}

// session is the session that the path of a file names, where its lines do not.
func (f File) session() string {
	dir, base := filepath.Split(f.Path)
	switch f.Host {
	case "gemini": // of a sub-agent
		if parent := filepath.Base(dir); parent != "chats" {
			return parent
		}
	case "native":
		return strings.TrimSuffix(base, filepath.Ext(base))
	case "copilot":
		if base == "events.jsonl" {
			return filepath.Base(dir)
		}
	}
	return ""
}

// resume reads the first line, which says whose file it is, and goes to where the
// last reading ended; to the beginning, if the file is another one by now.
func (d *desk) resume(file *os.File, size, from int64) (int64, error) {
	if from > size || !atLine(file, from) {
		from = 0
	}
	if from > 0 {
		f := d.f
		d.f = func(*Call) error { return nil }
		d.readLines(io.LimitReader(file, firstLine(file)))
		d.f, d.rep = f, Report{Host: d.form.host}
		d.open, d.order = nil, nil
	}
	_, err := file.Seek(from, io.SeekStart)
	return from, errors.Join(err, d.err)
}

// atLine reports whether a line ends at an offset, as far as it is written.
func atLine(r io.ReaderAt, at int64) bool {
	var b [2]byte
	n, err := r.ReadAt(b[:], at-1)
	return n > 0 && b[0] == '\n' || n == 1 && errors.Is(err, io.EOF) || n == 2 && b[1] == '\n'
}

// firstLine is how long the first line is, as far as it matters.
func firstLine(r io.ReaderAt) int64 {
	buf := make([]byte, 64<<10)
	for at := int64(0); at < maxLine; at += int64(len(buf)) {
		n, err := r.ReadAt(buf, at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1
		}
		if err != nil {
			return at + int64(n)
		}
	}
	return maxLine
}

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
