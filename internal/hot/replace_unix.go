//go:build unix

package hot

import "syscall"

// replace becomes the other program; it returns only when that fails.
func replace(path string, argv, environ []string) (int, error) {
	return ExitBug, syscall.Exec(path, argv, environ)
}
