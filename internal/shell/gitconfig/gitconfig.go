// Package gitconfig reads from a git repository's files what decides where a push
// goes: what is checked out, the settings, and which refs are there. It starts no
// git and changes nothing. What it does not understand for sure it does not read.
package gitconfig

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/checkrein/checkrein/internal/shell"
)

const (
	maxSmall  = 1 << 12  // bytes of a ref, of HEAD and of the files that point elsewhere
	maxPacked = 32 << 20 // bytes of packed-refs
	maxUp     = 64       // directories that are looked through upwards
)

// Read returns the repository that a directory lies in, nil when there is none
// or it cannot be understood. The environment is the one that git will have.
func Read(dir, home string, environ []string) *shell.Repo {
	r := reader{read: readFile, home: home}
	v, ok := variables(environ)
	if !ok || !r.open(dir) {
		return nil
	}
	for _, path := range v.files(home, r.common) {
		if !r.settings(path, 0) {
			return nil
		}
	}
	if r.repo.Bool("extensions", "", "worktreeconfig") && !r.settings(filepath.Join(r.dir, "config.worktree"), 0) {
		return nil
	}
	if kind, ok := r.repo.Get("extensions", "", "refstorage"); ok && kind != "files" {
		return nil
	}
	r.repo.Settings = append(r.repo.Settings, v.settings...)
	repo := r.repo
	repo.Ref, repo.Default = r.ref, r.remoteHead
	return &repo
}

// A reader is the work on one repository.
type reader struct {
	read   func(path string, most int) ([]byte, error)
	home   string
	dir    string // of this working tree: HEAD lies in it
	common string // of all: the settings and the branches lie in it
	repo   shell.Repo
	packed []byte // packed-refs, once it was needed
	asked  bool   // that it was read
	broken bool   // and could not be
	unread bool   // a file that counts under a condition could not be read
}

// open finds the repository of a directory and what is checked out.
func (r *reader) open(dir string) bool {
	if !filepath.IsAbs(dir) || !r.find(dir) {
		return false
	}
	real, err := filepath.EvalSymlinks(r.common)
	if err != nil {
		return false
	}
	r.repo.Common = real
	head, err := r.read(filepath.Join(r.dir, "HEAD"), maxSmall)
	if err != nil {
		return false
	}
	name, symbolic := strings.CutPrefix(strings.TrimSpace(string(head)), "ref:")
	if symbolic {
		r.repo.Head = strings.TrimSpace(name)
	}
	return true
}

// find goes up from a directory to the first one with a .git.
func (r *reader) find(dir string) bool {
	for range maxUp {
		git := filepath.Join(dir, ".git")
		info, err := os.Stat(git)
		switch {
		case err == nil && info.IsDir():
			r.dir = git
			return r.shared()
		case err == nil:
			data, err := r.read(git, maxSmall)
			to, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
			if err != nil || !ok {
				return false
			}
			r.dir = against(dir, to)
			return r.shared()
		case !missing(err):
			return false
		}
		if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
			if _, err := os.Stat(filepath.Join(dir, "objects")); err == nil {
				return false // git takes the directory itself for a repository
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
	return false
}

// shared finds the directory that all working trees share.
func (r *reader) shared() bool {
	r.common = r.dir
	data, err := r.read(filepath.Join(r.dir, "commondir"), maxSmall)
	if err == nil {
		r.common = against(r.dir, strings.TrimRight(string(data), "\r\n"))
		return true
	}
	return missing(err)
}

func against(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// ref returns what is known of a ref.
func (r *reader) ref(name string) shell.RefState {
	if !wellFormed(name) {
		return shell.OtherRef
	}
	data, err := r.read(filepath.Join(r.common, filepath.FromSlash(name)), maxSmall)
	switch {
	case err == nil && isID(strings.TrimSpace(string(data))):
		return shell.PlainRef
	case missing(err) || errors.Is(err, errDirectory):
		return r.packedRef(name)
	}
	return shell.OtherRef
}

// packedRef looks for a ref in the file that holds many.
func (r *reader) packedRef(name string) shell.RefState {
	if !r.asked {
		r.asked = true
		data, err := r.read(filepath.Join(r.common, "packed-refs"), maxPacked)
		if err != nil && !missing(err) {
			r.broken = true
		}
		r.packed = data
	}
	if r.broken {
		return shell.OtherRef
	}
	for rest := r.packed; ; {
		i := bytes.Index(rest, []byte(" "+name))
		if i < 0 {
			return shell.NoRef
		}
		end := i + 1 + len(name)
		if end == len(rest) || rest[end] == '\n' || rest[end] == '\r' {
			return shell.PlainRef
		}
		rest = rest[end:]
	}
}

// remoteHead is the branch that a remote's HEAD names.
func (r *reader) remoteHead(remote string) string {
	base := "refs/remotes/" + remote + "/"
	if !wellFormed(base + "HEAD") {
		return ""
	}
	data, err := r.read(filepath.Join(r.common, filepath.FromSlash(base+"HEAD")), maxSmall)
	if err != nil {
		return ""
	}
	to, symbolic := strings.CutPrefix(strings.TrimSpace(string(data)), "ref:")
	branch, ok := strings.CutPrefix(strings.TrimSpace(to), base)
	if !symbolic || !ok || branch == "" {
		return ""
	}
	return "refs/heads/" + branch
}

// wellFormed reports whether a name of a ref is one that git would take and that
// leads nowhere else as a path.
func wellFormed(name string) bool {
	return strings.HasPrefix(name, "refs/") && !strings.Contains(name, "..") && !strings.Contains(name, "//") && !strings.Contains(name, "@{") &&
		!strings.ContainsAny(name, "\x00\n\r\t ~^:?*[\\\x7f") && !strings.HasSuffix(name, "/") && !strings.HasSuffix(name, ".lock") && !strings.Contains(name, "/.")
}

// isID reports whether a word is an object id.
func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// missing reports whether an error says that a file is not there.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

var (
	errDirectory = errors.New("is a directory")
	errNoFile    = errors.New("is not a regular file, or is too large")
)

// readFile reads a whole file of at most so many bytes.
func readFile(path string, most int) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errDirectory
	case !info.Mode().IsRegular() || info.Size() > int64(most):
		return nil, errNoFile
	}
	return os.ReadFile(path)
}
