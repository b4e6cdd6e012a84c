package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/rogpeppe/go-internal/diff"
)

var (
	// ErrNoPlace means that the host has no file that could hold hooks.
	ErrNoPlace = errors.New("hooks cannot be installed")
	// ErrTwice means that the host would call checkrein twice for every event.
	ErrTwice = errors.New("already installed")
	// ErrNoScope means that the host has no files for the scope.
	ErrNoScope = errors.New("no such scope")
)

// Options holds the user's choices for an installation.
type Options struct {
	Scope  Scope
	Events []string // to install in addition to those of the wire table
	Force  bool     // allow what would otherwise be refused
}

// A Plan lists the changes that an installation or uninstallation would make.
type Plan struct {
	Host, Title string
	Scope       Scope
	Events      []string
	Files       []string // the files that have checkrein's entries afterwards
	Changes     []Change
	Warnings    []string
	Notes       []string // remarks that need no action
	After       []string // notes for the user afterwards
	Print       string   // text that the user must add somewhere

	// the record that Apply writes
	record        record
	removesRecord bool // Apply removes the record instead
}

// A Change holds the contents of a file before and after.
type Change struct {
	Path          string
	Before, After []byte // nil = no file

	target string // Path with symlinks resolved
	mode   os.FileMode
	dirs   []string // to remove with the file if they are empty, innermost first
}

// Diff returns the changes as a unified diff.
func (p *Plan) Diff() string {
	var b strings.Builder
	for _, c := range p.Changes {
		before, after := "a"+filepath.ToSlash(c.Path), "b"+filepath.ToSlash(c.Path)
		if c.Before == nil {
			before = os.DevNull
		}
		if c.After == nil {
			after = os.DevNull
		}
		text := diff.Diff(before, c.Before, after, c.After)
		_, text, _ = bytes.Cut(text, []byte("\n")) // without the line "diff a b"
		b.Write(text)
	}
	return b.String()
}

// PlanInstall returns a plan that adds checkrein's entries to the files of the host called name.
func (m *Machine) PlanInstall(name string, o Options) (*Plan, error) {
	s, h, err := m.findSpec(name)
	if err != nil {
		return nil, err
	}
	p := &Plan{Host: name, Title: h.Title, Scope: o.Scope}
	if o.Scope != Managed {
		p.After = s.After
	}
	want, err := m.wantedEntries(s, h, o.Scope, o.Events)
	if err != nil {
		return nil, err
	}
	if s.Print != nil {
		p.Print = s.Print(m, want)
		return p, nil
	}
	files, err := m.scopeFiles(s, h, o.Scope, want)
	if err != nil {
		return nil, err
	}
	old, err := m.loadRecord(s.Name, o.Scope)
	if err != nil {
		return nil, err
	}
	p.record = m.newRecord(s.Name, o.Scope)
	p.record.Files = old.filesExcept(files)
	p.record.Events = union(old.Events, o.Events)
	if want, err = m.wantedEntries(s, h, o.Scope, p.record.Events); err != nil {
		return nil, err
	}
	if files, err = m.scopeFiles(s, h, o.Scope, want); err != nil {
		return nil, err
	}
	wired := false
	for _, f := range files {
		had, err := p.addFile(m, f, &old, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		wired = wired || had
	}
	for _, w := range want {
		p.Events = append(p.Events, w.Event)
	}
	if o.Scope != Managed && !m.isPresent(s) {
		p.Notes = append(p.Notes, fmt.Sprintf("%s was not found on this machine: neither %s in PATH nor ~/%s. What install writes counts once it is there",
			p.Title, strings.Join(s.Programs, ", "), strings.Join(s.Folders, ", ~/")))
	}
	if o.Scope == Project {
		m.warnShared(p, s, files)
	}
	return p, m.checkDoubleCalls(p, s, h, o, wired)
}

// warnShared adds notes and warnings to p about project files that others get too.
func (m *Machine) warnShared(p *Plan, s *Spec, files []File) {
	if !s.Local {
		p.Notes = append(p.Notes, p.Title+" has no project file that is only for you: everyone who has the project gets what install writes there")
	}
	for _, f := range files {
		if _, ok := baseForm(f.Form).(*PluginList); ok { // it names no directory
			continue
		}
		if m.Committed != nil && m.Committed(f.Path) {
			p.Warnings = append(p.Warnings, fmt.Sprintf("git does not ignore %s, but its lines name directories on this machine and are useless to others: keep it out of commits, for example with a line in .git/info/exclude", m.ShortPath(f.Path)))
			return
		}
	}
}

// union returns a followed by the strings of b that are not in a.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// scopeFiles returns a host's files for a scope. The error is [ErrNoScope] if the host has none.
func (m *Machine) scopeFiles(s *Spec, h *wire.Host, scope Scope, want []Entry) ([]File, error) {
	if !slices.Contains(m.scopes(s), scope) {
		return nil, fmt.Errorf("%w: %s has no %s configuration for hooks. Use --scope %s", ErrNoScope, h.Title, scope, s.Scopes[0])
	}
	if scope == User && m.Home == "" {
		return nil, errors.New("checkrein cannot find your home directory: set HOME")
	}
	if scope != Managed {
		return s.Files(m, scope, want)
	}
	files, err := s.Files(m, User, want)
	if err != nil {
		return nil, err
	}
	f := File{Path: m.managedPath(s), Form: files[0].Form, Want: want}
	if s.Managed.Form != nil {
		f.Form = s.Managed.Form(m)
	}
	return []File{f}, nil
}

// addFile adds the change to one file, and reports whether the file already had entries of checkrein.
func (p *Plan) addFile(m *Machine, f File, old *record, o Options) (bool, error) {
	target, err := p.resolveTarget(m, f.Path, o)
	if err != nil {
		return false, err
	}
	src, err := ReadHostFile(target)
	if err != nil {
		return false, err
	}
	out, err := f.Form.Put(src, f.Want)
	if err != nil {
		return false, err
	}
	p.noteRenewal(f, src, out)
	base, had := src, false
	if src != nil {
		if base, err = f.Form.Drop(src); err != nil {
			return false, err
		}
		had = !bytes.Equal(base, src)
		if j, ok := baseForm(f.Form).(interface{ foreignLines([]byte) []string }); ok {
			for _, line := range j.foreignLines(src) {
				p.Warnings = append(p.Warnings, fmt.Sprintf("%s also calls checkrein with a line that install did not write: %s", m.ShortPath(f.Path), line))
			}
		}
	}
	k := fileRecord{Path: f.Path, Before: base, Made: base == nil, After: Digest(out), Dirs: missingDirs(target)}
	if was := old.findFile(f.Path); was != nil && src != nil && Digest(src) == was.After {
		k.Before, k.Made, k.Dirs = was.Before, was.Made, was.Dirs
	}
	p.record.Files = append(p.record.Files, k)
	p.Files = append(p.Files, f.Path)
	if src == nil || !bytes.Equal(src, out) || f.Mode&0o111 != 0 && checkRunnable(target) != nil {
		p.Changes = append(p.Changes, Change{Path: f.Path, Before: src, After: out, target: target, mode: m.newFileMode(f, p.Scope)})
	}
	return had, nil
}

// newFileMode returns the mode for f if the file does not exist yet.
func (m *Machine) newFileMode(f File, s Scope) os.FileMode {
	switch {
	case f.Mode != 0:
		return f.Mode
	case s == User:
		return 0o600
	}
	return 0o644
}

// resolveTarget returns path with symlinks resolved, and adds a note if that is another file. It
// returns an error if the target is outside the project, unless o.Force is set.
func (p *Plan) resolveTarget(m *Machine, path string, o Options) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", err
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("the target of the symlink does not exist: %w. Correct the symlink first", err)
	}
	base := m.scopeDir(p.Scope)
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	out := !IsWithin(base, target) && IsWithin(m.scopeDir(p.Scope), path)
	switch {
	case out && p.Scope == Project && !o.Force:
		return "", fmt.Errorf("the path points outside the project, to %s: to write that file anyway, add --force", target)
	case out:
		p.Notes = append(p.Notes, fmt.Sprintf("%s points outside %s: install will write %s", m.ShortPath(path), m.scopeDir(p.Scope), target))
	case info.Mode()&fs.ModeSymlink != 0:
		p.Notes = append(p.Notes, fmt.Sprintf("%s is a symlink: install will write %s", m.ShortPath(path), target))
	}
	return target, nil
}

// scopeDir returns the directory that has the files of a scope.
func (m *Machine) scopeDir(s Scope) string {
	switch s {
	case Project:
		return m.Project
	case Managed:
		return string(filepath.Separator)
	}
	return m.Home
}

// checkDoubleCalls adds notes and warnings about other files through which the host also calls
// checkrein. It returns an error that wraps [ErrTwice] if this installation would make the host call
// it twice.
func (m *Machine) checkDoubleCalls(p *Plan, s *Spec, h *wire.Host, o Options, wired bool) error {
	for _, other := range m.scopes(s) {
		if other == o.Scope {
			continue
		}
		repeats := s.repeatsIn(o.Scope, other)
		for _, f := range m.installedFiles(s, h, other) {
			switch {
			case slices.Contains(p.Files, f): // the project is the home
			case repeats == RunsTwice && !wired && !o.Force:
				return fmt.Errorf("%w for scope %s in %s, so %s would call checkrein twice: to remove that installation, run checkrein uninstall %s --scope %s; to install both, add --force", ErrTwice, other, m.ShortPath(f), h.Title, s.Name, other)
			case repeats == RunsOnce:
				p.Notes = append(p.Notes, fmt.Sprintf("also installed for scope %s (%s): %s runs the identical command line only once", other, m.ShortPath(f), h.Title))
			default:
				p.Warnings = append(p.Warnings, fmt.Sprintf("also installed for scope %s (%s): %s may call checkrein twice for every event; to remove that installation, run checkrein uninstall %s --scope %s", other, m.ShortPath(f), h.Title, s.Name, other))
			}
		}
	}
	p.Warnings = append(p.Warnings, m.crossLoadWarnings(s, h, p.Files)...)
	return nil
}

// repeatsIn returns what the host does if files of these scopes have entries. Command lines of the Managed
// scope name no directory of a user, so they are never identical to others.
func (s *Spec) repeatsIn(scopes ...Scope) repeatMode {
	if s.Repeats == RunsOnce && slices.Contains(scopes, Managed) {
		return RunsTwice
	}
	return s.Repeats
}

// crossLoadWarnings returns a warning for each other host such that one of the two loads the other's
// hooks and both call checkrein, and one for each other file that the host loads and that calls
// checkrein. own lists the host's files.
func (m *Machine) crossLoadWarnings(s *Spec, h *wire.Host, own []string) []string {
	var out []string
	for _, t := range m.Specs {
		th, ok := m.findHost(t.Name)
		if !ok || t == s {
			continue
		}
		var loader, owner *wire.Host
		var files []string
		switch {
		case slices.Contains(s.Loads, t.Name):
			loader, owner, files = h, th, m.allInstalledFiles(t, th)
		case slices.Contains(t.Loads, s.Name) && len(m.allInstalledFiles(t, th)) > 0:
			loader, owner, files = th, h, own
		}
		if len(files) > 0 {
			out = append(out, fmt.Sprintf("%s may also load the hooks of %s (%s) and then call checkrein twice for every event", loader.Title, owner.Title, m.ShortPath(files[0])))
		}
	}
	for _, f := range m.otherCallingFiles(s) {
		out = append(out, fmt.Sprintf("%s calls checkrein too, so %s may call it twice for every event", m.ShortPath(f), h.Title))
	}
	return out
}

// otherCallingFiles returns the files that call checkrein and that the host loads but install does not
// edit.
func (m *Machine) otherCallingFiles(s *Spec) []string {
	var out []string
	if s.OtherFiles == nil {
		return nil
	}
	for _, path := range s.OtherFiles(m) {
		src, err := ReadHostFile(path)
		if err != nil {
			continue
		}
		for line := range bytes.Lines(src) {
			if bytes.Contains(line, []byte("checkrein")) && bytes.Contains(line, []byte("hook "+s.Name)) {
				out = append(out, path)
				break
			}
		}
	}
	return out
}

// allInstalledFiles returns the files of all scopes that have entries of checkrein.
func (m *Machine) allInstalledFiles(s *Spec, h *wire.Host) []string {
	var out []string
	for _, scope := range m.scopes(s) {
		out = append(out, m.installedFiles(s, h, scope)...)
	}
	return out
}

// installedFiles returns the host's files for a scope that have entries of checkrein.
func (m *Machine) installedFiles(s *Spec, h *wire.Host, scope Scope) []string {
	want, err := m.wantedEntries(s, h, scope, nil)
	if err != nil || s.Files == nil {
		return nil
	}
	files, err := m.scopeFiles(s, h, scope, want)
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range files {
		if src, err := ReadHostFile(f.Path); err == nil && src != nil {
			if have, err := f.Form.Find(src); err == nil && len(have) > 0 {
				out = append(out, f.Path)
			}
		}
	}
	return out
}
