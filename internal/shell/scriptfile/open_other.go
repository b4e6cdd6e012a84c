//go:build !unix

package scriptfile

import "os"

// openNonblocking opens the file at path for reading. It cannot block, because named pipes are not
// files on this system.
func openNonblocking(path string) (*os.File, error) { return os.Open(path) }
