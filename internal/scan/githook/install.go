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

// A Plan lists the changes that an installation or uninstallation makes. Apply executes its steps in
// order.
type Plan struct {
	Dir      string   // directory of the hooks, relative to the top
	Private  bool     // the hooks are those of a private repository
	Steps    []Step   // empty if there is nothing to do
	Chained  []string // hooks that existed before and continue to run
	Warnings []string
	site     *Site
	note     *installNote
	forget   bool // remove the note when all steps are done
}

// A Step is one change.
type Step struct {
	Does string // a verb and its object, for display; "" is not displayed
	do   func(context.Context) error
}

// PlanInstall plans the installation of the hooks in dir. The parameter program is the path of
// checkrein; "" means the one that the user's state names, or otherwise the one in PATH. If private is
// set, the hooks are those of a private repository, which scan added lines for secrets unless there is
// a policy file.
func (s *Site) PlanInstall(ctx context.Context, dir, program string, private bool) (*Plan, error) {
	old, err := s.readNote()
	if err != nil {
		return nil, err
	}
	if old != nil && old.Dir != dir {
		return nil, fmt.Errorf("the hooks are already installed in %s: run 'checkrein git uninstall' first", old.Dir)
	}
	p := &Plan{Dir: dir, Private: private, site: s}
	if p.note = old; old != nil {
		err = s.dropChangedSettings(old)
	} else {
		p.note = &installNote{Version: 1, Dir: dir}
		err = p.recordState(ctx)
	}
	if err != nil {
		return nil, err
	}
	active, err := s.activeDir(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.planScripts(ctx, active); err != nil {
		return nil, err
	}
	if err := p.planSettings(ctx, active, program); err != nil {
		return nil, err
	}
	p.Warnings = append(p.Warnings, s.managerWarnings(active)...)
	return p, nil
}

// recordState records the current settings in the note, before anything changes.
func (p *Plan) recordState(ctx context.Context) (err error) {
	if p.note.Config, err = p.site.readConfig(); err != nil {
		return err
	}
	was, ok, err := p.site.repo.LocalSetting(ctx, keyPath)
	if ok {
		p.note.Was = &was
	}
	return err
}

// dropChangedSettings drops the settings that n recorded if the settings were changed after the
// installation, because restoring all of them would lose that change.
func (s *Site) dropChangedSettings(n *installNote) error {
	now, err := s.readConfig()
	if err == nil && hexDigest(now) != n.After && !bytes.Equal(now, n.Config) {
		n.Config, n.After = nil, ""
	}
	return err
}

// activeDir returns the directory from which git runs hooks now.
func (s *Site) activeDir(ctx context.Context) (string, error) {
	value, ok, err := s.repo.Setting(ctx, keyPath)
	if err != nil || ok && value != "" {
		return s.resolveHooksPath(value), err
	}
	return filepath.Join(s.common, "hooks"), nil
}

// planScripts plans the script files. Hooks of the user in the same directory are renamed; those in
// another directory are called by a script.
func (p *Plan) planScripts(ctx context.Context, active string) error {
	names := slices.Clone(OurHooks)
	before, err := p.site.previousDir(ctx, active, p.site.absPath(p.Dir))
	if err != nil {
		return err
	}
	for _, name := range activeHooks(before) {
		p.Chained = append(p.Chained, filepath.Join(before, name))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if err := p.planScript(name, active == p.site.absPath(p.Dir)); err != nil {
			return err
		}
	}
	return nil
}

// previousDir returns the directory of the user's hooks that run before those in target, or "" if
// there are none. Git runs the hooks in active.
func (s *Site) previousDir(ctx context.Context, active, target string) (string, error) {
	if active != target {
		return active, nil
	}
	dir := filepath.Join(s.common, "hooks")
	value, ok, err := s.repo.Setting(ctx, keyBefore)
	if err != nil {
		return "", err
	}
	if ok {
		dir = s.resolveHooksPath(value)
	} else if ours, err := s.isOurDir(target); err != nil || !ours {
		return "", err // the directory is the user's
	}
	if dir == target {
		return "", nil
	}
	return dir, nil
}

// isOurDir reports whether checkrein created the directory of hooks dir, even if the checked-out
// branch does not contain it.
func (s *Site) isOurDir(dir string) (bool, error) {
	if text, err := os.ReadFile(filepath.Join(dir, OurHooks[0])); err == nil && isOurScript(text) {
		return true, nil
	}
	n, err := s.readNote()
	if err != nil || n == nil || s.absPath(n.Dir) != dir {
		return false, err
	}
	return n.Was == nil || s.resolveHooksPath(*n.Was) != dir, nil
}

// planScript plans the script of the hook name. If inPlace is set, git already runs the hooks of the
// directory, so a hook of the user is renamed.
func (p *Plan) planScript(name string, inPlace bool) error {
	file := p.Dir + "/" + name
	path := p.site.absPath(file)
	text := hookScript(name, p.Private)
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.addStep("write "+file, func(context.Context) error { return p.createScript(file, text) })
		return nil
	case err != nil:
		return err
	case isOurScript(there):
		if info, err := os.Stat(path); string(there) != text || err == nil && !isExecutable(info) {
			p.addStep("update "+file, func(context.Context) error { return state.ReplaceFile(path, []byte(text), 0o755) })
		}
		return nil
	case !inPlace:
		return fmt.Errorf("%s already exists, and git does not run it: move it away, or choose another directory with --dir", file)
	}
	if _, err := os.Lstat(path + beside); err == nil {
		return fmt.Errorf("%s cannot be renamed to %s%s, because that file already exists: move one of them away", file, name, beside)
	}
	p.Chained = append(p.Chained, path+beside)
	p.addStep(fmt.Sprintf("rename %s to %s%s, which still runs", file, name, beside), func(context.Context) error {
		p.note.Moved = append(p.note.Moved, file)
		if err := p.site.writeNote(p.note); err != nil {
			return err
		}
		return os.Rename(path, path+beside)
	})
	p.addStep("write "+file, func(context.Context) error { return p.createScript(file, text) })
	return nil
}

// addStep adds a step with the description does that calls do.
func (p *Plan) addStep(does string, do func(context.Context) error) {
	p.Steps = append(p.Steps, Step{does, do})
}

// createScript writes text to file, and records in the note that checkrein created it.
func (p *Plan) createScript(file, text string) error {
	path := p.site.absPath(file)
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
	if err := p.site.writeNote(p.note); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return state.ReplaceFile(path, []byte(text), 0o755)
}

// planSettings plans the changes of git settings, and of the file that names program.
func (p *Plan) planSettings(ctx context.Context, active, program string) error {
	s := p.site
	value, _, err := s.repo.LocalSetting(ctx, keyPath)
	if err != nil {
		return err
	}
	switch before, err := s.previousDir(ctx, active, s.absPath(p.Dir)); {
	case err != nil:
		return err
	case active == s.absPath(p.Dir) && before == "":
		p.planSetIfNeeded(ctx, keyBefore, p.Dir) // hooks that git did not run before must not start to run
	case active != s.absPath(p.Dir) && before != filepath.Join(s.common, "hooks"):
		p.planSetIfNeeded(ctx, keyBefore, filepath.ToSlash(p.previousValue(ctx, active)))
	}
	if value != p.Dir {
		p.planSet(keyPath, p.Dir)
	}
	if _, ok, err := s.repo.LocalSetting(ctx, keyProgram); err != nil {
		return err
	} else if ok {
		p.planUnsetSetting(keyProgram) // only scripts of older versions used it
	}
	program = filepath.ToSlash(program)
	if strings.ContainsAny(program, "\r\n") {
		return fmt.Errorf("%q: git's hooks cannot use a path with a line break", program)
	}
	for _, dir := range s.states {
		if program != "" && program != readProgram(dir) {
			p.addStep("record in "+dir.Path(programFile)+" that git's hooks run "+program, func(context.Context) error {
				return dir.Write(programFile, []byte(program+"\n"))
			})
		}
	}
	if len(p.Steps) > 0 {
		p.Steps = append(p.Steps, Step{"record the previous state in " + p.site.notePath(), p.finishInstall})
	}
	return nil
}

// previousValue returns core.hooksPath as it was written, or active if it is not set. A relative value
// works in every working tree.
func (p *Plan) previousValue(ctx context.Context, active string) string {
	if value, ok, err := p.site.repo.Setting(ctx, keyPath); ok && err == nil {
		return value
	}
	return active
}

// planSetIfNeeded plans to set the git setting name to value, unless it has that value.
func (p *Plan) planSetIfNeeded(ctx context.Context, name, value string) {
	if had, ok, err := p.site.repo.LocalSetting(ctx, name); err != nil || !ok || had != value {
		p.planSet(name, value)
	}
}

// planSet plans to set the git setting name to value.
func (p *Plan) planSet(name, value string) {
	p.addStep(fmt.Sprintf("set the git setting %s to %s", name, value), func(ctx context.Context) error { return p.site.repo.SetLocalSetting(ctx, name, value) })
}

// finishInstall records a digest of the settings after the installation, and returns an error if they
// are not effective.
func (p *Plan) finishInstall(ctx context.Context) error {
	now, err := p.site.readConfig()
	if err != nil {
		return err
	}
	if p.note.Config != nil {
		p.note.After = hexDigest(now)
	}
	if err := p.site.writeNote(p.note); err != nil {
		return err
	}
	if dir, err := p.site.activeDir(ctx); err != nil || dir != p.site.absPath(p.Dir) {
		return fmt.Errorf("core.hooksPath is set to %s in this working tree or in the environment, and overrides the repository's: unset it (%w)", dir, errOverridden)
	}
	return nil
}

var errOverridden = errors.New("the hooks do not run")

// Apply executes the steps of the plan. It stops at the first error.
func (p *Plan) Apply(ctx context.Context) error {
	if len(p.Steps) > 0 && !p.forget {
		if err := p.site.writeNote(p.note); err != nil {
			return err
		}
	}
	for _, step := range p.Steps {
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	if p.forget {
		return p.site.removeNote()
	}
	return nil
}
