//go:build !unix

package scriptfile

import "os"

// openNoWait opens a file. Named pipes do not exist in directories on this system.
func openNoWait(path string) (*os.File, error) { return os.Open(path) }
