//go:build unix

package state

import (
	"io/fs"
	"os"
	"path/filepath"
)

// FixMode repairs the mode of the user's file or directory name if others may write to it, or if the
// user may not use it. It returns the mode that it replaced, and reports whether it changed anything.
// The mode of the state directory itself, "", is not repaired if others may write to it, because a
// person must decide about that.
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
