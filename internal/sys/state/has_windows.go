package state

import "os"

// sizeAt returns the size of what lies at a path; -1 = nothing does.
func sizeAt(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}
