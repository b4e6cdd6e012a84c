package app

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/sys/build"
)

// callsCheckrein returns a function that reports whether a hook certainly runs checkrein hook, by its
// name or by another path to program. Calls from within scripts are detected when they run.
func callsCheckrein(program string) func(*checkrein.Hook) bool {
	return func(h *checkrein.Hook) bool {
		if !bytes.Contains(h.With, []byte("hook")) { // a quick check that excludes nearly all hooks
			return false
		}
		for _, c := range coverage.Calls(h) {
			if c.First == "hook" && (hostfiles.IsCheckrein(c.Program) || isSameProgram(c.Program, program)) {
				return true
			}
		}
		return false
	}
}

// isSameProgram reports whether the program that PATH has for name is the same file as file. If file
// is "", it is the checkrein beside this program.
func isSameProgram(name, file string) bool {
	path, err := exec.LookPath(name)
	if err != nil {
		return false
	}
	if file == "" { // this program is the companion, which is beside checkrein
		self, _ := build.ProgramPath()
		file = filepath.Join(filepath.Dir(self), "checkrein"+filepath.Ext(self))
	}
	a, err := os.Stat(path)
	if err != nil {
		return false
	}
	b, err := os.Stat(file)
	return err == nil && os.SameFile(a, b)
}
