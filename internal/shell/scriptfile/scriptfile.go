// Package scriptfile reads the files that a command runs: text only, regular files only, and within
// the limits of one command.
//
// A file that is not read does not change the report on the command: what runs is then unread.
package scriptfile

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What is read for one command. Scripts, Makefiles and sources that people write are far
// smaller; what is larger is made by programs.
const (
	MaxFile  = 256 << 10 // bytes of a file
	maxBytes = 1 << 20   // bytes of all of them
	maxFiles = 96
	maxTries = 512
	textHead = 8 << 10 // a NUL in there makes a file binary
)

// A Reader reads files for one command, each of them once. It is not safe for concurrent
// use.
type Reader struct {
	// Seen is called with every file that is read. It may be nil.
	Seen func(path, text string)
	// Skip reports whether to leave out a file whose content is irrelevant. It may be nil.
	Skip func(path string) bool
	// Wrote reports whether to read a file wherever it is. It may be nil.
	Wrote func(path string) bool

	known map[string]*content
	bytes int
	files int
	tries int
}

type content struct {
	text string
	err  error
}

// Read is [shell.Place.Read].
func (r *Reader) Read(path string) (text string, ok bool) {
	c := r.get(path)
	return c.text, c.err == nil
}

func (r *Reader) get(path string) *content {
	if c := r.known[path]; c != nil {
		return c
	}
	c := &content{err: fs.ErrPermission}
	if r.tries++; r.tries > maxTries {
		return c
	}
	if r.Skip == nil || !r.Skip(path) {
		c.text, c.err = r.load(path)
	}
	if r.known == nil {
		r.known = map[string]*content{}
	}
	r.known[path] = c
	if c.err == nil && r.Seen != nil {
		r.Seen(path, c.text)
	}
	return c
}

func (r *Reader) load(path string) (string, error) {
	if isVirtual(path) || isInstalled(path) && (r.Wrote == nil || !r.Wrote(path)) {
		return "", fs.ErrPermission
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular(), info.Size() > MaxFile:
		return "", fs.ErrPermission
	}
	f, err := openNoWait(path) // it may have become a pipe
	if err != nil {
		return "", err
	}
	defer f.Close()
	// Of what the system makes up when it is read, such as /proc, the size is 0.
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > MaxFile {
		return "", fs.ErrPermission
	}
	if r.files++; r.files > maxFiles || r.bytes+int(info.Size()) > maxBytes {
		return "", fs.ErrPermission
	}
	text := make([]byte, info.Size())
	n, err := io.ReadFull(f, text)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return "", err
	}
	text = text[:n]
	r.bytes += n
	if bytes.IndexByte(text[:min(n, textHead)], 0) >= 0 {
		return "", fs.ErrPermission
	}
	return string(text), nil
}

// IsFile reports whether there is a regular file at a path.
func IsFile(path string) bool {
	if isVirtual(path) {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isVirtual reports whether a path is relative or leads to a virtual file system.
func isVirtual(path string) bool {
	if !filepath.IsAbs(path) {
		return true
	}
	path = filepath.ToSlash(filepath.Clean(path))
	for _, dir := range [...]string{"/proc", "/sys", "/dev"} {
		if rest, ok := strings.CutPrefix(path, dir); ok && (rest == "" || rest[0] == '/') && !strings.HasPrefix(path, "/dev/shm/") {
			return true
		}
	}
	return false
}

// isInstalled reports whether a path is where package managers and compilers put their output. People
// did not write it, so it is not judged.
func isInstalled(path string) bool {
	path = filepath.ToSlash(path)
	for _, part := range [...]string{"/node_modules/", "/target/debug/", "/target/release/", "/site-packages/", "/.venv/", "/venv/", "/.tox/", "/.nox/", "/vendor/bundle/", "/.cargo/", "/.rustup/"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}
