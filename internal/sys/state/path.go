package state

import (
	"errors"
	"path/filepath"
	"runtime"
)

// dirName is checkrein's own directory below the user's state directory.
const dirName = "checkrein"

// DefaultPath returns where checkrein keeps its state, without accessing the disk:
// $XDG_STATE_HOME/checkrein, else $HOME/.local/state/checkrein, on macOS as on Linux; on Windows
// %LocalAppData%\checkrein. A variable that holds no absolute path counts as unset, as the XDG
// specification requires. If no variable is usable, the error names the one to set.
func DefaultPath(getenv func(string) string) (string, error) {
	if runtime.GOOS == "windows" {
		if base := getenv("LocalAppData"); filepath.IsAbs(base) {
			return filepath.Join(base, dirName), nil
		}
		return "", errors.New("no directory for state: set LocalAppData to an absolute path")
	}
	if base := getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, dirName), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", dirName), nil
	}
	return "", errors.New("no directory for state: set HOME or XDG_STATE_HOME to an absolute path")
}
