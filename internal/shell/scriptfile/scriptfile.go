// Package scriptfile reads the files that a command runs. It reads only regular text files, and only
// within limits for each command.
//
// The effects of a file that is not read are unknown; it does not change the other findings about the
// command.
package scriptfile

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Limits on what is read for one command. Scripts, Makefiles and sources that people write are
// far smaller; larger files are usually generated.
const (
	MaxFile  = 256 << 10 // size of a file in bytes
	maxBytes = 1 << 20   // total size of all files in bytes
	maxFiles = 96        // files that are read
	maxTries = 512       // paths that are tried
	textHead = 8 << 10   // a file with a NUL in its first textHead bytes is binary
)

// A Reader reads files for one command, each of them once. It is not safe for concurrent use.
type Reader struct {
	// OnRead is called with the path and contents of each file that is read. It may be nil.
	OnRead func(path, text string)
	// Skip reports whether the contents of the file at path are irrelevant, so that it is not read.
	// It may be nil.
	Skip func(path string) bool
	// Wrote reports whether to read the file at path even if it is in a directory of installed or
	// generated files, because the agent wrote it. It may be nil.
	Wrote func(path string) bool

	known map[string]*content // by path
	bytes int                 // bytes read so far
	files int                 // files read so far
	tries int                 // paths tried so far
}

// A content is the text of a file, or the error why it was not read.
type content struct {
	text string
	err  error
}

// Read returns the text of the file at path. It reports false if the file was not read. It implements
// shell.Place.Read.
func (r *Reader) Read(path string) (text string, ok bool) {
	c := r.cachedContent(path)
	return c.text, c.err == nil
}

// cachedContent returns the content of the file at path, which it reads the first time.
func (r *Reader) cachedContent(path string) *content {
	if c := r.known[path]; c != nil {
		return c
	}
	c := &content{err: fs.ErrPermission}
	if r.tries++; r.tries > maxTries {
		return c
	}
	if r.Skip == nil || !r.Skip(path) {
		c.text, c.err = r.readText(path)
	}
	if r.known == nil {
		r.known = map[string]*content{}
	}
	r.known[path] = c
	if c.err == nil && r.OnRead != nil {
		r.OnRead(path, c.text)
	}
	return c
}

// readText reads the file at path. It returns fs.ErrPermission if the file is not a regular text
// file or exceeds a limit.
func (r *Reader) readText(path string) (string, error) {
	if isRelativeOrVirtual(path) || isInstalled(path) && (r.Wrote == nil || !r.Wrote(path)) {
		return "", fs.ErrPermission
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular(), info.Size() > MaxFile:
		return "", fs.ErrPermission
	}
	f, err := openNonblocking(path) // the file may have become a pipe since
	if err != nil {
		return "", err
	}
	defer f.Close()
	// Files that the system generates when they are read, as in /proc, have the size 0.
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

// IsFile reports whether there is a regular file at path, which must be absolute and not in a virtual
// file system.
func IsFile(path string) bool {
	if isRelativeOrVirtual(path) {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isRelativeOrVirtual reports whether path is relative, or in a virtual file system such as /proc.
func isRelativeOrVirtual(path string) bool {
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

// isInstalled reports whether path is in a directory where package managers and compilers put their
// output. Nobody on the project wrote such files, so they are not judged.
func isInstalled(path string) bool {
	path = filepath.ToSlash(path)
	for _, part := range [...]string{"/node_modules/", "/target/debug/", "/target/release/", "/site-packages/", "/.venv/", "/venv/", "/.tox/", "/.nox/", "/vendor/bundle/", "/.cargo/", "/.rustup/"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}
