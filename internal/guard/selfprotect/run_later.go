package selfprotect

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/guard/study"
)

// ruleRunLater is the rule for programs and settings that something else runs by itself.
const ruleRunLater = "protect/run-later"

// runLater lists settings with which a file of a project makes a program run commands by itself.
var runLater = [...]struct{ file, setting string }{
	{"npmrc", "script-shell"}, {"npmrc", "node-options"}, {".vscode/tasks.json", "folderOpen"}, {".code-workspace", "folderOpen"},
	{".devcontainer/devcontainer.json", "initializeCommand"}, {".devcontainer.json", "initializeCommand"}, {".dir-locals.el", "eval"},
}

// checkRunLater returns the finding for the change c of abs if that makes something else run what it writes: a
// program in a directory of PATH with the name of another one, or a setting with a command.
func (k *guard) checkRunLater(abs string, c *pathChange) finding {
	texts, known := c.texts()
	if len(texts) == 0 && (known || c.gone) {
		return finding{}
	}
	if k.isPathDir(filepath.Dir(abs)) && k.shadowsProgram(abs) {
		return k.askFinding(ruleRunLater, "a directory of PATH", "a program there takes the place of another one with its name, outside the agent too")
	}
	for i := range runLater {
		row := &runLater[i]
		if !strings.HasSuffix(filepath.ToSlash(abs), row.file) {
			continue
		}
		has := func(text []byte) bool { return bytes.Contains(text, []byte(row.setting)) }
		if before, ok := study.ReadBounded(abs); slices.ContainsFunc(texts, has) && (!ok || !has(before)) {
			return k.askFinding(ruleRunLater, "the setting "+row.setting, "programs run its command by themselves")
		}
	}
	return finding{}
}

// systemDirs lists directories of PATH that hold the system's programs.
var systemDirs = [...]string{"/usr/bin", "/bin", "/usr/sbin", "/sbin"}

// isPathDir reports whether dir is a directory of PATH outside the project, other than those of the system.
func (k *guard) isPathDir(dir string) bool {
	if k.place.Root != "" && study.InDir(dir, k.place.Root) || slices.Contains(systemDirs[:], dir) {
		return false
	}
	home := k.place.Home
	return slices.Contains(filepath.SplitList(k.getenv("PATH")), dir) || home != "" && (dir == home+"/.local/bin" || dir == home+"/bin") || dir == "/usr/local/bin"
}

// shadowsProgram reports whether another directory of PATH has a program with the name of the file abs.
func (k *guard) shadowsProgram(abs string) bool {
	name := filepath.Base(abs)
	return slices.ContainsFunc(append(filepath.SplitList(k.getenv("PATH")), systemDirs[:]...), func(dir string) bool {
		return filepath.IsAbs(dir) && dir != filepath.Dir(abs) && exists(filepath.Join(dir, name))
	})
}
