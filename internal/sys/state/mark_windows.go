package state

import "io/fs"

// MarkOf is the mark of the file that was looked at.
func MarkOf(info fs.FileInfo) Mark {
	return Mark{Size: info.Size(), Changed: info.ModTime().UnixNano()}
}
