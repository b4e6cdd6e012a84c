package githook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// PlanUninstall plans to undo an installation. Scripts that came with the project stay.
func (s *Site) PlanUninstall(ctx context.Context) (*Plan, error) {
	n, err := s.readNote()
	if err != nil {
		return nil, err
	}
	if n == nil {
		return s.planManualUninstall(ctx)
	}
	p := &Plan{Dir: n.Dir, site: s, note: n, forget: true}
	if err := p.planRestore(ctx); err != nil {
		return nil, err
	}
	for _, file := range n.Files {
		p.planRemove(file)
	}
	for _, file := range n.Moved {
		p.planMoveBack(file)
	}
	p.Steps = append(p.Steps, Step{"", func(context.Context) error {
		for _, dir := range n.Dirs {
			_ = os.Remove(dir) // fails if it contains other files
		}
		return nil
	}})
	return p, nil
}

// planManualUninstall plans to undo an installation by hand: it removes the setting that points to
// checkrein's scripts.
func (s *Site) planManualUninstall(ctx context.Context) (*Plan, error) {
	p := &Plan{site: s, forget: true}
	value, ok, err := s.repo.LocalSetting(ctx, keyPath)
	if err != nil || !ok {
		return p, err
	}
	text, err := os.ReadFile(filepath.Join(s.resolveHooksPath(value), OurHooks[0]))
	if err != nil || !isOurScript(text) {
		return p, nil
	}
	p.Dir = value
	p.addStep("remove the git setting "+keyPath, func(ctx context.Context) error { return s.repo.UnsetLocalSetting(ctx, keyPath) })
	return p, nil
}

// planRestore plans to restore the settings, byte for byte if they were not changed after the
// installation.
func (p *Plan) planRestore(ctx context.Context) error {
	s, n := p.site, p.note
	now, err := s.readConfig()
	if err != nil {
		return err
	}
	if n.After != "" && hexDigest(now) == n.After {
		path := filepath.Join(s.common, "config")
		p.addStep("restore the repository's settings", func(context.Context) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return state.ReplaceFile(path, n.Config, info.Mode().Perm())
		})
		return nil
	}
	value, _, err := s.repo.LocalSetting(ctx, keyPath)
	switch {
	case err != nil:
		return err
	case value != n.Dir:
		p.Warnings = append(p.Warnings, fmt.Sprintf("core.hooksPath was changed to %q after the installation, so it is not restored", value))
	case n.Was != nil:
		p.planSet(keyPath, *n.Was)
	default:
		p.planUnsetSetting(keyPath)
	}
	p.planUnsetSetting(keyBefore)
	p.planUnsetSetting(keyProgram)
	return nil
}

// planUnsetSetting plans to remove the git setting name.
func (p *Plan) planUnsetSetting(name string) {
	p.addStep("remove the git setting "+name, func(ctx context.Context) error { return p.site.repo.UnsetLocalSetting(ctx, name) })
}

// planRemove plans to remove the script file, unless it was changed.
func (p *Plan) planRemove(file string) {
	path := p.site.absPath(file)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil || !isUnchangedScript(filepath.Base(path), text):
		p.Warnings = append(p.Warnings, file+" was changed or is from another version, so it is not removed")
		return
	}
	p.addStep("remove "+file, func(context.Context) error { return os.Remove(path) })
}

// planMoveBack plans to give the user's hook that was renamed its old name file.
func (p *Plan) planMoveBack(file string) {
	path := p.site.absPath(file)
	if _, err := os.Lstat(path + beside); errors.Is(err, fs.ErrNotExist) {
		return // the hook was never renamed, or was removed
	}
	p.addStep(fmt.Sprintf("rename %s%s back to %s", file, beside, filepath.Base(file)), func(context.Context) error {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s exists, so %s%s cannot be renamed to it: remove one of them", file, file, beside)
		}
		return os.Rename(path+beside, path)
	})
}

// removeNote removes the installation note.
func (s *Site) removeNote() error {
	if err := os.Remove(s.notePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(filepath.Dir(s.notePath())) // fails if it contains other files
	return nil
}
