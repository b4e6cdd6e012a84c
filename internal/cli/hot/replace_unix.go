//go:build unix

package hot

import (
	"syscall"

	"github.com/checkrein/checkrein/internal/cli/console"
)

// replace becomes the other program; it returns only when that fails.
func replace(path string, argv, environ []string) (int, error) {
	return console.Bug, syscall.Exec(path, argv, environ)
}
