package state

import (
	"errors"
	"path/filepath"
	"runtime"
)

// dirName is the name of checkrein's directory in the directory for state.
const dirName = "checkrein"

// DefaultPath returns the path of the state directory without accessing the disk:
// $XDG_STATE_HOME/checkrein, otherwise $HOME/.local/state/checkrein, also on macOS; on Windows
// %LocalAppData%\checkrein. A variable that does not hold an absolute path counts as unset, as the XDG
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
