//go:build unix

package state

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Mend puts the mode of a file or directory of ours right, if it keeps us from using it:
// others may write to it, or we may not. It returns the mode that it had; false = nothing
// was done. The state directory itself, which is "", is only made usable: where others
// may write to it, a person decides.
func (d Dir) Mend(name string) (was fs.FileMode, done bool) {
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
