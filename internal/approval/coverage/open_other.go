//go:build !unix

package coverage

import (
	"os"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// openNoWait opens path. Pipes and devices have no names inside directories on
// Windows, so there is nothing to wait for.
func openNoWait(path string) (*os.File, error) { return os.Open(path) }

// digestFile is the digest and the mark of a regular file.
func digestFile(path string) (string, state.Mark, bool) {
	sum, err := sumFile(path, nil)
	return sum.SHA256, sum.Mark, err == nil
}
