//go:build unix

package state

import (
	"io/fs"
	"os"
	"path/filepath"
)

// FixMode repairs the mode of a file or directory of the user's own if others may write to it or the
// user may not use it. It returns the mode it replaced and whether it changed anything. The state
// directory itself, "", is only made usable: if others may write to it, a person must decide.
func (d Dir) FixMode(name string) (was fs.FileMode, done bool) {
	if d.path == "" || name != "" && checkName(name) != nil {
		return 0, false
	}
	full := filepath.Join(d.path, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return 0, false
	}
	was = info.Mode().Perm()
	want := fs.FileMode(fileMode)
	if info.IsDir() {
		want = dirMode
	}
	others := was&0o022 != 0
	if was&want == want && !others || others && name == "" || checkOwner(full, 0, true, ownerOf(info)) != nil {
		return 0, false
	}
	return was, os.Chmod(full, want) == nil
}
