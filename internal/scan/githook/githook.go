// Package githook puts checkrein's hooks into a repository: scripts in a
// directory that is tracked with the project, and the setting that makes git run
// them. Hooks that were there before go on to run, and everything can be undone.
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

// Where scripts go, and where those of earlier versions went.
const (
	defaultDir = ".githooks"
	earlierDir = "hooks"
)

// Choice returns the directory of the hooks that are installed, or came with the project,
// and whether they are those of a private repository. Without any, ok is false and the
// directory is the one to suggest.
func (s *Site) Choice(ctx context.Context) (dir string, private, ok bool, err error) {
	n, err := s.note()
	if err != nil {
		return "", false, false, err
	}
	dirs := []string{defaultDir, earlierDir}
	if n != nil {
		dirs = []string{n.Dir}
	} else if active, err := s.active(ctx); err != nil {
		return "", false, false, err
	} else if rel, err := filepath.Rel(s.repo.Top, active); err == nil && filepath.IsLocal(rel) {
		dirs = append([]string{filepath.ToSlash(rel)}, dirs...)
	}
	for _, dir := range dirs {
		if text, err := os.ReadFile(filepath.Join(s.path(dir), Ours[0])); err == nil && isOurs(text) {
			return dir, isPrivate(text), true, nil
		}
	}
	if n != nil { // whose scripts are gone
		return n.Dir, false, true, nil
	}
	return defaultDir, false, false, nil
}

// A Site is a repository into which hooks are put.
type Site struct {
	repo   *git.Repo
	common string      // git's folder that all working trees share
	states []state.Dir // where the person keeps which program hooks run
}

// Open returns the site of a repository, which must have a working tree. The states
// are where the person keeps which program git's hooks run; the first that says so counts.
func Open(ctx context.Context, r *git.Repo, states ...state.Dir) (*Site, error) {
	if r.Top == "" {
		return nil, errors.New("the repository has no working tree, so it cannot track hooks")
	}
	common, err := r.CommonDir(ctx)
	return &Site{repo: r, common: common, states: states}, err
}

// programFile is the file of the person's state that names the program, and nothing
// else, since a shell reads it.
const programFile = "git-program"

// named is the program that a state names; "" = none.
func named(dir state.Dir) string {
	text, err := dir.Read(programFile, 64<<10)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\n")
}

// MoveProgram has git's hooks run another program, if a state names one.
func MoveProgram(dir state.Dir, program string) error {
	if was := named(dir); was == "" || was == program {
		return nil
	}
	return dir.Write(programFile, []byte(program+"\n"))
}

// A note is what there was before, kept in git's own folder.
type note struct {
	Version int      `json:"version"`
	Dir     string   `json:"dir"`
	Files   []string `json:"files"`  // made by us, from the top
	Moved   []string `json:"moved"`  // hooks that got another name, by the old one
	Dirs    []string `json:"dirs"`   // made by us, the innermost first
	Was     *string  `json:"was"`    // core.hooksPath of the repository; null = none
	Config  []byte   `json:"config"` // all settings; null when they changed since
	After   string   `json:"after"`  // SHA-256 of the settings as we left them
}

func (s *Site) notePath() string { return filepath.Join(s.common, "checkrein", "git-hooks.json") }

func (s *Site) note() (*note, error) {
	raw, err := os.ReadFile(s.notePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var n note
	if err := json.Unmarshal(raw, &n); err != nil || n.Version != 1 {
		return nil, fmt.Errorf("%s is not a valid installation note: remove it to continue without it", s.notePath())
	}
	return &n, nil
}

func (s *Site) keep(n *note) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.notePath()), 0o700); err != nil {
		return err
	}
	return state.Replace(s.notePath(), append(raw, '\n'), 0o600)
}

// config reads the repository's settings file.
func (s *Site) config() ([]byte, error) { return os.ReadFile(filepath.Join(s.common, "config")) }

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// path is where a name from the top is.
func (s *Site) path(name string) string { return filepath.Join(s.repo.Top, filepath.FromSlash(name)) }

// hookDir is the directory that a value of core.hooksPath means.
func (s *Site) hookDir(value string) string {
	if filepath.IsAbs(value) {
		return filepath.Clean(value)
	}
	return s.path(value)
}

// CheckDir returns what is wrong with a directory for hooks.
func CheckDir(dir string) (string, error) {
	clean := filepath.ToSlash(filepath.Clean(dir))
	switch {
	case !filepath.IsLocal(dir) || clean == ".":
		return "", fmt.Errorf("--dir %s: name a directory below the top of the repository, such as .githooks", dir)
	case clean == ".git" || strings.HasPrefix(clean, ".git/"):
		return "", fmt.Errorf("--dir %s: git does not track its own folder, so no one else would get the hooks", dir)
	}
	return clean, nil
}

// present lists which hooks of git are in a directory and run.
func present(dir string) []string {
	var list []string
	for _, name := range slices.Concat(Ours, others) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && runs(info) {
			list = append(list, name)
		}
	}
	return list
}

func runs(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Mode()&0o111 != 0 }
