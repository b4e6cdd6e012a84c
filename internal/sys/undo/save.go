package undo

import (
	"cmp"
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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/checkrein/checkrein/internal/sys/nolink"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Save copies what a call may lose. The error is an [ErrNotSaved] if a limit would be exceeded; then
// nothing is kept. If nothing that r names exists, the entry is zero.
func (s *Store) Save(ctx context.Context, r Request) (Entry, error) {
	if !exists(r.Losses) {
		return Entry{}, nil
	}
	return s.save(ctx, r, "")
}

// Check reports whether something that r names exists. The error is an [ErrNotSaved] if it exceeds a
// limit. Check writes nothing.
func (s *Store) Check(ctx context.Context, r Request) (any bool, err error) {
	if !exists(r.Losses) {
		return false, nil
	}
	ctx, cancel := limitTime(ctx)
	defer cancel()
	if err := s.checkSpace(); err != nil {
		return true, err
	}
	c := &collector{ctx: ctx, store: s, seen: map[string]bool{}, dry: true}
	for i := range r.Losses {
		if dir := r.Losses[i].Repo; dir != "" {
			any = true // its limits show when it is saved
			if repo, err := s.openRepo(ctx, dir); repo == nil || err != nil {
				return true, limitError(ctx, noRepoError{})
			}
			continue
		}
		if err := c.addLoss(&r.Losses[i], new(manifest)); err != nil {
			return true, limitError(ctx, err)
		}
	}
	return any || c.found > 0, nil
}

// exists reports whether one of losses may exist.
func exists(losses []Loss) bool {
	return slices.ContainsFunc(losses, func(l Loss) bool {
		if l.Repo != "" || !l.Literal && strings.ContainsAny(l.Path, "*?[") {
			return true
		}
		info, err := os.Lstat(l.Path)
		return err == nil && !(l.Shallow && info.IsDir())
	})
}

// save is Save for a request that, unless undoes is "", takes back the undoing of that save.
func (s *Store) save(ctx context.Context, r Request, undoes string) (e Entry, err error) {
	if s.state.Path() == "" {
		return Entry{}, fmt.Errorf("%w: %w", ErrNotSaved, state.ErrNoState)
	}
	ctx, cancel := limitTime(ctx)
	defer cancel()
	if err := s.checkSpace(); err != nil {
		return Entry{}, err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	at := s.now()
	name, id := s.newName(at)
	c := &collector{ctx: ctx, fail: fail, store: s, dir: Folder + "/" + name, seen: map[string]bool{}, records: undoes != ""}
	defer func() {
		c.finish()
		if err != nil || e.ID == "" {
			_ = s.state.RemoveAll(c.dir) // otherwise a later save removes it
		}
	}()
	m := &manifest{Entry: Entry{ID: id, Time: at, Session: r.Session, CallID: r.CallID, Command: r.Command, Dir: r.Dir, Undoes: undoes}}
	for i := range r.Losses {
		if err := c.addLoss(&r.Losses[i], m); err != nil {
			return Entry{}, limitError(ctx, err)
		}
	}
	groups := c.finish()
	if err := context.Cause(ctx); err != nil {
		return Entry{}, err
	}
	m.Bytes = c.bytes
	for _, g := range groups {
		m.Files, m.Bytes = m.Files+g.saved, m.Bytes+g.bytes
	}
	if m.Files == 0 && len(m.Repos) == 0 {
		return Entry{}, nil
	}
	for i := range m.Repos {
		m.Entry.Repos = append(m.Entry.Repos, m.Repos[i].Dir)
	}
	if r.Replace {
		m.State = digestOf(m, groups)
	}
	if err := s.writeManifest(name, m, groups); err != nil {
		return Entry{}, err
	}
	final := name + "-" + strconv.FormatInt((m.Bytes+1023)>>10, 36)
	if err := os.Rename(s.path(name), s.path(final)); err != nil {
		return Entry{}, err
	}
	c.dir = Folder + "/" + final
	if r.Replace {
		s.removeSame(&m.Entry)
	}
	s.removeOld()
	m.Entry.name = final
	return m.Entry, nil
}

// digestOf returns a digest of what the save with the manifest m and the files of groups holds.
func digestOf(m *manifest, groups []*group) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(m.Repos) // a hash takes everything, and Repos has nothing that cannot be encoded
	for _, g := range groups {
		h.Write(g.lines)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// maxOlder is how many saves removeSame looks at.
const maxOlder = 8

// removeSame removes the save before e that holds the same, if it is one of the latest.
func (s *Store) removeSame(e *Entry) {
	names := s.names()
	for _, name := range slices.Backward(names[max(0, len(names)-maxOlder):]) {
		if _, id, bytes := parseName(name); id == e.ID || bytes < 0 {
			continue
		}
		if m, err := s.readManifest(name); err == nil && m.State == e.State && m.Dir == e.Dir && m.Session == e.Session {
			_ = s.state.RemoveAll(Folder + "/" + name) // otherwise it goes with its age
			return
		}
	}
}

// limitError returns the cause for which ctx ended if err is a consequence of that, otherwise err.
func limitError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, ErrNotSaved) {
		return cause
	}
	return err
}

// A collector copies files into a new save.
type collector struct {
	ctx     context.Context
	store   *Store
	dir     string // of the save, in the state directory
	seen    map[string]bool
	records bool     // paths where nothing is count too
	dry     bool     // nothing is copied
	skipped []string // trees that tools make again

	fail    context.CancelCauseFunc // ends ctx
	begun   bool
	found   int   // what was added
	count   int   // regular files
	bytes   int64 // of what is not a file of its own
	groups  []*group
	work    chan *group // to the copiers; nil until there are some
	copiers sync.WaitGroup
	copied  atomic.Int64 // bytes
}

// begin creates the directory of the save.
func (c *collector) begin() error {
	if c.begun {
		return nil
	}
	c.begun = true
	if err := c.store.state.WriteFast(c.dir+"/begun", nil); err != nil { // checks and creates the directories above
		return err
	}
	return os.Mkdir(c.path("files"), 0o700)
}

// path returns the path of elem in the save.
func (c *collector) path(elem ...string) string {
	return c.store.state.Path(append([]string{filepath.FromSlash(c.dir)}, elem...)...)
}

// addLoss adds what exists of the loss l.
func (c *collector) addLoss(l *Loss, m *manifest) error {
	if l.Repo != "" {
		r, err := c.addRepo(l)
		if r != nil && err == nil {
			m.Repos = append(m.Repos, *r)
		}
		return err
	}
	dir, pattern := filepath.Clean(l.Path), []string(nil)
	if !l.Literal && state.IsAbsent(dir) { // a file may have such a name
		dir, pattern = splitPattern(dir)
	}
	if real, err := resolveParents(dir); err == nil {
		dir = real
	} else if !c.records {
		return nil // it does not exist
	}
	if pattern == nil {
		return c.addPath(dir, l)
	}
	if state.IsAbsent(dir) {
		return nil
	}
	return c.walkTree(dir, func(path string, e fs.DirEntry) error {
		if !matchesEnd(pattern, path) {
			return nil
		}
		return c.addEntry(path, e, l)
	})
}

// splitPattern returns the directory of a path with pattern characters and the elements after it, or
// the path and nil if it has none.
func splitPattern(path string) (dir string, pattern []string) {
	at := strings.IndexAny(path, "*?[")
	if at < 0 {
		return path, nil
	}
	at = max(strings.LastIndexByte(path[:at], filepath.Separator), 0)
	return cmp.Or(path[:at], string(filepath.Separator)), strings.Split(path[at+1:], string(filepath.Separator))
}

// matchesEnd reports whether the last elements of path match pattern. A pattern may stand for one
// directory or, in find, for a tree, so any directory before them will do.
func matchesEnd(pattern []string, path string) bool {
	for _, p := range slices.Backward(pattern) {
		if p == "**" {
			return true
		}
		ok, err := filepath.Match(p, filepath.Base(path))
		if err != nil {
			return true // the shell may read it otherwise
		}
		if !ok {
			return matchesAbove(p, path)
		}
		path = filepath.Dir(path)
	}
	return true
}

// matchesAbove reports whether a directory above path matches the pattern element p, whose tree is
// then meant.
func matchesAbove(p, path string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if ok, _ := filepath.Match(p, filepath.Base(dir)); ok {
			return true
		}
	}
	return false
}

// resolveParents returns path with symlinks resolved in all elements but the last.
func resolveParents(path string) (string, error) {
	if nolink.ParentHasNoLink(path) {
		return path, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// addPath adds what is at path: a file, or a directory with all that is below it.
func (c *collector) addPath(path string, l *Loss) error {
	info, err := os.Lstat(path)
	if err != nil {
		for c.records && errors.Is(err, fs.ErrNotExist) && !c.seen[path] {
			c.seen[path] = true
			c.addFile(file{path: path, kind: absent})
			path = filepath.Dir(path)
			_, err = os.Lstat(path)
		}
		return nil // nothing can be lost there
	}
	if l.InPlace && info.Mode()&fs.ModeSymlink != 0 { // the call writes to what it leads to
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil // it leads nowhere
		}
		return c.addPath(real, l)
	}
	entry := fs.FileInfoToDirEntry(info)
	if !info.IsDir() {
		return c.addEntry(path, entry, l)
	}
	if l.Shallow && !c.records {
		return nil
	}
	if err := c.addEntry(path, entry, l); err != nil || l.Shallow {
		return err
	}
	if err := c.addWorkTree(path, l); err != nil {
		return err
	}
	return c.walkTree(path, func(path string, e fs.DirEntry) error { return c.addEntry(path, e, l) })
}

// addWorkTree adds the git directory of dir if that is a linked working tree.
func (c *collector) addWorkTree(dir string, l *Loss) error {
	text, err := state.ReadRegular(filepath.Join(dir, ".git"), maxGitFile)
	if err != nil {
		return nil // it is none
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok || filepath.Base(filepath.Dir(to)) != "worktrees" || c.seen[to] {
		return nil
	}
	return c.addPath(to, l)
}

const maxGitFile = 4096 // bytes of a .git file

// addEntry adds the entry e of a directory, which is at path.
func (c *collector) addEntry(path string, e fs.DirEntry, l *Loss) error {
	if c.seen[path] {
		return nil
	}
	c.seen[path] = true
	f := file{path: path, inPlace: l.InPlace}
	switch mode := e.Type(); {
	case mode.IsRegular():
		f.kind = regular
		if c.count++; c.count > maxFiles {
			return fmt.Errorf("%w: more than %d files", ErrNotSaved, maxFiles)
		}
		if c.dry && l.InPlace {
			if info, err := e.Info(); err == nil {
				c.found++
				return c.limitCopied(info.Size())
			}
		}
	case mode.IsDir():
		info, err := e.Info()
		if err != nil {
			return nil // it was removed meanwhile
		}
		f.kind, f.mode = directory, info.Mode()&modeBits
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed meanwhile
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotSaved, err)
		}
		f.kind, f.target = symlink, target
	default:
		return nil // a pipe, a socket or a device has no content of its own
	}
	c.addFile(f)
	return nil
}
