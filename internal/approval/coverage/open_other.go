//go:build !unix

package coverage

import (
	"os"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// openNoWait opens path. On Windows pipes and devices have no names inside directories, so that
// opening cannot block.
func openNoWait(path string) (*os.File, error) { return os.Open(path) }

// digestFile returns the digest and the mark of a regular file.
func digestFile(path string) (string, state.Mark, bool) {
	sum, err := readDigest(path, nil)
	return sum.SHA256, sum.Mark, err == nil
}
