package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// walkTree calls add with everything below dir, except trees that tools make again and that the project
// ignores.
func (c *collector) walkTree(dir string, add func(path string, e fs.DirEntry) error) error {
	err := c.walk(dir, add)
	for err == nil && len(c.skipped) > 0 {
		trees := c.skipped
		c.skipped = nil
		for _, path := range c.notIgnored(dir, trees) {
			info, statErr := os.Lstat(path)
			if statErr != nil {
				continue // it was removed meanwhile
			}
			if err = errors.Join(add(path, fs.FileInfoToDirEntry(info)), c.walk(path, add)); err != nil {
				break
			}
		}
	}
	return err
}

// notIgnored returns those of the directories that the repository of dir does not ignore. If there is no
// repository, it returns none.
func (c *collector) notIgnored(dir string, dirs []string) (out []string) {
	source := c.store.source(dir)
	source.Stdin = []byte(strings.Join(dirs, "\x00") + "\x00")
	list, _ := source.Run(c.ctx, "check-ignore", "--verbose", "--non-matching", "-z", "--stdin") // it fails if all of them are kept
	for f := range slices.Chunk(splitNames(list), 4) {                                           // file, line and text of the rule, directory
		if len(f) == 4 && (f[2] == "" || f[2][0] == '!') {
			out = append(out, f[3])
		}
	}
	return out
}

// walk calls add with everything below dir. It leaves out trees that tools make again, and adds them to
// c.skipped.
func (c *collector) walk(dir string, add func(path string, e fs.DirEntry) error) error {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was removed meanwhile
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	for _, e := range list {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		path := dir + string(filepath.Separator) + e.Name()
		if e.IsDir() && isMadeAgain(dir, e.Name()) {
			c.skipped = append(c.skipped, path)
			continue
		}
		if err := add(path, e); err != nil {
			return err
		}
		if e.IsDir() {
			if err := c.walk(path, add); err != nil {
				return err
			}
		}
	}
	return nil
}

// madeAgain lists names of directories that tools fill and fill again. Ambiguous names, such as build,
// are not among them.
var madeAgain = [...]string{
	"node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache",
	".gradle", ".next", ".nuxt", ".parcel-cache", ".svelte-kit", ".turbo", ".terraform", ".dart_tool", "bower_components",
}

// isMadeAgain reports whether tools make the directory name in dir again.
func isMadeAgain(dir, name string) bool {
	if name == "target" { // of cargo and maven
		return !state.IsAbsent(filepath.Join(dir, "Cargo.toml")) || !state.IsAbsent(filepath.Join(dir, "pom.xml"))
	}
	return slices.Contains(madeAgain[:], name)
}
