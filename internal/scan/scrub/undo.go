package scrub

import (
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
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	undoFolder = "scrub" // in the state directory
	undoKept   = 7 * 24 * time.Hour
	undoLayout = "20060102-150405"
	undoMost   = 2 * MaxFile // maximum size of a stored file, whose content is in base64
)

// An Undo stores the original files of a run. Only their owner can read them, because they contain
// everything that was removed.
type Undo struct {
	ID  string // set when the first file is stored
	dir state.Dir
	now time.Time
	n   int
}

// An originalFile is a file as it was before a run.
type originalFile struct {
	Path   string      `json:"path"`
	Name   []byte      `json:"name,omitempty"` // the path, if it is not UTF-8
	Mode   fs.FileMode `json:"mode"`
	After  string      `json:"after"` // SHA-256 of the changed file
	Before []byte      `json:"before"`
}

// NewUndo returns an Undo that stores files in the state directory dir. It removes runs that are older
// than a week at now.
func NewUndo(dir state.Dir, now time.Time) (*Undo, error) {
	if dir.Path() == "" {
		return nil, state.ErrNoState
	}
	ids, err := ListRuns(dir)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		made, err := time.Parse(undoLayout, id[:min(len(id), len(undoLayout))])
		if err == nil && now.UTC().Sub(made) > undoKept {
			_ = dir.RemoveAll(undoFolder + "/" + id) // if that fails, the next run tries again
		}
	}
	return &Undo{dir: dir, now: now}, nil
}

// createRun sets u.ID to a new id and creates the directory of the run. The id is unique even if
// another run began in the same second.
func (u *Undo) createRun() error {
	if err := os.MkdirAll(u.dir.Path(undoFolder), 0o700); err != nil {
		return err
	}
	if err := u.dir.CheckDir(undoFolder); err != nil {
		return err
	}
	id := u.now.UTC().Format(undoLayout)
	u.ID = id
	for n := 2; ; n++ {
		err := os.Mkdir(u.dir.Path(undoFolder, u.ID), 0o700)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		u.ID = fmt.Sprintf("%s-%d", id, n)
	}
}

// ListRuns returns the ids of the runs that can be undone, latest last.
func ListRuns(dir state.Dir) ([]string, error) {
	ids, err := dir.Names(undoFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	slices.Sort(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return dir.CheckDir(undoFolder+"/"+id) != nil }), err
}

// storeOriginal stores the original content in r of the file path, which has the given mode.
func (u *Undo) storeOriginal(path string, mode fs.FileMode, r *Result) error {
	k := originalFile{Path: path, Mode: mode, After: hexDigest(r.After), Before: r.Before}
	if !utf8.ValidString(path) {
		k.Name = []byte(path)
	}
	raw, err := json.Marshal(k)
	if err == nil && u.ID == "" {
		err = u.createRun()
	}
	if err != nil {
		return err
	}
	u.n++
	return u.dir.Write(u.lastName(), raw)
}

// lastName returns the name of the file that was stored last, relative to the state directory.
func (u *Undo) lastName() string { return fmt.Sprintf("%s/%s/%08d.json", undoFolder, u.ID, u.n) }

// dropLast removes the file that was stored last, because the original was not replaced.
func (u *Undo) dropLast() {
	_ = u.dir.Remove(u.lastName()) // if that fails, RestoreRun reports that the file was changed
	u.n--
}

// Count returns the number of files that were stored.
func (u *Undo) Count() int { return u.n }

// hexDigest returns the SHA-256 of b in hexadecimal.
func hexDigest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// RestoreRun restores the files of the run id, latest change first, and calls report for each. Files
// that were changed after the run are left alone unless force is set. Files that could not be restored
// can be tried again.
func RestoreRun(dir state.Dir, id string, force bool, report func(path string)) error {
	if id == "" || strings.ContainsAny(id, `/\`) || id[0] == '.' {
		return fmt.Errorf("%q is not a valid run ID", id)
	}
	names, err := dir.Names(undoFolder + "/" + id)
	if err != nil || len(names) == 0 {
		ids, _ := ListRuns(dir)
		return fmt.Errorf("nothing is saved under %q; saved runs: %s", id, strings.Join(append(ids, "(no more)"), ", "))
	}
	slices.Sort(names)
	slices.Reverse(names)
	var errs []error
	for _, name := range names {
		name = undoFolder + "/" + id + "/" + filepath.Base(name)
		path, err := restoreFile(dir, name, force)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		report(path)
	}
	if len(errs) == 0 {
		return dir.RemoveAll(undoFolder + "/" + id)
	}
	return errors.Join(errs...)
}

// restoreFile restores the file that is stored as name, removes name, and returns the path of the
// file.
func restoreFile(dir state.Dir, name string, force bool) (string, error) {
	raw, err := dir.Read(name, undoMost)
	if err != nil {
		return "", err
	}
	var k originalFile
	if err := json.Unmarshal(raw, &k); err != nil {
		return "", fmt.Errorf("%s is damaged: %w", dir.Path(name), err)
	}
	if k.Name != nil {
		k.Path = string(k.Name)
	}
	root, err := os.OpenRoot(filepath.Dir(k.Path))
	if err != nil {
		return "", err
	}
	defer root.Close()
	now, info, err := readFile(root, filepath.Base(k.Path))
	if !force {
		if err != nil {
			return "", fmt.Errorf("%s: %w (to write it anyway, use --force)", k.Path, err)
		}
		if hexDigest(now) != k.After {
			return "", fmt.Errorf("%s was changed since it was scrubbed, so it was left alone (to overwrite it, use --force)", k.Path)
		}
	}
	if err := replaceFile(root, filepath.Base(k.Path), k.Before, k.Mode, info); err != nil {
		return "", fmt.Errorf("%s: %w", k.Path, err)
	}
	return k.Path, dir.Remove(name)
}
