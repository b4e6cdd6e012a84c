//go:build !unix

package install

import "io/fs"

// ownerOf returns -1, because this system has no user IDs.
func ownerOf(fs.FileInfo) int { return -1 }
