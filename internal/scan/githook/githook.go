// Package githook installs checkrein's git hooks in a repository: scripts in a directory
// that git tracks with the project, and the setting that makes git run them. Hooks that
// existed before continue to run, and everything can be undone.
package githook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Directories of the scripts of this version and of earlier ones.
const (
	defaultDir = ".githooks"
	earlierDir = "hooks"
)

// HookDir returns the directory of the hooks that are installed or came with the project, and reports
// whether they are those of a private repository. If there are none, ok is false and dir is the
// directory to suggest.
func (s *Site) HookDir(ctx context.Context) (dir string, private, ok bool, err error) {
	n, err := s.readNote()
	if err != nil {
		return "", false, false, err
	}
	dirs := []string{defaultDir, earlierDir}
	if n != nil {
		dirs = []string{n.Dir}
	} else if active, err := s.activeDir(ctx); err != nil {
		return "", false, false, err
	} else if rel, err := filepath.Rel(s.repo.Top, active); err == nil && filepath.IsLocal(rel) {
		dirs = append([]string{filepath.ToSlash(rel)}, dirs...)
	}
	for _, dir := range dirs {
		if text, err := os.ReadFile(filepath.Join(s.absPath(dir), OurHooks[0])); err == nil && isOurScript(text) {
			return dir, isPrivateScript(text), true, nil
		}
	}
	if n != nil { // the scripts were removed
		return n.Dir, false, true, nil
	}
	return defaultDir, false, false, nil
}

// A Site is a repository in which git hooks are installed.
type Site struct {
	repo   *git.Repo
	common string      // the git directory that all working trees share
	states []state.Dir // may name the program that hooks run
}

// OpenSite returns the site of r, which must have a working tree. The state directories states may
// name the program that git hooks run; the first that does is used.
func OpenSite(ctx context.Context, r *git.Repo, states ...state.Dir) (*Site, error) {
	if r.Top == "" {
		return nil, errors.New("the repository has no working tree, so it cannot track hooks")
	}
	common, err := r.CommonDir(ctx)
	return &Site{repo: r, common: common, states: states}, err
}

// programFile is the file in the state directory that contains the path of the program, and nothing
// else, because a shell reads it.
const programFile = "git-program"

// readProgram returns the path of the program that the state directory dir names, or "" if it names
// none.
func readProgram(dir state.Dir) string {
	text, err := dir.Read(programFile, 64<<10)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\n")
}

// UpdateProgram makes git hooks run program if the state directory dir names another one. It does
// nothing if dir names none.
func UpdateProgram(dir state.Dir, program string) error {
	if was := readProgram(dir); was == "" || was == program {
		return nil
	}
	return dir.Write(programFile, []byte(program+"\n"))
}

// An installNote records the state before the installation. It is stored in the git directory.
type installNote struct {
	Version int      `json:"version"`
	Dir     string   `json:"dir"`
	Files   []string `json:"files"`  // files that the installation created, relative to the top
	Moved   []string `json:"moved"`  // old names of the hooks that were renamed
	Dirs    []string `json:"dirs"`   // directories that the installation created, innermost first
	Was     *string  `json:"was"`    // previous core.hooksPath of the repository; null means none
	Config  []byte   `json:"config"` // previous settings file; null if it was changed after the installation
	After   string   `json:"after"`  // SHA-256 of the settings after the installation
}

// notePath returns the path of the installation note.
func (s *Site) notePath() string { return filepath.Join(s.common, "checkrein", "git-hooks.json") }

// readNote returns the installation note, or nil if there is none.
func (s *Site) readNote() (*installNote, error) {
	raw, err := os.ReadFile(s.notePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var n installNote
	if err := json.Unmarshal(raw, &n); err != nil || n.Version != 1 {
		return nil, fmt.Errorf("%s is not a valid installation note: remove it to continue without it", s.notePath())
	}
	return &n, nil
}

// writeNote stores the installation note n.
func (s *Site) writeNote(n *installNote) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.notePath()), 0o700); err != nil {
		return err
	}
	return state.ReplaceFile(s.notePath(), append(raw, '\n'), 0o600)
}

// readConfig returns the content of the repository's settings file.
func (s *Site) readConfig() ([]byte, error) { return os.ReadFile(filepath.Join(s.common, "config")) }

// hexDigest returns the SHA-256 of b in hexadecimal.
func hexDigest(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// absPath returns the absolute path of name, which is relative to the top of the working tree.
func (s *Site) absPath(name string) string {
	return filepath.Join(s.repo.Top, filepath.FromSlash(name))
}

// resolveHooksPath returns the directory that value, a value of core.hooksPath, denotes.
func (s *Site) resolveHooksPath(value string) string {
	if filepath.IsAbs(value) {
		return filepath.Clean(value)
	}
	return s.absPath(value)
}

// CheckDir returns dir cleaned, or an error if it cannot contain hooks.
func CheckDir(dir string) (string, error) {
	clean := filepath.ToSlash(filepath.Clean(dir))
	switch {
	case !filepath.IsLocal(dir) || clean == ".":
		return "", fmt.Errorf("--dir %s: name a directory below the top of the repository, such as .githooks", dir)
	case clean == ".git" || strings.HasPrefix(clean, ".git/"):
		return "", fmt.Errorf("--dir %s: git does not track its own directory, so other people would not get the hooks: choose another directory", dir)
	}
	return clean, nil
}

// activeHooks returns the names of the executable git hooks in dir.
func activeHooks(dir string) []string {
	var list []string
	for _, name := range slices.Concat(OurHooks, otherHooks) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && isExecutable(info) {
			list = append(list, name)
		}
	}
	return list
}

// isExecutable reports whether info describes a regular file that somebody may execute.
func isExecutable(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Mode()&0o111 != 0 }
