package trust

import (
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/state"
)

// scriptsOf returns the files that a hook folder runs from: all of its scripts,
// since each may run another.
func scriptsOf(folder string) ([]string, error) {
	top := filepath.Join(folder, "scripts")
	info, err := os.Lstat(top)
	switch {
	case err != nil:
		return nil, nil
	case !info.IsDir():
		return []string{top}, nil // a link may lead anywhere
	}
	var files []string
	left := maxScripts
	err = scriptsIn(top, &files, &left)
	return files, err
}

// maxScripts is how many names a folder's scripts may have, directories included:
// all are looked at before each run.
const maxScripts = 1000

// scriptsIn adds the files below a directory. What cannot be listed is missed when it
// is to run.
func scriptsIn(dir string, files *[]string, left *int) error {
	names, more, _ := state.List(dir, *left)
	if more {
		return errTooMany
	}
	*left -= len(names)
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			continue
		case info.IsDir():
			if err := scriptsIn(path, files, left); err != nil {
				return err
			}
			continue
		case len(*files) == maxFiles:
			return errTooMany
		}
		*files = append(*files, path)
	}
	return nil
}

func folderOf(h *checkrein.Hook) string { return settingOf(h, "hook_folder") }
