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

// Uninstall plans to undo Install. Scripts that were there before, because they
// came with the project, stay.
func (s *Site) Uninstall(ctx context.Context) (*Plan, error) {
	n, err := s.note()
	if err != nil {
		return nil, err
	}
	if n == nil {
		return s.unset(ctx)
	}
	p := &Plan{Dir: n.Dir, site: s, note: n, forget: true}
	if err := p.restore(ctx); err != nil {
		return nil, err
	}
	for _, file := range n.Files {
		p.remove(file)
	}
	for _, file := range n.Moved {
		p.moveBack(file)
	}
	p.Steps = append(p.Steps, Step{"", func(context.Context) error {
		for _, dir := range n.Dirs {
			_ = os.Remove(dir) // unless someone else has put something there
		}
		return nil
	}})
	return p, nil
}

// unset undoes what a person did by hand: the setting that points at scripts of
// ours.
func (s *Site) unset(ctx context.Context) (*Plan, error) {
	p := &Plan{site: s, forget: true}
	value, ok, err := s.repo.OwnSetting(ctx, keyPath)
	if err != nil || !ok {
		return p, err
	}
	text, err := os.ReadFile(filepath.Join(s.hookDir(value), Ours[0]))
	if err != nil || !isOurs(text) {
		return p, nil
	}
	p.Dir = value
	p.step("remove the git setting "+keyPath, func(ctx context.Context) error { return s.repo.Unset(ctx, keyPath) })
	return p, nil
}

// restore plans to make the settings what they were: byte for byte if nobody
// changed them since.
func (p *Plan) restore(ctx context.Context) error {
	s, n := p.site, p.note
	now, err := s.config()
	if err != nil {
		return err
	}
	if n.After != "" && sum(now) == n.After {
		path := filepath.Join(s.common, "config")
		p.step("restore the repository's settings", func(context.Context) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return state.Replace(path, n.Config, info.Mode().Perm())
		})
		return nil
	}
	value, _, err := s.repo.OwnSetting(ctx, keyPath)
	switch {
	case err != nil:
		return err
	case value != n.Dir:
		p.Warnings = append(p.Warnings, fmt.Sprintf("core.hooksPath was changed to %q since then, so it stays", value))
	case n.Was != nil:
		p.set(keyPath, *n.Was)
	default:
		p.unsetting(keyPath)
	}
	p.unsetting(keyBefore)
	p.unsetting(keyProgram)
	return nil
}

func (p *Plan) unsetting(name string) {
	p.step("remove the git setting "+name, func(ctx context.Context) error { return p.site.repo.Unset(ctx, name) })
}

func (p *Plan) remove(file string) {
	path := p.site.path(file)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil || !isUnchanged(filepath.Base(path), text):
		p.Warnings = append(p.Warnings, file+" was changed since, or is of another version, and stays")
		return
	}
	p.step("remove "+file, func(context.Context) error { return os.Remove(path) })
}

func (p *Plan) moveBack(file string) {
	path := p.site.path(file)
	if _, err := os.Lstat(path + beside); errors.Is(err, fs.ErrNotExist) {
		return // it was never moved, or somebody took it away
	}
	p.step(fmt.Sprintf("rename %s%s back to %s", file, beside, filepath.Base(file)), func(context.Context) error {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s and %s%s are in each other's way: remove one of them", file, file, beside)
		}
		return os.Rename(path+beside, path)
	})
}

// forget removes the note.
func (s *Site) forget() error {
	if err := os.Remove(s.notePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(filepath.Dir(s.notePath())) // unless something else is there
	return nil
}
