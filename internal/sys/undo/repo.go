package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/snapshot"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A repoState is what was in a git repository.
type repoState struct {
	Top    string            `json:"top"`             // the working tree
	Dir    string            `json:"dir"`             // the git directory of the working tree
	Common string            `json:"common"`          // that of the repository, the same unless Top is a linked working tree
	Number int               `json:"number"`          // of its directory in the save
	Refs   []ref             `json:"refs"`            // all refs
	Files  map[string][]byte `json:"files,omitempty"` // small files of Dir and Common, by their paths there; nil means that there was none
	Index  bool              `json:"index,omitempty"` // the save has the index
	Work   bool              `json:"work,omitempty"`  // the save has the files that differ from the index
	Pack   bool              `json:"pack,omitempty"`  // the save has the commits of the local refs
}

// A ref is a ref with the object that it names; "" means that there was no such ref.
type ref struct{ Name, Object string }

// stateFiles lists files of a git directory that describe where the working tree is.
var stateFiles = [...]string{"HEAD", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"}

// stashLog is the file with all stashes but the latest, in the common directory.
const stashLog = "logs/refs/stash"

const (
	maxStateFile = 4 << 20   // bytes of one of the small files
	maxNames     = 64 << 20  // bytes of git's lists of files
	maxIndex     = 256 << 20 // bytes
)

// A git runs git on the repository r. Nothing that the repository's settings or attributes name runs:
// settings come from an empty repository in the save, except where refs are read and written.
type git struct {
	store *Store
	r     *repoState
	plain string // the directory of the empty repository
}

// source returns the repository that contains dir.
func (s *Store) source(dir string) snapshot.Source {
	return snapshot.Source{Environ: s.environ, Dir: dir}
}

// noRepoError is the error if a directory is in no repository. It is an [ErrNotSaved].
type noRepoError struct{}

func (noRepoError) Error() string { return ErrNotSaved.Error() + ": there is no git repository yet" }
func (noRepoError) Unwrap() error { return ErrNotSaved }

// openRepo returns the repository that contains dir, or nil if there is none.
func (s *Store) openRepo(ctx context.Context, dir string) (*repoState, error) {
	out, err := s.source(dir).Run(ctx, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil || len(lines) != 3 || lines[0] == "" {
		return nil, ctx.Err() // there is no repository, or no git
	}
	r := &repoState{Top: filepath.FromSlash(lines[0]), Dir: filepath.FromSlash(lines[1]), Common: filepath.FromSlash(lines[2])}
	if !filepath.IsAbs(r.Common) {
		r.Common = filepath.Join(dir, r.Common)
	}
	return r, nil
}

// addRepo adds the repository of the loss l. It returns nil if it was added before.
func (c *collector) addRepo(l *Loss) (*repoState, error) {
	r, err := c.store.openRepo(c.ctx, l.Repo)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, noRepoError{} // the call itself may create one
	case c.seen["repo "+r.Dir]:
		return nil, nil
	}
	c.seen["repo "+r.Dir] = true
	if err := c.begin(); err != nil {
		return nil, err
	}
	for !state.IsAbsent(c.path(repoDir(r.Number))) {
		r.Number++
	}
	if err := os.Mkdir(c.path(repoDir(r.Number)), 0o700); err != nil {
		return nil, err
	}
	g := &git{c.store, r, c.path(repoDir(r.Number), "empty")}
	if err := errors.Join(g.makeEmpty(c.ctx), r.readFiles(c.records), g.readRefs(c.ctx, l.Refs), g.saveIndex(c)); err != nil {
		return nil, err
	}
	if l.Work || l.Ignored {
		r.Work = true
		if err := g.addChanged(c, l); err != nil {
			return nil, err
		}
	}
	if l.Commits {
		if err := g.packCommits(c); err != nil {
			return nil, err
		}
	}
	return r, os.RemoveAll(g.plain)
}

// repoDir returns the name of the directory of the repository with this number in a save.
func repoDir(number int) string { return fmt.Sprintf("git%d", number) }

// readFiles reads the small files. If records is set, it notes those that do not exist.
func (r *repoState) readFiles(records bool) error {
	r.Files = map[string][]byte{}
	for _, name := range stateFiles {
		if err := r.readFile(name, records); err != nil {
			return err
		}
	}
	return r.readFile(stashLog, records)
}

// readFile reads the small file name. If records is set, it notes if it does not exist.
func (r *repoState) readFile(name string, records bool) error {
	data, err := state.ReadRegular(r.statePath(name), maxStateFile)
	switch {
	case state.IsMissing(err):
		if records {
			r.Files[name] = nil
		}
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	r.Files[name] = append([]byte{}, data...) // not nil
	return nil
}

// readRefs reads the refs, and notes those of names that do not exist.
func (g *git) readRefs(ctx context.Context, names []string) error {
	refs, err := g.listRefs(ctx)
	for _, name := range names {
		if !slices.ContainsFunc(refs, func(r ref) bool { return r.Name == name }) {
			refs = append(refs, ref{Name: name})
		}
	}
	g.r.Refs = refs
	return err
}

// listRefs returns the refs as they are now. Symbolic refs do not count: they lose nothing.
func (g *git) listRefs(ctx context.Context) ([]ref, error) {
	out, err := g.store.source(g.r.Top).Run(ctx, "for-each-ref", "--format=%(objectname) %(refname) %(symref)")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	var refs []ref
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 {
			refs = append(refs, ref{Name: f[1], Object: f[0]})
		}
	}
	return refs, nil
}

// saveIndex copies the index.
func (g *git) saveIndex(c *collector) error {
	from := filepath.Join(g.r.Dir, "index")
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() {
		return nil // nothing is staged
	}
	if info.Size() > maxIndex {
		return fmt.Errorf("%w: the index is too large", ErrNotSaved)
	}
	c.bytes += info.Size()
	g.r.Index = true
	return copyData(c.path(repoDir(g.r.Number), "index"), from)
}

// addChanged adds the files of the working tree that differ from the index, and those that are not in
// it.
func (g *git) addChanged(c *collector, l *Loss) error {
	var names []string
	if g.r.Index {
		changed, err := g.run(c.ctx, c.path(repoDir(g.r.Number), "index"), nil, "diff-files", "--name-only", "-z", "--diff-filter=d", "--ignore-submodules=all")
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotSaved, err)
		}
		names = splitNames(changed)
	}
	args := []string{"ls-files", "--others", "-z", "--directory", "--no-empty-directory"}
	if !l.Ignored {
		args = append(args, "--exclude-per-directory=.gitignore", "--exclude-from="+filepath.Join(g.r.Common, "info", "exclude"))
		if state.IsAbsent(filepath.Join(g.r.Common, "info", "exclude")) {
			args = args[:len(args)-1]
		}
	}
	index := c.path(repoDir(g.r.Number), "index")
	other, err := g.run(c.ctx, index, nil, args...)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	for _, name := range append(names, splitNames(other)...) {
		path := filepath.Join(g.r.Top, filepath.FromSlash(name))
		if isMadeAgain(filepath.Dir(path), filepath.Base(path)) || path == g.r.Dir {
			continue
		}
		if err := c.addPath(path, &Loss{InPlace: l.InPlace}); err != nil {
			return err
		}
	}
	return nil
}

// splitNames returns the names in out, each of which ends with a zero byte.
func splitNames(out []byte) []string {
	names := strings.Split(string(out), "\x00")
	return names[:len(names)-1]
}

// packCommits writes the commits of the local branches, tags and stashes into a pack, without those
// that remote branches have as well.
func (g *git) packCommits(c *collector) error {
	var list bytes.Buffer
	local := g.stashes()
	for _, r := range g.r.Refs {
		if r.Object == "" {
			continue
		}
		if strings.HasPrefix(r.Name, "refs/remotes/") {
			fmt.Fprintf(&list, "^%s\n", r.Object)
		} else {
			local = append(local, r.Object)
		}
	}
	if head := strings.TrimSpace(string(g.r.Files["HEAD"])); head != "" && !strings.HasPrefix(head, "ref:") {
		local = append(local, head)
	}
	if len(local) == 0 {
		return nil
	}
	slices.Sort(local)
	list.WriteString(strings.Join(slices.Compact(local), "\n") + "\n")
	base := c.path(repoDir(g.r.Number), "commits")
	out, err := g.run(c.ctx, "", list.Bytes(), "pack-objects", "--revs", "--delta-base-offset", "--window=0", "-q", base)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	pack := base + "-" + strings.TrimSpace(string(out)) + ".pack"
	info, err := os.Stat(pack)
	if err != nil {
		return nil // remote branches have everything
	}
	if err := c.limitCopied(info.Size()); err != nil {
		return err
	}
	c.bytes += info.Size()
	g.r.Pack = true
	_ = os.Remove(strings.TrimSuffix(pack, ".pack") + ".idx") // whoever unpacks it makes another
	return os.Rename(pack, base+".pack")
}

// stashes returns the objects of all stashes.
func (g *git) stashes() []string {
	var out []string
	for line := range strings.Lines(string(g.r.Files[stashLog])) {
		if f := strings.Fields(line); len(f) > 1 {
			out = append(out, f[1])
		}
	}
	return out
}

// makeEmpty creates the empty repository, whose attributes switch off everything that runs programs
// or changes contents.
func (g *git) makeEmpty(ctx context.Context) error {
	spec := process.Spec{Argv: []string{"git", "init", "-q", "--bare", "--template=", g.plain}, Env: snapshot.IsolatedEnviron(g.store.environ)}
	if _, err := snapshot.RunGit(ctx, spec); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(g.plain, "info"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(g.plain, "info", "attributes"), []byte(snapshot.PlainAttributes), 0o600)
}

// run runs git with the settings of the empty repository, the objects and the working tree of g.r, and
// an index; "" means none. It returns git's output.
func (g *git) run(ctx context.Context, index string, stdin []byte, args ...string) ([]byte, error) {
	argv := append([]string{"git", "--git-dir=" + g.plain, "--work-tree=" + g.r.Top, "-c", "core.bare=false", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)
	env := append(snapshot.IsolatedEnviron(g.store.environ), "GIT_OBJECT_DIRECTORY="+filepath.Join(g.r.Common, "objects"))
	if index != "" {
		env = append(env, "GIT_INDEX_FILE="+index)
	}
	return snapshot.RunGit(ctx, process.Spec{Argv: argv, Dir: g.r.Top, Env: env, Stdin: stdin, MaxOut: maxNames})
}
