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

// runsUs returns a function that reports whether a hook surely runs `checkrein
// hook`, by our name or by another that leads to the same program. What its scripts
// run is told when they do.
func runsUs(program string) func(*checkrein.Hook) bool {
	return func(h *checkrein.Hook) bool {
		if !bytes.Contains(h.With, []byte("hook")) { // as nearly all
			return false
		}
		for _, c := range coverage.Calls(h) {
			if c.First == "hook" && (hostfiles.IsCheckrein(c.Program) || isFile(c.Program, program)) {
				return true
			}
		}
		return false
	}
}

// isFile reports whether a name leads to a file; "" = the checkrein of this build.
func isFile(name, file string) bool {
	path, err := exec.LookPath(name)
	if err != nil {
		return false
	}
	if file == "" { // for the companion, which lies beside it
		self, _ := build.Program()
		file = filepath.Join(filepath.Dir(self), "checkrein"+filepath.Ext(self))
	}
	a, err := os.Stat(path)
	if err != nil {
		return false
	}
	b, err := os.Stat(file)
	return err == nil && os.SameFile(a, b)
}
