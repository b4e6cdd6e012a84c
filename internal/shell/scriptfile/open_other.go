//go:build !unix

package scriptfile

import "os"

// openNoWait opens a file: pipes have no names inside directories here.
func openNoWait(path string) (*os.File, error) { return os.Open(path) }
