package state

import "os"

// sizeOrMinusOne returns the size of the file at path, or -1 if there is none.
func sizeOrMinusOne(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}
