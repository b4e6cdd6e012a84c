// Package gitconfig reads from the files of a git repository what determines where a push goes: what
// is checked out, the settings, and which refs exist. It does not start git and changes nothing. What
// it cannot interpret with certainty counts as unread.
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
	maxSmall  = 1 << 12  // bytes of a ref, of HEAD and of files that point elsewhere
	maxPacked = 32 << 20 // bytes of packed-refs
	maxUp     = 64       // parent directories that are searched
)

// Read returns the repository that contains a directory, or nil if there is none or it cannot be
// interpreted. environ is the environment of git.
func Read(dir, home string, environ []string) *shell.Repo {
	r := reader{read: readFile, home: home}
	v, ok := parseEnviron(environ)
	if !ok || !r.findRepoAndHead(dir) {
		return nil
	}
	for _, path := range v.settingsFiles(home, r.common) {
		if !r.readSettings(path, 0) {
			return nil
		}
	}
	if r.repo.Bool("extensions", "", "worktreeconfig") && !r.readSettings(filepath.Join(r.dir, "config.worktree"), 0) {
		return nil
	}
	if kind, ok := r.repo.Get("extensions", "", "refstorage"); ok && kind != "files" {
		return nil
	}
	r.repo.Settings = append(r.repo.Settings, v.settings...)
	repo := r.repo
	repo.Ref, repo.Default = r.refState, r.remoteHead
	return &repo
}

// A reader reads one repository.
type reader struct {
	read         func(path string, most int) ([]byte, error)
	home         string
	dir          string // of this working tree, with HEAD
	common       string // of all working trees, with the settings and the branches
	repo         shell.Repo
	packed       []byte // packed-refs, once it was needed
	packedRead   bool   // packed-refs was read
	packedBroken bool   // packed-refs could not be read
	unread       bool   // a conditional file could not be read
}

// findRepoAndHead finds the repository of a directory and what is checked out.
func (r *reader) findRepoAndHead(dir string) bool {
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

// find searches a directory and its parents for a .git.
func (r *reader) find(dir string) bool {
	for range maxUp {
		git := filepath.Join(dir, ".git")
		info, err := os.Stat(git)
		switch {
		case err == nil && info.IsDir():
			r.dir = git
			return r.findCommon()
		case err == nil:
			data, err := r.read(git, maxSmall)
			to, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
			if err != nil || !ok {
				return false
			}
			r.dir = resolvePath(dir, to)
			return r.findCommon()
		case !isMissing(err):
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

// findCommon finds the directory that all working trees share.
func (r *reader) findCommon() bool {
	r.common = r.dir
	data, err := r.read(filepath.Join(r.dir, "commondir"), maxSmall)
	if err == nil {
		r.common = resolvePath(r.dir, strings.TrimRight(string(data), "\r\n"))
		return true
	}
	return isMissing(err)
}

// resolvePath returns path relative to dir.
func resolvePath(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// refState returns the state of a ref.
func (r *reader) refState(name string) shell.RefState {
	if !isValidRef(name) {
		return shell.OtherRef
	}
	data, err := r.read(filepath.Join(r.common, filepath.FromSlash(name)), maxSmall)
	switch {
	case err == nil && isID(strings.TrimSpace(string(data))):
		return shell.PlainRef
	case isMissing(err) || errors.Is(err, errDirectory):
		return r.packedRefState(name)
	}
	return shell.OtherRef
}

// packedRefState returns the state of a ref in packed-refs.
func (r *reader) packedRefState(name string) shell.RefState {
	if !r.packedRead {
		r.packedRead = true
		data, err := r.read(filepath.Join(r.common, "packed-refs"), maxPacked)
		if err != nil && !isMissing(err) {
			r.packedBroken = true
		}
		r.packed = data
	}
	if r.packedBroken {
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

// remoteHead returns the branch that a remote's HEAD names, or "".
func (r *reader) remoteHead(remote string) string {
	base := "refs/remotes/" + remote + "/"
	if !isValidRef(base + "HEAD") {
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

// isValidRef reports whether the name of a ref is one that git accepts and that, as a path, leads
// nowhere else.
func isValidRef(name string) bool {
	return strings.HasPrefix(name, "refs/") && !strings.Contains(name, "..") && !strings.Contains(name, "//") && !strings.Contains(name, "@{") &&
		!strings.ContainsAny(name, "\x00\n\r\t ~^:?*[\\\x7f") && !strings.HasSuffix(name, "/") && !strings.HasSuffix(name, ".lock") && !strings.Contains(name, "/.")
}

// isID reports whether a word is an object id.
func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// isMissing reports whether an error means that a file does not exist.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

var (
	errDirectory = errors.New("is a directory")
	errNoFile    = errors.New("is not a regular file, or is too large")
)

// readFile reads a whole file of at most most bytes.
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
