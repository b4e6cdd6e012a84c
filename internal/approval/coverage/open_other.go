//go:build !unix

package coverage

import (
	"os"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// openNoWait opens path for reading. Opening cannot block on Windows, where pipes and devices have no
// names inside directories.
func openNoWait(path string) (*os.File, error) { return os.Open(path) }

// digestFile returns the digest of the regular file at path, in hex, and its mark. It reports false if
// the file cannot be read.
func digestFile(path string) (string, state.Mark, bool) {
	sum, err := readDigest(path, nil)
	return sum.SHA256, sum.Mark, err == nil
}
