package state

import "io/fs"

// MarkOf returns the mark of the file that info describes.
func MarkOf(info fs.FileInfo) Mark {
	return Mark{Size: info.Size(), Changed: info.ModTime().UnixNano()}
}
