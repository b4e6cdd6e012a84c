//go:build unix

package hot

import (
	"syscall"

	"github.com/checkrein/checkrein/internal/cli/console"
)

// replaceProcess replaces this process with the program at path. It returns only on failure.
func replaceProcess(path string, argv, environ []string) (int, error) {
	return console.Bug, syscall.Exec(path, argv, environ)
}
