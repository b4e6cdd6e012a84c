package githook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Plan is what installing or uninstalling changes. Steps are done in order.
type Plan struct {
	Dir      string   // of the hooks, from the top
	Private  bool     // the hooks are those of a private repository
	Steps    []Step   // none = everything is as it should be
	Chained  []string // hooks that were there before and go on to run
	Warnings []string
	site     *Site
	note     *note
	forget   bool // the note goes
}

// A Step is one change.
type Step struct {
	Does string // for people: a verb, then what
	do   func(context.Context) error
}

// Install plans to put the hooks into a directory; program is where checkrein
// is, "" = by the person's state, else in PATH. The hooks of a private repository look for
// secrets in what is added, unless there is a policy file.
func (s *Site) Install(ctx context.Context, dir, program string, private bool) (*Plan, error) {
	old, err := s.note()
	if err != nil {
		return nil, err
	}
	if old != nil && old.Dir != dir {
		return nil, fmt.Errorf("the hooks are already installed in %s: run 'checkrein git uninstall' first", old.Dir)
	}
	p := &Plan{Dir: dir, Private: private, site: s}
	if p.note = old; old != nil {
		err = s.forgetSettings(old)
	} else {
		p.note = &note{Version: 1, Dir: dir}
		err = p.remember(ctx)
	}
	if err != nil {
		return nil, err
	}
	active, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.scripts(ctx, active); err != nil {
		return nil, err
	}
	if err := p.settings(ctx, active, program); err != nil {
		return nil, err
	}
	p.Warnings = append(p.Warnings, s.managers(active)...)
	return p, nil
}

// remember notes what there is before anything changes.
func (p *Plan) remember(ctx context.Context) (err error) {
	if p.note.Config, err = p.site.config(); err != nil {
		return err
	}
	was, ok, err := p.site.repo.OwnSetting(ctx, keyPath)
	if ok {
		p.note.Was = &was
	}
	return err
}

// forgetSettings forgets what the settings were when somebody changed them since:
// to restore all of them would lose that.
func (s *Site) forgetSettings(n *note) error {
	now, err := s.config()
	if err == nil && sum(now) != n.After && !bytes.Equal(now, n.Config) {
		n.Config, n.After = nil, ""
	}
	return err
}

// active is the directory whose hooks git runs now.
func (s *Site) active(ctx context.Context) (string, error) {
	value, ok, err := s.repo.Setting(ctx, keyPath)
	if err != nil || ok && value != "" {
		return s.hookDir(value), err
	}
	return filepath.Join(s.common, "hooks"), nil
}

// scripts plans the files. Hooks that were in the same directory get another
// name; for those elsewhere there is a script that passes on to them.
func (p *Plan) scripts(ctx context.Context, active string) error {
	names := slices.Clone(Ours)
	before, err := p.site.before(ctx, active, p.site.path(p.Dir))
	if err != nil {
		return err
	}
	for _, name := range present(before) {
		p.Chained = append(p.Chained, filepath.Join(before, name))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if err := p.script(name, active == p.site.path(p.Dir)); err != nil {
			return err
		}
	}
	return nil
}

// before is the directory of the hooks that run before ours; "" when there is
// none.
func (s *Site) before(ctx context.Context, active, target string) (string, error) {
	if active != target {
		return active, nil
	}
	dir := filepath.Join(s.common, "hooks")
	value, ok, err := s.repo.Setting(ctx, keyBefore)
	if err != nil {
		return "", err
	}
	if ok {
		dir = s.hookDir(value)
	} else if ours, err := s.isOurs(target); err != nil || !ours {
		return "", err // the directory is somebody's own
	}
	if dir == target {
		return "", nil
	}
	return dir, nil
}

// isOurs reports whether a directory of hooks is one that we made, though the
// branch that is checked out may not have it.
func (s *Site) isOurs(dir string) (bool, error) {
	if text, err := os.ReadFile(filepath.Join(dir, Ours[0])); err == nil && isOurs(text) {
		return true, nil
	}
	n, err := s.note()
	if err != nil || n == nil || s.path(n.Dir) != dir {
		return false, err
	}
	return n.Was == nil || s.hookDir(*n.Was) != dir, nil
}

func (p *Plan) script(name string, inPlace bool) error {
	file := p.Dir + "/" + name
	path := p.site.path(file)
	text := script(name, p.Private)
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.step("write "+file, func(context.Context) error { return p.create(file, text) })
		return nil
	case err != nil:
		return err
	case isOurs(there):
		if info, err := os.Stat(path); string(there) != text || err == nil && !runs(info) {
			p.step("renew "+file, func(context.Context) error { return state.Replace(path, []byte(text), 0o755) })
		}
		return nil
	case !inPlace:
		return fmt.Errorf("%s already exists, and git does not run it: move it away, or choose another directory with --dir", file)
	}
	if _, err := os.Lstat(path + beside); err == nil {
		return fmt.Errorf("%s cannot be renamed to %s%s, because that file already exists: move one of them away", file, name, beside)
	}
	p.Chained = append(p.Chained, path+beside)
	p.step(fmt.Sprintf("rename %s to %s%s, which still runs", file, name, beside), func(context.Context) error {
		p.note.Moved = append(p.note.Moved, file)
		if err := p.site.keep(p.note); err != nil {
			return err
		}
		return os.Rename(path, path+beside)
	})
	p.step("write "+file, func(context.Context) error { return p.create(file, text) })
	return nil
}

func (p *Plan) step(does string, do func(context.Context) error) {
	p.Steps = append(p.Steps, Step{does, do})
}

// create writes a script and notes that it is ours.
func (p *Plan) create(file, text string) error {
	path := p.site.path(file)
	for dir := filepath.Dir(path); dir != p.site.repo.Top; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if !slices.Contains(p.note.Dirs, dir) {
			p.note.Dirs = append(p.note.Dirs, dir)
		}
	}
	if !slices.Contains(p.note.Files, file) {
		p.note.Files = append(p.note.Files, file)
	}
	if err := p.site.keep(p.note); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return state.Replace(path, []byte(text), 0o755)
}

// settings plans what git is told.
func (p *Plan) settings(ctx context.Context, active, program string) error {
	s := p.site
	value, _, err := s.repo.OwnSetting(ctx, keyPath)
	if err != nil {
		return err
	}
	switch before, err := s.before(ctx, active, s.path(p.Dir)); {
	case err != nil:
		return err
	case active == s.path(p.Dir) && before == "":
		p.setOnce(ctx, keyBefore, p.Dir) // what git did not run stays asleep
	case active != s.path(p.Dir) && before != filepath.Join(s.common, "hooks"):
		p.setOnce(ctx, keyBefore, filepath.ToSlash(p.beforeValue(ctx, active)))
	}
	if value != p.Dir {
		p.set(keyPath, p.Dir)
	}
	if _, ok, err := s.repo.OwnSetting(ctx, keyProgram); err != nil {
		return err
	} else if ok {
		p.unsetting(keyProgram) // which led scripts of older versions
	}
	program = filepath.ToSlash(program)
	if strings.ContainsAny(program, "\r\n") {
		return fmt.Errorf("%q: git's hooks cannot use a path with a line break", program)
	}
	for _, dir := range s.states {
		if program != "" && program != named(dir) {
			p.step("note in "+dir.Path(programFile)+" that git's hooks run "+program, func(context.Context) error {
				return dir.Write(programFile, []byte(program+"\n"))
			})
		}
	}
	if len(p.Steps) > 0 {
		p.Steps = append(p.Steps, Step{"note what was there before in " + p.site.notePath(), p.settled})
	}
	return nil
}

// beforeValue is the setting as it was made, since one that is relative fits
// every working tree.
func (p *Plan) beforeValue(ctx context.Context, active string) string {
	if value, ok, err := p.site.repo.Setting(ctx, keyPath); ok && err == nil {
		return value
	}
	return active
}

// setOnce is set of what may be so already.
func (p *Plan) setOnce(ctx context.Context, name, value string) {
	if had, ok, err := p.site.repo.OwnSetting(ctx, name); err != nil || !ok || had != value {
		p.set(name, value)
	}
}

func (p *Plan) set(name, value string) {
	p.step(fmt.Sprintf("set the git setting %s to %s", name, value), func(ctx context.Context) error { return p.site.repo.Set(ctx, name, value) })
}

// settled notes how the settings are now, and that they count.
func (p *Plan) settled(ctx context.Context) error {
	now, err := p.site.config()
	if err != nil {
		return err
	}
	if p.note.Config != nil {
		p.note.After = sum(now)
	}
	if err := p.site.keep(p.note); err != nil {
		return err
	}
	if dir, err := p.site.active(ctx); err != nil || dir != p.site.path(p.Dir) {
		return fmt.Errorf("core.hooksPath is set to %s in this working tree or in the environment, and overrides the repository's: unset it (%w)", dir, errOverridden)
	}
	return nil
}

var errOverridden = errors.New("the hooks do not run")

// Apply does what a plan says.
func (p *Plan) Apply(ctx context.Context) error {
	if len(p.Steps) > 0 && !p.forget {
		if err := p.site.keep(p.note); err != nil {
			return err
		}
	}
	for _, step := range p.Steps {
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	if p.forget {
		return p.site.forget()
	}
	return nil
}
