package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/wrap"
)

// A scratch is the machine of one case: a home, a project, and directories for checkrein's own files and
// for temporary ones.
type scratch struct{ top, home, project, config, state, temp string }

// newScratch makes a scratch. The caller removes it.
func newScratch() (*scratch, error) {
	top, err := os.MkdirTemp("", "checkrein-test-")
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	at := func(name string) string { return filepath.Join(top, name) }
	s := &scratch{top, at("home"), at("project"), at("config"), at("state"), at("tmp")}
	for _, dir := range []string{s.home, s.config, s.state, s.temp, filepath.Join(s.project, ".git/objects"), filepath.Join(s.project, ".git/refs")} {
		if err == nil {
			err = os.MkdirAll(dir, 0o700)
		}
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.project, ".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// remove removes the scratch.
func (s *scratch) remove() { _ = os.RemoveAll(s.top) }

// fill writes the files of c into the project, and installs walls for its host if c has them. links are
// the files below root that hooks run, which appear at the same places in the project.
func (s *scratch) fill(c *testCase, root string, links []string) error {
	if err := os.MkdirAll(filepath.Join(s.project, filepath.FromSlash(c.dir)), 0o700); err != nil {
		return err
	}
	for _, file := range links {
		rel, err := filepath.Rel(root, file)
		if err != nil || !filepath.IsLocal(rel) {
			continue // it is run where it is
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(s.project, rel)), 0o700); err != nil {
			return err
		}
		if err := os.Symlink(file, filepath.Join(s.project, rel)); err != nil {
			return err
		}
	}
	for name, text := range c.files {
		path := filepath.Join(s.project, filepath.FromSlash(name))
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("files: %s is a file that a hook runs: leave it out", name)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if !c.walls {
		return nil
	}
	on := filepath.Join(s.state, filepath.FromSlash(wrap.HostFile(c.host)))
	if err := os.MkdirAll(filepath.Dir(on), 0o700); err != nil {
		return err
	}
	return os.WriteFile(on, nil, 0o600)
}

// inherited are the variables that hooks of a policy under test get from the environment. No other one
// may change what a test finds.
var inherited = []string{"PATH", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME", "SYSTEMROOT"}

// environ returns the environment of the scratch.
func (s *scratch) environ(env *console.Env) []string {
	out := []string{"HOME=" + s.home, "TMPDIR=" + s.temp, "XDG_CONFIG_HOME=" + filepath.Join(s.home, ".config"), "XDG_STATE_HOME=" + filepath.Join(s.home, ".local/state")}
	for _, name := range inherited {
		if v, ok := environ.Lookup(env.Environ, name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// walls returns where command hooks run: they may change the scratch and nothing else.
func (s *scratch) walls(env *console.Env) walls.Place {
	own := []string{s.state, s.config}
	for _, dir := range append(base.Places(env).Dirs(), config.ManagedDir()) {
		if dir != "" {
			own = append(own, dir)
		}
	}
	return walls.Place{Homes: []string{s.home, environ.OwnAccount().Home, environ.Home(env.Environ)}, Own: own, Write: []string{s.home, s.temp}, Closed: true}
}

// mask returns text with the directories of the scratch as test files write them.
func (s *scratch) mask(text string) string {
	return strings.NewReplacer(s.project, projectVar, s.home, "~", s.temp, "$TMPDIR").Replace(text)
}
