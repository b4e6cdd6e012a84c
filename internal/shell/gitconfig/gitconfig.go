// Package gitconfig reads the files of a git repository that determine where a push goes: the current
// branch, the settings, and the refs. It does not start git, and changes nothing. Files that it cannot
// interpret with certainty count as not read.
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
	maxSmall  = 1 << 12  // size in bytes of a ref, HEAD, commondir or a .git file
	maxPacked = 32 << 20 // size in bytes of packed-refs
	maxUp     = 64       // directories that are searched for a repository
)

// Read returns the repository that contains dir, which must be absolute. It returns nil if there is
// none or it cannot be interpreted. Home is the user's home directory, and environ the environment of
// git.
func Read(dir, home string, environ []string) *shell.Repo {
	r := reader{read: readFile, home: home}
	v, ok := parseGitEnviron(environ)
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
	repo.Ref, repo.Default = r.refState, r.remoteDefaultBranch
	return &repo
}

// A reader reads the files of one repository.
type reader struct {
	read         func(path string, most int) ([]byte, error) // reads a file of at most most bytes
	home         string                                      // the user's home directory, or ""
	dir          string                                      // the git directory of this working tree, with HEAD
	common       string                                      // the git directory that all working trees share
	repo         shell.Repo
	packed       []byte // the contents of packed-refs
	packedRead   bool   // packed is set, unless packedBroken is
	packedBroken bool   // packed-refs could not be read
	unread       bool   // a conditionally included file could not be read
}

// findRepoAndHead finds the repository that contains dir and its current branch. It reports false if
// there is none or HEAD cannot be read.
func (r *reader) findRepoAndHead(dir string) bool {
	if !filepath.IsAbs(dir) || !r.findGitDir(dir) {
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

// findGitDir finds the git directory of the working tree that contains dir: it searches dir and its
// parents for .git. It reports false if there is none or it cannot be interpreted.
func (r *reader) findGitDir(dir string) bool {
	for range maxUp {
		git := filepath.Join(dir, ".git")
		info, err := os.Stat(git)
		switch {
		case err == nil && info.IsDir():
			r.dir = git
			return r.findCommonDir()
		case err == nil:
			data, err := r.read(git, maxSmall)
			to, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
			if err != nil || !ok {
				return false
			}
			r.dir = resolvePath(dir, to)
			return r.findCommonDir()
		case !isNotExist(err):
			return false
		}
		if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
			if _, err := os.Stat(filepath.Join(dir, "objects")); err == nil {
				return false // dir itself is a bare repository
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

// findCommonDir finds the git directory that all working trees share. It reports false if commondir
// cannot be read.
func (r *reader) findCommonDir() bool {
	r.common = r.dir
	data, err := r.read(filepath.Join(r.dir, "commondir"), maxSmall)
	if err == nil {
		r.common = resolvePath(r.dir, strings.TrimRight(string(data), "\r\n"))
		return true
	}
	return isNotExist(err)
}

// resolvePath returns path, which is relative to dir unless it is absolute.
func resolvePath(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// refState returns the state of the ref name. It is OtherRef if the ref cannot be read or does not
// hold an object ID.
func (r *reader) refState(name string) shell.RefState {
	if !isSafeRef(name) {
		return shell.OtherRef
	}
	data, err := r.read(filepath.Join(r.common, filepath.FromSlash(name)), maxSmall)
	switch {
	case err == nil && isObjectID(strings.TrimSpace(string(data))):
		return shell.PlainRef
	case isNotExist(err) || errors.Is(err, errDirectory):
		return r.packedRefState(name)
	}
	return shell.OtherRef
}

// packedRefState returns the state of the ref name in packed-refs.
func (r *reader) packedRefState(name string) shell.RefState {
	if !r.packedRead {
		r.packedRead = true
		data, err := r.read(filepath.Join(r.common, "packed-refs"), maxPacked)
		if err != nil && !isNotExist(err) {
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

// remoteDefaultBranch returns the ref of the local branch with the name of the default branch of
// remote, or "" if that is not known.
func (r *reader) remoteDefaultBranch(remote string) string {
	base := "refs/remotes/" + remote + "/"
	if !isSafeRef(base + "HEAD") {
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

// isSafeRef reports whether git accepts name for a ref, and name, as a path, cannot lead out of the
// repository.
func isSafeRef(name string) bool {
	return strings.HasPrefix(name, "refs/") && !strings.Contains(name, "..") && !strings.Contains(name, "//") && !strings.Contains(name, "@{") &&
		!strings.ContainsAny(name, "\x00\n\r\t ~^:?*[\\\x7f") && !strings.HasSuffix(name, "/") && !strings.HasSuffix(name, ".lock") && !strings.Contains(name, "/.")
}

// isObjectID reports whether s is an object ID in hexadecimal.
func isObjectID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// isNotExist reports whether err means that a file does not exist.
func isNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

var (
	errDirectory  = errors.New("is a directory")
	errUnreadable = errors.New("is not a regular file, or is too large")
)

// readFile returns the contents of the regular file at path. It fails if the file has more than most
// bytes.
func readFile(path string, most int) ([]byte, error) {
	info, err := os.Stat(path) // before opening, which would block on a pipe
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errDirectory
	case !info.Mode().IsRegular() || info.Size() > int64(most):
		return nil, errUnreadable
	}
	return os.ReadFile(path)
}
