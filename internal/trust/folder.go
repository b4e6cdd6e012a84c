package trust

import (
	"io/fs"
	"path/filepath"

	"github.com/checkrein/checkrein"
)

// scriptsOf returns the files that a hook folder runs from: all of its scripts,
// since each may run another.
func scriptsOf(folder string) ([]string, error) {
	var files []string
	top := filepath.Join(folder, "scripts")
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // what cannot be listed is missed when it is to run
		}
		if len(files) == maxFiles {
			return errTooMany
		}
		files = append(files, path)
		return nil
	})
	return files, err
}

func folderOf(h *checkrein.Hook) string { return settingOf(h, "hook_folder") }
